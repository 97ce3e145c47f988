internal import POIRecords
internal import SQLiteKit

/// Reads the canonical content of rows.
struct ContentReader: ~Copyable {
  private let fields: ContentFields
  private let relations: [RelatedContentReader]
  private var statement: Statement

  init(
    _ layout: TableLayout, schema: TableSchema, rows: RowSelection,
    in connection: Connection
  ) throws {
    let rowID: SQL = "t.\(name: schema.rowIDName)"
    // Only relations to many need the row id.
    let fields = ContentFields(
      layout.contentColumns, leading: layout.relations.isEmpty ? [] : [rowID])
    let table: SQL = "main.\(name: schema.name) AS t"
    let (source, condition): (SQL, SQL) =
      switch rows {
      case .all: (table, "")
      case .one: (table, "WHERE \(rowID) = ?1")
      case .listed(let list): ("\(list) AS l CROSS JOIN \(table) ON \(rowID) = l.loser", "")
      }
    let statement = try connection.prepare(
      """
      SELECT \(fields.results.joined(separator: ", "))
      FROM \(source)\(fields.joins) \(condition)
      """)
    let relations = try RelatedContentReader.readers(of: layout.relations, in: connection)
    self.fields = fields
    self.relations = relations
    self.statement = statement
  }

  /// - Returns: false if no row is left.
  mutating func next(into content: inout CanonicalContent) throws -> Bool {
    content.removeAll()
    guard try statement.step() else { return false }
    fields.append(statement, to: &content)
    for relation in relations { try relation.append(ofRow: statement.integer(0), to: &content) }
    return true
  }

  /// Returns the sum of the digests of all remaining rows.
  mutating func digest() throws -> TableDigest {
    var content = CanonicalContent()
    var sum = TableDigest.empty
    while try next(into: &content) { sum.add(content.digest) }
    return sum
  }

  /// Reads the row with an id. If there is no such row, the content is empty.
  mutating func read(_ rowID: Int64, into content: inout CanonicalContent) throws {
    try statement.bind(1, integer: rowID)
    _ = try next(into: &content)
    try statement.reset()
  }
}
