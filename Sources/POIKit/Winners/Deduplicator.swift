internal import POIRecords
public import SQLiteKit

/// Finds the records of a table that share a key, keeps one of each and removes the others.
///
/// The winner is the record with the greatest timestamp, then a removal before a live record, then
/// the record with the greatest digest of its content. It is the same on every device and for every
/// order of the records.
///
/// All changes are made on the caller's connection and thread. If the options allow it, a second
/// thread helps to compute the digest. Losers are removed in several transactions. If a pass ends
/// early, running it again leads to the same table.
public struct Deduplicator: Sendable {
  /// The table.
  public let layout: TableLayout

  /// How duplicates are found and removed.
  public let options: DeduplicationOptions

  /// A clock that never goes back, to measure the time since the last commit.
  var elapsed: @Sendable () -> Duration = MonotonicClock.now

  /// In tests, the replacement for the hash of a key; then every key is hashed.
  var keyHash: (@Sendable (KeyHash) -> KeyHash)?

  /// In tests, the replacement for the digest of a content that breaks a tie.
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
  /// - Complexity: O(rows) in time; the memory is that of the options' budget.
  public func plan(
    on connection: Connection,
    progress: (DeduplicationProgress) -> BatchDecision = { _ in .proceed }
  ) throws(StoreError) -> DeduplicationPlan? {
    try StoreError.converting(path: connection.path) {
      try decide(on: connection, progress: progress)
    }
  }

  private func decide(
    on connection: Connection, progress: (DeduplicationProgress) -> BatchDecision
  ) throws -> DeduplicationPlan? {
    let schema = try checkedSchema(connection)
    // This also throws if losers cannot be removed.
    let removal = try LoserRemoval(
      layout, schema: schema, arrays: options.arrays, statements: PreparedStatements(),
      in: connection)
    var selection = try selection(for: removal, in: connection)
    let removals = try removals(in: connection)
    let decided = try select(
      &selection, schema, without: removals, on: connection, progress: progress)
    guard decided != nil else { return nil }
    var plan = selection.plan
    if options.mergesLosers {
      try connection.inTransaction(.deferred) {
        try countFills(&selection, &plan, schema, on: connection)
      }
    }
    plan.beatenRowCount = try beatenRowCount(removals, schema, in: connection)
    plan.rowCount += plan.beatenRowCount
    return plan
  }

  /// Finds the duplicates, decides, and removes the losers.
  ///
  /// - Parameters:
  ///   - connection: the database, outside of a transaction.
  ///   - clock: returns the time of the start and of the end, for the table of runs.
  ///   - progress: receives the progress, also after each batch, and may stop the pass there.
  /// - Throws: `StoreError`; the batches before the error stay committed, and its `report`
  ///   counts them.
  /// - Complexity: O(rows) in time; the memory is that of the options' budget.
  public func run(
    on connection: Connection, clock: () -> Instant,
    progress: (DeduplicationProgress) -> BatchDecision = { _ in .proceed }
  ) throws(StoreError) -> DeduplicationReport {
    try StoreError.converting(path: connection.path) {
      try decideAndRemove(on: connection, clock: clock, progress: progress)
    }
  }

  private func decideAndRemove(
    on connection: Connection, clock: () -> Instant,
    progress: (DeduplicationProgress) -> BatchDecision
  ) throws -> DeduplicationReport {
    let schema = try checkedSchema(connection)
    let statements = PreparedStatements()
    var removal = try LoserRemoval(
      layout, schema: schema, arrays: options.arrays, statements: statements, in: connection)
    let cache = try PageCache.enlarge(in: connection)
    defer {
      removal.discardLists(in: connection)
      cache.restore(in: connection)
    }
    var selection = try selection(for: removal, in: connection)
    var record: DeduplicationRun?
    var plan = DeduplicationPlan()
    if let removals = try removals(in: connection),
      try beatenRowCount(removals, schema, in: connection) > 0
    {
      if options.archive { record = try beginRun(at: clock(), on: connection) }
      try removeBeatenRows(removals, schema, &removal, &plan, record, on: connection)
    }
    var committed = removal.counts
    do {
      guard
        let version = try select(
          &selection, schema, without: nil, on: connection, progress: progress)
      else {
        return report(
          plan.beatenRowCount > 0 ? plan : selection.plan, removal.counts, record)
      }
      plan = selection.plan
      plan.beatenRowCount = removal.counts.beatenRowCount
      plan.rowCount += plan.beatenRowCount
      try prepare(&removal, plan, &record, on: connection, clock: clock)
      return try remove(
        &selection, &removal, plan, record, since: version, committed: &committed, on: connection,
        clock: clock, progress: progress)
    } catch {
      var error = StoreError(converting: error, path: connection.path)
      let report = report(plan, committed, record)
      if report.runChanges != RemovalCounts() { error.report = report }
      throw error
    }
  }

