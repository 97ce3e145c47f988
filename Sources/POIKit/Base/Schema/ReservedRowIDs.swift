internal import POISQLite

/// The row ids of archived or changed rows, which undoing a run needs. New rows must not get them.
///
/// SQLite gives a new row the greatest id plus 1. If the last row of a table was deleted, that is
/// the id of the deleted row.
enum ReservedRowIDs {
  private static let table = Bookkeeping.prefix + "reserved"

  /// Reserves the ids of all rows of a table, before the first row is archived or changed.
  ///
  /// The greatest possible id is not reserved: no id is greater.
  static func reserve(allOf table: TableSchema) throws {
    let rowID = SQL(name: table.rowIDName)
    try table.connection.execute(
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

  /// The greatest reserved id of a table; nil if no id is reserved.
  static func last(of table: String, in connection: Connection) throws -> Int64? {
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
