internal import POIRecords
public import SQLiteKit

extension Deduplicator {
  /// Puts back what a pass removed: rows with their ids and all their values, what referred to
  /// them, and drops the index that the pass created. A row that does not hold any more what the pass
  /// made of it is left as it is, and counted; so is one whose key came back since, or was removed by
  /// an import, where the key is enforced, with what belongs or refers to it; and what was in a table
  /// or a column which is gone.
  ///
  /// It is one transaction: either all is as before the pass, or nothing has changed.
  ///
  /// - Parameters:
  ///   - run: the run to undo, or nil for the latest that changed something and is not undone.
  ///   - connection: the database, outside of a transaction.
  ///   - clock: gives the time, for the table of runs.
  /// - Throws: `DeduplicationError` when there is no such run, when it kept no archive, when a
  ///   later one has to be undone before, when rows stand in the way of those that come back and
  ///   when triggers change them.
  /// - Complexity: O(rows put back)
  public static func undo(
    run: Int64? = nil, on connection: Connection, clock: () -> Instant
  ) throws(DeduplicationError) -> UndoReport {
    try connection.inTransaction(.immediate) { () throws(DeduplicationError) -> UndoReport in
      try restore(try UndoableRun.find(run, in: connection), on: connection, end: clock())
    }
  }

  private static func restore(
    _ found: UndoableRun, on connection: Connection, end: Instant
  ) throws(DeduplicationError) -> UndoReport {
    var run = found
    do {
      // A row may come back before the one that it refers to.
      try connection.execute("PRAGMA defer_foreign_keys = ON")
      try dropEnforcement(of: run, in: connection)
      try MovedValues.makeList(in: connection)
    } catch {
      throw DeduplicationError(error)
    }
    try MovedValues.leaveLost(of: &run, in: connection)
    do {
      if run.hasMarks { try RowRemoval.fitTimes(to: run, in: connection) }
    } catch {
      throw DeduplicationError(error)
    }
    var formerCount = 0
    for table in run.archivedTables {
      let archive = ArchiveTable(source: try TableSchema(of: table, in: connection))
      formerCount += try DeduplicationError.converting { () throws(SQLiteError) in
        try archive.takeFormerValues(ofRun: run.id, in: connection)
      }
    }
    // A loser may need, in a unique index, the place of what its winner got of it.
    let ownCount = try restoreValues(
      run, isOwn: true, areBeforeRows: !run.hasMarks, in: connection)
    try ReturnedRows(run: run).list(in: connection)
    var (rowCount, referenceCount) = (0, formerCount)
    do {
      rowCount = try restoreRows(of: run, in: connection)
    } catch {
      // A row that comes back may need the id, or the place in a unique index, of one of the same table
      // that was moved to a winner.
      guard error.code == .cannotUndo, try hasMovedRows(besideArchived: run, in: connection)
      else { throw error }
      referenceCount += try restoreValues(run, isOwn: false, areBeforeRows: true, in: connection)
      rowCount = try restoreRows(of: run, in: connection)
    }
    // A row may have referred to another table, and been moved there, before it was a loser itself.
    if !run.hasMarks { referenceCount += try restoreValues(run, isOwn: true, in: connection) }
    referenceCount += try restoreValues(run, isOwn: false, in: connection)
    for table in run.archivedTables {
      let archive = ArchiveTable(source: try TableSchema(of: table, in: connection))
      let row = try DeduplicationError.converting { () throws(SQLiteError) in
        try archive.firstDifference(ofRun: run.id, in: connection)
      }
      if let row { throw try changedByTrigger(run.id, row, of: table, in: connection) }
    }
    let (changedCount, danglingCount): (Int, Int)
    do {
      danglingCount = try danglingRowCount(of: run, in: connection)
      changedCount = try MovedValues.listedCount(in: connection)
      try forget(found, at: end, in: connection)
    } catch {
      throw DeduplicationError(error)
    }
    return UndoReport(
      run: run.id, restoredRowCount: rowCount, restoredReferenceCount: referenceCount,
      restoredValueCount: run.hasMarks ? 0 : ownCount,
      restoredMarkCount: run.hasMarks ? ownCount : 0,
      changedRowCount: changedCount, danglingRowCount: danglingCount,
      droppedIndex: run.outcome.createdIndex)
  }

  /// How many of the rows that came back refer to rows that are not there; those of a table whose
  /// foreign keys SQLite finds no fitting parents for are not counted.
  private static func danglingRowCount(
    of run: UndoableRun, in connection: Connection
  ) throws(SQLiteError) -> Int {
    var count: Int64 = 0
    for table in run.archivedTables {
      do {
        let query: SQL = """
          SELECT count(DISTINCT v.rowid)
          FROM pragma_foreign_key_check(\(literal: table), 'main') AS v
          JOIN main.\(name: ArchiveTable.prefix + table) AS a
          ON a.poikit_run = \(run.id) AND a.poikit_row_id = v.rowid
          """
        count += try connection.integer(query) ?? 0
      } catch {
        guard error.isStatementError else { throw error }
      }
    }
    return Int(count)
  }

  private static func obstacle(
    _ run: Int64, _ reason: String, _ cause: SQLiteError? = nil
  ) -> DeduplicationError {
    DeduplicationError(.cannotUndo, "run \(run) cannot be undone: \(reason)", cause: cause)
  }

