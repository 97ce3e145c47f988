internal import POIRecords
internal import POISQLite

/// One pass of a deduplication over a table, with its results so far.
final class DeduplicationPass {
  /// The approximate limit of the bytes of values that wait for the removal of their losers.
  private static let largestUpdateSize = 1 << 20

  /// How many losers are checked at a time.
  private static let checkedLoserCount = 10_000

  private let deduplicator: Deduplicator
  private let layout: TableLayout
  private let options: DeduplicationOptions
  private let connection: Connection
  private let schema: TableSchema
  private let statements: PreparedStatements

  /// Whether the database has tracked tables, whose triggers treat what the toolkit writes in another way.
  private let writesAreMarked: Bool

  /// The tombstones of the table, or nil if the database has none.
  private let tombstones: TombstoneTable?

  private var selection: WinnerSelection
  private var removal: LoserRemoval
  private var merge: LoserMerge?
  private var record: DeduplicationRun?

  /// What gets the outcomes if the pass is a part of an import.
  private let countArrivals: ((MergeCounts) throws -> Void)?

  /// What earlier passes changed if no run counts it.
  private let earlier: DeduplicationReport.Changes
  private var plan = DeduplicationPlan()

  /// The version of the database when its rows were read.
  private var version: Int64 = 0

  /// What the committed batches changed.
  private var committed = DeduplicationReport.Changes()

  /// A pass over the deduplicator's table.
  ///
  /// - Throws: `StoreFailure` when layout or options do not fit the database, or losers cannot be
  ///   removed.
  init(
    _ deduplicator: Deduplicator, on connection: Connection,
    after earlier: DeduplicationReport.Changes = DeduplicationReport.Changes(),
    countingArrivals countArrivals: ((MergeCounts) throws -> Void)? = nil,
    ofRowsAfter boundary: Int64 = 0
  ) throws {
    let options = deduplicator.options
    let layout = try deduplicator.layout.decidingTies(asked: options.ties, in: connection)
    let schema = try deduplicator.checkedSchema(connection)
    let statements = PreparedStatements(connection)
    var removal = try LoserRemoval(
      layout, schema: schema, arrays: options.arrays, statements: statements)
    var tombstones = layout.isKeyDoubtful || deduplicator.fold != nil ? nil : layout.removals
    if try tombstones?.exists(in: connection) == false { tombstones = nil }
    let needsRanks = try removal.needsRanks()
    if options.mergesLosers { merge = try LoserMerge(layout, schema: schema) }
    // By a doubtful key only rows that are identical in all columns go.
    let comparedLayout =
      try layout.isKeyDoubtful ? layout : layout.ignoring(options.ignored, of: schema)
    self.deduplicator = deduplicator
    self.earlier = earlier
    self.countArrivals = countArrivals
    self.layout = layout
    self.options = options
    self.connection = connection
    self.schema = schema
    self.statements = statements
    writesAreMarked = try OwnWrites.matter(in: connection)
    self.tombstones = tombstones
    self.removal = removal
    selection = WinnerSelection(
      comparedLayout, schema: schema, options: options,
      ranksLosers: needsRanks || options.removesGroupsWhole(in: layout),
      needsTimestamps: deduplicator.fold == nil && countArrivals == nil,
      countedAfter: countArrivals.map { _ in boundary }, contentHash: deduplicator.contentHash)
  }

  /// - Returns: what `run` would do, or nil if it was stopped.
  func plan(progress: (StoreProgress) -> BatchDecision) throws -> DeduplicationPlan? {
    guard try select(without: tombstones, progress: progress) else { return nil }
    plan = selection.plan
    if options.mergesLosers { try connection.inTransaction(.deferred) { try countFills() } }
    plan.supersededRowCount = try supersededRowCount()
    plan.rowCount += plan.supersededRowCount
    return plan
  }

  /// Checks that the rows have the digest that is remembered, if one is.
  private func checkContent() throws {
    let remembered = RememberedDigest(layout, in: connection)
    guard layout.isToolkitTable, countArrivals == nil, try remembered.read() != nil else { return }
    try connection.inTransaction {
      let digest = try layout.digest(in: connection).digest
      try remembered.check(digest)
    }
  }

  /// Counts the values that winners would get.
  private func countFills() throws {
    while let loser = try selection.nextGroupLoser() {
      guard let update = try add(loser.entry, isLast: loser.isLast) else { continue }
      plan.filledWinnerCount += 1
      plan.filledValueCount += update.values.count
    }
    plan.refusedValueCount = merge?.resetRefusedCount() ?? 0
  }

