/// Eight bytes in one word, looked at together.
///
/// The standard library's comparisons of SIMD vectors are many times slower than these.
struct ByteLanes {
  let word: UInt64

  /// The same byte in every lane.
  @inline(__always)
  init(repeating byte: UInt8) {
    word = 0x0101_0101_0101_0101 &* UInt64(byte)
  }

  /// The eight bytes at `offset` of `bytes`.
  @unsafe
  @inline(__always)
  init(_ bytes: UnsafeRawPointer, at offset: Int) {
    word = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }

  /// A word with the highest bit of some lane set exactly if some lane is a control character,
  /// below 0x20.
  ///
  /// The first lane that has it set is the first that is one; the others say nothing.
  @inline(__always)
  var anyControl: UInt64 {
    (word &- ByteLanes(repeating: 0x20).word) & ~word & ByteLanes(repeating: 0x80).word
  }

  /// A word with the highest bit of some lane set exactly if some lane is `byte`.
  ///
  /// The first lane that has it set is the first that is `byte`; the others say nothing.
  @inline(__always)
  func anyEqual(_ byte: UInt8) -> UInt64 {
    let difference = word ^ ByteLanes(repeating: byte).word
    return (difference &- ByteLanes(repeating: 0x01).word) & ~difference
      & ByteLanes(repeating: 0x80).word
  }
}
