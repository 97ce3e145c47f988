internal import SQLiteKit

/// Reads the keys of single rows.
struct KeyReader: ~Copyable {
  private let columnCount: Int
  private var statement: Statement

  /// A reader of the rows of a table.
  ///
  /// - Throws: `SQLiteError` when the layout does not fit the database.
  init(
    _ layout: TableLayout, schema: TableSchema, in connection: borrowing Connection
  ) throws(SQLiteError) {
    columnCount = layout.keyColumns.count
    let columns = layout.keyColumns.map(SQL.init(name:)).joined(separator: ", ")
    statement = try connection.prepare(
      """
      SELECT \(columns) FROM main.\(name: schema.name)
      WHERE \(name: schema.rowIDName) = ?1
      """)
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

  /// The values of a row's key as text, nil for null; a blob is written as SQL writes it.
  ///
  /// - Throws: `SQLiteError` when the database cannot be read.
  mutating func values(_ rowID: Int64) throws(SQLiteError) -> [String?] {
    try statement.bind(1, integer: rowID)
    var values: [String?] = []
    if try statement.step() {
      for column in 0..<columnCount { values.append(Self.display(column, of: statement)) }
    }
    try statement.reset()
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