  /// Finds the duplicates, decides, removes the losers in batches, and ends the run.
  func run(
    clock: () -> Instant, progress: (StoreProgress) -> BatchDecision
  ) throws -> DeduplicationReport {
    let cache = try PageCache.enlarge(in: connection)
    defer {
      removal.discardLists()
      cache.restore(in: connection)
    }
    try checkContent()
    if let tombstones, try supersededRowCount() > 0 {
      if options.archive {
        record = try beginRun(at: clock())
      }
      try removeRows(supersededBy: tombstones)
    }
    committed = removal.counts
    do {
      guard try select(without: nil, progress: progress) else {
        if plan.supersededRowCount == 0 { plan = selection.plan }
        return report(removal.counts)
      }
      plan = selection.plan
      if deduplicator.fold != nil { plan.rowCount = try schema.rowCount() }
      plan.supersededRowCount = removal.counts.supersededRowCount
      plan.rowCount += plan.supersededRowCount
      try countArrivals?(selection.arrivals)
      try prepare(clock: clock)
      var pace = BatchPace(size: options.batchSize, clock: deduplicator.elapsed)
      while removal.counts.removedRowCount < plan.loserCount {
        try statements.inTransaction {
          try checkUnchanged()
          if writesAreMarked {
            try connection.writing(.unstamped) { try removeBatch(at: pace) }
          } else {
            try removeBatch(at: pace)
          }
          try record?.save(plan, removal.counts, by: statements)
        }
        pace.restartInterval()
        committed = removal.counts
        let decision = progress(
          StoreProgress(
            .removing, completedCount: committed.removedRowCount, totalCount: plan.loserCount))
        if decision == .stop { return report(committed) }
      }
      return try finish(clock: clock)
    } catch {
      var error = StoreError(converting: error, path: connection.path)
      let report = report(committed)
      if report.runChanges != DeduplicationReport.Changes() { error.report = report }
      throw error
    }
  }

  /// Begins the run before losers are removed, if it is not yet in the table of runs and must be.
  private func prepare(clock: () -> Instant) throws {
    if !options.mergesLosers { try removal.trackRemainingDigest() }
    if try options.archive || RunRecord.hasBookkeeping(connection) {
      try NamedReference.store(in: connection)
    }
    if countArrivals != nil { return }
    let hasWork = plan.loserCount > 0 || options.enforcement != .none
    if record == nil, try RunRecord.hasBookkeeping(connection) || (options.archive && hasWork) {
      // The first batch, or the end of the run, waits for the disk.
      record = try connection.withoutWaitingForDisk {
        try beginRun(at: clock())
      }
    }
    if let record { removal.beginRun(record.id, archives: options.archive) }
  }

  private func beginRun(at start: Instant) throws -> DeduplicationRun {
    try DeduplicationRun.begin(
      layout, options, isFold: deduplicator.fold != nil, at: start, in: connection)
  }

  private func report(
    _ counts: DeduplicationReport.Changes, createdIndex: Bool = false, digest: Digest? = nil
  ) -> DeduplicationReport {
    DeduplicationReport(
      plan: plan, changes: counts, earlier: record?.earlier ?? earlier,
      run: record?.id,
      isFinished: digest != nil, createdIndex: createdIndex, digest: digest)
  }
}

extension DeduplicationPass {
  /// Reads and decides within one snapshot of the database.
  ///
  /// - Returns: false if it was stopped.
  private func select(
    without tombstones: TombstoneTable?, progress: (StoreProgress) -> BatchDecision
  ) throws -> Bool {
    try connection.inTransaction(.deferred) {
      // The snapshot begins with the first read, and the version must be the snapshot's.
      _ = try connection.integer("SELECT count(*) FROM main.sqlite_schema")
      version = try connection.dataVersion()
      selection.note(
        triggers: try Trigger.ofApp(on: schema.name, in: connection).map(\.name))
      let isWhole = try selection.readTable(
        without: tombstones, among: deduplicator.fold, progress: progress)
      guard isWhole else { return false }
      try selection.decide()
      if selection.plan.loserCount > 0 {
        selection.note(likelyReferences: try NamedReference.likely(to: schema))
      }
      try checkReferences()
      return true
    }
  }

  /// Throws if another reference keeps a row that refers to a loser from referring to its winner.
  private func checkReferences() throws {
    let moves = try removal.obstructedMoves()
    guard !moves.isEmpty else { return }
    while true {
      var losers: [LoserEntry] = []
      while losers.count < Self.checkedLoserCount, let loser = try selection.nextLoser() {
        losers.append(loser)
      }
      if losers.isEmpty { break }
      try removal.check(losers, moves)
    }
    try selection.rewind()
  }

