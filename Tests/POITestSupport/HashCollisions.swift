extension UInt64 {
  /// The inverse of an odd number modulo 2^64.
  public var inverse: UInt64 {
    // Each step doubles the number of correct bits.
    var inverse = self
    for _ in 0..<5 { inverse &*= 2 &- self &* inverse }
    return inverse
  }
}

extension [UInt64] {
  /// The number of 4,096 buckets that the hashes fill; a thousand random ones fill about 890.
  public var bucketCount: Int { Set(map { $0 & 4095 }).count }
}
