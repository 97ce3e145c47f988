/// The content of a whole table in one number.
public struct TableDigest: Sendable, Hashable {
  /// The sum of the digests of all rows: the same on every device that holds the same records.
  public let digest: Digest

  /// The number of rows.
  public let rowCount: Int
}
