internal import POISQLite

/// A trigger that the toolkit creates.
///
/// Page: https://sqlite.org/lang_createtrigger.html
struct Trigger {
  enum Timing: String { case before, after }
  enum Event: String { case insert, update, delete }

  /// The database that stores it: `main`, or `temp`, which ends with the connection.
  var database: SQL = "main"

  let name: String
  var timing = Timing.after
  let event: Event

  /// The columns whose update fires it; empty for all.
  var columns: [String] = []

  /// Its table in the main database.
  let table: String

  /// The condition on the row; nil if it always runs.
  var condition: SQL?

  /// The statements, separated by semicolons. The table that a statement changes may not be qualified.
  let body: SQL

  /// The statement that creates it, as the database stores it: without the database, which may be attached by another
  /// name.
  var storedText: String { ("CREATE TRIGGER \(name: name)\(definition)" as SQL).text }

  func create(in connection: Connection) throws {
    try connection.execute("CREATE TRIGGER \(database).\(name: name)\(definition)")
  }

  private var definition: SQL {
    let event = SQL(verbatim: "\(timing) \(event)".uppercased())
    let columns = columns.map(SQL.init(name:)).joined(separator: ", ")
    let condition = condition.map { "WHEN \($0)" as SQL }
    return """
      \n\(event)\(self.columns.isEmpty ? "" : " OF \(columns)")
      ON \(database == "main" ? "" : "main.")\(name: table) \(condition ?? "")
      BEGIN \(body); END
      """
  }

  /// Drops a trigger, if it exists.
  static func drop(_ name: String, from database: SQL = "main", in connection: Connection) throws {
    try connection.execute("DROP TRIGGER IF EXISTS \(database).\(name: name)")
  }

  /// The stored triggers whose names have a prefix, by name, each with its table.
  static func all(
    withPrefix prefix: String, in connection: Connection
  ) throws -> [(name: String, table: String)] {
    try all(in: connection).filter { $0.name.utf8.starts(with: prefix.utf8) }
  }

  /// The stored triggers that the toolkit did not create, by name, each with its table.
  ///
  /// - Parameter table: the table; nil for all.
  static func ofApp(
    on table: String? = nil, in connection: Connection
  ) throws -> [(name: String, table: String)] {
    try all(in: connection).filter {
      !$0.name.utf8.starts(with: Bookkeeping.prefix.utf8)
        && (table == nil || TableSchema.isSame($0.table, table))
    }
  }

  private static func all(in connection: Connection) throws -> [(name: String, table: String)] {
    try connection.rows(
      "SELECT name, tbl_name FROM main.sqlite_schema WHERE type = 'trigger' ORDER BY name"
    ) { ($0.text(0), $0.text(1)) }
  }
}
