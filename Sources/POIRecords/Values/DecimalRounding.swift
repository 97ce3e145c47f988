/// Rounds a decimal number to the nearest double, ties to even: the algorithm of Eisel and Lemire.
///
/// The product of the digits and the leading 128 bits of a power of five contains the leading bits of the
/// double and, with few exceptions, enough bits to round it.
///
/// Page: Daniel Lemire, "Number Parsing at a Gigabyte per Second", 2021, algorithm 1
enum DecimalRounding {
  private static let powersOfFive = PowersOfFive()

  /// The double nearest to `digits` × 10^`exponent`: infinity beyond the greatest double, nil if 128 bits do
  /// not determine it.
  static func nearest(digits: UInt64, exponent: Int) -> Double? {
    if digits == 0 || exponent < PowersOfFive.exponents.lowerBound { return 0 }
    if exponent > PowersOfFive.exponents.upperBound { return .infinity }
    let leadingZeroCount = digits.leadingZeroBitCount
    let (upper, lower) = product(digits << leadingZeroCount, exponent: exponent)
    // The power is truncated: with all bits set, the missing bits could have caused a carry.
    if lower == .max, exponent < -27 || exponent > 55 { return nil }

    let isTopBitSet = Int(upper >> 63)
    let shift = isTopBitSet + 9
    var significand = upper >> shift
    // The binary exponent of 10^`exponent` is the integral part of `exponent` × log2(10).
    var binaryExponent = (217_706 * exponent) >> 16 + 1_086 + isTopBitSet - leadingZeroCount
    if binaryExponent <= 0 {
      // A subnormal number has fewer bits.
      guard binaryExponent > -63 else { return 0 }
      significand >>= 1 - binaryExponent
      significand = (significand + significand & 1) >> 1
      // If rounding gives 2^52, the same bit pattern is the smallest normal number.
      return Double(bitPattern: significand)
    }
    // A tie rounds to even. A 64-bit number can be a tie only with these exponents.
    if lower <= 1, exponent >= -4, exponent <= 23, significand & 3 == 1,
      significand << shift == upper
    {
      significand &= ~1
    }
    significand = (significand + significand & 1) >> 1
    if significand == 1 << 53 {
      significand >>= 1
      binaryExponent += 1
    }
    if binaryExponent >= 2_047 { return .infinity }
    return Double(bitPattern: UInt64(binaryExponent) << 52 | significand & ~(1 << 52))
  }

  /// The upper 128 bits of `digits` (with the highest bit set) times a power of five.
  private static func product(_ digits: UInt64, exponent: Int) -> (upper: UInt64, lower: UInt64) {
    let power = powersOfFive[exponent]
    var (upper, lower) = digits.multipliedFullWidth(by: power.upper)
    // The lower half of the power matters only if it can carry into the kept bits.
    if upper & 0x1FF == 0x1FF {
      let (sum, carries) = lower.addingReportingOverflow(
        digits.multipliedFullWidth(by: power.lower).high)
      lower = sum
      if carries { upper += 1 }
    }
    return (upper, lower)
  }
}
