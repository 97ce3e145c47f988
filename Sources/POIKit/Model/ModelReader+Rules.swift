/// Rules of a value.
extension ModelReader {
  static func rules(
    _ json: JSONValue, format: Format?, storage: Attribute.Storage, at place: String
  ) throws(ModelError) -> [Rule] {
    var rules: [Rule] = []
    let bounds: [(String, (Number) -> Rule)] = [
      ("minimum", Rule.minimum), ("maximum", Rule.maximum),
      ("exclusiveMinimum", Rule.exclusiveMinimum), ("exclusiveMaximum", Rule.exclusiveMaximum),
    ]
    for (keyword, rule) in bounds {
      guard let value = json[keyword] else { continue }
      guard case .number(let lexeme) = value, let number = NumberText.number(lexeme) else {
        throw ModelError(message: "\(value) is no number", pointer: "\(place)/\(keyword)")
      }
      rules.append(rule(number))
    }
    for (keyword, rule) in [("minLength", Rule.minLength), ("maxLength", Rule.maxLength)] {
      guard let value = json[keyword] else { continue }
      guard case .number(let lexeme) = value,
        case .integer(let number)? = NumberText.number(lexeme), number >= 0,
        let count = Int(exactly: number)
      else {
        throw ModelError(
          message: "\(value) is no count of characters", pointer: "\(place)/\(keyword)")
      }
      rules.append(rule(count))
    }
    if let value = json["pattern"] {
      guard let pattern = value.string, Pattern(pattern) != nil else {
        throw ModelError(
          message:
            "\(value) is not a regular expression that can be enforced: it cannot be read, or "
            + "it nests repetitions without bounds, as in (a+)+, which may take for ever",
          pointer: place + "/pattern")
      }
      rules.append(.pattern(pattern))
    }
    if let value = json["enum"] {
      guard let values = value.elements, !values.isEmpty else {
        throw ModelError(message: "\"enum\" lists values in an array", pointer: place + "/enum")
      }
      rules.append(.oneOf(try scalars(values, at: place + "/enum"), keyword: "enum"))
    }
    if let value = json["const"] {
      rules.append(.oneOf(try scalars([value], at: place + "/const"), keyword: "const"))
    }
    if format == .date { rules.append(.date) }
    return rules
  }

  static func scalars(
    _ values: [JSONValue], at place: String
  ) throws(ModelError) -> [JSONValue] {
    for value in values where value.members != nil || value.elements != nil {
      throw ModelError(
        message: "\(value): only strings, numbers, booleans and null can be compared",
        pointer: place)
    }
    return values
  }
}
