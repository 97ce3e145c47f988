/// The digits of a number's lexeme, one after the other, from the first that is not 0.
struct SignificantDigits: ~Escapable {
  private let lexeme: Span<UInt8>
  private var offset = 0
  private var hasBegun = false

  @_lifetime(copy lexeme)
  init(_ lexeme: Span<UInt8>) {
    self.lexeme = lexeme
  }

  /// The next digit, in 0...9; nothing behind the last.
  @_lifetime(self: copy self)
  mutating func next() -> UInt8? {
    while offset < lexeme.count, lexeme[offset] | 0x20 != UInt8(ascii: "e") {
      let digit = lexeme[offset] &- 0x30
      offset += 1
      guard digit < 10, hasBegun || digit > 0 else { continue }
      hasBegun = true
      return digit
    }
    return nil
  }
}
