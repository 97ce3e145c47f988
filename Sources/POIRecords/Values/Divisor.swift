internal import JSONStreaming

/// What numbers are multiples of, with the keyword `multipleOf`: a decimal that is held exactly.
struct Divisor: BitwiseCopyable, Sendable {
  /// At least 1; not a multiple of ten.
  let digits: UInt64
  let exponent: Int

  /// Nothing where the number is not greater than 0, or has more than 19 digits.
  init?(_ lexeme: Span<UInt8>) {
    let number = ExactNumber(lexeme)
    guard number.digits > 0, !number.isNegative, !number.isCutOff else { return nil }
    digits = number.digits
    exponent = number.exponent
  }

  /// Whether the number that a lexeme writes is a multiple, exactly.
  ///
  /// - Complexity: O(count of bytes)
  func divides(_ lexeme: Span<UInt8>) -> Bool {
    let decimal = DecimalText(lexeme)
    if decimal.digits == 0 { return true }
    // The number is `whole` times a power of ten, and the last digit of `whole` is not 0.
    var (remainderOfWhole, count, zeros): (UInt64, Int, Int) = (0, 0, 0)
    var source = SignificantDigits(lexeme)
    while let digit = source.next() {
      count += 1
      guard digit > 0 else {
        zeros += 1
        continue
      }
      remainderOfWhole = remainder(of: remainderOfWhole, timesTenTo: zeros + 1)
      remainderOfWhole = (remainderOfWhole + UInt64(digit)) % digits
      zeros = 0
    }
    var placedCount = 0
    var rest = decimal.digits
    while rest > 0 {
      placedCount += 1
      rest /= 10
    }
    let exponentOfWhole = decimal.exponent + placedCount - (count - zeros)
    // Below the divisor's own last digit there must be nothing.
    guard exponentOfWhole >= exponent else { return false }
    return remainder(of: remainderOfWhole, timesTenTo: exponentOfWhole - exponent) == 0
  }

  /// The remainder of `number`, which is less than `digits`, times a power of ten.
  private func remainder(of number: UInt64, timesTenTo power: Int) -> UInt64 {
    func product(_ left: UInt64, _ right: UInt64) -> UInt64 {
      digits.dividingFullWidth(left.multipliedFullWidth(by: right)).remainder
    }
    var (result, factor, power) = (number % digits, 10 % digits, power)
    while power > 0 {
      if power & 1 == 1 { result = product(result, factor) }
      factor = product(factor, factor)
      power >>= 1
    }
    return result
  }
}
