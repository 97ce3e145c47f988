internal import POIRecords
public import POISQLite

/// Finds the records of a table that share a key, keeps one of each and removes the others.
///
/// The winner is the record with the greatest timestamp, then a removal before a live record, then
/// the record with the greatest digest of its content. It does not depend on the device or the
/// order of the records.
///
/// All changes are made on the caller's connection and thread. Losers are removed in several
/// transactions. If a pass ends early, running it again leads to the same table.
public struct Deduplicator: Sendable {
  /// The table.
  public let layout: TableLayout

  /// How duplicates are found and removed.
  public let options: DeduplicationOptions

  /// A clock that never goes back, to measure the time since the last commit.
  var elapsed: @Sendable () -> Duration = MonotonicClock.now

  /// The only rows to compare; nil for all.
  var fold: Fold?

  /// Replaces the hash of an enforced key in tests.
  var keyHash: @Sendable (KeyHash) -> KeyHash = { $0 }

  /// Replaces the digest of a content that breaks a tie, in tests.
  var contentHash: @Sendable (Digest) -> Digest = { $0 }

  /// A deduplicator of one table.
  public init(layout: TableLayout, options: DeduplicationOptions = DeduplicationOptions()) {
    self.layout = layout
    self.options = options
  }

  /// Finds the duplicates and decides, without changes to the database.
  ///
  /// - Parameters:
  ///   - connection: the database, outside of a transaction. It need not be writable.
  ///   - progress: receives the progress, and may stop the pass.
  /// - Returns: what `run` would do, or nil if it was stopped.
  /// - Throws: `StoreError` when the layout does not fit the database, when a table without
  ///   row ids refers to this one, when another key is enforced and when the database cannot be
  ///   read.
  /// - Complexity: O(rows) in time; the memory is the budget of the options.
  public func plan(
    on connection: Connection,
    progress: (StoreProgress) -> BatchDecision = { _ in .proceed }
  ) throws(StoreError) -> DeduplicationPlan? {
    try StoreError.converting(path: connection.path) {
      let pass = try DeduplicationPass(self, on: connection)
      return try pass.plan(progress: progress)
    }
  }

  /// Finds the duplicates, decides, and removes the losers.
  ///
  /// If another program writes meanwhile, it begins again, for as long as the connection waits for locks.
  ///
  /// - Parameters:
  ///   - connection: the database, outside of a transaction.
  ///   - progress: receives the progress, also after each batch, and may stop the pass there.
  /// - Throws: `StoreError`; the batches before the error stay committed, and its `report`
  ///   counts them.
  /// - Complexity: O(rows) in time; the memory is the budget of the options.
  public func run(
    on connection: Connection,
    progress: (StoreProgress) -> BatchDecision = { _ in .proceed }
  ) throws(StoreError) -> DeduplicationReport {
    try run(on: connection, clock: SystemClock.now, progress: progress)
  }

  /// Deduplicates with another clock, which returns the time of the start and of the end.
  ///
  /// - Parameters:
  ///   - count: if given, the deduplication is a part of an import that appended rows, and no run of its own. It gets
  ///     what merging each of them in the order of the row ids would have counted, before a row is removed.
  ///   - boundary: the greatest row id before the import.
  package func run(
    on connection: Connection, clock: () -> Instant,
    progress: (StoreProgress) -> BatchDecision = { _ in .proceed },
    countingArrivals count: ((MergeCounts) throws -> Void)? = nil, after boundary: Int64 = 0
  ) throws(StoreError) -> DeduplicationReport {
    var earlier = DeduplicationReport.Changes()
    var firstMeeting: Duration?
    while true {
      do throws(StoreError) {
        return try StoreError.converting(path: connection.path) {
          let pass = try DeduplicationPass(
            self, on: connection, after: earlier, countingArrivals: count, ofRowsAfter: boundary)
          return try pass.run(clock: clock, progress: progress)
        }
      } catch {
        guard error.code == .changedByOther else { throw error }
        let timeout = Duration.milliseconds((try? connection.integer("PRAGMA busy_timeout")) ?? 0)
        let now = MonotonicClock.now()
        guard now - (firstMeeting ?? now) < timeout else { throw error }
        firstMeeting = firstMeeting ?? now
        if let report = error.report { earlier = report.runChanges }
      }
    }
  }
}

extension Deduplicator {
  /// Reads the schema of the table, and checks that the layout and the options fit it.
  func checkedSchema(_ connection: Connection) throws -> TableSchema {
    guard !connection.isInTransaction else {
      throw StoreFailure(
        .invalidOptions, "a deduplication makes its own transactions: end the open one before")
    }
    guard !layout.keyColumns.isEmpty else {
      throw StoreFailure(
        .invalidOptions, "name at least one key column of '\(layout.table)' to deduplicate by")
    }
    guard !layout.isKeyDoubtful || options.enforcement == .none else {
      throw StoreFailure(
        .invalidOptions,
        "the key \(layout.keyColumns.joined(separator: ", ")) of '\(layout.table)' was inferred and is "
          + "doubtful, so it is not enforced",
        advice: .enforce(key: layout.keyColumns, options.enforcement))
    }
    guard options.batchSize ?? 1 >= 1 else {
      throw StoreFailure(
        .invalidOptions, "a batch has at least one record, not \(options.batchSize ?? 0)")
    }
    guard options.memoryBudget >= 0 else {
      throw StoreFailure(
        .invalidOptions, "the memory for sorting cannot be negative, as \(options.memoryBudget) is")
    }
    guard options.keep == .newest || layout.removals == nil else {
      throw StoreFailure(
        .invalidOptions,
        "the removals of '\(layout.table)' delete older rows, so the oldest row cannot "
          + "be kept; keep the newest, or let removals mark rows (\"removal\": \"mark\")")
    }
    let schema = try TableSchema(of: layout.table, in: connection)
    let fixed =
      layout.keyColumns + [layout.timestampColumn, layout.tombstoneColumn].compactMap { $0 }
    for name in fixed + layout.content.columns + layout.identityColumns {
      _ = try schema.column(name)
    }
    if options.mergesLosers,
      let column = fixed.first(where: { TableSchema.contains(schema.generatedColumns, $0) })
    {
      throw StoreFailure(
        .invalidOptions,
        "the column '\(column)' of '\(layout.table)' is computed from others, so merging losers "
          + "could change it; name columns that are not computed, or do not merge losers")
    }
    try enforcer(of: schema).check()
    return schema
  }

  func enforcer(of schema: TableSchema) -> KeyEnforcer {
    KeyEnforcer(
      layout: layout, schema: schema, enforcement: options.enforcement, nullKey: options.nullKey,
      keyHash: keyHash)
  }
}

extension Deduplicator {
  /// Names references that the database does not declare as foreign keys.
  ///
  /// Deduplications on this connection treat them like foreign keys: rows that refer to a loser refer to its
  /// winner afterwards. A deduplication that changes rows keeps them in the database.
  ///
  /// - Throws: `StoreError` when a table or column does not exist, or cannot refer or be referred to.
  public static func name(
    _ references: [NamedReference], on connection: Connection
  ) throws(StoreError) {
    try StoreError.converting(path: connection.path) {
      try NamedReference.name(references, in: connection)
    }
  }

  /// The references of a database, declared or named, with the values that refer to missing rows.
  ///
  /// - Throws: `StoreError` when the database cannot be read.
  /// - Complexity: O(rows), if the columns referred to have indexes.
  public static func danglingReferences(
    on connection: Connection
  ) throws(StoreError) -> [DanglingReference] {
    try StoreError.converting(path: connection.path) { try DanglingReference.all(in: connection) }
  }
}
