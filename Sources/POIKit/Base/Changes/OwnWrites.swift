internal import POISQLite

/// How the triggers of tracked tables treat what a transaction of the toolkit writes.
///
/// The table `poikit_own` says so while the transaction is open. No other program sees its row: it is gone before the
/// commit, and with a killed process.
enum OwnWrites: Int64 {
  /// They are no local changes, as with a delivery.
  case unlogged = 1
  /// They are local changes that keep their times, as with a deduplication.
  case unstamped = 2

  /// The condition that changes are logged.
  static let areLogged: SQL =
    "NOT EXISTS (SELECT 1 FROM poikit_own WHERE mode = \(OwnWrites.unlogged.rawValue))"

  /// The condition that logged changes get a time.
  static let areStamped: SQL = "NOT EXISTS (SELECT 1 FROM poikit_own)"

  static let creation: SQL =
    "CREATE TABLE IF NOT EXISTS main.poikit_own (mode INTEGER NOT NULL) STRICT"

  /// Whether a database has tracked tables.
  static func matter(in connection: Connection) throws -> Bool {
    try connection.integer(
      "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = 'poikit_own'") != nil
  }

  var beginning: SQL { "INSERT INTO main.poikit_own VALUES (\(rawValue))" }

  static let ending: SQL = "DELETE FROM main.poikit_own"
}

extension Connection {
  /// Runs `body`, inside the caller's transaction, so that the triggers of tracked tables treat its writes as told, or as
  /// an outer call did.
  func writing<Result: ~Copyable>(_ kind: OwnWrites, _ body: () throws -> Result) throws -> Result {
    guard try OwnWrites.matter(in: self), try integer("SELECT 1 FROM main.poikit_own") == nil else {
      return try body()
    }
    try execute(kind.beginning)
    let result = try body()
    try execute(OwnWrites.ending)
    return result
  }
}
