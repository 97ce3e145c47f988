internal import POIRecords
internal import POISQLite

/// Reads the keys of single rows.
struct KeyReader: ~Copyable {
  private let columnCount: Int
  private var statement: Statement

  /// Reads the rows with those that their keys refer to.
  private let rows: RowReader

  /// The places of the key's attributes.
  private let places: [Int]

  init(_ layout: TableLayout, schema: TableSchema) throws {
    columnCount = layout.keyColumns.count
    // Other columns may be expensive, or computed in a way that fails.
    var key = layout.model
    key.removeParts { !layout.keyColumns.containsExactly($0) }
    places = layout.keyColumns.compactMap { name in
      key.attributes.firstIndex { $0.column.isExactly(name) }
    }
    let row: SQL = "WHERE t.\(name: schema.rowIDName) = ?1"
    let columns = layout.keyColumns.map(SQL.init(name:)).joined(separator: ", ")
    let statement = try schema.connection.prepare(
      "SELECT \(columns) FROM main.\(name: schema.name) AS t \(row)")
    rows = try RowReader(
      RecordLayout(key), of: key, rowID: "1", rest: row, in: schema.connection)
    self.statement = statement
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
  func values(_ rowID: Int64) throws -> [String?] {
    try rows.restart(atRowsOf: rowID)
    guard try rows.step() else { return [] }
    let values = places.map { place in
      let related = rows.fields[place].relatedFields.map {
        rows.statement.displayText($0 + 1)
      }
      return related.isEmpty || related.contains(nil)
        ? rows.statement.displayText(place + 1)
        : related.compactMap(\.self).joined(separator: ", ")
    }
    try rows.statement.reset()
    return values
  }
}
