internal import JSONStreaming

extension JSONValue {
  /// The value with sorted members and canonical numbers, so that equal values have equal texts. Numbers of
  /// more than 19 digits keep their notation.
  package var canonical: JSONValue {
    switch self {
    case .null, .bool, .string: self
    case .number(let lexeme): .number(JSONValue.canonicalNumber(lexeme))
    case .array(let elements): .array(elements.map(\.canonical))
    case .object(let members):
      .object(
        members.map { Member(name: $0.name, value: $0.value.canonical) }
          .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
    }
  }

  private static func canonicalNumber(_ lexeme: String) -> String {
    let number = ExactNumber(lexeme.utf8Span.span)
    guard number.rest.isEmpty else { return lexeme }
    let digits = String(number.digits)
    let sign = number.isNegative ? "-" : ""
    let pointPlace = digits.count + number.exponent
    switch pointPlace {
    case 1...21 where number.exponent >= 0:
      return sign + digits + String(repeating: "0", count: number.exponent)
    case 1...21:
      return sign + digits.prefix(pointPlace) + "." + digits.dropFirst(pointPlace)
    case -5...0:
      return sign + "0." + String(repeating: "0", count: -pointPlace) + digits
    default:
      return sign + digits + "e\(number.exponent)"
    }
  }
}
