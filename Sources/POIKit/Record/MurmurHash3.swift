/// The hash function MurmurHash3 in its variant x64 of 128 bits, with seed 0.
///
/// It is fast, the same on every machine and not made to withstand someone who looks for
/// collisions: wherever one would do harm, equal hashes are followed by a comparison of what was
/// hashed.
///
/// Page: Austin Appleby's SMHasher, function `MurmurHash3_x64_128`
enum MurmurHash3 {
  private static let factor1: UInt64 = 0x87c3_7b91_1142_53d5
  private static let factor2: UInt64 = 0x4cf5_ad43_2745_937f

  /// The hash of `bytes`: its first 64-bit word is the lower half of the digest, its second one the
  /// upper half.
  ///
  /// - Complexity: O(count of bytes)
  static func digest(of bytes: Span<UInt8>) -> Digest {
    unsafe bytes.withUnsafeBytes { bytes in unsafe digest(of: bytes) }
  }

  private static func digest(of bytes: UnsafeRawBufferPointer) -> Digest {
    var first: UInt64 = 0
    var second: UInt64 = 0
    let tailOffset = bytes.count & ~15

    var offset = 0
    while offset < tailOffset {
      let word1 = unsafe UInt64(
        littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      let word2 = unsafe UInt64(
        littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
      first ^= scramble1(word1)
      first = (rotate(first, 27) &+ second) &* 5 &+ 0x52dc_e729
      second ^= scramble2(word2)
      second = (rotate(second, 31) &+ first) &* 5 &+ 0x3849_5ab5
      offset += 16
    }

    var tail1: UInt64 = 0
    var tail2: UInt64 = 0
    for offset in tailOffset..<bytes.count {
      let place = offset - tailOffset
      let byte = unsafe UInt64(bytes[offset])
      if place < 8 {
        tail1 |= byte << UInt64(place * 8)
      } else {
        tail2 |= byte << UInt64((place - 8) * 8)
      }
    }
    // Both are 0, and change nothing, where the tail does not reach them.
    first ^= scramble1(tail1)
    second ^= scramble2(tail2)

    first ^= UInt64(bytes.count)
    second ^= UInt64(bytes.count)
    first &+= second
    second &+= first
    first = finish(first)
    second = finish(second)
    first &+= second
    second &+= first
    return Digest(high: second, low: first)
  }

  private static func scramble1(_ word: UInt64) -> UInt64 {
    rotate(word &* factor1, 31) &* factor2
  }

  private static func scramble2(_ word: UInt64) -> UInt64 {
    rotate(word &* factor2, 33) &* factor1
  }

  private static func rotate(_ word: UInt64, _ bits: UInt64) -> UInt64 {
    word &<< bits | word &>> (64 - bits)
  }

  private static func finish(_ word: UInt64) -> UInt64 {
    var word = word
    word ^= word >> 33
    word &*= 0xff51_afd7_ed55_8ccd
    word ^= word >> 33
    word &*= 0xc4ce_b9fe_1a85_ec53
    word ^= word >> 33
    return word
  }
}
