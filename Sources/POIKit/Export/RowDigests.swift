internal import POIRecords
internal import SQLiteKit

/// Adds up the digests of the rows that a `RowReader` reads.
struct RowDigests: ~Copyable {
  private let fields: ContentFields
  private let relations: [RelatedContentReader]
  private var content = CanonicalContent()
  private(set) var sum = Digest.zero

  init(_ model: Model, _ layout: TableLayout, in connection: Connection) throws {
    fields = ContentFields(layout.contentColumns, readAs: RecordLayout(model))
    relations = try RelatedContentReader.readers(of: layout.relations, in: connection)
  }

  /// Adds the current row of the reader's statement.
  mutating func add(_ row: borrowing Statement) throws {
    content.removeAll()
    fields.append(row, to: &content)
    for relation in relations { try relation.append(ofRow: row.integer(0), to: &content) }
    sum += content.digest
  }
}
