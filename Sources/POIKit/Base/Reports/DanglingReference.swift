/// A reference, declared or named, and its values without a row.
public struct DanglingReference: Sendable, Hashable {
  /// The table that refers.
  public let child: String

  /// The columns that refer.
  public let columns: [String]

  /// The table referred to.
  public let parent: String

  /// The number of rows whose row is missing; 0 if every row has its own.
  public let rowCount: Int

  /// Different values without a row, at most three; the values of several columns are separated by commas.
  public let examples: [String]
}
