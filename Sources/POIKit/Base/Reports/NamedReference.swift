/// A reference that the database does not declare as a foreign key: a column whose values refer to rows of
/// another table, or of its own.
public struct NamedReference: Sendable, Hashable {
  /// The table that refers.
  public var child: String

  /// The column that refers.
  public var column: String

  /// The table referred to.
  public var parent: String

  /// The column referred to; nil for the row id.
  public var parentColumn: String?

  /// A reference with the given parts.
  public init(child: String, column: String, parent: String, parentColumn: String? = nil) {
    self.child = child
    self.column = column
    self.parent = parent
    self.parentColumn = parentColumn
  }
}

extension NamedReference: CustomStringConvertible {
  /// The notation `CHILD.COLUMN=PARENT`, or `CHILD.COLUMN=PARENT.COLUMN`.
  public var description: String {
    "\(child).\(column)=\(parent)\(parentColumn.map { ".\($0)" } ?? "")"
  }
}
