internal import POIRecords
internal import SQLiteKit

/// Rows whose keys collide with the key of a group: the sort key is the same, the key is not.
///
/// They are appended in the order of their ranks, and returned key by key and within a key in the
/// order of their ranks. SQLite sorts them by their whole keys, in a temporary table. A second hash
/// would not be enough: an attacker who constructs collisions of one hash can do so for another.
struct HashCollisions: ~Copyable {
  private static let table: SQL = "temp.poikit_collision"

  private var insertion: Statement?
  private var selection: Statement?

  /// The number of rows.
  private(set) var count = 0

  /// Appends a row.
  ///
  /// - Throws: `SQLiteError` when the temporary table cannot be written.
  mutating func append(
    _ entry: CandidateEntry, key: borrowing CanonicalKey, in connection: Connection
  ) throws {
    if insertion == nil {
      try connection.execute(
        """
        CREATE TEMP TABLE IF NOT EXISTS poikit_collision (key BLOB, time INTEGER, detail INTEGER, row INTEGER);
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

  /// Returns the next row. After the last one it returns nil and deletes all rows.
  ///
  /// - Parameter sortKey: the sort key of all rows.
  /// - Throws: `SQLiteError` when the temporary table cannot be read.
  mutating func next(
    _ sortKey: SortKey, in connection: Connection
  ) throws -> CandidateEntry? {
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
