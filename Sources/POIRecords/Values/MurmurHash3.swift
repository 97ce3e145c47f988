/// The hash function MurmurHash3, variant x64 with 128 bits, seed 0.
///
/// It is fast and portable, but not cryptographic: collisions can be constructed. So equal hashes are
/// followed by a comparison of the content, except with `DeduplicationOptions.KeyEnforcement.hash`.
///
/// Page: Austin Appleby's SMHasher, function `MurmurHash3_x64_128`
package enum MurmurHash3 {
  private static let factor1: UInt64 = 0x87c3_7b91_1142_53d5
  private static let factor2: UInt64 = 0x4cf5_ad43_2745_937f

  /// The hash of `bytes`; the first word of the reference is the lower half of the digest.
  package static func digest(of bytes: Span<UInt8>) -> Digest {
    unsafe bytes.withUnsafeBytes { bytes in unsafe digest(of: bytes) }
  }

  @inline(__always)
  private static func digest(of bytes: UnsafeRawBufferPointer) -> Digest {
    var first: UInt64 = 0
    var second: UInt64 = 0
    let count = bytes.count
    let tailOffset = count & ~15
    // Always 0, but not for the optimizer: with constant factors it replaces the rotation of a product by two
    // products. The multiplications, half as many again, then limit the speed.
    let zero = UInt64(truncatingIfNeeded: count) >> 62
    let factor1 = factor1 ^ zero
    let factor2 = factor2 ^ zero

    var offset = 0
    while offset < tailOffset {
      first ^= unsafe scramble(word(bytes, at: offset), factor1, 31, factor2)
      first = (rotate(first, 27) &+ second) &* 5 &+ 0x52dc_e729
      second ^= unsafe scramble(word(bytes, at: offset + 8), factor2, 33, factor1)
      second = (rotate(second, 31) &+ first) &* 5 &+ 0x3849_5ab5
      offset += 16
    }

    // A word of the tail without bytes is zero and changes nothing.
    let (tail1, tail2) = unsafe tail(of: bytes, from: tailOffset)
    first ^= scramble(tail1, factor1, 31, factor2)
    second ^= scramble(tail2, factor2, 33, factor1)

    first ^= UInt64(count)
    second ^= UInt64(count)
    first &+= second
    second &+= first
    first = finish(first)
    second = finish(second)
    first &+= second
    second &+= first
    return Digest(high: second, low: first)
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// The last bytes from `start` on, fewer than 16, in two words padded with zeros.
  @inline(__always)
  private static func tail(of bytes: UnsafeRawBufferPointer, from start: Int) -> (UInt64, UInt64) {
    let count = bytes.count - start
    if start == 0 {
      var words: (UInt64, UInt64) = (0, 0)
      for place in 0..<count {
        let byte = unsafe UInt64(bytes[place])
        if place < 8 {
          words.0 |= byte << UInt64(place * 8)
        } else {
          words.1 |= byte << UInt64(place * 8 - 64)
        }
      }
      return words
    }
    // The last 16 bytes, shifted so that the bytes before the tail drop out.
    let low = unsafe word(bytes, at: bytes.count - 16)
    let high = unsafe word(bytes, at: bytes.count - 8)
    let surplus = UInt64((16 - count) * 8)
    if count > 8 { return (low >> surplus | high << (64 - surplus), high >> surplus) }
    return (high >> (surplus - 64), 0)
  }

  @inline(__always)
  private static func scramble(
    _ word: UInt64, _ factor: UInt64, _ bits: UInt64, _ lastFactor: UInt64
  ) -> UInt64 {
    rotate(word &* factor, bits) &* lastFactor
  }

  @inline(__always)
  private static func rotate(_ word: UInt64, _ bits: UInt64) -> UInt64 {
    word &<< bits | word &>> (64 - bits)
  }

  @inline(__always)
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
