internal import POIRecords
internal import SQLiteKit

/// Deletes rows without a replacement, in one transaction of the caller.
///
/// Rows that refer to them are treated as their foreign keys declare: `ON DELETE CASCADE`, `SET NULL`
/// and `SET DEFAULT` take place, other references are an error.
struct RowRemoval {
  /// The table that the rows are from.
  let schema: TableSchema

  /// The temporary table that lists them.
  static let list: SQL = "temp.poikit_gone"

  var quotedTable: SQL { "main.\(name: schema.name)" }
  var rowID: SQL { SQL(name: schema.rowIDName) }

  /// Lists the rows that a condition holds for.
  ///
  /// - Parameter condition: of the row, `t`.
  /// - Returns: how many there are.
  func list(where condition: SQL, in connection: Connection) throws -> Int {
    try connection.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS poikit_gone (row INTEGER PRIMARY KEY);
      DELETE FROM \(RowRemoval.list);
      INSERT INTO \(RowRemoval.list) SELECT t.\(rowID) FROM \(quotedTable) AS t WHERE \(condition)
      """)
    return connection.changeCount
  }

  /// How many of the listed rows have no greater id than `lastRow`.
  func listedCount(
    upTo lastRow: Int64, in connection: Connection
  ) throws -> Int {
    let count = try connection.integer(
      "SELECT count(*) FROM \(RowRemoval.list) WHERE row <= \(lastRow)")
    return Int(count ?? 0)
  }

  /// How many archived rows of a run have no greater id than `lastRow`.
  func archivedCount(
    under run: Int64, upTo lastRow: Int64, in connection: Connection
  ) throws -> Int {
    guard try !ArchiveTable.columns(of: schema.name, in: connection).isEmpty else { return 0 }
    let count = try connection.integer(
      """
      SELECT count(*) FROM \(ArchiveTable(source: schema).quotedName)
      WHERE poikit_run = \(run) AND poikit_row_id <= \(lastRow)
      """)
    return Int(count ?? 0)
  }

  /// Deletes the listed rows, and what hangs on them as foreign keys declare it.
  ///
  /// - Parameter run: the run under which all that goes or changes is kept, or nil to keep nothing.
  /// - Returns: how many rows of the table went, those that hung on listed ones too, and how many of all
  ///   tables were archived.
  /// - Throws: `StoreFailure` with `unmovableReference` when other rows refer to them, with
  ///   `unsupportedTable` when a row would go that cannot be archived.
  func delete(
    archivingUnder run: Int64?, in connection: Connection
  ) throws -> (goneCount: Int, archivedCount: Int) {
    let triggers = try run.map { (run) throws in
      try JournalTriggers(for: schema, run: run, in: connection)
    }
    do {
      let before = try schema.rowCount(in: connection)
      try connection.execute(
        "DELETE FROM \(quotedTable) WHERE \(rowID) IN (SELECT row FROM \(RowRemoval.list))")
      // A deferred key would have its say when the transaction is committed.
      if connection.hasDeferredViolations { throw SQLiteError.violatedReference }
      let goneCount = try before - schema.rowCount(in: connection)
      return (goneCount, try triggers?.drop(in: connection) ?? 0)
    } catch let error as SQLiteError where error.isConstraint {
      throw StoreFailure(
        .unmovableReference,
        """
        rows of other tables refer to rows of '\(schema.name)' that are to be removed: say what \
        becomes of them with ON DELETE CASCADE or ON DELETE SET NULL
        """, cause: error)
    }
  }

  /// Gives a column of the listed rows a value, as of the timestamps of the rows, and keeps what it
  /// held for a run to be undone; and those timestamps, by which a row that was changed since is told
  /// even if it has the same mark.
  func mark(
    _ column: String, as value: Int64, timestamp: String?, under run: Int64,
    in connection: Connection
  ) throws {
    try ReservedRowIDs.reserve(allOf: schema, in: connection)
    try remember(column, .mark, newValue: "\(value)", under: run, in: connection)
    if let timestamp {
      try remember(
        timestamp, .other, newValue: "t.\(name: timestamp)", under: run, in: connection)
    }
    try dateMark(column, under: run, in: connection)
    try connection.execute(
      """
      UPDATE \(quotedTable) SET \(name: column) = \(value)
      WHERE \(rowID) IN (SELECT row FROM \(RowRemoval.list))
      """)
  }

  /// Keeps what a column of the listed rows holds and is to hold.
  private func remember(
    _ column: String, _ kind: Journal.Kind, newValue: SQL, under run: Int64,
    in connection: Connection
  ) throws {
    try connection.execute(
      """
      \(Journal.insertion)
      SELECT \(run), \(literal: schema.name), t.\(rowID), \(literal: column),
        \(literal: kind.rawValue), t.\(name: column), \(newValue)
      FROM \(RowRemoval.list) AS g CROSS JOIN \(quotedTable) AS t ON t.\(rowID) = g.row
      """)
  }

  /// Adds up the digests of the listed rows.
  func digest(
    _ layout: TableLayout, in connection: Connection
  ) throws -> Digest {
    let list: SQL = "(SELECT row AS loser FROM \(RowRemoval.list))"
    var reader = try ContentReader(
      layout, schema: schema, rows: .listed(in: list), in: connection)
    return try reader.digest().digest
  }

  /// Runs `body` with foreign keys enforced.
  static func enforcingReferences<Result>(
    on connection: Connection, _ body: () throws -> Result
  ) throws -> Result {
    let before = try connection.integer("PRAGMA foreign_keys")
    try connection.execute("PRAGMA foreign_keys = ON")
    defer { try? connection.execute("PRAGMA foreign_keys = \(before ?? 0)") }
    return try body()
  }
}
