internal import JSONStreaming

/// The keywords of one schema, except `type` and `$ref`.
extension RuleCompiler {
  mutating func valueRules(_ json: JSONValue, at place: String) throws(ModelError) -> [Rule] {
    try checkDefinitions(json["$defs"], at: place + "/$defs")
    var rules = try numberRules(json, at: place)
    rules += try textRules(json, at: place)
    rules += try arrayRules(json, at: place)
    rules += try objectRules(json, at: place)
    if let value = json["enum"] {
      guard let values = value.elements else {
        throw ModelError(message: "\"enum\" lists values in an array", pointer: place + "/enum")
      }
      rules.append(choice(of: values, isConst: false))
    }
    if let value = json["const"] { rules.append(choice(of: [value], isConst: true)) }
    return rules
  }

  private mutating func numberRules(
    _ json: JSONValue, at place: String
  ) throws(ModelError) -> [Rule] {
    var rules: [Rule] = []
    let bounds: [(String, (Number) -> Rule)] = [
      ("minimum", Rule.minimum), ("maximum", Rule.maximum),
      ("exclusiveMinimum", Rule.exclusiveMinimum), ("exclusiveMaximum", Rule.exclusiveMaximum),
    ]
    for (keyword, rule) in bounds {
      guard let value = json[keyword] else { continue }
      guard case .number(let lexeme) = value, let number = NumberText.number(lexeme) else {
        throw ModelError(message: "\(value) is not a number", pointer: "\(place)/\(keyword)")
      }
      rules.append(rule(number))
    }
    if let value = json["multipleOf"] {
      guard case .number(let lexeme) = value, let divisor = Divisor(lexeme.utf8Span.span) else {
        throw ModelError(
          message: "\(value) is not a number greater than 0 with at most 19 digits",
          pointer: place + "/multipleOf")
      }
      table.divisors.append(divisor)
      table.divisorTexts.append(lexeme)
      rules.append(.multipleOf(table.divisors.count - 1))
    }
    return rules
  }

  private mutating func textRules(
    _ json: JSONValue, at place: String
  ) throws(ModelError) -> [Rule] {
    var rules: [Rule] = []
    if let count = try count(json, "minLength", at: place) { rules.append(.minLength(count)) }
    if let count = try count(json, "maxLength", at: place) { rules.append(.maxLength(count)) }
    if let value = json["pattern"] {
      guard let text = value.string else {
        throw ModelError(message: "\(value) is not a string", pointer: place + "/pattern")
      }
      do {
        _ = try Pattern(text)
      } catch {
        throw ModelError(
          message: "\(JSONText.quoted(String.excerpt(of: text.utf8Span.span))) is not a regular "
            + "expression that can be enforced: \(error)",
          pointer: place + "/pattern")
      }
      table.patterns.append(text)
      rules.append(.pattern(table.patterns.count - 1))
    }
    if let format = try ModelReader.format(json["format"], at: place + "/format") {
      rules.append(.format(format))
    }
    for (keyword, rule) in [("x-not-blank", Rule.notBlank), ("x-no-controls", .noControls)]
    where try ModelReader.boolean(json[keyword], at: "\(place)/\(keyword)") {
      guard try ModelReader.types(json["type"], at: place + "/type").contains(.string) else {
        throw ModelError(
          message: "\"\(keyword)\" needs the type string",
          pointer: "\(place)/\(keyword)")
      }
      rules.append(rule)
    }
    return rules
  }

  private mutating func arrayRules(
    _ json: JSONValue, at place: String
  ) throws(ModelError) -> [Rule] {
    var rules: [Rule] = []
    if let count = try count(json, "minItems", at: place) { rules.append(.minItems(count)) }
    if let count = try count(json, "maxItems", at: place) { rules.append(.maxItems(count)) }
    if try ModelReader.boolean(json["uniqueItems"], at: place + "/uniqueItems") {
      rules.append(.uniqueItems)
    }
    if let items = json["items"] { rules.append(.items(try schema(items, at: place + "/items"))) }
    return rules
  }

  private mutating func objectRules(
    _ json: JSONValue, at place: String
  ) throws(ModelError) -> [Rule] {
    var rules: [Rule] = []
    if let count = try count(json, "minProperties", at: place) {
      rules.append(.minProperties(count))
    }
    if let count = try count(json, "maxProperties", at: place) {
      rules.append(.maxProperties(count))
    }
    let keywords = ["properties", "required", "additionalProperties", "dependentRequired"]
    if keywords.contains(where: { json[$0] != nil }) {
      rules.append(.members(try members(json, at: place)))
    }
    return rules
  }

  func count(_ json: JSONValue, _ keyword: String, at place: String) throws(ModelError) -> Int? {
    guard let value = json[keyword] else { return nil }
    guard case .number(let lexeme) = value,
      case .integer(let number)? = NumberText.number(lexeme), number >= 0,
      let count = Int(exactly: number)
    else {
      throw ModelError(
        message: "\(value) is not a count (an integer of at least 0)",
        pointer: "\(place)/\(keyword)")
    }
    return count
  }
}
