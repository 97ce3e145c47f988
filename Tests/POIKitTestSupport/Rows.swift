package import POIRecords
package import POISQLite

@testable package import POIKit

/// The rows that a statement returns, each as one text.
package func rows(_ sql: SQL, in connection: Connection) throws(SQLiteError) -> [String] {
  var rows: [String] = []
  var statement = try connection.prepare(sql)
  while try statement.step() {
    rows.append((0..<statement.columnCount).map { statement.text($0) }.joined(separator: "|"))
  }
  return rows
}

package func rows(_ sql: SQL, in store: Store) throws -> [String] {
  try store.withConnection { try rows(sql, in: $0) }
}

/// All rows of a table with their ids and types, byte by byte.
package func dump(_ table: String, in connection: Connection) throws(SQLiteError) -> [String] {
  var columns: [SQL] = ["rowid"]
  for name in try rows(
    "SELECT name FROM pragma_table_info(\(literal: table))", in: connection)
  {
    let quoted = SQL(name: name)
    columns += ["typeof(\(quoted))", "hex(\(quoted))", "quote(\(quoted))"]
  }
  return try rows(
    """
    SELECT \(columns.joined(separator: ", ")) FROM \(name: table) ORDER BY rowid
    """, in: connection)
}

package func dump(_ table: String, in store: Store) throws -> [String] {
  try store.withConnection { try dump(table, in: $0) }
}

/// The schema of the database, without the toolkit's tables.
package func schema(_ connection: Connection) throws(SQLiteError) -> [String] {
  try rows(
    """
    SELECT type, name, tbl_name, sql FROM sqlite_schema
    WHERE name NOT LIKE 'poikit%' AND tbl_name NOT LIKE 'poikit%' ORDER BY name
    """, in: connection)
}

/// An instant for the table of runs.
package func someInstant() -> Instant { Instant(microseconds: 1_700_000_000_000_000) }

/// The error that `body` throws, as programs get it, or nil.
package func storeError(_ body: () throws -> Void) -> StoreError? {
  do throws(StoreError) {
    try StoreError.converting(path: ":memory:", body)
    return nil
  } catch {
    return error
  }
}
