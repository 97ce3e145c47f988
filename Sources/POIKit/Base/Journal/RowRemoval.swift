internal import POIRecords
internal import POISQLite

/// Deletes rows without a replacement, in one transaction of the caller.
///
/// Foreign keys to these rows apply: `ON DELETE CASCADE`, `SET NULL` and `SET DEFAULT` take effect, other
/// references are an error.
struct RowRemoval {
  let schema: TableSchema

  static let listTable: SQL = "temp.poikit_gone"

  private var connection: Connection { schema.connection }
  var quotedTable: SQL { "main.\(name: schema.name)" }
  var rowID: SQL { SQL(name: schema.rowIDName) }

  /// Lists the rows that satisfy a condition.
  ///
  /// - Parameters:
  ///   - source: tables with the table of the rows as `t`; nil for this table alone.
  ///   - condition: a condition on the row `t`.
  /// - Returns: the number of rows.
  @discardableResult
  func list(from source: SQL? = nil, where condition: SQL) throws -> Int {
    try connection.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS poikit_gone (row INTEGER PRIMARY KEY);
      DELETE FROM \(RowRemoval.listTable);
      INSERT INTO \(RowRemoval.listTable)
        SELECT t.\(rowID) FROM \(source ?? "\(quotedTable) AS t") WHERE \(condition)
      """)
    return connection.changeCount
  }

  /// Deletes the listed rows, and applies the foreign keys that refer to them.
  ///
  /// - Parameter run: the run under which all deleted and changed rows are archived; nil to archive nothing.
  /// - Returns: the number of deleted rows of this table, including rows deleted by foreign keys, and the
  ///   number of archived rows of all tables.
  /// - Throws: `StoreFailure` with `unmovableReference` when other rows refer to the listed ones, with
  ///   `unsupportedTable` when a deleted row cannot be archived.
  func delete(archivingUnder run: Int64?) throws -> (deletedCount: Int, archivedCount: Int) {
    let triggers = try run.map { (run) throws in
      try JournalTriggers(for: schema, run: run, in: connection)
    }
    do {
      let before = try schema.rowCount()
      try connection.execute(
        "DELETE FROM \(quotedTable) WHERE \(rowID) IN (SELECT row FROM \(RowRemoval.listTable))")
      // A deferred foreign key would fail only at the commit.
      if connection.hasDeferredViolations { throw SQLiteError.violatedReference }
      let deletedCount = try before - schema.rowCount()
      return (deletedCount, try triggers?.dropTriggers(in: connection) ?? 0)
    } catch let error as SQLiteError where error.isViolatedReference {
      throw StoreFailure(
        .unmovableReference,
        """
        rows of other tables refer to rows of '\(schema.name)' that must be removed: declare \
        ON DELETE CASCADE or ON DELETE SET NULL
        """, cause: error)
    } catch let error as SQLiteError where error.isConstraint {
      throw StoreFailure(
        .unmovableReference,
        "rows of '\(schema.name)' that must be removed cannot be deleted: \(error.message)",
        cause: error)
    }
  }

  /// Sets a column of the listed rows to a value, and logs the change in the journal.
  ///
  /// The mark gets the row's timestamp as its property time. The timestamps are logged too: they show whether
  /// a row has changed since, even if it has the same mark.
  func mark(_ column: String, as value: Int64, timestamp: String?, under run: Int64) throws {
    try ReservedRowIDs.reserve(allOf: schema)
    try remember(column, .mark, newValue: "\(value)", under: run)
    if let timestamp {
      try remember(timestamp, .companion, newValue: "t.\(name: timestamp)", under: run)
    }
    try setMarkTime(of: column, under: run)
    try connection.execute(
      """
      UPDATE \(quotedTable) SET \(name: column) = \(value)
      WHERE \(rowID) IN (SELECT row FROM \(RowRemoval.listTable))
      """)
  }

  /// Logs the old and the new value of a column of the listed rows.
  private func remember(
    _ column: String, _ kind: Journal.Kind, newValue: SQL, under run: Int64
  ) throws {
    try connection.execute(
      """
      \(Journal.insertion)
      SELECT \(run), \(literal: schema.name), t.\(rowID), \(literal: column),
        \(literal: kind.rawValue), t.\(name: column), \(newValue)
      FROM \(RowRemoval.listTable) AS g CROSS JOIN \(quotedTable) AS t ON t.\(rowID) = g.row
      """)
  }

  func digest(_ layout: TableLayout) throws -> Digest {
    let list: SQL = "(SELECT row AS loser FROM \(RowRemoval.listTable))"
    return try RowReader(layout, schema: schema, rows: .listed(in: list))
      .digest().digest
  }

  /// Runs `body` with foreign keys enforced. Call it outside a transaction: SQLite ignores the setting inside.
  static func enforcingReferences<Result>(
    on connection: Connection, _ body: () throws -> Result
  ) throws -> Result {
    let before = try connection.integer("PRAGMA foreign_keys")
    try connection.execute("PRAGMA foreign_keys = ON")
    defer { try? connection.execute("PRAGMA foreign_keys = \(before ?? 0)") }
    return try body()
  }
}

/// The times of marks, in tables that keep the time of each attribute.
extension RowRemoval {
  /// Sets the time of a mark in the listed rows to the row's timestamp, so that no older record
  /// removes the mark. The journal keeps the old times for undo.
  func setMarkTime(of column: String, under run: Int64) throws {
    guard try PropertyTimes.isKept(in: schema.name, of: connection) else { return }
    let times = SQL(name: PropertyTimes.column)
    var rows = try connection.prepare(
      """
      SELECT g.row, t.\(times) FROM \(RowRemoval.listTable) AS g
      CROSS JOIN \(quotedTable) AS t ON t.\(rowID) = g.row WHERE t.\(times) IS NOT NULL
      """)
    var remembering = try connection.prepare(
      """
      \(Journal.insertion)
      VALUES (\(run), \(literal: schema.name), ?1, \(literal: PropertyTimes.column),
        \(literal: Journal.Kind.companion.rawValue), ?2, ?3)
      """)
    var update = try connection.prepare(
      "UPDATE \(quotedTable) SET \(times) = ?2 WHERE \(rowID) = ?1")
    while try rows.step() {
      let former = rows.text(1)
      let text = PropertyTimes.text(former, withoutTimeOf: column)
      guard text != former else { continue }
      try remembering.bind(1, integer: rows.integer(0))
      try remembering.bind(2, text: former)
      try remembering.bind(3, text: text)
      try remembering.run()
      try update.bind(1, integer: rows.integer(0))
      try update.bind(2, text: text)
      try update.run()
    }
  }
}
