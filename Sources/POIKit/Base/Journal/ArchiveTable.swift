internal import POISQLite

/// The table that keeps the removed rows of another table, with all columns and values.
package struct ArchiveTable {
  package static let prefix = Bookkeeping.prefix + "archive_"

  /// The column with the number of an archived row, in the order of removal.
  static let number = "poikit_number"

  /// The archive's other own columns: the run, the id of the removed row, the id of its winner, and the last
  /// change in the journal before the removal.
  ///
  /// The id of the winner is NULL if the row was not a loser. It is the row's own id if the row belonged to a
  /// loser and the winner has no row with the same unique key.
  static let ownColumns = ["poikit_run", "poikit_row_id", "poikit_winner_id", "poikit_change"]

  let source: TableSchema

  var connection: Connection { source.connection }

  var quotedName: SQL { "main.\(name: Self.prefix + source.name)" }

  /// Creates the archive, or adds columns that are new in the source. Reserves the ids of all rows of the
  /// source and of the tables that it refers to.
  ///
  /// - Throws: `StoreFailure` when a column of the source has the name of one of the archive's own columns.
  func prepare() throws {
    if let taken = source.storedColumns.first(where: {
      TableSchema.contains(Self.ownColumns + [Self.number], $0)
    }) {
      throw StoreFailure(
        .unsupportedTable,
        "'\(source.name)' has a column '\(taken)', a name that archives need: run without an archive"
      )
    }
    // Columns without a type store every value unchanged.
    let columns = (Self.ownColumns + source.storedColumns).map(SQL.init(name:))
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS \(quotedName) (
        \(name: Self.number) INTEGER PRIMARY KEY, \(columns.joined(separator: ", ")))
      """)
    try Self.add(source.storedColumns, toArchiveOf: source.name, in: connection)
    try ReservedRowIDs.reserve(allOf: source)
    for parent in try parents() {
      try ReservedRowIDs.reserve(allOf: parent)
    }
  }

  /// Adds the columns that are missing in the archive of a table.
  ///
  /// - Returns: false if there is no such archive.
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

  /// The tables that the source's rows refer to, if they exist and have row ids.
  private func parents() throws -> [TableSchema] {
    let query: SQL = """
      SELECT DISTINCT "table" FROM pragma_foreign_key_list(\(literal: source.name), 'main')
      """
    return try connection.rows(query) { (row) throws -> TableSchema? in
      do {
        return try TableSchema(of: row.text(0), in: connection)
      } catch let error as StoreFailure
        where error.code == .noSuchTable || error.code == .unsupportedTable
      {
        return nil
      }
    }.compactMap(\.self)
  }

  /// The columns of the archive of `table`; empty if there is no archive.
  static func columns(of table: String, in connection: Connection) throws -> [String] {
    try connection.rows(
      "SELECT name FROM pragma_table_info(\(literal: prefix + table), 'main') ORDER BY cid"
    ) { $0.text(0) }
  }

  /// The tables with archived rows of a run, by name.
  static func tables(ofRun run: Int64, in connection: Connection) throws -> [String] {
    try rowCounts(ofRun: run, in: connection).map(\.table)
  }

  /// The tables with archived rows of a run, by name, each with the number of these rows.
  private static func rowCounts(
    ofRun run: Int64, in connection: Connection
  ) throws -> [(table: String, rowCount: Int64)] {
    var counts: [(table: String, rowCount: Int64)] = []
    let archives = try connection.rows(
      """
      SELECT name FROM main.sqlite_schema
      WHERE type = 'table' AND substr(name, 1, \(prefix.count)) = \(literal: prefix) ORDER BY name
      """
    ) { $0.text(0) }
    for archive in archives {
      let rowCount = try connection.integer(
        "SELECT count(*) FROM main.\(name: archive) WHERE poikit_run = \(run)")
      // The first scalar of a name may combine with the end of the prefix to one character.
      let name = archive.unicodeScalars.dropFirst(prefix.unicodeScalars.count)
      if let rowCount, rowCount > 0 { counts.append((String(name), rowCount)) }
    }
    return counts
  }

  static func rowCount(ofRun run: Int64, in connection: Connection) throws -> Int {
    let count = try rowCounts(ofRun: run, in: connection).reduce(0) { $0 + $1.rowCount }
    return Int(count)
  }
}
