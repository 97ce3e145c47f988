/// Eight bytes in one word, compared together.
///
/// The standard library's SIMD comparisons are many times slower.
struct ByteLanes {
  let word: UInt64

  @inline(__always)
  init(repeating byte: UInt8) {
    word = 0x0101_0101_0101_0101 &* UInt64(byte)
  }

  @unsafe
  @inline(__always)
  init(_ bytes: UnsafeRawPointer, at offset: Int) {
    word = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }

  /// A word whose lowest set high bit marks the first lane below 0x20, or 0; later lanes mean
  /// nothing.
  @inline(__always)
  var anyControl: UInt64 {
    (word &- ByteLanes(repeating: 0x20).word) & ~word & ByteLanes(repeating: 0x80).word
  }

  /// The same as `anyControl`, for lanes equal to `byte`.
  @inline(__always)
  func anyEqual(_ byte: UInt8) -> UInt64 {
    let difference = word ^ ByteLanes(repeating: byte).word
    return (difference &- ByteLanes(repeating: 0x01).word) & ~difference
      & ByteLanes(repeating: 0x80).word
  }
}