  /// Begins the run before losers are removed, if it belongs into the table of runs and is not
  /// there.
  private func prepare(
    _ removal: inout LoserRemoval, _ plan: DeduplicationPlan, _ record: inout DeduplicationRun?,
    on connection: Connection, clock: () -> Instant
  ) throws {
    if !options.mergesLosers { try removal.keepDigest(in: connection) }
    let hasWork = plan.loserCount > 0 || options.enforcement != .none
    if record == nil, try RunRecord.isBookkept(connection) || (options.archive && hasWork) {
      // The first batch, or the end of the run, brings it to the disk.
      record = try connection.withoutWaitingForDisk {
        try DeduplicationRun.begin(layout, options, at: clock(), in: connection)
      }
    }
    if let record { removal.keep(under: record.id, archives: options.archive) }
  }

  /// Removes the losers in batches, and ends the run.
  ///
  /// - Parameter committed: the committed changes so far.
  private func remove(
    _ selection: inout WinnerSelection, _ removal: inout LoserRemoval, _ plan: DeduplicationPlan,
    _ record: DeduplicationRun?, since version: Int64, committed: inout RemovalCounts,
    on connection: Connection, clock: () -> Instant,
    progress: (DeduplicationProgress) -> BatchDecision
  ) throws -> DeduplicationReport {
    var merge: LoserMerge?
    if options.mergesLosers {
      merge = try LoserMerge(layout, schema: removal.root, in: connection)
    }
    let statements = removal.statements
    var pace = BatchPace(size: options.batchSize, clock: elapsed)
    while removal.counts.removedRowCount < plan.loserCount {
      try statements.inTransaction(in: connection) {
        try checkUnchanged(since: version, removal.counts, by: statements, on: connection)
        try removeLosers(&selection, &merge, &removal, at: pace, in: connection)
        try record?.save(plan, removal.counts, by: statements, in: connection)
      }
      pace.noteCommit()
      committed = removal.counts
      let decision = progress(
        .removing(
          removedCount: removal.counts.removedRowCount, loserCount: plan.loserCount))
      if decision == .stop { return report(plan, removal.counts, record) }
    }
    return try finish(plan, removal, record, since: version, on: connection, clock: clock)
  }

  /// Removes the losers of one transaction, a portion at a time.
  private func removeLosers(
    _ selection: inout WinnerSelection, _ merge: inout LoserMerge?, _ removal: inout LoserRemoval,
    at pace: BatchPace, in connection: Connection
  ) throws {
    try removal.beginBatch(in: connection)
    let before = removal.counts.removedRowCount
    var count = 0
    repeat {
      let portion = min(pace.portion(after: count), removal.portionSize)
      if options.removesGroupsWhole(in: layout) {
        try removeGroups(portion, &selection, &merge, &removal, in: connection)
      } else {
        var losers: [LoserEntry] = []
        losers.reserveCapacity(portion)
        while losers.count < portion, let loser = try selection.nextLoser() { losers.append(loser) }
        if !losers.isEmpty { try removal.remove(losers, in: connection) }
      }
      let removed = removal.counts.removedRowCount - before
      // No loser is left.
      guard removed > count else { return }
      count = removed
    } while count < pace.limit && !pace.isDue(count)
  }
}

