/// The digest and the row count of a table.
public struct TableDigest: Sendable, Hashable, BitwiseCopyable {
  /// The sum of the digests of all rows, equal on every device that holds the same records.
  public private(set) var digest: Digest

  /// The number of rows.
  public private(set) var rowCount: Int

  package init(digest: Digest, rowCount: Int) {
    self.digest = digest
    self.rowCount = rowCount
  }
}

extension TableDigest {
  /// The digest of a table without rows.
  package static let empty = TableDigest(digest: .zero, rowCount: 0)

  /// Adds the digest of one more row.
  package mutating func add(_ row: Digest) {
    digest += row
    rowCount += 1
  }

  /// The digest of the rows of both tables.
  public static func + (left: TableDigest, right: TableDigest) -> TableDigest {
    TableDigest(digest: left.digest + right.digest, rowCount: left.rowCount + right.rowCount)
  }
}
