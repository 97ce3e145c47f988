/// How the row that a column refers to is found and what of it is content.
public struct RelatedRow: Sendable, Hashable {
  /// The table of the related row.
  public var table: String

  /// The column of that table that the reference holds a value of; no two rows share one.
  public var idColumn: String

  /// The columns by which the related row is known on every device, in any order.
  public var uniqueColumns: [String]

  /// The collation by which no two rows share a value of `idColumn`, where that is a column like any
  /// other; nil where it is the row id.
  ///
  /// A value of such a column says something by itself: it is content where no row has it, or one
  /// whose `uniqueColumns` hold nothing.
  public var idCollation: String?

  /// A relation with the given parts.
  public init(
    table: String, idColumn: String, uniqueColumns: [String], idCollation: String? = nil
  ) {
    self.table = table
    self.idColumn = idColumn
    self.uniqueColumns = uniqueColumns
    self.idCollation = idCollation
  }
}
