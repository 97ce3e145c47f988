internal import POIRecords
internal import POISQLite

/// Where the canonical content of a row is in the columns of a statement of `RecordLayout.query`.
struct RowContent {
  private struct Field {
    let nameTag: UInt64
    let column: Int

    /// The fields of the related row if the value is a reference.
    var related: [(nameTag: UInt64, column: Int)]?

    /// Whether the value is content if the related row is missing or has no values.
    var isValueContent = false
  }

  private let fields: [Field]

  /// The relations to many, by their place in the layout, in the order of their names.
  private let relations: [(nameTag: UInt64, place: Int)]

  /// - Parameters:
  ///   - layout: the layout of the rows.
  ///   - unmapped: the column of the unmapped members, if the model keeps them.
  init(_ layout: RecordLayout, unmapped: String?) {
    func tagged(_ places: some Sequence<Int>) -> [(nameTag: UInt64, column: Int)] {
      places.map { (name: layout.fields[$0].attribute.column, column: $0 + 1) }
        .sorted { CanonicalContent.precedes($0.name, $1.name) }
        .map { (CanonicalContent.nameTag($0.name), $0.column) }
    }
    var fields = (0..<layout.attributeCount).filter { layout.fields[$0].attribute.isContent }.map {
      place -> (name: String, field: Field) in
      let field = layout.fields[place]
      let name = field.attribute.column
      return (
        name,
        Field(
          nameTag: CanonicalContent.nameTag(name), column: place + 1,
          related: field.attribute.relation == nil ? nil : tagged(field.relatedFields),
          isValueContent: field.attribute.relation?.foreignKey?.collation != nil)
      )
    }
    if let name = unmapped {
      fields.append(
        (name, Field(nameTag: CanonicalContent.nameTag(name), column: layout.fields.count + 1)))
    }
    self.fields = fields.sorted { CanonicalContent.precedes($0.name, $1.name) }.map(\.field)
    relations = layout.relations.enumerated()
      .map { (name: $0.element.relation.name, place: $0.offset) }
      .sorted { CanonicalContent.precedes($0.name, $1.name) }
      .map { (CanonicalContent.nameTag($0.name), $0.place) }
  }

  /// Appends the content of a statement's current row.
  ///
  /// - Parameter rows: returns the digest of the rows of a relation to many, by its place.
  func append(
    _ statement: borrowing Statement, to content: inout CanonicalContent,
    rows: (Int) throws -> TableDigest
  ) rethrows {
    for field in fields {
      if let related = field.related,
        !field.isValueContent || related.contains(where: { !statement.isNull($0.column) })
      {
        if statement.isNull(field.column) { continue }
        let start = content.beginRelated(nameTag: field.nameTag)
        for part in related {
          content.append(column: part.column, of: statement, nameTag: part.nameTag)
        }
        content.endRelated(at: start)
      } else {
        content.append(column: field.column, of: statement, nameTag: field.nameTag)
      }
    }
    for relation in relations {
      content.append(rows: try rows(relation.place), nameTag: relation.nameTag)
    }
  }
}
