internal import POIRecords
internal import POISQLite

/// Reads the digests of the rows that belong to a row through one relation to many.
///
/// It is a class, because arrays cannot hold noncopyable values. It belongs to one thread, as its
/// connection does.
final class RelatedContentReader {
  /// The tag of the name under which the rows are content.
  let nameTag: UInt64

  private let fields: ContentFields
  private let relations: [RelatedContentReader]
  private var statement: Statement
  private var content = CanonicalContent()

  init(
    _ relation: ContentRelation, in connection: Connection
  ) throws {
    let rowID: SQL = "t.\(name: relation.idColumn)"
    let fields = ContentFields(relation.contentColumns, leading: [rowID])
    let table: SQL = "main.\(name: relation.table) AS t"
    let source: SQL =
      switch relation.link {
      case .parent(let column):
        "\(table)\(fields.joins) WHERE t.\(name: column) = ?1"
      case .join(let join, let parentColumn, let rowColumn):
        """
        main.\(name: join) AS j CROSS JOIN \(table) \
        ON \(rowID) = j.\(name: rowColumn)\(fields.joins) \
        WHERE j.\(name: parentColumn) = ?1
        """
      }
    let statement = try connection.prepare(
      "SELECT \(fields.results.joined(separator: ", ")) FROM \(source)")
    let relations = try RelatedContentReader.readers(of: relation.relations, in: connection)
    nameTag = CanonicalContent.nameTag(relation.name)
    self.fields = fields
    self.relations = relations
    self.statement = statement
  }

  /// The readers of a row's relations, in the order of their fields.
  static func readers(
    of relations: [ContentRelation], in connection: Connection
  ) throws -> [RelatedContentReader] {
    var readers: [RelatedContentReader] = []
    for relation in relations.sorted(by: { CanonicalContent.precedes($0.name, $1.name) }) {
      readers.append(try RelatedContentReader(relation, in: connection))
    }
    return readers
  }

  /// The number of rows that belong to a row, and the sum of their digests.
  func digest(ofRow rowID: Int64) throws -> TableDigest {
    var sum = TableDigest.empty
    try statement.bind(1, integer: rowID)
    while try statement.step() {
      content.removeAll()
      fields.append(statement, to: &content)
      for relation in relations { try relation.append(ofRow: statement.integer(0), to: &content) }
      sum.add(content.digest)
    }
    return sum
  }

  /// Appends the field of the rows that belong to a row.
  func append(
    ofRow rowID: Int64, to content: inout CanonicalContent
  ) throws {
    content.append(rows: try digest(ofRow: rowID), nameTag: nameTag)
  }
}
