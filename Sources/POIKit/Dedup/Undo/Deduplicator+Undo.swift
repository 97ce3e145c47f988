internal import POIRecords
public import POISQLite

extension Deduplicator {
  /// Restores what a pass removed: rows with their ids and values, and references to them. Drops the index
  /// that the pass created. A row that has changed since the pass is left unchanged, and counted.
  ///
  /// All changes are one transaction.
  ///
  /// - Parameters:
  ///   - run: the run to undo, or nil for the latest that changed something and is not undone.
  ///   - connection: the database, outside of a transaction.
  /// - Throws: `StoreError` with `cannotUndo` when there is no such run or it has no archive, when a later
  ///   run must be undone first, when a table or column is gone, when new rows have keys of removed rows, and
  ///   when rows or triggers prevent it.
  /// - Complexity: O(restored rows)
  public static func undo(
    run: Int64? = nil, on connection: Connection
  ) throws(StoreError) -> UndoReport {
    try undo(run: run, on: connection, clock: SystemClock.now)
  }

  /// Restores what a pass removed, with another clock for the table of runs.
  package static func undo(
    run: Int64? = nil, on connection: Connection, clock: () -> Instant
  ) throws(StoreError) -> UndoReport {
    try StoreError.converting(path: connection.path) {
      try connection.inTransaction {
        try connection.writing(.unstamped) {
          try restore(UndoableRun.find(run, in: connection), end: clock())
        }
      }
    }
  }

  private static func restore(_ run: UndoableRun, end: Instant) throws -> UndoReport {
    // A row may be restored before the row that it refers to.
    try run.connection.execute("PRAGMA defer_foreign_keys = ON")
    if run.outcome.createdIndex, try ChangeLog.exists(of: run.table, in: run.connection) {
      throw run.obstacle(
        "local changes of '\(run.table)' are remembered by the key that it enforced",
        advice: .untrack(table: run.table))
    }
    try dropEnforcement(of: run)
    let schemas = try schemas(of: run)
    let archives = run.archivedTables.compactMap { schemas[ExactText($0)] }
      .map(ArchiveTable.init(source:))
    for archive in archives {
      if let obstacle = try archive.obstacle(to: run) {
        throw run.obstacle(obstacle)
      }
    }
    var replay = JournalReplay(of: run, schemas, in: run.connection)
    try replay.replay()
    for archive in archives {
      if let row = try archive.firstDifference(ofRun: run.id) {
        throw try run.changedByTrigger(row: row, of: archive.source.name)
      }
    }
    let raisedCount = try raiseRows(of: run)
    let danglingCount = try danglingRowCount(of: run)
    try forget(run, at: end)
    let counts = replay.valueCounts
    return UndoReport(
      run: run.id, restoredRowCount: replay.rowCount,
      restoredReferenceCount: counts[.reference] ?? 0, restoredValueCount: counts[.value] ?? 0,
      restoredMarkCount: counts[.mark] ?? 0, changedRowCount: replay.changedRowCount,
      raisedRowCount: raisedCount, danglingRowCount: danglingCount,
      droppedIndex: run.outcome.createdIndex)
  }

  /// Gives restored rows of a tracked table a later time if their removal was handed out: a server would prefer it.
  private static func raiseRows(of run: UndoableRun) throws -> Int {
    let connection = run.connection
    guard run.archivedTables.containsExactly(run.table), !run.isSnapshot,
      try ChangeLog.exists(of: run.table, in: connection),
      let document = try Bookkeeping.document(ofTable: run.table, in: connection)
    else { return 0 }
    let log = try ChangeLog(of: Model(parsing: document), in: connection)
    guard let clock = ChangeClock(log.model) else { return 0 }
    let handed = ChangeLog.handed(of: run.table)
    try connection.execute(
      """
      UPDATE main.\(name: run.table) SET \(name: clock.column) = \(clock.next(after: SQL(name: clock.column)))
      WHERE \(handed) > 0 AND \(StoreSchema.idColumn) IN (
          SELECT poikit_row_id FROM main.\(name: ArchiveTable.prefix + run.table) WHERE poikit_run = \(run.id))
        AND (\(log.keyList)) NOT IN (
          SELECT \(log.keyList) FROM \(log.quotedName)
          WHERE \(ChangeLog.number) > \(handed) AND \(ChangeLog.kind) = \(ChangeLog.Kind.changed.rawValue)
            AND \(log.hasKey))
      """)
    return connection.changeCount
  }

  /// The schemas of the tables that a run changed.
  ///
  /// - Throws: `StoreFailure` with `cannotUndo` when a table or column is gone.
  private static func schemas(of run: UndoableRun) throws -> [ExactText: TableSchema] {
    var schemas: [ExactText: TableSchema] = [:]
    for table in [run.table] + run.archivedTables + run.changedTables {
      do {
        schemas[ExactText(table)] = try TableSchema(of: table, in: run.connection)
      } catch let error as StoreFailure where error.code == .noSuchTable {
        throw run.obstacle("it changed the table '\(table)', which is gone")
      }
    }
    let columns = try Journal.columns(ofRun: run.id, in: run.connection)
    for (table, column) in columns {
      guard !TableSchema.contains(schemas[ExactText(table)]?.storedColumns ?? [], column) else {
        continue
      }
      throw run.obstacle("'\(table)' has no column '\(column)' any more")
    }
    return schemas
  }

  /// The number of restored rows that refer to missing rows. It skips tables with foreign keys that match no
  /// parent key.
  private static func danglingRowCount(of run: UndoableRun) throws -> Int {
    var count: Int64 = 0
    for table in run.archivedTables {
      do {
        let query: SQL = """
          SELECT count(DISTINCT v.rowid)
          FROM pragma_foreign_key_check(\(literal: table), 'main') AS v
          JOIN main.\(name: ArchiveTable.prefix + table) AS a
          ON a.poikit_run = \(run.id) AND a.poikit_row_id = v.rowid
          """
        count += try run.connection.integer(query) ?? 0
      } catch {
        guard error.isStatementError else { throw error }
      }
    }
    return Int(count)
  }

  private static func dropEnforcement(of run: UndoableRun) throws {
    if run.outcome.createdIndex {
      try run.connection.execute(
        "DROP INDEX IF EXISTS main.\(name: KeyEnforcer.indexName(run.table))")
      try Trigger.drop(KeyEnforcer.indexName(run.table), in: run.connection)
      try run.connection.execute(
        "UPDATE main.poikit_table SET enforced_key = NULL WHERE name = \(literal: run.table)")
    }
    if run.outcome.addedKeyColumn {
      try run.connection.execute(
        "ALTER TABLE main.\(name: run.table) DROP COLUMN \(name: KeyEnforcer.hashColumn)")
    }
  }

  /// Deletes the archived rows and the journal of a run, and marks the run as undone.
  private static func forget(_ run: UndoableRun, at end: Instant) throws {
    for table in run.archivedTables {
      try run.connection.execute(
        "DELETE FROM main.\(name: ArchiveTable.prefix + table) WHERE poikit_run = \(run.id)")
    }
    try run.connection.execute(
      """
      DELETE FROM main.poikit_redirect WHERE table_name = \(literal: run.table)
        AND loser_key IN (SELECT loser_key FROM main.poikit_redirect WHERE run = \(run.id));
      DELETE FROM main.poikit_journal WHERE run = \(run.id);
      UPDATE main.poikit_run SET state = 'undone', ended = \(end.microseconds) WHERE id = \(run.id)
      """)
  }
}
