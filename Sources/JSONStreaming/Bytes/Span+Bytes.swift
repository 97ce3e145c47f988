extension Span where Element == UInt8 {
  /// Whether both have the same bytes; for short names, for which calling `memcmp` costs more.
  ///
  /// - Complexity: O(count)
  @inlinable
  public func hasSameBytes(as other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    return unsafe withUnsafeBytes { left in
      unsafe other.withUnsafeBytes { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return true }
        return unsafe areEqual(left, right, count: count)
      }
    }
  }

  /// A hash of the bytes for in-process tables, computed by ``TableHash``.
  ///
  /// - Complexity: O(count)
  @inlinable
  public var tableHash: UInt64 {
    unsafe withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return 0 }
      return unsafe hash(start, count: count)
    }
  }
}

@unsafe
@inlinable
@inline(__always)
func areEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, count: Int) -> Bool {
  if count >= 4, count < 8 {
    func word(_ bytes: UnsafeRawPointer, _ offset: Int) -> UInt32 {
      unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
    }
    // The two words overlap.
    let differences = unsafe (
      word(left, 0) ^ word(right, 0), word(left, count - 4) ^ word(right, count - 4)
    )
    return differences.0 | differences.1 == 0
  }
  guard count >= 8 else {
    for index in 0..<count {
      let (one, other) = unsafe (
        left.load(fromByteOffset: index, as: UInt8.self),
        right.load(fromByteOffset: index, as: UInt8.self)
      )
      if one != other { return false }
    }
    return true
  }
  func differ(at offset: Int) -> Bool {
    unsafe left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      != right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }
  var offset = 0
  while offset < count - 8 {
    if differ(at: offset) { return false }
    offset += 8
  }
  // Some of the last eight bytes may have been compared already.
  return !differ(at: count - 8)
}

@unsafe
@inlinable
@inline(__always)
func hash(_ bytes: UnsafeRawPointer, count: Int) -> UInt64 {
  var hash = TableHash()
  var offset = 0
  while count - offset >= 8 {
    hash.add(unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    offset += 8
  }
  // The number of remaining bytes, then the bytes.
  var rest = UInt64(truncatingIfNeeded: count - offset)
  while offset < count {
    rest = rest << 8 | UInt64(unsafe bytes.load(fromByteOffset: offset, as: UInt8.self))
    offset += 1
  }
  hash.add(rest)
  return hash.value
}
