internal import POIRecords
internal import POISQLite

/// What changed from one store to another.
extension Store {
  /// Compares the records of a table with the records of an older store, by key.
  ///
  /// Each difference is a line of JSON: `change` is `added`, `removed` or `changed`, `key` has the attributes of
  /// the key. An added or removed record has the member `record`, in the form that its model reads. A changed one
  /// has `attributes`: by name an object with the `old` and the `new` value.
  ///
  /// Related records are compared by their content. Rows that are marked as removed are not there.
  ///
  /// - Parameters:
  ///   - older: the other store. Both are in use during the comparison.
  ///   - options: what is compared.
  ///   - progress: called now and then; returns whether to continue.
  ///   - write: receives the lines, piece by piece, as UTF-8.
  /// - Throws: `StoreError` with `noSuchTable`, `noSuchColumn` or `invalidOptions`, or when a store cannot be read;
  ///   or the error of `write`, which ends the comparison.
  /// - Complexity: O(rows) in time if both stores enforce the key, and in memory O(1); otherwise keys are sorted in
  ///   a temporary file.
  @discardableResult
  public func compare(
    withOlder older: Store, options: DifferenceOptions = DifferenceOptions(),
    progress: (StoreProgress) -> BatchDecision = { _ in .proceed },
    to write: (Span<UInt8>) throws -> Void
  ) throws -> DifferenceReport {
    try Store.throwingErrors(of: write) { (write) throws(StoreError) in
      try leased { (newerLease) in
        defer { try? KeyedRows.clear(newerLease.connection) }
        return try newerLease.connection.inTransaction(.deferred) {
          let newer = try newerLease.model(ofTable: options.table)
          return try older.leased { (olderLease) in
            defer { try? KeyedRows.clear(olderLease.connection) }
            return try olderLease.connection.inTransaction(.deferred) {
              let olderModel = try olderLease.model(ofTable: newer.table)
              let comparison = try StoreComparison(
                (olderModel, olderLease.connection), (newer, newerLease.connection), options)
              return try comparison.run(progress: progress, to: write)
            }
          }
        }
      }
    }
  }
}

/// What a comparison of two stores compares.
public struct DifferenceOptions: Sendable, Hashable {
  /// The table; nil for the only one of the newer store that is not empty.
  public var table: String?

  /// The attributes that identify a record; empty for the key of the newer store's model.
  public var key: [String] = []

  /// Attributes and relations whose differences do not count.
  public var ignoredAttributes: [String] = []

  /// All attributes, by the model's key.
  public init() {}
}
