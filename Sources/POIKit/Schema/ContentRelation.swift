internal import POIRecords

/// Rows of another table that belong to a record's content: those that refer to its row.
public struct ContentRelation: Sendable, Hashable {
  /// The name under which they are content.
  public var name: String

  /// Their table.
  public var table: String

  /// The column of that table that is its row id.
  public var idColumn: String

  /// The columns whose values are the content of one of these rows, in any order.
  public var contentColumns: [ContentColumn]

  /// The rows of further tables that belong to the content of one of these rows.
  public var relations: [ContentRelation]

  /// How they refer to the record's row.
  public var link: RelationToMany.Link

  /// A relation with the given parts.
  public init(
    name: String, table: String, idColumn: String, contentColumns: [ContentColumn],
    relations: [ContentRelation] = [], link: RelationToMany.Link
  ) {
    self.name = name
    self.table = table
    self.idColumn = idColumn
    self.contentColumns = contentColumns
    self.relations = relations
    self.link = link
  }
}
