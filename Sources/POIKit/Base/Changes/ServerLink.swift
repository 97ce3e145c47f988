internal import POIRecords
internal import POISQLite

/// The servers of the tables of a store: the table `poikit_server`. With some a table is synchronised, from others it is
/// only pulled.
///
/// A table with a server has versions: its rows and its tombstones the one that the server gave them, and an entry of
/// its log the one that its row or tombstone had. See `SyncState`.
struct ServerLink {
  static let version = SQL(name: Model.versionColumn)

  private static let name: SQL = "poikit_server"

  let table: String
  let connection: Connection

  /// Whether a table is synchronised with a server.
  static func exists(of table: String, in connection: Connection) throws -> Bool {
    try hasTable(in: connection)
      && connection.integer(
        "SELECT 1 FROM main.\(name) WHERE table_name = \(literal: table) AND pulling IS NULL")
        != nil
  }

  private static func hasTable(in connection: Connection) throws -> Bool {
    try connection.integer("SELECT 1 FROM main.sqlite_schema WHERE name = 'poikit_server'") != nil
  }

  /// Whether the key of a table with a server is not enforced yet.
  static func isFirstPull(of table: String, in connection: Connection) throws -> Bool {
    try exists(of: table, in: connection)
      && EnforcedKey.columns(ofTable: table, in: connection).isEmpty
  }

  /// How the triggers of a table treat deliveries: with a server they are local changes.
  static func ownWrites(to table: String, in connection: Connection) throws -> OwnWrites {
    try exists(of: table, in: connection) ? .unstamped : .unlogged
  }

  /// Gives a table a server, inside the caller's transaction.
  ///
  /// - Parameter pulling: how it is pulled, as JSON; nil if it is synchronised.
  func create(at address: String, pulling: String? = nil) throws {
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS main.\(Self.name) (
        table_name TEXT NOT NULL PRIMARY KEY,
        address TEXT NOT NULL,
        pulling TEXT,
        epoch TEXT,
        checkpoint TEXT,
        error TEXT,
        ended INTEGER
      ) STRICT;
            INSERT INTO main.\(Self.name) (table_name, address, pulling)
      VALUES (\(literal: table), \(literal: address), \(pulling.map { "\(literal: $0)" } ?? "NULL"))
      ON CONFLICT DO UPDATE SET address = excluded.address, pulling = excluded.pulling
      """)
    if pulling == nil { try addColumns() }
  }

  /// Adds the columns for versions to the tables that exist.
  func addColumns() throws {
    let log = ChangeLog.prefix + table
    for name in [table, TombstoneTable.name(of: table), log] {
      try add(Model.versionColumn, to: name)
    }
    try add(ChangeLog.refusalColumn, to: log)
  }

  /// Adds a column of texts to a table, if both do not exist.
  private func add(_ column: String, to table: String) throws {
    let columns = try connection.rows(
      "SELECT name FROM pragma_table_info(\(literal: table), 'main')"
    ) { $0.text(0) }
    guard !columns.isEmpty, !columns.containsExactly(column) else { return }
    try connection.execute("ALTER TABLE main.\(name: table) ADD COLUMN \(name: column) TEXT")
  }

  /// Forgets the server of a table; its versions stay and mean nothing.
  static func remove(of table: String, in connection: Connection) throws {
    guard try hasTable(in: connection) else { return }
    try connection.execute("DELETE FROM main.\(name) WHERE table_name = \(literal: table)")
  }

  /// What is kept of a server.
  struct State {
    var address: String
    /// How the table is pulled, as JSON; nil if it is synchronised.
    var pulling: String?
    /// The life of the server's records to which the checkpoint belongs; nil before the first page.
    var epoch: String?
    /// Where the next page begins; nil for the first one.
    var checkpoint: String?
    /// Why the last cycle failed; nil if it did not.
    var error: String?
    /// When the last cycle ended.
    var ended: Instant?
  }

  /// What is kept of the server of the table; nil if it has none.
  func state() throws -> State? {
    guard try Self.hasTable(in: connection) else { return nil }
    return try connection.rows(
      """
      SELECT address, pulling, epoch, checkpoint, error, ended FROM main.\(Self.name)
      WHERE table_name = \(literal: table)
      """
    ) { row in
      let texts = (0..<5).map { row.isNull($0) ? nil : row.text($0) }
      return State(
        address: texts[0] ?? "", pulling: texts[1], epoch: texts[2], checkpoint: texts[3],
        error: texts[4], ended: row.isNull(5) ? nil : Instant(microseconds: row.integer(5)))
    }.first
  }

  /// Keeps where the next page begins, inside the transaction of the page.
  func keep(epoch: String?, checkpoint: String?) throws {
    var statement = try connection.prepare(
      "UPDATE main.\(Self.name) SET epoch = ?1, checkpoint = ?2 WHERE table_name = ?3")
    try statement.bind(1, text: epoch)
    try statement.bind(2, text: checkpoint)
    try statement.bind(3, text: table)
    try statement.run()
  }

  /// Notes how a cycle ended.
  func note(error: String?, ended: Instant) throws {
    var statement = try connection.prepare(
      "UPDATE main.\(Self.name) SET error = ?1, ended = ?2 WHERE table_name = ?3")
    try statement.bind(1, text: error)
    try statement.bind(2, integer: ended.microseconds)
    try statement.bind(3, text: table)
    try statement.run()
  }
}
