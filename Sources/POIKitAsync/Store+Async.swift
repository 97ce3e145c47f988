@_exported public import POIKit

/// The operations of a store as `async` functions. Each of these does its work on a thread of its own.
///
/// If the task is cancelled, an import, a deduplication or a plan stops at its next batch boundary and
/// returns what it did: the report of an import has the ending `stopped`, and a deduplication is not
/// finished. What is committed stays, and the operation can be continued.
///
/// Progress comes as an asynchronous sequence, which ends with the operation:
///
/// ```swift
/// import POIKitAsync
///
/// let (updates, progress) = AsyncStream.makeStream(
///   of: StoreProgress.self, bufferingPolicy: .bufferingNewest(1))
/// async let report = store.importRecords(from: .file("places.json"), progress: progress)
/// for await update in updates { show(update.fraction) }
/// print(try await report.counters.inserted)
/// ```
extension Store {
  /// Imports the records of some inputs into a table; see the synchronous `importRecords`.
  ///
  /// - Parameter progress: receives the progress after each batch.
  /// - Throws: `StoreError`; the batches before it stay committed.
  @discardableResult
  public func importRecords(
    from sources: ImportSource..., model: Model = .poi, options: ImportOptions = ImportOptions(),
    validators: [any RecordValidator] = [],
    progress: AsyncStream<StoreProgress>.Continuation? = nil
  ) async throws(StoreError) -> ImportReport {
    try await onBackgroundThread(finishing: progress) { (flag) throws(StoreError) in
      try self.importRecords(
        from: sources, model: model, options: options, validators: validators
      ) { update in
        progress?.yield(update)
        return flag.decision
      }
    }
  }

  /// Keeps one record of each group of duplicates; see the synchronous `deduplicate`.
  ///
  /// - Parameter progress: receives the progress after each batch.
  /// - Throws: `StoreError`; the batches before it stay committed.
  @discardableResult
  public func deduplicate(
    by key: [String] = [], in table: String? = nil, timestamp: String? = nil,
    options: DeduplicationOptions = DeduplicationOptions(),
    progress: AsyncStream<StoreProgress>.Continuation? = nil
  ) async throws(StoreError) -> DeduplicationReport {
    try await onBackgroundThread(finishing: progress) { (flag) throws(StoreError) in
      try self.deduplicate(by: key, in: table, timestamp: timestamp, options: options) { update in
        progress?.yield(update)
        return flag.decision
      }
    }
  }

  /// Finds the duplicates and decides, without changes; see the synchronous `plan`.
  ///
  /// - Returns: what `deduplicate` would do, or nil if the task was cancelled.
  public func plan(
    by key: [String] = [], in table: String? = nil, timestamp: String? = nil,
    options: DeduplicationOptions = DeduplicationOptions()
  ) async throws(StoreError) -> DeduplicationPlan? {
    try await onBackgroundThread { (flag) throws(StoreError) in
      try self.plan(by: key, in: table, timestamp: timestamp, options: options) { _ in flag.decision
      }
    }
  }

  /// Restores what a run removed; see the synchronous `undo`.
  @discardableResult
  public func undo(run: Int64? = nil) async throws(StoreError) -> UndoReport {
    try await onBackgroundThread { (_) throws(StoreError) in try self.undo(run: run) }
  }

  /// The digest of a table; see the synchronous `digest`.
  public func digest(ofTable table: String? = nil) async throws(StoreError) -> TableDigest {
    try await onBackgroundThread { (_) throws(StoreError) in try self.digest(ofTable: table) }
  }

  /// Returns rows of a table of records as values of a type of the program; see the synchronous `rows`.
  public func rows<Value: Decodable & Sendable>(
    of table: String? = nil, as type: Value.Type, where filters: [RowFilter] = [],
    orderedBy orders: [RowOrder] = [], limit: Int? = nil, offset: Int = 0
  ) async throws(StoreError) -> [Value] {
    try await onBackgroundThread { (_) throws(StoreError) in
      try self.rows(
        of: table, as: type, where: filters, orderedBy: orders, limit: limit, offset: offset)
    }
  }
}
