/// The leading 128 bits, normalized, of the powers of five in the range of a double.
///
/// The bits are truncated. Only for the exponents -27 to -1 the last bit is rounded up: the exact power
/// fits 64 bits there, and its multiples times the reciprocal must not fall below an integer.
///
/// Page: Daniel Lemire, "Number Parsing at a Gigabyte per Second", 2021, sections 5 and 6
struct PowersOfFive: Sendable {
  /// Smaller exponents round every 64-bit number to zero; greater ones round it to infinity.
  static let exponents = -342...308

  private let words: [UInt64]

  init() {
    // 5^308 has 716 bits; 2^1023 / 5^342 has 229, so all quotients have 128 exact bits.
    var words = [UInt64](repeating: 0, count: PowersOfFive.exponents.count * 2)
    var limbs = [UInt64](repeating: 0, count: 16)
    limbs[0] = 1
    for exponent in 0...PowersOfFive.exponents.upperBound {
      PowersOfFive.write(PowersOfFive.leadingBits(of: limbs), for: exponent, to: &words)
      PowersOfFive.multiplyByFive(&limbs)
    }
    for index in limbs.indices { limbs[index] = 0 }
    limbs[15] = 1 << 63
    for exponent in 1...(-PowersOfFive.exponents.lowerBound) {
      PowersOfFive.divideByFive(&limbs)
      var bits = PowersOfFive.leadingBits(of: limbs)
      if exponent <= 27 { bits += 1 }
      PowersOfFive.write(bits, for: -exponent, to: &words)
    }
    self.words = words
  }

  subscript(exponent: Int) -> (upper: UInt64, lower: UInt64) {
    let index = (exponent - PowersOfFive.exponents.lowerBound) * 2
    return (words[index], words[index + 1])
  }

  private static func write(_ bits: UInt128, for exponent: Int, to words: inout [UInt64]) {
    let index = (exponent - exponents.lowerBound) * 2
    words[index] = UInt64(truncatingIfNeeded: bits >> 64)
    words[index + 1] = UInt64(truncatingIfNeeded: bits)
  }

  /// The leading 128 bits of a number; its least significant limb comes first.
  private static func leadingBits(of limbs: [UInt64]) -> UInt128 {
    let top = limbs.lastIndex { $0 != 0 } ?? 0
    func limb(_ index: Int) -> UInt128 { index < 0 ? 0 : UInt128(limbs[index]) }
    let shift = UInt128(limbs[top].leadingZeroBitCount)
    let upper = limb(top) << 64 | limb(top - 1)
    return shift == 0 ? upper : upper << shift | limb(top - 2) >> (64 - shift)
  }

  private static func multiplyByFive(_ limbs: inout [UInt64]) {
    var carry: UInt64 = 0
    for index in limbs.indices {
      let product = UInt128(limbs[index]) * 5 + UInt128(carry)
      limbs[index] = UInt64(truncatingIfNeeded: product)
      carry = UInt64(truncatingIfNeeded: product >> 64)
    }
  }

  private static func divideByFive(_ limbs: inout [UInt64]) {
    var remainder: UInt64 = 0
    for index in limbs.indices.reversed() {
      (limbs[index], remainder) = (5 as UInt64).dividingFullWidth((remainder, limbs[index]))
    }
  }
}
