internal import JSONStreaming
internal import POISQLite

/// The table of the records of one large import that wait to be merged.
///
/// It holds records in the order of the input, many in a row; for the format see `LandingDirectory`
/// and `LandedRecord`.
enum LandingTable {
  static let prefix = Bookkeeping.prefix + "landing_"

  static func name(ofRun run: Int64) -> String { "\(prefix)\(run)" }

  /// The name of the table that remembers, until the run ends, what its removals did to stored
  /// rows.
  ///
  /// It has the row that each removal matched, by the prefix of its key, and the deleted rows,
  /// without a prefix. A deleted row cannot be found by its key, and a new row may have its id.
  static func nameOfRemovals(ofRun run: Int64) -> String { "\(prefix)removal_\(run)" }

  /// The name of the table of merged records, with a row for each batch: `LandedRange` numbers of 8
  /// bytes each. A resumed run continues with the other records, even if rows have changed.
  static func nameOfMerged(ofRun run: Int64) -> String { "\(prefix)merged_\(run)" }

  /// The error if the tables hold what no run has written.
  static let damage = StoreFailure(
    .inputOutput, "the records that were read and wait to be merged are damaged", advice: .restart)

  /// Creates missing tables, inside the caller's transaction.
  static func make(ofRun run: Int64, in connection: Connection) throws {
    // The long column is last, so that a search for keys does not read it.
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

  /// Drops the tables, if they exist. The records go first, then the note that they are merged.
  static func remove(ofRun run: Int64, in connection: Connection) throws {
    try connection.execute(
      """
      DROP TABLE IF EXISTS \(name: name(ofRun: run));
      DROP TABLE IF EXISTS \(name: nameOfRemovals(ofRun: run));
      DROP TABLE IF EXISTS \(name: nameOfMerged(ofRun: run));
      """)
  }
}
