internal import POIRecords

/// A column whose value belongs to a record's content.
package struct ContentColumn: Sendable, Hashable {
  /// The name of the column.
  package var name: String

  /// The row that the column's value refers to, if the content is that row and not its id.
  package var relation: RelatedRow?

  /// The rule for the winner's value when losers are merged into it.
  package var mergeRule: MergeRule

  /// A column that holds its content itself, or refers to the row that does.
  package init(_ name: String, relation: RelatedRow? = nil, mergeRule: MergeRule = .newest) {
    self.name = name
    self.mergeRule = mergeRule
    self.relation = relation
  }
}
