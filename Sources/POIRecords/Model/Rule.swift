/// A named check of one value, as a keyword of the model language states it: one entry of a
/// `RuleTable`, to whose other tables its numbers point.
///
/// Rules on numbers look at the number and rules on text at the text as it stands in the JSON,
/// before it is brought into the form that the store keeps. As in JSON Schema, a rule says nothing
/// about values of another type.
enum Rule: BitwiseCopyable, Sendable, Equatable {
  // Of numbers.
  case minimum(Number)
  case maximum(Number)
  case exclusiveMinimum(Number)
  case exclusiveMaximum(Number)
  /// The index of a divisor.
  case multipleOf(Int)

  // Of text.
  /// In Unicode scalar values, as JSON Schema counts.
  case minLength(Int)
  /// In Unicode scalar values, as JSON Schema counts.
  case maxLength(Int)
  /// The index of a regular expression that must match somewhere in the text.
  case pattern(Int)
  case format(TextFormat)
  case notBlank
  case noControls

  // Of arrays.
  case minItems(Int)
  case maxItems(Int)
  case uniqueItems
  /// The schema of every element.
  case items(Int)

  // Of objects.
  case minProperties(Int)
  case maxProperties(Int)
  /// The index of an object's members: `properties`, `required`, `additionalProperties` and
  /// `dependentRequired` together.
  case members(Int)

  // Of every value.
  /// The index of a choice: `enum`, or `const` with one constant.
  case oneOf(Int)
  /// Another schema that the value must keep, too.
  case reference(Int)

  /// Whether it looks at what arrays and objects hold, or may lead to a rule that does.
  var looksInside: Bool {
    switch self {
    case .uniqueItems, .items, .members, .oneOf, .reference: true
    default: false
    }
  }
}
