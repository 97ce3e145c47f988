internal import POIPlatform

/// Reads the lexemes of JSON numbers: integers exactly, decimals correctly rounded.
package enum NumberText {
  /// The value of a lexeme.
  package enum Value: Equatable {
    /// An exact integer, also if written with an exponent or a fraction of zeros.
    case integer(Int64)
    /// The nearest double to a fraction or an integer beyond 64 bits. `isExact` is false if the lexeme is a
    /// plain integer that differs from the double.
    case real(Double, isExact: Bool)
    case tooLarge
  }

  /// Reads a lexeme that is a valid JSON number.
  ///
  /// - Complexity: O(count of bytes); no allocation for up to 1,000 bytes.
  package static func value(_ lexeme: Span<UInt8>) -> Value {
    let decimal = DecimalText(lexeme)
    let digits = decimal.digits
    if decimal.isCutOff { return long(lexeme, decimal) }
    if digits == 0 { return .integer(0) }
    if let integer = integer(decimal) { return .integer(integer) }
    let magnitude: Double
    if decimal.exponent == 0 {
      // An integer that does not fit `Int64`.
      magnitude = Double(digits)
      if decimal.isPlainInteger {
        return .real(
          decimal.isNegative ? -magnitude : magnitude, isExact: UInt64(exactly: magnitude) == digits
        )
      }
    } else if digits <= 1 << 53, decimal.exponent >= -22, decimal.exponent <= 22 {
      // Clinger's fast path: both factors are exact doubles, so the result is rounded once.
      let power = powersOfTen[abs(decimal.exponent)]
      magnitude = decimal.exponent < 0 ? Double(digits) / power : Double(digits) * power
    } else {
      return long(lexeme, decimal)
    }
    return .real(decimal.isNegative ? -magnitude : magnitude, isExact: true)
  }

  /// The most bytes of a lexeme that need no look at its digits: 17 of them, with a sign or a point.
  static let plainByteCount = 18

  /// Whether a lexeme has at most 17 digits, or those that a program prints of the double nearest to it. Other
  /// numbers lose digits as a double.
  package static func isPrinted(_ lexeme: Span<UInt8>, of value: Double) -> Bool {
    guard lexeme.count > plainByteCount else { return true }
    var digits: [UInt8] = []
    for index in lexeme.indices {
      let byte = lexeme[index]
      if byte | 0x20 == UInt8(ascii: "e") { break }
      if (0x30...0x39).contains(byte), byte != 0x30 || !digits.isEmpty { digits.append(byte) }
    }
    guard digits.count > 17 else { return true }
    let count = Int32(digits.count - 1)
    var printed = [CChar](repeating: 0, count: digits.count + 16)
    let byteCount = printed.count
    _ = unsafe withVaList([count, value]) { unsafe vsnprintf(&printed, byteCount, "%.*e", $0) }
    return printed.lazy.map { UInt8(bitPattern: $0) }.prefix { $0 != UInt8(ascii: "e") }
      .filter { (0x30...0x39).contains($0) } == digits
  }

  /// The number in `lexeme`; nil beyond the range of a double.
  package static func number(_ lexeme: String) -> Number? {
    switch value(Array(lexeme.utf8).span) {
    case .integer(let value): .integer(value)
    case .real(let value, _): .real(value)
    case .tooLarge: nil
    }
  }

  /// Whether `text` is a number of the JSON grammar (RFC 8259, section 6).
  package static func isNumber(_ text: Span<UInt8>) -> Bool {
    var index = 0
    func digits() -> Int {
      let start = index
      while index < text.count, (0x30...0x39).contains(text[index]) { index += 1 }
      return index - start
    }
    if index < text.count, text[index] == UInt8(ascii: "-") { index += 1 }
    let first = index < text.count ? text[index] : 0
    let whole = digits()
    guard whole > 0, whole == 1 || first != UInt8(ascii: "0") else { return false }
    if index < text.count, text[index] == UInt8(ascii: ".") {
      index += 1
      guard digits() > 0 else { return false }
    }
    if index < text.count, text[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      if index < text.count, text[index] == UInt8(ascii: "+") || text[index] == UInt8(ascii: "-") {
        index += 1
      }
      guard digits() > 0 else { return false }
    }
    return index == text.count
  }

  /// The number of the JSON grammar for a text with a comma, or nothing, in place of the point; nil for other texts.
  package static func withPoint(_ text: Span<UInt8>) -> [UInt8]? {
    let (comma, point) = (UInt8(ascii: ","), UInt8(ascii: "."))
    let number = text.indices.map { text[$0] == comma ? point : text[$0] }
    for index in text.indices where text[index] == point { return nil }
    return isNumber(number.span) ? number : nil
  }

  @inline(__always)
  private static func integer(_ decimal: DecimalText) -> Int64? {
    var magnitude = decimal.digits
    let exponent = decimal.exponent
    if exponent > 0 {
      guard exponent < wholePowersOfTen.count else { return nil }
      let (product, overflow) = magnitude.multipliedReportingOverflow(
        by: wholePowersOfTen[exponent])
      if overflow { return nil }
      magnitude = product
    } else if exponent < 0 {
      // The last digit excludes most decimals.
      guard magnitude % 10 == 0, -exponent < wholePowersOfTen.count else { return nil }
      let (quotient, remainder) = magnitude.quotientAndRemainder(
        dividingBy: wholePowersOfTen[-exponent])
      guard remainder == 0 else { return nil }
      magnitude = quotient
    }
    if decimal.isNegative {
      return magnitude <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
    }
    return Int64(exactly: magnitude)
  }

  /// The slow path for lexemes with many digits or large exponents.
  @inline(never)
  private static func long(_ lexeme: Span<UInt8>, _ decimal: DecimalText) -> Value {
    let magnitude = nearest(decimal) ?? nearest(lexeme)
    guard magnitude.isFinite else { return .tooLarge }
    return .real(
      decimal.isNegative ? -magnitude : magnitude,
      isExact: !decimal.isPlainInteger || isExact(lexeme, as: magnitude))
  }

  /// The double nearest to the magnitude of a decimal; nil if its first 19 digits do not determine it.
  private static func nearest(_ decimal: DecimalText) -> Double? {
    let nearest = DecimalRounding.nearest(digits: decimal.digits, exponent: decimal.exponent)
    if !decimal.isCutOff { return nearest }
    // The number is between the truncated digits and their successor.
    let next = DecimalRounding.nearest(digits: decimal.digits + 1, exponent: decimal.exponent)
    return nearest == next ? nearest : nil
  }

  /// The double nearest to the magnitude of any lexeme.
  ///
  /// C function: `strtod` in the C locale, whose decimal separator is a point
  private static func nearest(_ lexeme: Span<UInt8>) -> Double {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: lexeme.count + 1) { text in
      for index in lexeme.indices { unsafe text[index] = CChar(bitPattern: lexeme[index]) }
      unsafe text[lexeme.count] = 0
      // The C locale is static: `newlocale` does not allocate.
      let locale = unsafe newlocale(1 << LC_ALL, "C", nil)
      let previous = unsafe uselocale(locale)
      defer {
        unsafe uselocale(previous)
        unsafe freelocale(locale)
      }
      return unsafe strtod(text.baseAddress!, nil).magnitude
    }
  }

  private static func isExact(_ lexeme: Span<UInt8>, as magnitude: Double) -> Bool {
    guard magnitude < 0x1p127 else { return false }
    var whole: UInt128 = 0
    for index in lexeme.indices where index > 0 || lexeme[0] != UInt8(ascii: "-") {
      let (product, overflow) = whole.multipliedReportingOverflow(by: 10)
      if overflow { return false }
      whole = product &+ UInt128(lexeme[index] &- 0x30)
    }
    return UInt128(magnitude) == whole
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  private static let wholePowersOfTen: [UInt64] = [
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
    1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000,
    1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
  ]
}
