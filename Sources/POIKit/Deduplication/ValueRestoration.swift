internal import SQLiteKit

/// The statements that put values of one column back which a run changed.
struct ValueRestoration {
  private let update: PreparedStatements.Box
  private let verify: PreparedStatements.Box

  /// - Parameter schema: the table; without it, it is one with the row id that SQLite gives.
  init(
    of column: String, in table: String, _ schema: TableSchema?, by statements: PreparedStatements,
    on connection: borrowing Connection
  ) throws(SQLiteError) {
    let quotedTable: SQL = "main.\(name: table)"
    let quotedColumn = SQL(name: column)
    let rowID = SQL(name: schema?.rowIDName ?? "rowid")
    update = try statements.statement(
      """
      UPDATE OR ABORT \(quotedTable) SET \(quotedColumn) = (
        SELECT old_value FROM main.poikit_moved WHERE rowid = ?1)
      WHERE \(rowID) = ?2
      """, in: connection)
    let isRowID = TableSchema.isSame(column, schema?.rowIDColumn)
    verify = try statements.statement(
      """
      SELECT 1 FROM main.poikit_moved AS m CROSS JOIN \(quotedTable) AS s
      WHERE m.rowid = ?1 AND s.\(rowID) = m.\(isRowID ? "old_value" : "row_id")
        AND +s.\(quotedColumn) IS m.old_value COLLATE BINARY
      """, in: connection)
  }

  /// Puts the value of a row back that a row of `poikit_moved` keeps.
  ///
  /// - Returns: whether the row is there.
  func restore(
    _ move: Int64, ofRow row: Int64, on connection: borrowing Connection
  ) throws(SQLiteError) -> Bool {
    try update.statement.bind(1, integer: move)
    try update.statement.bind(2, integer: row)
    try update.statement.run()
    return connection.changeCount > 0
  }

  /// Whether the row holds the value that a row of `poikit_moved` keeps.
  func isRestored(_ move: Int64) throws(SQLiteError) -> Bool {
    try verify.statement.bind(1, integer: move)
    let isRestored = try verify.statement.step()
    try verify.statement.reset()
    return isRestored
  }
}
