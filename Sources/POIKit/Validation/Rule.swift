/// A named check of one value, as a keyword of the model language states it.
///
/// Rules on numbers look at the number and rules on text at the text as it stands in the JSON,
/// before it is brought into the form that the store keeps. As in JSON Schema, a rule says nothing
/// about values of another type.
enum Rule: Sendable, Equatable {
  case minimum(Number)
  case maximum(Number)
  case exclusiveMinimum(Number)
  case exclusiveMaximum(Number)
  /// In Unicode scalar values, as JSON Schema counts.
  case minLength(Int)
  /// In Unicode scalar values, as JSON Schema counts.
  case maxLength(Int)
  /// A regular expression that must match somewhere in the text.
  case pattern(String)
  /// One of these values: `enum`, and `const` with one.
  case oneOf([JSONValue], keyword: String)
  /// A day of the calendar, `2024-02-29`.
  case date

  /// The name of the rule in rejects and reports: the keyword.
  var name: String {
    switch self {
    case .minimum: "minimum"
    case .maximum: "maximum"
    case .exclusiveMinimum: "exclusiveMinimum"
    case .exclusiveMaximum: "exclusiveMaximum"
    case .minLength: "minLength"
    case .maxLength: "maxLength"
    case .pattern: "pattern"
    case .oneOf(_, let keyword): keyword
    case .date: "format"
    }
  }

  /// What a value that breaks the rule should have been.
  var expectation: String {
    switch self {
    case .minimum(let bound): "is less than the minimum \(bound)"
    case .maximum(let bound): "is greater than the maximum \(bound)"
    case .exclusiveMinimum(let bound): "is not greater than \(bound)"
    case .exclusiveMaximum(let bound): "is not less than \(bound)"
    case .minLength(let count): "has fewer than \(count) characters"
    case .maxLength(let count): "has more than \(count) characters"
    case .pattern(let pattern): "does not match the pattern \(pattern)"
    case .oneOf(let values, "const"): "is not \(values[0])"
    case .oneOf(let values, _):
      "is none of \(values.map(\.description).joined(separator: ", "))"
    case .date: "is not a date such as 2024-02-29"
    }
  }
}

/// A number that keeps 64-bit integers exact.
enum Number: Sendable, Equatable, CustomStringConvertible {
  case integer(Int64)
  case real(Double)

  var real: Double {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    }
  }

  var description: String {
    switch self {
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    }
  }

  static func == (left: Number, right: Number) -> Bool {
    left.compare(right) == 0
  }

  /// Negative, zero or positive as `self` is less than, equal to or greater than `other`, exactly.
  func compare(_ other: Number) -> Int {
    switch (self, other) {
    case (.integer(let left), .integer(let right)):
      return (left > right ? 1 : 0) - (left < right ? 1 : 0)
    case (.integer(let left), .real(let right)): return Number.compare(left, right)
    case (.real(let left), .integer(let right)): return -Number.compare(right, left)
    case (.real(let left), .real(let right)): return (left > right ? 1 : 0) - (left < right ? 1 : 0)
    }
  }

  private static func compare(_ left: Int64, _ right: Double) -> Int {
    // 2^63 is the least double above every 64-bit integer.
    if right >= 0x1p63 { return -1 }
    if right < -0x1p63 { return 1 }
    let whole = Int64(right.rounded(.down))
    if left != whole { return left > whole ? 1 : -1 }
    return right > right.rounded(.down) ? -1 : 0
  }
}
