/// A column whose value belongs to a record's content.
public struct ContentColumn: Sendable, Hashable {
  /// The name of the column.
  public var name: String

  /// The row that the column's value refers to, where the content is that row and not its id.
  public var relation: RelatedRow?

  /// A column that holds its content itself, or refers to the row that does.
  public init(_ name: String, relation: RelatedRow? = nil) {
    self.name = name
    self.relation = relation
  }
}
