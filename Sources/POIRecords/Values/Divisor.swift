/// The divisor of the keyword `multipleOf`, as an exact decimal.
struct Divisor: BitwiseCopyable, Sendable {
  /// At least 1; not a multiple of ten.
  let digits: UInt64
  let exponent: Int

  /// Nil if the number is not greater than 0, or has more than 19 digits.
  init?(_ lexeme: Span<UInt8>) {
    let number = ExactNumber(lexeme)
    guard number.digits > 0, !number.isNegative, number.rest.isEmpty else { return nil }
    digits = number.digits
    exponent = number.exponent
  }

  func divides(_ lexeme: Span<UInt8>) -> Bool {
    let number = ExactNumber(lexeme)
    if number.digits == 0 { return true }
    // A multiple has no digits below the last digit of the divisor.
    guard number.exponent >= exponent else { return false }
    var rest = number.digits % digits
    for digit in number.rest {
      rest = (remainder(of: rest, timesTenTo: 1) + UInt64(digit)) % digits
    }
    return remainder(of: rest, timesTenTo: number.exponent - exponent) == 0
  }

  /// `number` × 10^`power` modulo `digits`.
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
