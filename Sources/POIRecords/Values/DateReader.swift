struct DateReader: ~Escapable {
  private let text: Span<UInt8>
  private var offset: Int

  @_lifetime(copy text)
  init(_ text: Span<UInt8>, at offset: Int = 0) {
    self.text = text
    self.offset = offset
  }

  var isAtEnd: Bool { offset == text.count }

  @_lifetime(self: copy self)
  mutating func skip(where condition: (UInt8) -> Bool) -> Bool {
    guard offset < text.count, condition(text[offset]) else { return false }
    offset += 1
    return true
  }

  @_lifetime(self: copy self)
  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    skip { $0 == UInt8(ascii: character) }
  }

  var isAtDigit: Bool { !isAtEnd && (0x30...0x39).contains(text[offset]) }

  var isAtLetter: Bool { !isAtEnd && (0x61...0x7A).contains(text[offset] | 0x20) }

  /// Skips spaces; returns whether there is one.
  @_lifetime(self: copy self)
  @discardableResult
  mutating func skipSpaces() -> Bool {
    let start = offset
    while skip(" ") {}
    return offset > start
  }

  /// Skips a name in any case.
  ///
  /// - Parameter name: ASCII letters in lower case.
  @_lifetime(self: copy self)
  mutating func skip(name: some StringProtocol) -> Bool {
    var end = offset
    for letter in name.utf8 {
      guard end < text.count, text[end] | 0x20 == letter else { return false }
      end += 1
    }
    offset = end
    return true
  }

  /// Reads a number of exactly `digits` digits; nil if it is out of range.
  @_lifetime(self: copy self)
  mutating func readNumber(digits: Int, in range: ClosedRange<Int>) -> Int? {
    var number = 0
    for _ in 0..<digits {
      guard let digit = readDigit() else { return nil }
      number = number * 10 + digit
    }
    return range.contains(number) ? number : nil
  }

  @_lifetime(self: copy self)
  mutating func readDate() -> CalendarDate? {
    guard let year = readNumber(digits: 4, in: 0...9_999), skip("-"),
      let month = readNumber(digits: 2, in: 1...12), skip("-"),
      let dayOfMonth = readNumber(digits: 2, in: 1...31)
    else { return nil }
    return CalendarDate(year: year, month: month, dayOfMonth: dayOfMonth)
  }

  /// Reads an optional fraction of a second, in microseconds; nil if the point has no digits after it.
  @_lifetime(self: copy self)
  mutating func readFraction(orComma: Bool = false) -> Int? {
    guard skip(".") || orComma && skip(",") else { return 0 }
    guard var fraction = readDigit() else { return nil }
    var count = 1
    while let digit = readDigit() {
      if count < 6 {
        fraction = fraction * 10 + digit
        count += 1
      }
    }
    while count < 6 {
      fraction *= 10
      count += 1
    }
    return fraction
  }

  /// Reads a zone, `Z` or `±hh:mm`, as minutes east of UTC.
  @_lifetime(self: copy self)
  mutating func readOffset() -> Int? {
    if skip(where: { $0 | 0x20 == UInt8(ascii: "z") }) { return 0 }
    let isAhead = skip("+")
    guard isAhead || skip("-"), let hours = readNumber(digits: 2, in: 0...23), skip(":"),
      let minutes = readNumber(digits: 2, in: 0...59)
    else { return nil }
    return isAhead ? hours * 60 + minutes : -(hours * 60 + minutes)
  }

  @_lifetime(self: copy self)
  private mutating func readDigit() -> Int? {
    guard offset < text.count else { return nil }
    let digit = text[offset] &- UInt8(ascii: "0")
    guard digit < 10 else { return nil }
    offset += 1
    return Int(digit)
  }
}
