/// A check of one value, from a keyword of the model. Indices refer to the tables in `RuleTable`.
///
/// A rule checks the JSON value, not its stored form. As in JSON Schema, it accepts values of other types.
enum Rule: BitwiseCopyable, Sendable, Equatable {
  // Of numbers.
  case minimum(Number)
  case maximum(Number)
  case exclusiveMinimum(Number)
  case exclusiveMaximum(Number)
  case multipleOf(Int)

  // Of text.
  /// In Unicode scalar values.
  case minLength(Int)
  /// In Unicode scalar values.
  case maxLength(Int)
  /// The index of a regular expression that matches anywhere in the text.
  case pattern(Int)
  case format(TextFormat)
  case notBlank
  case noControls

  // Of arrays.
  case minItems(Int)
  case maxItems(Int)
  case uniqueItems
  case items(Int)

  // Of objects.
  case minProperties(Int)
  case maxProperties(Int)
  /// The index in `members`: `properties`, `required`, `additionalProperties` and `dependentRequired`.
  case members(Int)

  // Of every value.
  /// The index of a choice: `enum`, or `const` with one constant.
  case oneOf(Int)
  /// Another schema that also applies to the value.
  case reference(Int)

  var looksInside: Bool {
    switch self {
    case .uniqueItems, .items, .members, .oneOf, .reference: true
    default: false
    }
  }
}
