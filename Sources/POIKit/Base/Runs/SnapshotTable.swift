internal import POISQLite

/// The table with the rows of a table of records that a snapshot met, while a run imports it.
///
/// It holds ranges of row ids, which may overlap. The first and the last range hold what no record is compared with:
/// nothing, and the rows that came since the run began.
struct SnapshotTable {
  private let connection: Connection
  private let run: Int64

  init(ofRun run: Int64, in connection: Connection) {
    self.connection = connection
    self.run = run
  }

  static let prefix = Bookkeeping.prefix + "snapshot_"

  private static func name(ofRun run: Int64) -> SQL { "main.\(name: "\(prefix)\(run)")" }

  var quotedName: SQL { SnapshotTable.name(ofRun: run) }

  /// Creates the table if it is missing, inside the transaction of the first batch.
  ///
  /// - Parameter records: the table of records.
  func prepare(for records: String) throws {
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS \(quotedName) (first INTEGER PRIMARY KEY, last INTEGER NOT NULL) STRICT;
      INSERT OR IGNORE INTO \(quotedName) VALUES (\(Int64.min), \(Int64.min));
      INSERT INTO \(quotedName)
        SELECT r.boundary + 1, \(Int64.max)
        FROM (SELECT coalesce(max(\(StoreSchema.idColumn)), 0) AS boundary FROM main.\(name: records)) AS r
        WHERE NOT EXISTS (SELECT 1 FROM \(quotedName) WHERE last = \(Int64.max))
      """)
  }

  /// The greatest row id of the table of records when the run began.
  func boundary() throws -> Int64 {
    try connection.integer("SELECT max(first) - 1 FROM \(quotedName)") ?? 0
  }

  /// Lets each range end where those that begin before it end, at least. Then the last one that begins before a row
  /// tells whether the snapshot holds it.
  func complete() throws {
    try connection.execute(
      """
      UPDATE \(quotedName) AS s SET last = r.last
      FROM (SELECT first, max(last) OVER (ORDER BY first) AS last FROM \(quotedName)) AS r
      WHERE r.first = s.first AND r.last > s.last
      """)
  }

  static func remove(ofRun run: Int64, in connection: Connection) throws {
    try connection.execute("DROP TABLE IF EXISTS \(name(ofRun: run))")
  }

  /// The condition that the snapshot holds a row. The table must be complete.
  ///
  /// - Parameter row: the alias of the row's table.
  func holds(row: SQL) -> SQL {
    let id: SQL = "\(row).\(StoreSchema.idColumn)"
    return """
      \(id) <= (SELECT last FROM \(quotedName) WHERE first <= \(id) ORDER BY first DESC LIMIT 1)
      """
  }

  /// The rows `t` of a table that the snapshot lacks, as what a statement selects from. The table must be complete.
  func missing(from records: SQL) -> SQL {
    let id: SQL = "t.\(StoreSchema.idColumn)"
    return """
      (SELECT last, lead(first) OVER (ORDER BY first) AS next FROM \(quotedName)) AS s
      CROSS JOIN \(records) AS t ON \(id) > s.last AND \(id) < s.next
      """
  }
}