  /// The error that a row does not come back as it was.
  private static func changedByTrigger(
    _ run: Int64, _ row: Int64, of table: String, in connection: Connection
  ) throws(DeduplicationError) -> DeduplicationError {
    let triggers: [String]
    do { triggers = try TableSchema.triggers(of: table, in: connection) } catch {
      throw DeduplicationError(error)
    }
    let own = triggers.isEmpty ? "" : ", which has \(TableSchema.list(triggers))"
    return obstacle(
      run,
      """
      a trigger changes row \(row) of '\(table)' as it comes back: drop the triggers of that \
      table\(own), undo, and make them again
      """)
  }

  private static func dropEnforcement(
    of run: UndoableRun, in connection: Connection
  ) throws(SQLiteError) {
    if run.outcome.createdIndex {
      try connection.execute(
        "DROP INDEX IF EXISTS main.\(name: KeyEnforcer.indexName(run.table))")
      try KeyEnforcer.unwatchKey(of: run.table, in: connection)
      var update = try connection.prepare(
        "UPDATE main.poikit_table SET enforced_key = NULL WHERE name = ?1", isPersistent: false)
      try update.bind(1, text: run.table)
      try update.run()
    }
    if run.outcome.addedKeyColumn {
      try connection.execute(
        "ALTER TABLE main.\(name: run.table) DROP COLUMN \(name: KeyEnforcer.hashColumn)")
    }
  }
}

extension Deduplicator {
  /// Puts all archived rows of a run back, or none.
  ///
  /// - Returns: how many there were.
  private static func restoreRows(
    of run: UndoableRun, in connection: Connection
  ) throws(DeduplicationError) -> Int {
    let savepoint = "poikit_undo" as SQL
    try DeduplicationError.converting { () throws(SQLiteError) in
      try connection.execute("SAVEPOINT \(savepoint)")
    }
    var count = 0
    do {
      for table in run.archivedTables {
        count += try restoreRows(of: table, run.id, in: connection)
      }
    } catch {
      try? connection.execute("ROLLBACK TO \(savepoint); RELEASE \(savepoint)")
      throw error
    }
    try DeduplicationError.converting { () throws(SQLiteError) in
      try connection.execute("RELEASE \(savepoint)")
    }
    return count
  }

  /// Puts the archived rows of one table back, but for those that are listed as changed since.
  ///
  /// - Returns: how many there were.
  private static func restoreRows(
    of table: String, _ run: Int64, in connection: Connection
  ) throws(DeduplicationError) -> Int {
    let archive = ArchiveTable(source: try TableSchema(of: table, in: connection))
    let obstacle: String?
    do {
      obstacle = try archive.obstacle(toRestoring: run, in: connection)
      if obstacle == nil { return try archive.restore(run, in: connection) }
    } catch {
      guard error.isConstraint else { throw DeduplicationError(error) }
      throw Self.obstacle(
        run, "a row of '\(table)' cannot be put back, because \(error.message)", error)
    }
    throw Self.obstacle(run, obstacle ?? "")
  }

  /// Whether a table that rows come back into has others whose references were moved.
  private static func hasMovedRows(
    besideArchived run: UndoableRun, in connection: Connection
  ) throws(DeduplicationError) -> Bool {
    do {
      return try UndoableRun.movedTables(ofRun: run.id, in: connection)
        .contains { run.archivedTables.containsExactly($0) }
    } catch {
      throw DeduplicationError(error)
    }
  }

  /// The schemas of the tables with references that were moved.
  private static func schemasOfMovedRows(
    _ run: Int64, in connection: Connection
  ) throws(DeduplicationError) -> [ExactText: TableSchema] {
    var schemas: [ExactText: TableSchema] = [:]
    let tables: [String]
    do { tables = try UndoableRun.movedTables(ofRun: run, in: connection) } catch {
      throw DeduplicationError(error)
    }
    for table in tables { schemas[ExactText(table)] = try TableSchema(of: table, in: connection) }
    return schemas
  }

  /// Makes rows hold what they held, or refer to what they referred to, but for those that were
  /// changed since.
  ///
  /// - Parameters: as for `RestorableRows`.
  /// - Returns: how many values were put back.
  private static func restoreValues(
    _ run: UndoableRun, isOwn: Bool, areBeforeRows: Bool = false,
    in connection: Connection
  ) throws(DeduplicationError) -> Int {
    let schemas = try schemasOfMovedRows(run.id, in: connection)
    let changed: (table: String, row: Int64)
    do {
      try MovedValues.listChanged(since: run, isOwn: isOwn, schemas, in: connection)
      var rows = RestorableRows(of: run, isOwn: isOwn, areBeforeRows: areBeforeRows, schemas)
      guard let found = try rows.restore(in: connection) else { return rows.valueCount }
      changed = found
    } catch {
      guard error.isConstraint else { throw DeduplicationError(error) }
      throw obstacle(run.id, "a reference cannot be put back, because \(error.message)", error)
    }
    throw try changedByTrigger(run.id, changed.row, of: changed.table, in: connection)
  }

  /// Removes what was kept of a run, and marks it.
  private static func forget(
    _ run: UndoableRun, at end: Instant, in connection: Connection
  ) throws(SQLiteError) {
    for table in run.archivedTables {
      try connection.execute(
        "DELETE FROM main.\(name: ArchiveTable.prefix + table) WHERE poikit_run = \(run.id)")
    }
    try connection.execute(
      """
      DELETE FROM main.poikit_redirect WHERE run = \(run.id);
      DELETE FROM main.poikit_moved WHERE run = \(run.id);
      UPDATE main.poikit_run SET state = 'undone', ended = \(end.microseconds) WHERE id = \(run.id)
      """)
  }
}
