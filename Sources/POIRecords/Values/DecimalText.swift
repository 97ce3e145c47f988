/// The lexeme of a JSON number as sign, digits and decimal exponent.
package struct DecimalText {
  /// The first 19 significant digits as an integer.
  private(set) var digits: UInt64 = 0

  private(set) var exponent = 0
  private(set) var isNegative = false

  /// Whether the lexeme has neither fraction nor exponent.
  package private(set) var isPlainInteger = false

  /// Whether `digits` lacks digits other than 0.
  private(set) var isCutOff = false

  /// Reads a lexeme that is a valid JSON number.
  @inline(__always)
  package init(_ lexeme: Span<UInt8>) {
    let digitCount = unsafe lexeme.withUnsafeBytes { unsafe read($0) }
    if digitCount > 19 { readFirstDigits(lexeme) }
  }

  /// The number times `factor`, a power of ten, rounded once to the nearest integer, halves away from zero;
  /// nil if the result does not fit 64 bits. Uses only the digits in `digits`.
  func rounded(times factor: Int64) -> Int64? {
    var magnitude = UInt128(digits) * UInt128(factor)
    var places = exponent
    while places > 0, magnitude > 0 {
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      if overflow { return nil }
      magnitude = product
      places -= 1
    }
    // The last dropped digit is the first one after the point.
    var dropped: UInt128 = 0
    while places < 0, magnitude > 0 || dropped > 0 {
      (magnitude, dropped) = magnitude.quotientAndRemainder(dividingBy: 10)
      places += 1
    }
    if dropped >= 5 { magnitude += 1 }
    guard magnitude <= UInt128(Int64.max) else { return nil }
    return isNegative ? -Int64(magnitude) : Int64(magnitude)
  }

  /// Reads all digits, ignoring overflow, and the exponent; returns the number of digits.
  @inline(__always)
  private mutating func read(_ lexeme: UnsafeRawBufferPointer) -> Int {
    guard let bytes = lexeme.baseAddress else { return 0 }
    let count = lexeme.count
    isNegative = unsafe lexeme[0] == UInt8(ascii: "-")
    var index = isNegative ? 1 : 0
    let wholeStart = index
    var digits: UInt64 = 0
    while index < count {
      let digit = unsafe lexeme[index] &- 0x30
      guard digit < 10 else { break }
      digits = digits &* 10 &+ UInt64(digit)
      index += 1
    }
    var digitCount = index - wholeStart
    if index == count {
      isPlainInteger = true
    } else {
      if unsafe lexeme[index] == UInt8(ascii: ".") {
        index += 1
        let fractionStart = index
        while count - index >= 8 {
          let next = unsafe EightBytes(bytes, at: index)
          guard next.areDigits else { break }
          digits = digits &* 100_000_000 &+ next.number
          index += 8
        }
        let rest = count - index
        if rest > 0, rest < 8, count >= 8 {
          // Read the remaining bytes at once, unless they contain an exponent.
          let last = unsafe EightBytes(bytes, at: count - 8).keepingLast(rest)
          if last.areDigits {
            digits = digits &* DecimalText.powersOfTen[rest] &+ last.number
            index = count
          }
        }
        while index < count {
          let digit = unsafe lexeme[index] &- 0x30
          guard digit < 10 else { break }
          digits = digits &* 10 &+ UInt64(digit)
          index += 1
        }
        exponent = fractionStart - index
        digitCount -= exponent
      }
      if index < count {
        unsafe exponent += DecimalText.writtenExponent(lexeme, from: index + 1)
      }
    }
    self.digits = digits
    return digitCount
  }

  /// Reads the first 19 digits again and adds the number of remaining digits to `exponent`.
  @inline(never)
  private mutating func readFirstDigits(_ lexeme: Span<UInt8>) {
    digits = 0
    var kept = 0
    for index in lexeme.indices {
      let digit = lexeme[index] &- 0x30
      // The sign, the point, or the exponent.
      guard digit < 10 else {
        if lexeme[index] | 0x20 == UInt8(ascii: "e") { return }
        continue
      }
      if kept < 19 {
        digits = digits * 10 + UInt64(digit)
        if digits > 0 { kept += 1 }
      } else {
        exponent += 1
        if digit > 0 { isCutOff = true }
      }
    }
  }

  private static func writtenExponent(_ lexeme: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    let sign = unsafe lexeme[index]
    if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { index += 1 }
    var exponent = 0
    while index < lexeme.count {
      if exponent < 1 << 40 { exponent = unsafe exponent * 10 + Int(lexeme[index] &- 0x30) }
      index += 1
    }
    return sign == UInt8(ascii: "-") ? -exponent : exponent
  }

  private static let powersOfTen: [UInt64] = [
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000,
  ]
}
