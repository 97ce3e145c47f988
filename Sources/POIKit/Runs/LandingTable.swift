internal import JSONStreaming
internal import SQLiteKit

/// The table in which the records of one large import wait until they are merged.
///
/// Records land in the order of the input, many to a row; `LandingDirectory` and `LandedRecord` say
/// how.
enum LandingTable {
  /// What the names of landing tables begin with.
  static let prefix = Bookkeeping.prefix + "landing_"

  /// The name of a run's landing table.
  static func name(ofRun run: Int64) -> String { "\(prefix)\(run)" }

  /// The name of the table that remembers, until the run ends, what its removals do to the rows that
  /// were stored before: the row that a removal was to meet, by the prefix of its key, and the rows
  /// that are deleted, without one. A row that is gone cannot be found by its key any more, and a
  /// new one may have got its id.
  static func nameOfRemovals(ofRun run: Int64) -> String { "\(prefix)removal_\(run)" }

  /// The name of the table of the records that are merged, in a row for each batch: their places as
  /// `LandedPlace` numbers them, in 8 bytes each. A resumed run goes on with the others, whatever has
  /// become of the rows meanwhile.
  static func nameOfMerged(ofRun run: Int64) -> String { "\(prefix)merged_\(run)" }

  /// What is thrown where they hold what no run has written.
  static let damage = StoreFailure(
    .inputOutput, "the records that were read and wait to be merged are damaged", advice: .restart)

  /// Makes the tables where they are missing. Runs inside the caller's transaction.
  static func make(ofRun run: Int64, in connection: Connection) throws {
    // What is long stands last: looking for the keys reads none of it.
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS \(name: name(ofRun: run)) (
        id INTEGER PRIMARY KEY,
        directory BLOB NOT NULL,
        content BLOB NOT NULL
      ) STRICT;
      CREATE TABLE IF NOT EXISTS \(name: nameOfRemovals(ofRun: run)) (
        key_high INTEGER,
        key_low INTEGER,
        row INTEGER NOT NULL,
        UNIQUE (key_high, key_low)
      ) STRICT;
      CREATE TABLE IF NOT EXISTS \(name: nameOfMerged(ofRun: run)) (
        id INTEGER PRIMARY KEY,
        places BLOB NOT NULL
      ) STRICT;
      """)
  }

  /// Removes the tables, if they are there. The records go before what says that they are merged.
  static func remove(ofRun run: Int64, in connection: Connection) throws {
    try connection.execute(
      """
      DROP TABLE IF EXISTS \(name: name(ofRun: run));
      DROP TABLE IF EXISTS \(name: nameOfRemovals(ofRun: run));
      DROP TABLE IF EXISTS \(name: nameOfMerged(ofRun: run));
      """)
  }
}
