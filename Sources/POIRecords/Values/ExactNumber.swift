/// The exact number in a lexeme, equal for all notations: ± all its digits × 10^`exponent`. The last digit
/// is not 0.
struct ExactNumber: Equatable {
  let digits: UInt64
  /// The remaining digits, each in 0...9; empty for most numbers.
  let rest: [UInt8]
  let exponent: Int
  let isNegative: Bool

  /// Reads a lexeme that is a valid JSON number.
  ///
  /// - Complexity: O(count of bytes); no allocation for up to 19 digits.
  init(_ lexeme: Span<UInt8>) {
    let decimal = DecimalText(lexeme)
    var (digits, exponent) = (decimal.digits, decimal.exponent)
    var rest: [UInt8] = []
    if digits == 0 {
      exponent = 0
    } else if decimal.isCutOff {
      rest = Self.digits(of: lexeme, from: 19)
      exponent -= rest.count
    } else {
      while digits % 10 == 0 {
        digits /= 10
        exponent += 1
      }
    }
    self.digits = digits
    self.rest = rest
    self.exponent = exponent
    isNegative = decimal.isNegative && digits > 0
  }

  /// The significant digits from index `start` on, without trailing zeros.
  private static func digits(of lexeme: Span<UInt8>, from start: Int) -> [UInt8] {
    var digits: [UInt8] = []
    var count = 0
    for index in lexeme.indices {
      if lexeme[index] | 0x20 == UInt8(ascii: "e") { break }
      let digit = lexeme[index] &- 0x30
      // The sign, the point, or a leading zero.
      guard digit < 10, count > 0 || digit > 0 else { continue }
      if count >= start { digits.append(digit) }
      count += 1
    }
    while digits.last == 0 { digits.removeLast() }
    return digits
  }
}
