/// Records that share a key.
public struct DuplicateGroup: Sendable, Hashable {
  /// The values of the key columns as text; nil for NULL.
  public let key: [String?]

  /// The number of records.
  public let rowCount: Int

  /// The id of the row that wins.
  public let winner: Int64
}
