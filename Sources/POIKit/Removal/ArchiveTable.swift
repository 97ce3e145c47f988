internal import SQLiteKit

/// The table that keeps the rows removed from another one, with all their columns and values as
/// they were.
struct ArchiveTable {
  /// What the names of archives begin with.
  static let prefix = Bookkeeping.prefix + "archive_"

  /// The number of an archived row: they are numbered in the order in which they were removed.
  static let number = "poikit_number"

  /// The archive's other own columns: the run, the removed row's id, the id of the row that stayed, and the
  /// last change in the journal before the row was removed.
  static let ownColumns = ["poikit_run", "poikit_row_id", "poikit_winner_id", "poikit_change"]

  /// The table that the rows are from.
  let source: TableSchema

  /// The quoted name with its schema.
  var quotedName: SQL { "main.\(name: Self.prefix + source.name)" }

  /// Creates the archive, or adds the columns that it lacks because the source has new ones, and
  /// reserves the ids of the source's rows and of those that they may refer to.
  ///
  /// - Throws: `StoreFailure` when a column of the source has the name of one of the
  ///   archive's own.
  func prepare(in connection: Connection) throws {
    if let taken = source.storedColumns.first(where: {
      TableSchema.contains(Self.ownColumns + [Self.number], $0)
    }) {
      throw StoreFailure(
        .unsupportedTable,
        "'\(source.name)' has a column '\(taken)', a name that archives need: go without an archive"
      )
    }
    // Columns without a type keep every value as it is.
    let columns = (Self.ownColumns + source.storedColumns).map(SQL.init(name:))
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS \(quotedName) (
        \(name: Self.number) INTEGER PRIMARY KEY, \(columns.joined(separator: ", ")))
      """)
    try Self.add(source.storedColumns, toArchiveOf: source.name, in: connection)
    try ReservedRowIDs.reserve(allOf: source, in: connection)
    for parent in try parents(in: connection) {
      try ReservedRowIDs.reserve(allOf: parent, in: connection)
    }
  }

  /// Adds the columns that the archive of a table lacks.
  ///
  /// - Returns: whether there is such an archive.
  @discardableResult
  static func add(
    _ columns: [String], toArchiveOf table: String, in connection: Connection
  ) throws -> Bool {
    let present = try self.columns(of: table, in: connection)
    guard !present.isEmpty else { return false }
    for column in columns where !TableSchema.contains(present, column) {
      try connection.execute("ALTER TABLE main.\(name: prefix + table) ADD COLUMN \(name: column)")
    }
    return true
  }

  /// The tables that the source's rows refer to, as far as they exist and have row ids.
  private func parents(
    in connection: Connection
  ) throws -> [TableSchema] {
    var statement = try connection.prepare(
      "SELECT DISTINCT \"table\" FROM pragma_foreign_key_list(?1, 'main')", isPersistent: false)
    try statement.bind(1, text: source.name)
    var parents: [TableSchema] = []
    while try statement.step() {
      do {
        parents.append(try TableSchema(of: statement.text(0), in: connection))
      } catch let error as StoreFailure
        where error.code == .noSuchTable || error.code == .unsupportedTable
      {}
    }
    return parents
  }

  /// The names of the columns that the archive of `table` has.
  static func columns(
    of table: String, in connection: Connection
  ) throws -> [String] {
    var names: [String] = []
    var statement = try connection.prepare(
      "SELECT name FROM pragma_table_info(?1, 'main') ORDER BY cid", isPersistent: false)
    try statement.bind(1, text: prefix + table)
    while try statement.step() { names.append(statement.text(0)) }
    return names
  }

  /// The tables whose archives hold rows of a run, in the order of their names.
  static func tables(
    ofRun run: Int64, in connection: Connection
  ) throws -> [String] {
    try rowCounts(ofRun: run, in: connection).map(\.table)
  }

  /// The tables whose archives hold rows of a run, in the order of their names, and how many.
  private static func rowCounts(
    ofRun run: Int64, in connection: Connection
  ) throws -> [(table: String, rowCount: Int64)] {
    var counts: [(table: String, rowCount: Int64)] = []
    var statement = try connection.prepare(
      """
      SELECT name FROM main.sqlite_schema
      WHERE type = 'table' AND substr(name, 1, length(?1)) = ?1 ORDER BY name
      """, isPersistent: false)
    try statement.bind(1, text: prefix)
    while try statement.step() {
      let archive = statement.text(0)
      let rowCount = try connection.integer(
        "SELECT count(*) FROM main.\(name: archive) WHERE poikit_run = \(run)")
      // A name may begin with a mark that combines with the end of the prefix.
      let name = archive.unicodeScalars.dropFirst(prefix.unicodeScalars.count)
      if let rowCount, rowCount > 0 { counts.append((String(name), rowCount)) }
    }
    return counts
  }

  /// How many rows of a run the archives hold.
  static func rowCount(ofRun run: Int64, in connection: Connection) throws -> Int {
    let count = try rowCounts(ofRun: run, in: connection).reduce(0) { $0 + $1.rowCount }
    return Int(count)
  }
}
