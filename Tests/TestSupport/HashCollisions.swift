extension UInt64 {
  /// The inverse of an odd number modulo 2^64.
  public var inverse: UInt64 {
    // Each step doubles the bits that are right.
    var inverse = self
    for _ in 0..<5 { inverse &*= 2 &- self &* inverse }
    return inverse
  }
}

extension [UInt64] {
  /// How many of 4,096 buckets the hashes take; a thousand at random take some 890.
  public var bucketCount: Int { Set(map { $0 & 4095 }).count }
}
