internal import SQLiteKit

/// Reads the canonical content of rows.
struct ContentReader: ~Copyable {
  /// Where in the result a field's value is.
  private struct Field {
    let name: UInt64
    let column: Int

    /// The fields of the related row, if the value refers to one.
    let related: [(name: UInt64, column: Int)]?
  }

  private let fields: [Field]
  private var statement: Statement

  /// A reader of the rows of a table.
  ///
  /// - Throws: `SQLiteError` when the layout does not fit the database.
  init(
    _ layout: TableLayout, schema: TableSchema, rows: RowSelection,
    in connection: borrowing Connection
  ) throws(SQLiteError) {
    var fields: [Field] = []
    var results: [String] = []
    var joins = ""
    func result(_ table: String, _ column: String) -> Int {
      results.append("\(table).\(Connection.quoteIdentifier(column))")
      return results.count - 1
    }
    for content in layout.contentColumns.sorted(by: {
      CanonicalContent.fieldOrder($0.name, $1.name)
    }) {
      let column = result("t", content.name)
      var related: [(name: UInt64, column: Int)]?
      if let relation = content.relation {
        let alias = "r\(column)"
        joins += """
           LEFT JOIN main.\(Connection.quoteIdentifier(relation.table)) AS \(alias) \
          ON \(alias).\(Connection.quoteIdentifier(relation.idColumn)) \
          = t.\(Connection.quoteIdentifier(content.name))
          """
        related = relation.uniqueColumns.sorted(by: CanonicalContent.fieldOrder).map { name in
          (CanonicalContent.nameTag(name), result(alias, name))
        }
      }
      fields.append(
        Field(name: CanonicalContent.nameTag(content.name), column: column, related: related))
    }
    self.fields = fields
    if results.isEmpty { results.append("1") }
    let rowID = "t.\(Connection.quoteIdentifier(schema.rowIDName))"
    let condition =
      switch rows {
      case .all: ""
      case .one: "WHERE \(rowID) = ?1"
      case .range: "WHERE \(rowID) BETWEEN ?1 AND ?2"
      }
    statement = try connection.prepare(
      """
      SELECT \(results.joined(separator: ", "))
      FROM main.\(Connection.quoteIdentifier(schema.name)) AS t\(joins) \(condition)
      """)
  }

  /// Reads the next row.
  ///
  /// - Returns: whether there was one.
  /// - Throws: `SQLiteError` when the database cannot be read.
  mutating func next(into content: inout CanonicalContent) throws(SQLiteError) -> Bool {
    content.removeAll()
    guard try statement.step() else { return false }
    for field in fields {
      if let related = field.related {
        if statement.isNull(field.column) { continue }
        let start = content.beginRelated(name: field.name)
        for part in related {
          content.append(column: part.column, of: statement, name: part.name)
        }
        content.endRelated(at: start)
      } else {
        content.append(column: field.column, of: statement, name: field.name)
      }
    }
    return true
  }

  /// Makes the rows of a range the next to be read.
  ///
  /// - Throws: `SQLiteError` when the reader is not one of ranges.
  mutating func select(_ rows: ClosedRange<Int64>) throws(SQLiteError) {
    try statement.bind(1, integer: rows.lowerBound)
    try statement.bind(2, integer: rows.upperBound)
  }

  /// Adds the digests of all rows that are left to a sum.
  ///
  /// - Throws: `SQLiteError` when the database cannot be read.
  mutating func addDigests(
    to sum: inout TableDigest, by content: inout CanonicalContent
  ) throws(SQLiteError) {
    while try next(into: &content) { sum.add(content.digest) }
  }

  /// Reads the row with the given id; a row that does not exist has no content.
  ///
  /// - Throws: `SQLiteError` when the database cannot be read.
  mutating func read(_ rowID: Int64, into content: inout CanonicalContent) throws(SQLiteError) {
    try statement.bind(1, integer: rowID)
    _ = try next(into: &content)
    statement.reset()
  }
}
