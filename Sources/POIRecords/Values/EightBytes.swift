/// Eight bytes of a text in one word, the first in the lowest lane, for SIMD within a register.
struct EightBytes {
  var word: UInt64

  @inline(__always)
  init(_ word: UInt64) {
    self.word = word
  }

  @unsafe
  @inline(__always)
  init(_ bytes: UnsafeRawPointer, at offset: Int) {
    word = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always)
  init(repeating byte: UInt8) {
    word = 0x0101_0101_0101_0101 &* UInt64(byte)
  }

  @unsafe
  @inline(__always)
  func store(to bytes: UnsafeMutableRawPointer, at offset: Int) {
    unsafe bytes.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
  }

  /// The eight bytes, with all except the last `count` (1...8) replaced by the digit 0.
  @inline(__always)
  func keepingLast(_ count: Int) -> EightBytes {
    let kept = ~0 as UInt64 &<< UInt64(truncatingIfNeeded: 64 &- 8 &* count)
    return EightBytes((word & kept) | (EightBytes(repeating: 0x30).word & ~kept))
  }

  /// Whether a JSON string has the eight bytes as they are, and they are ASCII.
  @inline(__always)
  var arePlainASCII: Bool {
    let high = EightBytes(repeating: 0x80).word
    let one = EightBytes(repeating: 1).word
    let quotes = word ^ EightBytes(repeating: UInt8(ascii: "\"")).word
    let backslashes = word ^ EightBytes(repeating: UInt8(ascii: "\\")).word
    // A lane's high bit is set if the lane, which is ASCII, is less than what is subtracted.
    let below = (word &- EightBytes(repeating: 0x20).word) | (quotes &- one) | (backslashes &- one)
    return (word | below) & high == 0
  }

  @inline(__always)
  var areDigits: Bool {
    // The upper half of a digit is 3, and stays 3 after adding 6.
    let upperHalves = word & 0xF0F0_F0F0_F0F0_F0F0
    let upperHalvesOfSums = (word &+ 0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0
    return upperHalves | upperHalvesOfSums &>> 4 == 0x3333_3333_3333_3333
  }

  /// For eight digits: each lane except the last holds its digit times ten plus the next digit.
  @inline(__always)
  var digitPairs: UInt64 {
    let digits = word & 0x0F0F_0F0F_0F0F_0F0F
    return digits &* 10 &+ digits &>> 8
  }

  /// The number that eight digits represent.
  @inline(__always)
  var number: UInt64 {
    // The pairs are in lanes 0, 2, 4 and 6; each product adds two of them in its upper half.
    let pairs = digitPairs
    let outer = (pairs & 0x0000_00FF_0000_00FF) &* (100 &+ 1_000_000 &<< 32)
    let inner = (pairs &>> 16 & 0x0000_00FF_0000_00FF) &* (1 &+ 10_000 &<< 32)
    return (outer &+ inner) &>> 32
  }

  /// The bytes as upper-case hexadecimal digits; `flaws` is 0 exactly if all eight are hexadecimal digits.
  @inline(__always)
  var hexadecimalDigits: (upperCase: EightBytes, flaws: UInt64) {
    let one = EightBytes(repeating: 1).word
    // A 1 in the lanes of letters.
    let letters = word &>> 6 & one
    let upperCase = word & ~(letters &<< 5)
    let wrongHalf =
      upperCase & EightBytes(repeating: 0xF0).word
      ^ (EightBytes(repeating: 0x30).word &+ letters &<< 4)
    // The value of each digit: 10 to 15 for a letter, else less than 10.
    let values = upperCase & EightBytes(repeating: 0x0F).word &+ letters &* 9
    let isTenOrMore = (values &+ EightBytes(repeating: 6).word) &>> 4 & one
    let flaws = wrongHalf | values & EightBytes(repeating: 0x10).word | isTenOrMore ^ letters
    return (EightBytes(upperCase), flaws)
  }
}