  /// Throws if another connection has committed since the rows were read.
  private func checkUnchanged() throws {
    let current = try statements.integer("PRAGMA data_version")
    guard current == version else {
      throw StoreFailure(
        .changedByOther,
        """
        another program changed the database while '\(layout.table)' was being deduplicated; \
        \(removal.counts.removedRowCount) losers are removed, all of them correctly: run it again
        """)
    }
  }

  /// The number of rows superseded by a stored tombstone.
  private func supersededRowCount() throws -> Int {
    guard let tombstones else { return 0 }
    let count = try connection.integer(
      """
      SELECT count(*) FROM main.\(name: schema.name) AS t
      WHERE \(tombstones.condition(ofRow: "t"))
      """)
    return Int(count ?? 0)
  }
}

extension DeduplicationPass {
  /// Removes the rows superseded by a stored tombstone, in one transaction.
  private func removeRows(supersededBy tombstones: TombstoneTable) throws {
    let rows = RowRemoval(schema: schema)
    var counts = removal.counts
    var found = DeduplicationPlan()
    try RowRemoval.enforcingReferences(on: connection) {
      try connection.inTransaction(.immediate) {
        found.rowCount = try schema.rowCount()
        _ = try rows.list(where: tombstones.condition(ofRow: "t"))
        let deleted = try connection.writing(.unlogged) {
          try rows.delete(archivingUnder: options.archive ? record?.id : nil)
        }
        counts.supersededRowCount = deleted.deletedCount
        counts.archivedRowCount = deleted.archivedCount
        found.supersededRowCount = deleted.deletedCount
        try record?.save(found, counts, by: statements)
      }
    }
    removal.counts = counts
    plan = found
  }

  /// Removes the losers of one transaction, a portion at a time.
  private func removeBatch(at pace: BatchPace) throws {
    try removal.beginBatch()
    let before = removal.counts.removedRowCount
    var count = 0
    repeat {
      let portion = min(pace.nextRecordCount(after: count), removal.portionSize)
      if options.removesGroupsWhole(in: layout) {
        try removeGroups(portion)
      } else {
        var losers: [LoserEntry] = []
        losers.reserveCapacity(portion)
        while losers.count < portion, let loser = try selection.nextLoser() { losers.append(loser) }
        if !losers.isEmpty { try removal.remove(losers) }
      }
      let removed = removal.counts.removedRowCount - before
      // No loser is left.
      guard removed > count else { return }
      count = removed
    } while count < pace.limit && !pace.isDue(count)
  }

  /// Removes groups of losers, and then writes what they give to their winners, if the options say so.
  ///
  /// One transaction changes the winner of a group and removes all its losers. So a pass that is
  /// stopped leaves each group unchanged or complete, and a merged winner never competes with one of
  /// its losers.
  ///
  /// - Parameter count: the number of losers after which no other group begins.
  private func removeGroups(_ count: Int) throws {
    var pairs: [LoserEntry] = []
    var updates: [WinnerUpdate] = []
    var updateSize = 0
    var loserCount = 0
    var isComplete = true
    while !isComplete || loserCount < count, let loser = try selection.nextGroupLoser() {
      pairs.append(LoserEntry(loser: loser.entry.loser, winner: loser.entry.winner))
      loserCount += 1
      isComplete = loser.isLast
      if let update = try add(loser.entry, isLast: isComplete) {
        updates.append(update)
        updateSize += update.byteCount
      }
      guard pairs.count == BatchPace.smallestSize || updateSize >= Self.largestUpdateSize else {
        continue
      }
      try removal.remove(pairs, applying: updates)
      pairs.removeAll(keepingCapacity: true)
      updates.removeAll(keepingCapacity: true)
      updateSize = 0
    }
    removal.counts.refusedValueCount += merge?.resetRefusedCount() ?? 0
    if !pairs.isEmpty { try removal.remove(pairs, applying: updates) }
  }

  /// Merges a loser into its winner.
  ///
  /// - Returns: what the winner gets, after the last loser of its group.
  private func add(_ loser: GroupLoserEntry, isLast: Bool) throws -> WinnerUpdate? {
    try merge?.add(loser)
    guard isLast else { return nil }
    return merge?.finish()
  }
}

extension DeduplicationPass {
  /// Enforces the key, computes the digest and ends the run, in one transaction.
  private func finish(clock: () -> Instant) throws -> DeduplicationReport {
    let writes = record != nil || options.enforcement != .none || plan.loserCount > 0
    do {
      guard writes else {
        return try connection.inTransaction(.deferred) { try complete(clock()) }
      }
      let report = try connection.withoutWaitingForDisk {
        try connection.inTransaction(.immediate) { try complete(clock()) }
      }
      try connection.syncToDisk()
      return report
    } catch let error as StoreFailure
      where error.code == .keyNotUnique || error.code == .invalidOptions
    {
      // The losers are removed. If only the key could not be enforced, the run ends here.
      try record?.fail(at: clock())
      throw error
    }
  }

