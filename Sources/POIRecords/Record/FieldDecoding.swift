/// How the decoder handles the values of one field, so that common values need no lookup in the model.
struct FieldDecoding: BitwiseCopyable {
  /// The common conversions from a JSON value to a slot.
  enum Conversion: UInt8, BitwiseCopyable {
    case text
    case uuid
    case instant
    case real
    case integer
    /// Any other conversion, and all fields with rules other than bounds.
    case general
  }

  let conversion: Conversion
  /// Whether null is allowed and needs no check of rules.
  let acceptsNullDirectly: Bool
  /// Whether the value is an object that becomes a row of another table.
  let isRelation: Bool
  /// The relation that the field belongs to; nil for a field of the record itself.
  let relationField: Int?
  /// Whether a text can be a number with a decimal point: always, in delimited text, or never.
  let readsTextAsNumber: Bool
  let readsTextAsNumberInRows: Bool
  /// The offset for instants without a zone, in minutes east of UTC.
  let defaultOffsetMinutes: Int?
  /// The latest instant that the column holds, in microseconds since 1970.
  var latestInstant = Instant.range.upperBound

  // Bounds of a number, or of a text's length in scalar values.
  private var lowerBound = -Double.infinity
  private var upperBound = Double.infinity
  private var minLength: Int
  private var maxLength = Int.max

  init(_ field: RecordLayout.Field, rules: ArraySlice<Rule>) {
    let attribute = field.attribute
    isRelation = attribute.relation?.isPlain == false
    relationField = field.relationField
    readsTextAsNumberInRows = !attribute.types.contains(.string) && !attribute.hasDecimalComma
    readsTextAsNumber = readsTextAsNumberInRows && attribute.isLenient
    // An empty text must take the general path, which reads it as null.
    minLength = attribute.readsEmptyAsNull ? 1 : 0
    var hasOnlyBounds = true
    for rule in rules {
      switch rule {
      // A bound that a double does not represent exactly needs the general check.
      case .minimum(let bound):
        lowerBound = max(lowerBound, bound.real)
        hasOnlyBounds = hasOnlyBounds && bound == .real(bound.real)
      case .maximum(let bound):
        upperBound = min(upperBound, bound.real)
        hasOnlyBounds = hasOnlyBounds && bound == .real(bound.real)
      case .minLength(let count): minLength = max(minLength, count)
      case .maxLength(let count): maxLength = min(maxLength, count)
      default: hasOnlyBounds = false
      }
    }
    acceptsNullDirectly = hasOnlyBounds && attribute.types.contains(.null)
    var defaultOffset: Int?
    switch attribute.storage {
    case _ where !hasOnlyBounds: conversion = .general
    case .text where attribute.types.contains(.string): conversion = .text
    case .uuid: conversion = .uuid
    case .instant(.rfc3339(let offset)):
      conversion = .instant
      defaultOffset = offset
    case .real where attribute.types.contains(.number): conversion = .real
    case .integer where attribute.types.contains(.integer): conversion = .integer
    default: conversion = .general
    }
    defaultOffsetMinutes = defaultOffset
  }

  @inline(__always)
  func admits(_ number: Double) -> Bool { number >= lowerBound && number <= upperBound }

  /// Whether any text of `byteCount` bytes is within the bounds: a scalar value has one to four bytes.
  @inline(__always)
  func admits(byteCount: Int) -> Bool {
    byteCount <= maxLength && (byteCount &+ 3) >> 2 >= minLength
  }
}
