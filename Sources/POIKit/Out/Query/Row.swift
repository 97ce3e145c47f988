/// A stored record.
public struct Row: Sendable, Hashable {
  /// The row id.
  public let id: Int64

  /// The values by the names of the model's attributes. A related row is an object, the rows of a
  /// relation to many are an array.
  public let values: [String: RowValue]

  /// The value of an attribute; null if the model has no such attribute.
  public subscript(attribute: String) -> RowValue { values[attribute] ?? .null }
}