extension Deduplicator {
  /// Reads the schema of the table, and checks that the layout and the options fit it.
  private func checkedSchema(
    _ connection: Connection
  ) throws -> TableSchema {
    guard !connection.isInTransaction else {
      throw StoreFailure(
        .invalidOptions, "a deduplication makes its own transactions: end the open one before")
    }
    guard !layout.keyColumns.isEmpty else {
      throw StoreFailure(
        .invalidOptions, "name at least one key column of '\(layout.table)' to deduplicate by")
    }
    guard options.batchSize ?? 1 >= 1 else {
      throw StoreFailure(
        .invalidOptions, "a batch has at least one record, not \(options.batchSize ?? 0)")
    }
    guard options.jobCount >= 1 else {
      throw StoreFailure(.invalidOptions, "a deduplication needs at least one thread")
    }
    guard options.memoryBudget >= 0 else {
      throw StoreFailure(
        .invalidOptions, "the memory for sorting is not negative, as \(options.memoryBudget) is")
    }
    guard options.keep == .newest || layout.removals == nil else {
      throw StoreFailure(
        .invalidOptions,
        "the removals of '\(layout.table)' delete rows that are older than they are, so the oldest row "
          + "cannot be kept; keep the newest, or let removals mark rows (\"removal\": \"mark\")")
    }
    let schema = try TableSchema(of: layout.table, in: connection)
    let fixed =
      layout.keyColumns + [layout.timestampColumn, layout.tombstoneColumn].compactMap { $0 }
    for name in fixed + layout.contentColumns.map(\.name) + layout.identityColumns {
      _ = try schema.column(name)
    }
    if options.mergesLosers,
      let column = fixed.first(where: { TableSchema.contains(schema.generatedColumns, $0) })
    {
      throw StoreFailure(
        .invalidOptions,
        "the column '\(column)' of '\(layout.table)' is computed from others, which would change it "
          + "where losers are merged; name columns with values of their own, or leave merging out")
    }
    try enforcer(of: schema).check(in: connection)
    return schema
  }

  /// A selection that returns the losers in the order that their removal needs.
  private func selection(
    for removal: LoserRemoval, in connection: Connection
  ) throws -> WinnerSelection {
    let needsRanks = try removal.needsRanks(in: connection)
    return WinnerSelection(
      layout, options: options,
      ranksLosers: needsRanks || options.removesGroupsWhole(in: layout), keyHash: keyHash,
      contentHash: contentHash)
  }

  private func enforcer(of schema: TableSchema) -> KeyEnforcer {
    KeyEnforcer(
      layout: layout, schema: schema, enforcement: options.enforcement, nullKey: options.nullKey,
      keyHash: keyHash ?? { $0 })
  }

  private func beginRun(
    at start: Instant, on connection: Connection
  ) throws -> DeduplicationRun {
    return try DeduplicationRun.begin(layout, options, at: start, in: connection)
  }

  /// Reads and decides within one view of the database.
  ///
  /// - Returns: the version of the database that was read, or nil if it was stopped.
  private func select(
    _ selection: inout WinnerSelection, _ schema: TableSchema, without removals: TombstoneTable?,
    on connection: Connection,
    progress: (DeduplicationProgress) -> BatchDecision
  ) throws -> Int64? {
    try connection.inTransaction(.deferred) { () throws -> Int64? in
      let version: Int64
      // The view begins with the first read, and the version is that of the view.
      _ = try connection.integer("SELECT count(*) FROM main.sqlite_schema")
      version = try connection.dataVersion()
      selection.note(triggers: try TableSchema.triggers(of: schema.name, in: connection))
      guard
        try selection.readTable(
          schema, without: removals, in: connection, progress: progress)
      else { return nil }
      try selection.decide(schema, in: connection)
      return version
    }
  }

  /// Throws if another connection has committed since the rows were read.
  private func checkUnchanged(
    since version: Int64, _ counts: RemovalCounts, by statements: PreparedStatements,
    on connection: Connection
  ) throws {
    let current = try statements.integer("PRAGMA data_version", in: connection)
    guard current == version else {
      throw StoreFailure(
        .changedByOther,
        """
        another program changed the database while '\(layout.table)' was being deduplicated; \
        \(counts.removedRowCount) losers are removed, none of them wrongly: run it again
        """)
    }
  }

  /// Enforces the key, computes the digest and ends the run, in one transaction.
  private func finish(
    _ plan: DeduplicationPlan, _ removal: LoserRemoval, _ record: DeduplicationRun?,
    since version: Int64,
    on connection: Connection, clock: () -> Instant
  ) throws -> DeduplicationReport {
    let writes = record != nil || options.enforcement != .none || plan.loserCount > 0
    func finish() throws -> DeduplicationReport {
      try connection.inTransaction(writes ? .immediate : .deferred) {
        () throws -> DeduplicationReport in
        try checkUnchanged(since: version, removal.counts, by: removal.statements, on: connection)
        return try complete(
          plan, removal, record, jobCount: writes ? options.jobCount : 1, on: connection,
          end: clock())
      }
    }
    do {
      guard writes else { return try finish() }
      let report = try connection.withoutWaitingForDisk(finish)
      try connection.bringToDisk()
      return report
    } catch let error as StoreFailure
      where error.code == .keyNotUnique || error.code == .invalidOptions
    {
      // The losers are removed. If only the key could not be enforced, the run ends here.
      try record?.fail(at: clock(), in: connection)
      throw error
    }
  }

