internal import Glibc

/// Reads the lexemes of JSON numbers: integers exactly, decimals correctly rounded.
enum NumberText {
  /// What a lexeme stands for.
  enum Value: Equatable {
    /// An integer, exactly; also one that is written with a fraction of zeros or an exponent.
    case integer(Int64)
    /// A number with a fraction or an exponent, or an integer beyond 64 bits, as the nearest
    /// double.
    ///
    /// `isExact` is false where the lexeme is a plain integer that no double equals: digits would
    /// be lost.
    case real(Double, isExact: Bool)
    /// Greater than every double.
    case tooLarge
  }

  /// Reads the lexeme of a JSON number.
  ///
  /// - Parameter lexeme: text that the JSON grammar accepts as a number.
  static func value(_ lexeme: Span<UInt8>) -> Value {
    var index = 0
    let isNegative = lexeme[0] == UInt8(ascii: "-")
    if isNegative { index = 1 }
    // The decimal digits as one integer, while they fit, and the power of ten that it is to be
    // multiplied with.
    var digits: UInt64 = 0
    var digitCount = 0
    var exponent = 0
    var isAfterPoint = false
    scan: while index < lexeme.count {
      let byte = lexeme[index]
      switch byte {
      case 0x30...0x39:
        if digitCount > 0 || byte != 0x30 { digitCount += 1 }
        if digitCount <= 19 { digits = digits &* 10 &+ UInt64(byte &- 0x30) }
        if isAfterPoint { exponent -= 1 }
        index += 1
      case UInt8(ascii: "."):
        isAfterPoint = true
        index += 1
      default:
        break scan
      }
    }
    if index < lexeme.count { exponent += writtenExponent(lexeme, from: index + 1) }
    guard digitCount <= 19 else { return withoutZeros(lexeme) ?? long(lexeme) }
    if digits == 0 { return .integer(0) }
    if let integer = integer(digits: digits, exponent: exponent, isNegative: isNegative) {
      return .integer(integer)
    }
    // Clinger's fast path: both factors are exact doubles, so one operation rounds once.
    if digits <= 1 << 53, exponent >= -22, exponent <= 22 {
      let power = powersOfTen[abs(exponent)]
      let magnitude = exponent < 0 ? Double(digits) / power : Double(digits) * power
      return .real(isNegative ? -magnitude : magnitude, isExact: true)
    }
    return long(lexeme)
  }

  /// The number that `lexeme` stands for; nothing where it is beyond every double.
  static func number(_ lexeme: String) -> Number? {
    switch value(Array(lexeme.utf8).span) {
    case .integer(let value): .integer(value)
    case .real(let value, _): .real(value)
    case .tooLarge: nil
    }
  }

  /// Whether `text` is a number of the JSON grammar (RFC 8259, section 6).
  static func isNumber(_ text: Span<UInt8>) -> Bool {
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

  /// The exponent behind `e`, held within a range that no double and no count of digits leaves.
  private static func writtenExponent(_ lexeme: Span<UInt8>, from start: Int) -> Int {
    var index = start
    var isNegative = false
    if lexeme[index] == UInt8(ascii: "-") || lexeme[index] == UInt8(ascii: "+") {
      isNegative = lexeme[index] == UInt8(ascii: "-")
      index += 1
    }
    var exponent = 0
    while index < lexeme.count {
      if exponent < 1 << 40 { exponent = exponent * 10 + Int(lexeme[index] &- 0x30) }
      index += 1
    }
    return isNegative ? -exponent : exponent
  }

  /// `digits` times ten to the `exponent`, if that is an integer of 64 bits.
  private static func integer(digits: UInt64, exponent: Int, isNegative: Bool) -> Int64? {
    var magnitude = digits
    if exponent > 0 {
      guard exponent < 19 else { return nil }
      for _ in 0..<exponent {
        let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
        if overflow { return nil }
        magnitude = product
      }
    } else if exponent < 0 {
      guard exponent > -20 else { return nil }
      for _ in 0..<(-exponent) {
        let (quotient, remainder) = magnitude.quotientAndRemainder(dividingBy: 10)
        if remainder != 0 { return nil }
        magnitude = quotient
      }
    }
    if isNegative {
      return magnitude <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
    }
    return Int64(exactly: magnitude)
  }

  /// The value of a lexeme of more than 19 digits, if it is an integer once the zeros at the end of
  /// its digits are taken off.
  private static func withoutZeros(_ lexeme: Span<UInt8>) -> Value? {
    var digits: [UInt8] = []
    var exponent = 0
    var isAfterPoint = false
    for index in lexeme.indices {
      let byte = lexeme[index]
      if byte == UInt8(ascii: ".") {
        isAfterPoint = true
      } else if byte | 0x20 == UInt8(ascii: "e") {
        exponent += writtenExponent(lexeme, from: index + 1)
        break
      } else if byte != UInt8(ascii: "-") {
        digits.append(byte &- 0x30)
        if isAfterPoint { exponent -= 1 }
      }
    }
    while digits.last == 0 {
      digits.removeLast()
      exponent += 1
    }
    let significant = digits.drop { $0 == 0 }
    guard significant.count <= 19 else { return nil }
    let value = significant.reduce(0 as UInt64) { $0 * 10 + UInt64($1) }
    return integer(
      digits: value, exponent: exponent, isNegative: lexeme[0] == UInt8(ascii: "-")
    ).map(Value.integer)
  }

  /// The road for lexemes with many digits or large exponents: `strtod`, which rounds correctly.
  private static func long(_ lexeme: Span<UInt8>) -> Value {
    var terminated = [CChar](repeating: 0, count: lexeme.count + 1)
    for index in lexeme.indices { terminated[index] = CChar(bitPattern: lexeme[index]) }
    let value = unsafe strtod(terminated, nil)
    guard value.isFinite else { return .tooLarge }
    return .real(value, isExact: !isPlainInteger(lexeme) || isExact(lexeme, as: value))
  }

  private static func isPlainInteger(_ lexeme: Span<UInt8>) -> Bool {
    for index in lexeme.indices where index > 0 || lexeme[0] != UInt8(ascii: "-") {
      guard (0x30...0x39).contains(lexeme[index]) else { return false }
    }
    return true
  }

  /// Whether the double `value` is just the plain integer that `lexeme` says.
  private static func isExact(_ lexeme: Span<UInt8>, as value: Double) -> Bool {
    guard value.magnitude < 0x1p127 else { return false }
    var whole: UInt128 = 0
    for index in lexeme.indices where index > 0 || lexeme[0] != UInt8(ascii: "-") {
      let (product, overflow) = whole.multipliedReportingOverflow(by: 10)
      if overflow { return false }
      whole = product &+ UInt128(lexeme[index] &- 0x30)
    }
    return UInt128(value.magnitude) == whole
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}
