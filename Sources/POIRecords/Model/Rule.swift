/// A check of one value, as a keyword of the model language states it. Its indices are those of the
/// tables in `RuleTable`.
///
/// Rules look at the value in the JSON, not at the form that the store keeps. As in JSON Schema, a rule
/// accepts values of another type.
enum Rule: BitwiseCopyable, Sendable, Equatable {
  // Of numbers.
  case minimum(Number)
  case maximum(Number)
  case exclusiveMinimum(Number)
  case exclusiveMaximum(Number)
  /// The index of a divisor.
  case multipleOf(Int)

  // Of text.
  /// In Unicode scalar values.
  case minLength(Int)
  /// In Unicode scalar values.
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

  /// Whether it may look into arrays and objects.
  var looksInside: Bool {
    switch self {
    case .uniqueItems, .items, .members, .oneOf, .reference: true
    default: false
    }
  }
}
