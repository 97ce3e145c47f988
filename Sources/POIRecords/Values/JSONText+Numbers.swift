package import JSONStreaming

extension JSONText {
  /// Appends an integer.
  package static func append(_ integer: Int64, to output: inout GrowableBuffer<UInt8>) {
    if integer < 0 { output.append(UInt8(ascii: "-")) }
    output.append(number: integer.magnitude)
  }

  /// Appends the shortest number that is read as the same double; infinity as `1e999`, as SQLite's shell does,
  /// and NaN as null.
  package static func append(_ real: Double, to output: inout GrowableBuffer<UInt8>) {
    if real.isNaN { return append("null", to: &output) }
    guard real.isFinite else { return append(real < 0 ? "-1e999" : "1e999", to: &output) }
    let text = real.description
    output.append(copying: text.utf8Span.span)
  }
}

extension GrowableBuffer<UInt8> {
  /// Appends a decimal number.
  ///
  /// - Parameter digitCount: the least number of digits; zeros come first.
  mutating func append(number: UInt64, digitCount: Int = 1) {
    var digits = 1
    var rest = number / 10
    while rest > 0 {
      digits += 1
      rest /= 10
    }
    append(repeating: UInt8(ascii: "0"), count: Swift.max(digits, digitCount))
    var place = count - 1
    rest = number
    while rest > 0 {
      self[place] += UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
      place -= 1
    }
  }

  /// Appends a number that is not negative.
  mutating func append(number: Int, digitCount: Int) {
    append(number: UInt64(number), digitCount: digitCount)
  }
}
