internal import POIRecords
internal import POISQLite

/// Reads rows of a table with their related rows.
///
/// A class, because a reader keeps one for each relation to many in an array, which cannot hold
/// noncopyable values. It belongs to one thread, as its connection does.
final class RowReader {
  /// The row id of a table of records.
  static let rowID: SQL = "t.\(StoreSchema.idColumn)"

  /// A relation to many, and the reader of its rows.
  typealias Many = (relation: RelationToMany, reader: RowReader)

  let fields: [RecordLayout.Field]
  let attributeCount: Int
  let relations: [Many]

  /// The columns of `RecordLayout.query`.
  var statement: Statement

  private let content: RowContent
  private var canonical = CanonicalContent()

  /// A reader of the rows that a condition selects.
  ///
  /// - Parameters:
  ///   - layout: the layout of the model.
  ///   - model: the model of the table.
  ///   - source, rowID, rest: see `RecordLayout.query`.
  ///   - isOrdered: whether the rows of relations to many are read in the order of their keys.
  init(
    _ layout: RecordLayout, of model: Model, from source: SQL? = nil,
    rowID: SQL = RowReader.rowID, rest: SQL, isOrdered: Bool = true,
    in connection: Connection
  ) throws {
    let query = layout.query(of: model, from: source, rowID: rowID, rest: rest)
    let statement = try connection.prepare(query, isPersistent: false)
    relations = try layout.relations.map { inner in
      (
        inner.relation,
        try RowReader(rowsOf: inner.relation, isOrdered: isOrdered, in: connection)
      )
    }
    fields = layout.fields
    attributeCount = layout.attributeCount
    content = RowContent(layout, unmapped: model.unmappedColumn)
    self.statement = statement
  }

  /// A reader of the rows of a relation that belong to row `?1`.
  ///
  /// - Parameter isOrdered: whether they are read in the order of their keys.
  convenience init(
    rowsOf relation: RelationToMany, isOrdered: Bool = false, in connection: Connection
  ) throws {
    let table: SQL = "main.\(name: relation.element.table) AS t"
    let (source, parent): (SQL, SQL) =
      switch relation.link {
      case .parent(let column): (table, "t.\(name: column)")
      case .join(let join, let parentColumn, let rowColumn):
        (
          """
          main.\(name: join) AS j CROSS JOIN \(table) \
          ON t.\(StoreSchema.idColumn) = j.\(name: rowColumn)
          """, "j.\(name: parentColumn)"
        )
      }
    let key = relation.element.key.map { name in
      "t.\(name: relation.element.attribute(named: name)?.column ?? name)" as SQL
    }
    let order: SQL = isOrdered ? " ORDER BY \((key + ["1"]).joined(separator: ", "))" : ""
    try self.init(
      RecordLayout(relation.element), of: relation.element, from: source,
      rest: "WHERE \(parent) = ?1\(order)", isOrdered: isOrdered, in: connection)
  }

  /// A reader of the contents of a table's rows.
  convenience init(_ layout: TableLayout, schema: TableSchema, rows: RowSelection) throws {
    let rowID: SQL = "t.\(name: schema.rowIDName)"
    let table: SQL = "main.\(name: schema.name) AS t"
    let (source, condition): (SQL, SQL) =
      switch rows {
      case .all: (table, "")
      case .one: (table, "WHERE \(rowID) = ?1")
      case .listed(let list): ("\(list) AS l CROSS JOIN \(table) ON \(rowID) = l.loser", "")
      }
    try self.init(
      RecordLayout(layout.content), of: layout.content, from: source, rowID: rowID,
      rest: condition, isOrdered: false, in: schema.connection)
  }

  /// Goes to the next row; returns false after the last one.
  func step() throws -> Bool { try statement.step() }

  /// Goes to the start of the rows that belong to a row, or to the row itself.
  func restart(atRowsOf id: Int64) throws {
    try statement.reset()
    try statement.bind(1, integer: id)
  }

  // MARK: Content

  /// The digest of the current row. It restarts the readers of `relations`.
  func rowDigest() throws -> Digest {
    canonical.removeAll()
    try Self.append(statement, content, relations, to: &canonical)
    return canonical.digest
  }

  /// Reads the content of the row with an id. If there is no such row, the content is empty.
  func read(_ rowID: Int64, into content: inout CanonicalContent) throws {
    try Self.read(rowID, &statement, self.content, relations, into: &content)
  }

  /// Returns the sum of the digests of all remaining rows.
  func digest() throws -> TableDigest {
    try Self.digest(&statement, content, relations, &canonical)
  }

  // Each access to a property of a class is checked at run time, so these functions get the properties.

  private static func append(
    _ statement: borrowing Statement, _ content: RowContent, _ relations: [Many],
    to canonical: inout CanonicalContent
  ) throws {
    let row = relations.isEmpty ? 0 : statement.integer(0)
    try content.append(statement, to: &canonical) { relation in
      try relations[relation].reader.digest(ofRow: row)
    }
  }

  private static func read(
    _ rowID: Int64, _ statement: inout Statement, _ content: RowContent, _ relations: [Many],
    into canonical: inout CanonicalContent
  ) throws {
    canonical.removeAll()
    try statement.reset()
    try statement.bind(1, integer: rowID)
    if try statement.step() { try append(statement, content, relations, to: &canonical) }
    try statement.reset()
  }

  private static func digest(
    _ statement: inout Statement, _ content: RowContent, _ relations: [Many],
    _ canonical: inout CanonicalContent
  ) throws -> TableDigest {
    var sum = TableDigest.empty
    while try statement.step() {
      canonical.removeAll()
      try append(statement, content, relations, to: &canonical)
      sum.add(canonical.digest)
    }
    return sum
  }

  /// The number of rows that belong to a row, and the sum of their digests.
  func digest(ofRow rowID: Int64) throws -> TableDigest {
    try restart(atRowsOf: rowID)
    return try digest()
  }
}

/// Which rows of a table are read.
enum RowSelection {
  /// All rows, in the order of the table.
  case all

  /// The row whose id is bound as the first parameter.
  case one

  /// The rows with an id in the column `loser` of a table.
  case listed(in: SQL)
}

extension TableLayout {
  /// The digest of the table: the sum of the digests of its rows. It does not depend on their order or their ids.
  /// Key, timestamp and tombstone do not matter.
  ///
  /// - Throws: `StoreError` when the layout does not fit the database or it cannot be read.
  /// - Complexity: O(bytes of the table)
  package func digest(in connection: Connection) throws(StoreError) -> TableDigest {
    try StoreError.converting(path: connection.path) {
      let schema = try TableSchema(of: table, in: connection)
      return try RowReader(self, schema: schema, rows: .all).digest()
    }
  }
}
