package import JSONStreaming

/// A scalar that MongoDB's Extended JSON (v2, canonical or relaxed) writes as an object with one member, such
/// as `{"$oid":"…"}`.
///
/// `$date` may also have the forms of older exports: a number of milliseconds, or an offset without a colon.
/// Other wrappers, such as `$binary`, are objects. So are `$numberDouble` and `$numberDecimal` with an
/// infinity or NaN, which JSON has no number for.
///
/// Page: MongoDB Extended JSON v2, "Type Representations"
package enum ExtendedValue {
  /// `$oid`, `$uuid` or `$symbol`: the tape index of the text.
  case text(Int)
  /// `$numberInt`, `$numberLong`, `$numberDouble` or `$numberDecimal`: the tape index of a text that is a
  /// JSON number.
  case number(Int)
  /// `$date`
  case instant(Instant)

  /// Reads an object; nil if it is an object of another kind.
  ///
  /// - Parameter index: the tape index of the object's first token.
  package init?(objectAt index: Int, of tape: Tape) {
    guard tape[index].elementCount == 1 else { return nil }
    let name = tape.text(of: tape[index + 1])
    guard name.count > 1, name[0] == UInt8(ascii: "$") else { return nil }
    let value = index + 2
    switch String(copying: name) {
    case "$oid", "$uuid", "$symbol":
      guard tape[value].kind == .string else { return nil }
      self = .text(value)
    case "$numberInt", "$numberLong", "$numberDouble", "$numberDecimal":
      guard tape[value].kind == .string, NumberText.isNumber(tape.text(of: tape[value])) else {
        return nil
      }
      self = .number(value)
    case "$date":
      guard let instant = ExtendedValue.instant(at: value, of: tape) else { return nil }
      self = .instant(instant)
    default: return nil
    }
  }

  private static func instant(at index: Int, of tape: Tape) -> Instant? {
    let token = tape[index]
    switch token.kind {
    case .string: return DatePattern.iso8601.instant(tape.text(of: token))
    case .number: return instant(milliseconds: tape.text(of: token))
    case .startObject:
      guard case .number(let place)? = ExtendedValue(objectAt: index, of: tape) else { return nil }
      return instant(milliseconds: tape.text(of: tape[place]))
    default: return nil
    }
  }

  private static func instant(milliseconds lexeme: Span<UInt8>) -> Instant? {
    guard case .integer(let count) = NumberText.value(lexeme) else { return nil }
    let (microseconds, overflow) = count.multipliedReportingOverflow(by: 1_000)
    return overflow ? nil : Instant(microseconds: microseconds)
  }
}
