internal import POIRecords
internal import SQLiteKit

/// Reads the keys of single rows.
struct KeyReader: ~Copyable {
  private let columnCount: Int
  private var statement: Statement
  /// The same with what identifies a related row in the place of its id.
  private var display: Statement

  /// A reader of the rows of a table.
  ///
  /// - Throws: `SQLiteError` when the layout does not fit the database.
  init(
    _ layout: TableLayout, schema: TableSchema, in connection: Connection
  ) throws(SQLiteError) {
    columnCount = layout.keyColumns.count
    let columns = layout.keyColumns.map(SQL.init(name:)).joined(separator: ", ")
    let displays = layout.keyColumns.map { Self.display(of: $0, in: layout) }.joined(
      separator: ", ")
    let row: SQL = "FROM main.\(name: schema.name) AS t WHERE t.\(name: schema.rowIDName) = ?1"
    let statement = try connection.prepare("SELECT \(columns) \(row)")
    display = try connection.prepare("SELECT \(displays) \(row)")
    self.statement = statement
  }

  /// What a person reads in the place of a key's column.
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

  /// Reads the canonical form of a row's key: equal bytes are equal keys.
  ///
  /// - Throws: `SQLiteError` when the database cannot be read.
  mutating func read(_ rowID: Int64, into key: inout CanonicalContent) throws(SQLiteError) {
    try statement.bind(1, integer: rowID)
    key.removeAll()
    if try statement.step() {
      _ = Self.append(keyOf: statement, from: 0, count: columnCount, to: &key)
    }
    try statement.reset()
  }

  /// The values of a row's key as text, nil for null; a blob is written as SQL writes it, and of a
  /// related row what identifies it.
  ///
  /// - Throws: `SQLiteError` when the database cannot be read.
  mutating func values(_ rowID: Int64) throws(SQLiteError) -> [String?] {
    try display.bind(1, integer: rowID)
    var values: [String?] = []
    if try display.step() {
      for column in 0..<columnCount { values.append(Self.display(column, of: display)) }
    }
    try display.reset()
    return values
  }

  /// Adds the key that `count` columns of a statement's current row hold, each under its number.
  ///
  /// - Returns: whether no part of it is null.
  static func append(
    keyOf statement: borrowing Statement, from first: Int, count: Int,
    to key: inout CanonicalContent
  ) -> Bool {
    var isWhole = true
    for part in 0..<count {
      key.append(column: first + part, of: statement, name: UInt64(part))
      if statement.isNull(first + part) { isWhole = false }
    }
    return isWhole
  }

  /// A value as a person reads it, nil for null.
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