  private func complete(_ end: Instant) throws -> DeduplicationReport {
    try checkUnchanged()
    let counts = removal.counts
    let table =
      if let remaining = removal.remainingDigest {
        TableDigest(digest: remaining.digest, rowCount: try schema.rowCount())
      } else {
        try layout.digest(in: connection)
      }
    let outcome = try deduplicator.enforcer(of: schema).enforce()
    guard plan.rowCount == table.rowCount + counts.removedRowCount + counts.supersededRowCount,
      plan.loserCount == counts.removedRowCount
    else {
      let hasTriggers = try !Trigger.ofApp(in: connection).isEmpty
      throw StoreFailure(
        hasTriggers ? .interferingTrigger : .internalCheck,
        """
        the counters do not balance\(hasTriggers ? ", most likely by a trigger of the database" : ""): \
        \(plan.rowCount) rows before, \(plan.loserCount) losers, \(counts.removedRowCount) removed, \
        \(table.rowCount) rows left
        """)
    }
    try removal.endOlderRedirects()
    try deduplicator.fold?.endRedirects(of: layout, in: connection)
    try record?.save(plan, counts, by: statements)
    try record?.finish(at: end, outcome, digest: table.digest)
    if record != nil, layout.isToolkitTable {
      try RememberedDigest(layout, in: connection).remember(table.digest)
    }
    return report(counts, createdIndex: outcome.createdIndex, digest: table.digest)
  }
}

extension DeduplicationOptions {
  /// Whether one transaction removes all losers of a group. A winner that got values or arrays of
  /// some losers is no longer the record that won against the others.
  func removesGroupsWhole(in layout: TableLayout) -> Bool {
    mergesLosers || arrays == .move && !layout.model.relations.isEmpty
  }
}

extension TableLayout {
  /// The layout with what decides between rows that are equally new.
  ///
  /// Only in a table of the toolkit that imports append to is the greater row id the later record of a key. The
  /// records of shards are compared by digest, as `LineEmitter` compares them.
  ///
  /// - Throws: `StoreFailure` with `invalidOptions` if the row ids are asked for and do not tell.
  fileprivate func decidingTies(asked: TieRule?, in connection: Connection) throws -> TableLayout {
    var layout = self
    layout.ties = try tieRule(asked: asked, in: connection)
    return layout
  }

  private func tieRule(asked: TieRule?, in connection: Connection) throws -> TieRule {
    guard let rule = asked ?? model.ties ?? (timestampColumn == nil ? .later : nil), rule == .later
    else { return .digest }
    guard isToolkitTable, try tellsOrder(in: connection) else {
      guard asked == .later else { return .digest }
      throw StoreFailure(
        .invalidOptions,
        """
        the order of the rows of '\(table)' does not tell which record came later: only a table of the \
        toolkit does, by the key of its model and while no key is enforced
        """)
    }
    guard asked == nil, model.ties == nil else { return .later }
    let isShard =
      try RunRecord.latest(
        where: "\(RunRecord.imports(into: table)) AND options ->> 'shard' IS NOT NULL",
        in: connection) != nil
    return isShard ? .digest : .later
  }

  private func tellsOrder(in connection: Connection) throws -> Bool {
    let key = model.key.compactMap { model.attribute(named: $0)?.column }
    return try Set(key) == Set(keyColumns)
      && EnforcedKey.columns(ofTable: table, in: connection).isEmpty
  }
}

/// SQLite's page cache of a connection, enlarged while losers are searched and removed, so that the
/// pages of a small store are read once.
///
/// The pages of a portion of losers are read three times: for the digest, for the archive and to
/// delete the rows. If one row in ten is a loser, a portion of 100 is on 50 pages of 8 KiB. Pages
/// changed by the transaction use nine tenths of the cache.
struct PageCache {
  /// In KiB.
  static let size: Int64 = 4_096

  private let before: Int64

  /// Enlarges the cache of a connection that has a smaller one.
  static func enlarge(in connection: Connection) throws -> PageCache {
    let before = try connection.integer("PRAGMA main.cache_size") ?? 0
    let pageSize = try connection.integer("PRAGMA main.page_size") ?? 0
    // A negative number counts KiB, a positive one pages.
    let kibibytes = before < 0 ? 0 - before : before * pageSize / 1_024
    if kibibytes < size { try connection.execute("PRAGMA main.cache_size = -\(size)") }
    return PageCache(before: before)
  }

  func restore(in connection: Connection) {
    try? connection.execute("PRAGMA main.cache_size = \(before)")
  }
}
