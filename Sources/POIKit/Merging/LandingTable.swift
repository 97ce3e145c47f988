internal import JSONStreaming
internal import SQLiteKit

/// The table in which the records of one large import wait until they are merged.
///
/// Records land in the order of the input, which costs no more than appending rows does.
enum LandingTable {
  /// What the names of landing tables begin with.
  static let prefix = Bookkeeping.prefix + "landing_"

  /// The name of a run's landing table.
  static func name(ofRun run: Int64) -> String { "\(prefix)\(run)" }

  /// Makes the table where it is missing. Runs inside the caller's transaction.
  static func make(ofRun run: Int64, in connection: borrowing Connection) throws(SQLiteError) {
    // The prefix of the key is null where a part of the key is. What is long stands last: looking
    // for the keys reads none of it.
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS \(name(ofRun: run)) (
        id INTEGER PRIMARY KEY,
        key_high INTEGER,
        key_low INTEGER,
        input INTEGER NOT NULL,
        record INTEGER NOT NULL,
        byte_offset INTEGER NOT NULL,
        line INTEGER NOT NULL,
        "column" INTEGER NOT NULL,
        content BLOB NOT NULL,
        raw BLOB
      ) STRICT
      """)
  }

  /// Removes the table, if it is there.
  static func remove(ofRun run: Int64, in connection: borrowing Connection) throws(SQLiteError) {
    try connection.execute("DROP TABLE IF EXISTS \(name(ofRun: run))")
  }
}
