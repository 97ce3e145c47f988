internal import JSONStreaming
public import POIRecords

/// A value of a stored record.
///
/// An integer beyond 64 bits inside JSON is a `real`. A boolean of an attribute of several types is an
/// `integer`.
public enum RowValue: Sendable, Hashable {
  /// NULL, or null inside JSON.
  case null
  /// A boolean of the model, or inside JSON.
  case boolean(Bool)
  /// An integer of 64 bits.
  case integer(Int64)
  /// A number that is not an integer, or too large for one.
  case real(Double)
  /// A text; also a date, a time or a UUID.
  case text(String)
  /// A timestamp in microseconds, in UTC.
  case instant(Instant)
  /// The rows of a relation to many, or the elements of an attribute that is kept as JSON.
  case array([RowValue])
  /// A related row by its attributes, or the members of an attribute that is kept as JSON.
  case object([String: RowValue])

  /// The text; nil if it is another value.
  public var text: String? { if case .text(let text) = self { text } else { nil } }

  /// The integer; nil if it is another value.
  public var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }

  /// The number as a binary64; nil if it is another value.
  public var real: Double? {
    switch self {
    case .real(let real): real
    case .integer(let integer): Double(integer)
    default: nil
    }
  }

  /// The moment; nil if it is another value.
  public var instant: Instant? { if case .instant(let instant) = self { instant } else { nil } }
}

/// A value that rows can be compared with.
public protocol RowValueConvertible {
  /// The value as rows hold it.
  var rowValue: RowValue { get }
}

extension RowValue: RowValueConvertible {
  public var rowValue: RowValue { self }
}

extension String: RowValueConvertible {
  public var rowValue: RowValue { .text(self) }
}

extension Int: RowValueConvertible {
  public var rowValue: RowValue { .integer(Int64(self)) }
}

extension Double: RowValueConvertible {
  public var rowValue: RowValue { .real(self) }
}

extension Bool: RowValueConvertible {
  public var rowValue: RowValue { .boolean(self) }
}

extension Instant: RowValueConvertible {
  public var rowValue: RowValue { .instant(self) }
}

extension RowValue {
  /// The value as JSON writes it; an instant is RFC 3339 text.
  var json: JSONValue {
    switch self {
    case .null: .null
    case .boolean(let boolean): .bool(boolean)
    case .integer(let integer): .number(integer)
    case .real(let real): .number("\(real)")
    case .text(let text): .string(text)
    case .instant(let instant): .string(instant.textWithMicroseconds)
    case .array(let elements): .array(elements.map(\.json))
    case .object(let members):
      .object(
        members.sorted { $0.key < $1.key }.map {
          JSONValue.Member(name: $0.key, value: $0.value.json)
        })
    }
  }

  /// A value of a JSON text.
  init(_ json: JSONValue) {
    switch json {
    case .null: self = .null
    case .bool(let boolean): self = .boolean(boolean)
    case .number(let lexeme):
      self = Int64(lexeme).map { .integer($0) } ?? Double(lexeme).map { .real($0) } ?? .null
    case .string(let text): self = .text(text)
    case .array(let elements): self = .array(elements.map(RowValue.init))
    case .object(let members):
      self = .object(
        Dictionary(members.map { ($0.name, RowValue($0.value)) }, uniquingKeysWith: { $1 }))
    }
  }

  /// Whether all numbers in it are finite.
  private var isFinite: Bool {
    switch self {
    case .real(let real): real.isFinite
    case .array(let elements): elements.allSatisfy(\.isFinite)
    case .object(let members): members.values.allSatisfy(\.isFinite)
    default: true
    }
  }

  /// What a message calls this kind of value.
  var typeName: String {
    switch self {
    case .null: "null"
    case .boolean: "a boolean"
    case .integer: "an integer"
    case .real: "a real number"
    case .text: "a text"
    case .instant: "an instant"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// A member of a type that `Store.rows` and `ImportSource.records` use may be a value of any type.
extension RowValue: Codable {
  public init(from decoder: any Decoder) throws {
    guard let decoder = decoder as? RowDecoder else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "only Store.rows decodes a RowValue"))
    }
    self = decoder.value
  }

  public func encode(to encoder: any Encoder) throws {
    guard let encoder = encoder as? RowEncoder else {
      throw EncodingError.invalidValue(
        self,
        EncodingError.Context(
          codingPath: encoder.codingPath,
          debugDescription: "only ImportSource.records encodes a RowValue"))
    }
    guard isFinite else {
      throw EncodingError.invalidValue(
        self,
        EncodingError.Context(
          codingPath: encoder.codingPath, debugDescription: "JSON has no number for it"))
    }
    encoder.single = self
  }
}
