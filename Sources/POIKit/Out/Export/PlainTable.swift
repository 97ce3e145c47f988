internal import POIRecords
internal import POISQLite

/// A table or view that the toolkit did not create, as an export reads it.
struct PlainTable {
  /// Its columns, those to write first.
  let model: Model

  /// The row id; nil for a view and a table without row ids.
  let rowID: SQL?

  /// The options with the names of the columns as they are declared.
  let options: ExportOptions

  /// - Throws: `StoreFailure` with `noSuchTable` if the database has no such table or view, and with
  ///   `noSuchColumn` if it lacks a column that the options name.
  init(_ table: String, _ options: ExportOptions, in connection: Connection) throws {
    var statement = try connection.prepare(
      """
      SELECT name, type = 'table' AND NOT wr FROM pragma_table_list
      WHERE schema = 'main' AND name = ?1 COLLATE NOCASE
      """, isPersistent: false)
    try statement.bind(1, text: table)
    guard try statement.step() else {
      throw StoreFailure(.noSuchTable, "the database has no table or view \"\(table)\"")
    }
    let name = statement.text(0)
    let hasRowID = statement.integer(1) == 1
    // Only virtual tables have hidden columns of this kind.
    let columns = try connection.rows(
      "SELECT name FROM pragma_table_xinfo(\(literal: name)) WHERE hidden <> 1 ORDER BY cid"
    ) { $0.text(0) }
    func declared(_ asked: String) throws -> String {
      if let column = columns.first(where: { TableSchema.isSame($0, asked) }) { return column }
      throw StoreFailure(
        .noSuchColumn,
        "\(name) has no column \"\(asked)\"; it has \(columns.joined(separator: ", "))")
    }
    var options = options
    options.columns = try options.columns.map(declared)
    options.filters = try options.filters.map { try $0.renamed(declared) }
    for place in options.orders.indices {
      options.orders[place].attribute = try declared(options.orders[place].attribute)
    }
    // Other columns may be expensive, or computed in a way that fails.
    var read = options.columns.isEmpty ? columns : []
    let asked = options.filters.flatMap(\.attributes) + options.orders.map(\.attribute)
    for column in options.columns + asked where !read.containsExactly(column) {
      read.append(column)
    }
    model = Model(ofTable: name, read.map { Attribute(column: $0) })
    self.options = options
    let aliases = hasRowID ? ["rowid", "_rowid_", "oid"] : []
    let free = aliases.first { !TableSchema.contains(columns, $0) }
    rowID = free.map { "t.\(name: $0)" }
  }
}