  /// - Parameter jobCount: the number of threads that may read: 1 if another program can write.
  private func complete(
    _ plan: DeduplicationPlan, _ removal: LoserRemoval, _ record: DeduplicationRun?, jobCount: Int,
    on connection: Connection, end: Instant
  ) throws -> DeduplicationReport {
    let counts = removal.counts
    let enforcer = enforcer(of: removal.root)
    let table: TableDigest
    let outcome: EnforcementOutcome
    if let remaining = removal.remainingDigest {
      outcome = try enforcer.enforce(in: connection)
      table = TableDigest(
        digest: remaining.digest, rowCount: try removal.root.rowCount(in: connection))
    } else {
      (table, outcome) = try readDigest(
        removal.root, while: enforcer, jobCount: jobCount, on: connection)
    }
    guard plan.rowCount == table.rowCount + counts.removedRowCount + counts.beatenRowCount,
      plan.loserCount == counts.removedRowCount
    else {
      let hasTriggers = try SideEffects.hasOtherTriggers(in: connection)
      throw StoreFailure(
        hasTriggers ? .interferingTrigger : .internalCheck,
        """
        the counters do not balance\(hasTriggers ? ", most likely by a trigger of the database" : ""): \
        \(plan.rowCount) rows before, \(plan.loserCount) losers, \(counts.removedRowCount) removed, \
        \(table.rowCount) rows left
        """)
    }
    try record?.save(plan, counts, by: removal.statements, in: connection)
    try record?.finish(at: end, outcome, digest: table.digest, in: connection)
    if record != nil, layout.isToolkitTable {
      try RememberedDigest(layout).remember(table.digest, in: connection)
    }
    return report(
      plan, counts, record, createdIndex: outcome.createdIndex, digest: table.digest)
  }

  /// Computes the digest of the table while its key is enforced.
  private func readDigest(
    _ schema: TableSchema, while enforcer: KeyEnforcer, jobCount: Int,
    on connection: Connection
  ) throws -> (TableDigest, EnforcementOutcome) {
    let isWriteAhead = try connection.text("PRAGMA main.journal_mode") == "wal"
    var digest = try SharedDigest(layout, schema: schema, jobCount: jobCount, in: connection)
    // Without a write-ahead log no page can be written while another connection reads. The hashes
    // of keys are written into the rows that are read.
    guard isWriteAhead, options.enforcement != .hash else {
      let table = try finish(&digest, on: connection)
      return (table, try enforcer.enforce(in: connection))
    }
    let outcome = try enforcer.enforce(in: connection)
    return (try finish(&digest, on: connection), outcome)
  }

  /// The digest of the table. The table is read again if the second thread failed.
  private func finish(
    _ digest: inout SharedDigest, on connection: Connection
  ) throws -> TableDigest {
    let sum = try digest.finish(in: connection)
    if let sum { return sum }
    return try Self.tableDigest(of: layout, on: connection)
  }

  private func report(
    _ plan: DeduplicationPlan, _ counts: RemovalCounts, _ record: DeduplicationRun?,
    createdIndex: Bool = false, digest: Digest? = nil
  ) -> DeduplicationReport {
    DeduplicationReport(
      plan: plan, changes: counts, earlier: record?.earlier ?? RemovalCounts(), run: record?.id,
      isFinished: digest != nil, createdIndex: createdIndex,
      digest: digest)
  }
}

extension Deduplicator {
  /// The digest of a table: the sum of the digests of its rows. It does not depend on their order
  /// or their ids.
  ///
  /// - Parameters:
  ///   - layout: the table's layout; key, timestamp and tombstone do not matter.
  ///   - connection: the database.
  /// - Throws: `StoreError` when the layout does not fit the database or it cannot be read.
  /// - Complexity: O(bytes of the table)
  public static func tableDigest(
    of layout: TableLayout, on connection: Connection
  ) throws(StoreError) -> TableDigest {
    try StoreError.converting(path: connection.path) {
      let schema = try TableSchema(of: layout.table, in: connection)
      var reader = try ContentReader(layout, schema: schema, rows: .all, in: connection)
      var content = CanonicalContent()
      var sum = TableDigest.empty
      try reader.addDigests(to: &sum, by: &content)
      return sum
    }
  }
}

extension DeduplicationOptions {
  /// Whether one transaction removes all losers of a group. A winner that got values or arrays of
  /// some losers is no longer the record that won against the others.
  func removesGroupsWhole(in layout: TableLayout) -> Bool {
    mergesLosers || arrays == .move && !layout.relations.isEmpty
  }
}
