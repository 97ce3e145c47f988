internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// A table or view without a model.
struct PlainTable {
  /// The name, spelled as declared.
  let name: String

  private let columns: [String]

  /// The expression of the row id; nil for a view and a table without row ids.
  private let rowID: SQL?

  /// - Throws: `StoreFailure` with `noSuchTable` if the database has no such table or view.
  init(_ table: String, in connection: Connection) throws {
    var statement = try connection.prepare(
      """
      SELECT name, type = 'table' AND NOT wr FROM pragma_table_list
      WHERE schema = 'main' AND name = ?1 COLLATE NOCASE
      """, isPersistent: false)
    try statement.bind(1, text: table)
    guard try statement.step() else {
      throw StoreFailure(.noSuchTable, "the database has no table or view \"\(table)\"")
    }
    name = statement.text(0)
    let hasRowID = statement.integer(1) == 1
    // Only virtual tables have hidden columns of this kind.
    statement = try connection.prepare(
      "SELECT name FROM pragma_table_xinfo(?1) WHERE hidden <> 1 ORDER BY cid", isPersistent: false)
    try statement.bind(1, text: name)
    var columns: [String] = []
    while try statement.step() { columns.append(statement.text(0)) }
    self.columns = columns
    let aliases = hasRowID ? ["rowid", "_rowid_", "oid"] : []
    let free = aliases.first { alias in !columns.contains { TableSchema.isSame($0, alias) } }
    rowID = free.map { SQL(name: $0) }
  }

  /// The columns to write.
  func chosen(_ options: ExportOptions) throws -> [String] {
    try options.columns.isEmpty ? columns : options.columns.map(column)
  }

  /// The rows with the columns to write.
  func statement(_ options: ExportOptions, in connection: Connection) throws -> Statement {
    var conditions: [SQL] = []
    for filter in options.filters {
      conditions.append(filter.condition(on: SQL(name: try column(filter.attribute))))
    }
    var terms: [SQL] = []
    for order in options.orders {
      terms.append("\(name: try column(order.attribute))\(order.isDescending ? " DESC" : "")")
    }
    if let rowID { terms.append(rowID) }
    let results = try chosen(options).map { SQL(name: $0) }
    let condition: SQL =
      conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
    let order: SQL = terms.isEmpty ? "" : "ORDER BY \(terms.joined(separator: ", "))"
    var statement = try connection.prepare(
      """
      SELECT \(results.joined(separator: ", ")) FROM main.\(name: name) \(condition) \(order) \
      LIMIT \(options.limit ?? -1)
      """, isPersistent: false)
    for (place, filter) in options.filters.enumerated() {
      try statement.bind(place + 1, filter.value)
    }
    return statement
  }

  private func column(_ name: String) throws -> String {
    guard let column = columns.first(where: { TableSchema.isSame($0, name) }) else {
      throw StoreFailure(
        .noSuchColumn,
        "\(self.name) has no column \"\(name)\"; it has \(columns.joined(separator: ", "))")
    }
    return column
  }
}

extension RowOutput {
  /// Appends a row as an object.
  ///
  /// - Parameter names: the names of the members as JSON, with their colons.
  mutating func append(_ statement: borrowing Statement, names: [[UInt8]]) {
    bytes.append(UInt8(ascii: "{"))
    for (column, name) in names.enumerated() {
      if column > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes.append(copying: name.span)
      switch statement.value(column) {
      case .null: JSONText.append("null", to: &bytes)
      case .integer(let integer): JSONText.append(integer, to: &bytes)
      case .real(let real): JSONText.append(real, to: &bytes)
      case .text(let text): append(quoted: text)
      case .blob(let blob): append(base64: blob)
      }
    }
    bytes.append(UInt8(ascii: "}"))
  }
}
