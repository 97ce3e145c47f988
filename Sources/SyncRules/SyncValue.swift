/// What decides between two states of a record: the winner rule.
public struct SyncValue: Sendable, Hashable, Comparable {
  /// The time of the change, in microseconds since 1970; nil is before all others.
  public var time: Int64?
  /// Whether the record was removed. A removal beats a record of the same time.
  public var isRemoved: Bool
  /// The digest of the content; 0 for a removal.
  public var digest: UInt128

  /// A value.
  public init(time: Int64?, isRemoved: Bool, digest: UInt128) {
    (self.time, self.isRemoved, self.digest) = (time, isRemoved, digest)
  }

  /// Compares by time, then removal, then digest.
  public static func < (left: SyncValue, right: SyncValue) -> Bool {
    if left.time != right.time { return left.time ?? .min < right.time ?? .min }
    if left.isRemoved != right.isRemoved { return right.isRemoved }
    return left.digest < right.digest
  }
}
