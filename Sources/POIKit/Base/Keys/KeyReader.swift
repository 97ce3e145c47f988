internal import POIRecords
internal import POISQLite

/// Reads the keys of single rows.
struct KeyReader: ~Copyable {
  private let columnCount: Int
  private var statement: Statement

  /// The same statement with the identifying values of a related row in place of its id.
  private var display: Statement

  init(
    _ layout: TableLayout, schema: TableSchema, in connection: Connection
  ) throws {
    columnCount = layout.keyColumns.count
    let columns = layout.keyColumns.map(SQL.init(name:)).joined(separator: ", ")
    let displays = layout.keyColumns.map { Self.display(of: $0, in: layout) }.joined(
      separator: ", ")
    let row: SQL = "FROM main.\(name: schema.name) AS t WHERE t.\(name: schema.rowIDName) = ?1"
    let statement = try connection.prepare("SELECT \(columns) \(row)")
    display = try connection.prepare("SELECT \(displays) \(row)")
    self.statement = statement
  }

  /// The value of a key's column as people read it.
  private static func display(of column: String, in layout: TableLayout) -> SQL {
    let value: SQL = "t.\(name: column)"
    guard let relation = layout.contentColumns.first(where: { $0.name == column })?.relation else {
      return value
    }
    let names = relation.uniqueColumns.map { "r.\(name: $0)" as SQL }.joined(
      separator: " || ', ' || ")
    return """
      ifnull((SELECT \(names) FROM main.\(name: relation.table) AS r \
      WHERE r.\(name: relation.idColumn) = \(value)), \(value))
      """
  }

  /// Reads the key of a row; if there is no such row, the key is empty.
  mutating func read(_ rowID: Int64, into key: inout CanonicalKey) throws {
    try statement.bind(1, integer: rowID)
    key.removeAll()
    if try statement.step() { _ = key.read(0..<columnCount, of: statement) }
    try statement.reset()
  }

  /// The values of a row's key as text, nil for NULL. A blob is written as in SQL, and a related
  /// row as the values that identify it.
  mutating func values(_ rowID: Int64) throws -> [String?] {
    try display.bind(1, integer: rowID)
    var values: [String?] = []
    if try display.step() {
      for column in 0..<columnCount { values.append(Self.display(column, of: display)) }
    }
    try display.reset()
    return values
  }

  /// A value as people read it, nil for NULL.
  static func display(_ column: Int, of statement: borrowing Statement) -> String? {
    switch statement.columnType(column) {
    case .null: return nil
    case .integer, .real, .text: return statement.text(column)
    case .blob:
      let bytes = statement.bytes(column)
      var text = "x'"
      for index in bytes.indices {
        let digits = String(bytes[index], radix: 16)
        text += digits.count == 1 ? "0" + digits : digits
      }
      return text + "'"
    }
  }
}
