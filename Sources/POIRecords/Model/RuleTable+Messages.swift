internal import JSONStreaming

extension RuleTable {
  /// The name of a rule: its keyword without the prefix `x-`.
  func name(of rule: Rule) -> String {
    switch rule {
    case .minimum: "minimum"
    case .maximum: "maximum"
    case .exclusiveMinimum: "exclusiveMinimum"
    case .exclusiveMaximum: "exclusiveMaximum"
    case .multipleOf: "multipleOf"
    case .minLength: "minLength"
    case .maxLength: "maxLength"
    case .pattern: "pattern"
    case .format: "format"
    case .notBlank: "not-blank"
    case .noControls: "no-controls"
    case .minItems: "minItems"
    case .maxItems: "maxItems"
    case .uniqueItems: "uniqueItems"
    case .items: "items"
    case .minProperties: "minProperties"
    case .maxProperties: "maxProperties"
    case .members: "properties"
    case .oneOf(let choice): choices[choice].isConst ? "const" : "enum"
    case .reference: "$ref"
    }
  }

  /// The part of a message that follows the value that violates the rule.
  func expectation(of rule: Rule) -> String {
    switch rule {
    case .minimum(let bound): "is less than the minimum \(bound)"
    case .maximum(let bound): "is greater than the maximum \(bound)"
    case .exclusiveMinimum(let bound): "is not greater than \(bound)"
    case .exclusiveMaximum(let bound): "is not less than \(bound)"
    case .multipleOf(let divisor): "is not a multiple of \(divisorTexts[divisor])"
    case .minLength(let count): "has fewer than \(count) characters"
    case .maxLength(let count): "has more than \(count) characters"
    case .pattern(let pattern): "does not match the pattern \(patterns[pattern])"
    case .format(let format): "is not \(format.phrase)"
    case .notBlank: "has no visible character"
    case .noControls: "holds a control character"
    case .minItems(let count): "has fewer than \(count) elements"
    case .maxItems(let count): "has more than \(count) elements"
    case .uniqueItems: "holds equal elements"
    case .minProperties(let count): "has fewer than \(count) members"
    case .maxProperties(let count): "has more than \(count) members"
    case .oneOf(let choice): expectation(of: choices[choice])
    case .items, .members, .reference: "is not allowed here"
    }
  }

  private static let listLimit = 10

  private func expectation(of choice: Choice) -> String {
    let listed = choice.first..<min(choice.end, choice.first + Self.listLimit)
    let texts = constantPlaces[listed].map { place in
      guard let tape = constants?.tape else { return "" }
      var text = GrowableBuffer<UInt8>()
      JSONText.append(valueAt: place, of: tape, to: &text)
      return String(copying: text.span)
    }
    if choice.isConst { return "is not \(texts[0])" }
    return texts.isEmpty
      ? "is not allowed: the enum is empty"
      : "is not one of \(texts.joined(separator: ", "))"
        + (listed.upperBound < choice.end ? " and \(choice.end - listed.upperBound) more" : "")
  }
}
