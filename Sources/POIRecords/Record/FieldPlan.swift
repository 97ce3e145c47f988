/// What the decoder does with the values of one field, flat: for the common kinds of field without
/// a look at the model.
struct FieldPlan: BitwiseCopyable {
  /// The common ways from a value to a slot.
  enum Road: UInt8, BitwiseCopyable {
    /// A string, copied.
    case text
    /// A string, brought into the canonical form of a UUID.
    case uuid
    /// A string, read as an instant.
    case instant
    /// A number, as a double.
    case real
    /// A number, as a 64-bit integer.
    case integer
    /// Everything else, and all values that have more rules than bounds: `decodeUncommonField` looks
    /// at the model.
    case general
  }

  let road: Road
  let isRequired: Bool
  let allowsNull: Bool
  /// Whether the value is an object that goes to a table of its own.
  let isRelation: Bool
  /// For a related object's attribute the field of the relation, otherwise -1.
  let relationField: Int
  /// The offset of an instant that names no zone, in minutes east of UTC.
  let defaultOffsetMinutes: Int?

  // The bounds of a number, or of the number of scalar values of a text.
  let lowerBound: Double
  let upperBound: Double
  let minLength: Int
  let maxLength: Int

  /// - Parameter rules: the rules of the field's values.
  init(_ field: RecordLayout.Field, rules: ArraySlice<Rule>) {
    let attribute = field.attribute
    isRequired = attribute.isRequired
    isRelation = attribute.relation?.isPlain == false
    relationField = field.relationField ?? -1
    var defaultOffset: Int?
    var bounds = (lower: -Double.infinity, upper: Double.infinity)
    var lengths = (least: attribute.readsEmptyAsNull ? 1 : 0, most: Int.max)
    let isBounded = rules.allSatisfy { rule in
      switch rule {
      case .minimum(let bound): FieldPlan.narrow(&bounds.lower, to: bound, by: max)
      case .maximum(let bound): FieldPlan.narrow(&bounds.upper, to: bound, by: min)
      case .minLength(let count):
        FieldPlan.narrow(&lengths.least, to: count, by: max)
      case .maxLength(let count):
        FieldPlan.narrow(&lengths.most, to: count, by: min)
      default: false
      }
    }
    var road: Road
    switch attribute.storage {
    case .text where attribute.types.contains(.string): road = .text
    case .uuid: road = .uuid
    case .instant(.rfc3339(let offset)):
      road = .instant
      defaultOffset = offset
    case .real where attribute.types.contains(.number): road = .real
    case .integer where attribute.types.contains(.integer): road = .integer
    default: road = .general
    }
    if !isBounded { road = .general }
    self.road = road
    allowsNull = isBounded && attribute.types.contains(.null)
    defaultOffsetMinutes = defaultOffset
    lowerBound = bounds.lower
    upperBound = bounds.upper
    minLength = lengths.least
    maxLength = lengths.most
  }

  /// Narrows a bound of a number; false if no double is just the bound.
  private static func narrow(
    _ bound: inout Double, to number: Number, by choose: (Double, Double) -> Double
  ) -> Bool {
    bound = choose(bound, number.real)
    return number == .real(number.real)
  }

  private static func narrow(
    _ bound: inout Int, to count: Int, by choose: (Int, Int) -> Int
  ) -> Bool {
    bound = choose(bound, count)
    return true
  }

  /// Whether the number keeps the bounds.
  @inline(__always)
  func admits(_ number: Double) -> Bool { number >= lowerBound && number <= upperBound }

  /// Whether a text of so many bytes keeps the bounds, whatever its scalar values are.
  ///
  /// A scalar value takes one to four bytes.
  @inline(__always)
  func admits(byteCount: Int) -> Bool {
    byteCount <= maxLength && (byteCount &+ 3) >> 2 >= minLength
  }
}
