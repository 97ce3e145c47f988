internal import POIRecords
internal import SQLiteKit

/// Rows whose keys only hash like those of a group: taken in by rank, and given back key by key and
/// within a key by rank.
///
/// SQLite sorts them by their whole keys, in a temporary table. A hash would not do: who has made many
/// keys with one hash could do so for a second one.
struct StrangerTable: ~Copyable {
  private static let table: SQL = "temp.poikit_stranger"

  private var insertion: Statement?
  private var selection: Statement?

  /// How many rows there are.
  private(set) var count = 0

  /// Adds a row.
  ///
  /// - Throws: `SQLiteError` when the temporary table cannot be written.
  mutating func append(
    _ entry: CandidateEntry, key: borrowing CanonicalKey, in connection: Connection
  ) throws(SQLiteError) {
    if insertion == nil {
      try connection.execute(
        """
        CREATE TEMP TABLE IF NOT EXISTS poikit_stranger (key BLOB, time INTEGER, detail INTEGER, row INTEGER);
        DELETE FROM \(Self.table)
        """)
      insertion = try connection.prepare("INSERT INTO \(Self.table) VALUES (?1, ?2, ?3, ?4)")
    }
    try insertion?.bind(1, blob: key.bytes)
    try insertion?.bind(2, integer: Int64(bitPattern: entry.rank.time))
    try insertion?.bind(3, integer: Int64(bitPattern: entry.rank.detail))
    try insertion?.bind(4, integer: entry.rowID)
    try insertion?.run()
    count += 1
  }

  /// The next row, or nil after the last one, when they are all forgotten.
  ///
  /// - Parameter sortKey: the sort key of all rows.
  /// - Throws: `SQLiteError` when the temporary table cannot be read.
  mutating func next(
    _ sortKey: SortKey, in connection: Connection
  ) throws(SQLiteError) -> CandidateEntry? {
    guard count > 0 else { return nil }
    if selection == nil {
      selection = try connection.prepare(
        "SELECT time, detail, row FROM \(Self.table) ORDER BY key, rowid")
    }
    guard try selection?.step() == true, let time = selection?.integer(0),
      let detail = selection?.integer(1), let row = selection?.integer(2)
    else {
      count = 0
      try selection?.reset()
      try connection.execute("DELETE FROM \(Self.table)")
      return nil
    }
    return CandidateEntry(
      sortKey: sortKey,
      rank: CandidateRank(time: UInt64(bitPattern: time), detail: UInt64(bitPattern: detail)),
      rowID: row)
  }
}
