internal import JSONStreaming

/// A named part of a record: where it stands in the JSON, what it may be, and which column keeps
/// it.
public struct Attribute: Sendable {
  /// The name of the attribute in its model.
  public let name: String

  /// The column that keeps the value.
  public let column: String

  /// Where the value stands in the record.
  public let source: Source

  /// The JSON types that the value may have.
  public let types: JSONTypes

  /// How the value is kept.
  public let storage: Storage

  /// Whether a record without the attribute is rejected.
  public let isRequired: Bool

  /// Whether a number or a boolean written as a string is accepted.
  public let isLenient: Bool

  /// Whether a string without a character is read as `null`.
  public let readsEmptyAsNull: Bool

  /// Whether the text may hold U+0000.
  public let allowsNUL: Bool

  /// The value of a record that lacks the attribute, as JSON text.
  public let defaultValue: String?

  /// Which value a winner gets if losers are merged into it; nil means the first that has one.
  public let mergeRule: MergeRule?

  /// The schema in the model's table that holds the rules of the value.
  package let schema: Int

  /// The table of its own that the value goes to, for a relation to one.
  public internal(set) var relation: Relation?

  /// Where a value stands in a record.
  public enum Source: Sendable, Hashable {
    /// The steps of a JSON pointer (RFC 6901) from the record, at least one.
    case pointer([String])
    /// The name of the member that holds the record, in an object of objects.
    case memberName
  }

  /// How a value is kept in its column.
  public enum Storage: Sendable, Hashable {
    /// TEXT, as it is.
    case text
    /// TEXT, a UUID (RFC 9562) in canonical upper case.
    case uuid
    /// INTEGER, exact in 64 bits; a boolean is 0 or 1.
    case integer
    /// REAL, correctly rounded.
    case real
    /// INTEGER, microseconds since 1970-01-01T00:00:00Z.
    case instant(InstantNotation)
    /// TEXT, compact JSON.
    case json
    /// Whatever SQLite type fits the value: attributes of mixed types.
    case any
    /// INTEGER, the row id in the relation's table.
    case relation
  }

  /// Whether the column refuses NULL.
  package var isColumnNotNull: Bool { isRequired && !types.contains(.null) }
}

extension Attribute.Storage {
  /// Whether values of both stand in a column in the same form.
  package func isSameForm(as other: Attribute.Storage) -> Bool {
    // An instant is microseconds, however the JSON writes it.
    if case .instant = self, case .instant = other { return true }
    return self == other
  }
}

extension Attribute.Source {
  /// How a model's document writes it: a JSON pointer, or `0#` for the name of the member.
  var notation: String {
    switch self {
    case .pointer(let tokens): JSONPointer(tokens: tokens).description
    case .memberName: "0#"
    }
  }

  /// Whether both are the same place: names are equal where their Unicode scalars are.
  public static func == (left: Attribute.Source, right: Attribute.Source) -> Bool {
    switch (left, right) {
    case (.memberName, .memberName): true
    case (.pointer(let left), .pointer(let right)): left.elementsEqual(right) { $0.isExactly($1) }
    default: false
    }
  }
}

extension [Attribute] {
  package func index(named name: String?) -> Int? {
    guard let name else { return nil }
    return firstIndex { $0.name.isExactly(name) }
  }
}

/// How an instant is written in the JSON.
public enum InstantNotation: Sendable, Hashable {
  /// RFC 3339 text. The offset, in minutes east of UTC, is for texts without a zone, which are refused
  /// if it is nil.
  case rfc3339(defaultOffsetMinutes: Int?)
  /// A number of units since 1970-01-01T00:00:00Z, each so many microseconds long.
  case sinceEpoch(microsecondsPerUnit: Int64)
}

/// A set of the types that JSON Schema knows.
public struct JSONTypes: OptionSet, BitwiseCopyable, Sendable, Hashable {
  /// A bit for each type.
  public let rawValue: UInt8

  /// The types whose bits are set.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `null`.
  public static let null = JSONTypes(rawValue: 1)
  /// `true` and `false`.
  public static let boolean = JSONTypes(rawValue: 2)
  /// Numbers without a fraction, such as 2 and 2.0.
  public static let integer = JSONTypes(rawValue: 4)
  /// Numbers, integers too.
  public static let number = JSONTypes(rawValue: 8)
  /// Texts.
  public static let string = JSONTypes(rawValue: 16)
  /// Objects, whatever their members.
  public static let object = JSONTypes(rawValue: 32)
  /// Arrays, whatever their elements.
  public static let array = JSONTypes(rawValue: 64)

  /// Every type: what a schema without `type` allows.
  public static let all = JSONTypes(rawValue: 127)

  /// The types that both sets allow; an integer is a number.
  func intersection(with other: JSONTypes) -> JSONTypes {
    var shared = intersection(other)
    if shared.contains(.number) { return shared }
    if contains(.number) && other.contains(.integer)
      || contains(.integer) && other.contains(.number)
    {
      shared.insert(.integer)
    }
    return shared
  }

  /// The types by the names that JSON Schema gives them.
  static let named: KeyValuePairs<String, JSONTypes> = [
    "null": .null, "boolean": .boolean, "integer": .integer, "number": .number, "string": .string,
    "object": .object, "array": .array,
  ]

  /// The names in the set, as a message lists them: `string or null`.
  var phrase: String {
    JSONTypes.named.filter { contains($0.value) && $0.value != .null }.map(\.key)
      .joined(separator: " or ") + (contains(.null) && self != .null ? " or null" : "")
  }
}

/// A relation to one: the object or plain value is a row of another table.
public struct Relation: Sendable {
  /// The table of the related rows.
  public let table: String

  /// The attributes of the related object; together they are unique in the table.
  public let attributes: [Attribute]

  /// Whether the record holds the value of the only attribute, and no object.
  public let isPlain: Bool

  /// Whether rows of both can stand in one table.
  func isStored(as other: Relation) -> Bool {
    attributes.count == other.attributes.count
      && zip(attributes, other.attributes).allSatisfy {
        $0.column.isExactly($1.column) && $0.storage.isSameForm(as: $1.storage)
      }
  }
}
