internal import SQLiteKit

/// The ids that rows of a table had when a run archived some of them, or remembered what it changed in them: by these
/// ids the run is undone.
///
/// SQLite gives a new row the id behind the greatest one, which would be that of such a row where it stood at the table's
/// end and is gone.
enum ReservedRowIDs {
  private static let table = Bookkeeping.prefix + "reserved"

  /// Reserves the ids of all rows that a table has, before the first of them is archived or changed.
  ///
  /// The greatest id of all is left out: there is none behind it.
  static func reserve(
    allOf table: TableSchema, in connection: Connection
  ) throws {
    let rowID = SQL(name: table.rowIDName)
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS main.\(name: Self.table) (
        table_name TEXT NOT NULL PRIMARY KEY COLLATE NOCASE,
        last_row INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      INSERT INTO main.\(name: Self.table)
      SELECT \(literal: table.name), \(rowID) FROM main.\(name: table.name)
      WHERE \(rowID) < \(Int64.max) ORDER BY \(rowID) DESC LIMIT 1
      ON CONFLICT (table_name) DO UPDATE SET last_row = max(last_row, excluded.last_row)
      """)
  }

  /// The greatest id that is reserved of a table; nothing where none is.
  static func last(
    of table: String, in connection: Connection
  ) throws -> Int64? {
    let isAny = try connection.integer(
      "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = \(literal: Self.table)")
    guard isAny != nil else { return nil }
    return try connection.integer(
      """
      SELECT last_row FROM main.\(name: Self.table)
      WHERE table_name = \(literal: table)
      """)
  }
}
