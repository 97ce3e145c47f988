internal import POIRecords

/// Rows of another table that refer to a record's row and belong to its content.
package struct ContentRelation: Sendable, Hashable {
  /// The name under which the rows are content.
  package var name: String

  /// The table of the rows.
  package var table: String

  /// The row id column of that table.
  package var idColumn: String

  /// The columns whose values are the content of a row, in any order.
  package var contentColumns: [ContentColumn]

  /// The relations whose rows belong to the content of a row.
  package var relations: [ContentRelation]

  /// How the rows refer to the record's row.
  package var link: RelationToMany.Link

  /// A relation with the given parts.
  package init(
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
