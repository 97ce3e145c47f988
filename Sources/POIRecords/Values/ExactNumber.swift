internal import JSONStreaming

/// The number that a lexeme writes, exactly: equal for all ways to write it.
///
/// It is ± `digits` times ten to the power of `exponent`, and the last digit is not 0. Of a number
/// with more than 19 digits only the first 19 are in `digits`.
struct ExactNumber: Equatable {
  let digits: UInt64
  let exponent: Int
  let isNegative: Bool
  /// Whether the number has more digits than `digits`.
  let isCutOff: Bool

  /// Reads a lexeme that the JSON grammar accepts as a number.
  ///
  /// - Complexity: O(count of bytes)
  init(_ lexeme: Span<UInt8>) {
    let decimal = DecimalText(lexeme)
    var (digits, exponent) = (decimal.digits, decimal.exponent)
    if digits == 0 {
      exponent = 0
    } else if !decimal.isCutOff {
      while digits % 10 == 0 {
        digits /= 10
        exponent += 1
      }
    }
    self.digits = digits
    self.exponent = exponent
    isNegative = decimal.isNegative && digits > 0
    isCutOff = decimal.isCutOff
  }

  /// Whether two lexemes write the same number.
  ///
  /// - Complexity: O(count of bytes)
  static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    let (one, other) = (ExactNumber(left), ExactNumber(right))
    guard one == other else { return false }
    guard one.isCutOff else { return true }
    // The first digits and their places are the same: the others decide.
    var (leftDigits, rightDigits) = (SignificantDigits(left), SignificantDigits(right))
    while true {
      let (one, other) = (leftDigits.next(), rightDigits.next())
      if one == nil, other == nil { return true }
      // A number that has ended goes on with zeros.
      if (one ?? 0) != (other ?? 0) { return false }
    }
  }

  /// Whether the number has no fraction.
  static func isInteger(_ lexeme: Span<UInt8>) -> Bool {
    let number = ExactNumber(lexeme)
    if !number.isCutOff { return number.exponent >= 0 }
    // The place of the last digit that is not 0 decides.
    var digits = SignificantDigits(lexeme)
    var (count, last) = (0, 0)
    while let digit = digits.next() {
      count += 1
      if digit != 0 { last = count }
    }
    return number.exponent + 19 >= last
  }
}
