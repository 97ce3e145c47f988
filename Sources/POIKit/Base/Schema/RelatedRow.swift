/// How to find the row that a column refers to, and which of its values are content.
package struct RelatedRow: Sendable, Hashable {
  /// The table of the related row.
  package var table: String

  /// The column of that table whose value the reference holds; its values are unique.
  package var idColumn: String

  /// The columns that identify the related row on every device, in any order.
  package var uniqueColumns: [String]

  /// The collation of the unique index on `idColumn`; nil if `idColumn` is the row id.
  ///
  /// A value of such a column has a meaning of its own. So the value itself is content if no row
  /// has it, or if the `uniqueColumns` of its row are all NULL.
  package var idCollation: String?

  /// A relation with the given parts.
  package init(
    table: String, idColumn: String, uniqueColumns: [String], idCollation: String? = nil
  ) {
    self.table = table
    self.idColumn = idColumn
    self.uniqueColumns = uniqueColumns
    self.idCollation = idCollation
  }
}
