internal import JSONStreaming

/// A named part of a record: its place in the JSON, its types and rules, and its column.
package struct Attribute: Sendable {
  /// The name of the attribute in its model.
  package let name: String

  /// The column that stores the value.
  package let column: String

  /// The place of the value in the record.
  package let source: Source

  /// The JSON types that the value can have.
  package let types: JSONTypes

  /// How the column stores the value.
  package let storage: Storage

  /// Whether a record without the attribute is rejected.
  package internal(set) var isRequired: Bool

  /// Whether a number or a boolean written as a string is accepted.
  package let isLenient: Bool

  /// Whether a number written as a string has a comma before its decimals.
  package internal(set) var hasDecimalComma = false

  /// Whether an empty string is read as `null`.
  package let readsEmptyAsNull: Bool

  /// Whether the text can contain U+0000.
  package let allowsNUL: Bool

  /// The value for records without the attribute, as JSON text; nil if the model has no default.
  package let defaultValue: String?

  /// Which value the winner gets when losers are merged into it; nil selects the first record with a value.
  package let mergeRule: MergeRule?

  /// The schema of the value, as an index in the model's `RuleTable`.
  package let schema: Int

  /// The relation to one, if the value is stored as a row of another table.
  package internal(set) var relation: Relation?

  /// The attribute of another table whose value this one holds, if the model says so.
  package internal(set) var target: Target?

  /// Whether null says that the record has no value, although the types do not allow null.
  var clearsByNull = false

  /// Whether the value is content of the record; if not, its column is the toolkit's own.
  package internal(set) var isContent = true

  /// Whether times are written with their zone, though it may be missing.
  package internal(set) var writesZone = false

  /// An attribute of a table, which need not exist.
  package struct Target: Sendable, Hashable {
    /// The table.
    package let table: String
    /// The attribute, or the column if the table has no model.
    package let attribute: String
  }

  /// The place of a value in a record.
  package enum Source: Sendable, Hashable {
    /// The unescaped tokens of a JSON pointer (RFC 6901) from the record; at least one.
    case pointer([String])
    /// The name of the member that holds the record, in an object of objects.
    case memberName
  }

  /// How a column stores a value.
  package enum Storage: Sendable, Hashable {
    /// TEXT, unchanged.
    case text
    /// TEXT, a date `YYYY-MM-DD`; the records have that form if the pattern is nil.
    case date(DatePattern?)
    /// TEXT, a UUID (RFC 9562) in upper case.
    case uuid
    /// INTEGER, exact in 64 bits; a boolean is 0 or 1.
    case integer
    /// REAL, correctly rounded.
    case real
    /// INTEGER, microseconds since 1970-01-01T00:00:00Z.
    case instant(InstantNotation)
    /// TEXT, compact JSON.
    case json
    /// The SQLite type of each value, for attributes of several types.
    case any
    /// INTEGER, the row id in the table of the relation.
    case relation
  }

  /// Whether the column is declared NOT NULL.
  package var isColumnNotNull: Bool { isRequired && !types.contains(.null) }
}

extension Attribute.Storage {
  /// Whether both store values in the same form.
  package func isSameForm(as other: Attribute.Storage) -> Bool {
    // Every instant is stored in microseconds, whatever its notation in the JSON.
    if case .instant = self, case .instant = other { return true }
    return self == other || self.isPlainText && other.isPlainText
  }

  /// Whether a column of this form can be changed into one of the other form, with all its values.
  package func widens(to other: Attribute.Storage) -> Bool {
    switch (self, other) {
    case (.integer, .real), (.integer, .any), (.real, .any), (.json, .any), (.integer, .json): true
    default: isPlainText && other == .any
    }
  }

  /// Whether the column has the text of the record.
  var isPlainText: Bool { self == .text || isDate }

  package var isDate: Bool { if case .date = self { true } else { false } }
}

extension Attribute.Source {
  /// The notation in a model's document: a JSON pointer, or `0#` for the name of the member.
  package var notation: String {
    switch self {
    case .pointer(let tokens): JSONPointer(tokens: tokens).description
    case .memberName: "0#"
    }
  }

  /// Whether both are the same place; names are compared by Unicode scalars.
  package static func == (left: Attribute.Source, right: Attribute.Source) -> Bool {
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

/// The notation of an instant in the JSON.
package enum InstantNotation: Sendable, Hashable {
  /// RFC 3339 text. Texts without a zone use the default offset, in minutes east of UTC; without a default
  /// they are rejected.
  case rfc3339(defaultOffsetMinutes: Int?)
  /// Text of another form, with a default offset as above.
  case pattern(DatePattern, defaultOffsetMinutes: Int?)
  /// A number of units since 1970-01-01T00:00:00Z.
  case sinceEpoch(microsecondsPerUnit: Int64)

  /// The least difference of two instants that are written differently, in microseconds.
  package var unit: Int64 {
    switch self {
    case .rfc3339: 1
    case .pattern(let pattern, _): pattern.unit
    case .sinceEpoch(let unit): unit
    }
  }
}

/// A set of JSON Schema types.
package struct JSONTypes: OptionSet, BitwiseCopyable, Sendable, Hashable {
  /// One bit for each type.
  package let rawValue: UInt8

  /// A set of the types whose bits are set.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `null`.
  package static let null = JSONTypes(rawValue: 1)
  /// `true` and `false`.
  package static let boolean = JSONTypes(rawValue: 2)
  /// Numbers without a fraction, such as 2 and 2.0.
  package static let integer = JSONTypes(rawValue: 4)
  /// Numbers, including integers.
  package static let number = JSONTypes(rawValue: 8)
  /// Strings.
  package static let string = JSONTypes(rawValue: 16)
  /// Objects.
  package static let object = JSONTypes(rawValue: 32)
  /// Arrays.
  package static let array = JSONTypes(rawValue: 64)

  /// Every type: the default of a schema without `type`.
  package static let all = JSONTypes(rawValue: 127)

  /// The types that both sets allow; `number` includes `integer`.
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

  static let named: KeyValuePairs<String, JSONTypes> = [
    "null": .null, "boolean": .boolean, "integer": .integer, "number": .number, "string": .string,
    "object": .object, "array": .array,
  ]

  /// The names of the types for messages, such as `string or null`.
  var phrase: String {
    JSONTypes.named.filter { contains($0.value) && $0.value != .null }.map(\.key)
      .joined(separator: " or ") + (contains(.null) && self != .null ? " or null" : "")
  }
}

/// A relation to one: the object or plain value is stored as a row of another table.
package struct Relation: Sendable {
  /// The table of the related rows.
  package let table: String

  /// The attributes of the related object; together they are unique in its table.
  package let attributes: [Attribute]

  /// Whether the record holds the plain value of the only attribute instead of an object.
  package let isPlain: Bool

  /// How the row is found in a table that the toolkit did not create; nil if the value is its row id.
  package var foreignKey: ForeignKey?

  /// A column that a foreign key refers to; its values are unique.
  package struct ForeignKey: Sendable {
    package let column: String

    /// The collation of its unique index; nil if it is the row id.
    ///
    /// A value of such a column has a meaning of its own. So the value itself is content if no row has it, or if
    /// the attributes of its row are all NULL.
    package let collation: String?

    package init(column: String, collation: String?) {
      self.column = column
      self.collation = collation
    }
  }

  /// Whether rows of both relations can share a table.
  func isStored(as other: Relation) -> Bool {
    attributes.count == other.attributes.count
      && zip(attributes, other.attributes).allSatisfy {
        $0.column.isExactly($1.column) && $0.storage.isSameForm(as: $1.storage)
      }
  }
}

/// Which value of an attribute the winner of a group gets when its losers are merged into it.
package enum MergeRule: String, Sendable, Hashable, CaseIterable {
  /// The winner's value, or else the value of the greatest loser (by the winner rule) that has one.
  case newest
  /// The text with the most Unicode scalars.
  case longest
  /// The smallest number or the earliest instant.
  case minimum
  /// The greatest number or the latest instant.
  case maximum
  /// The distinct elements of all arrays, sorted by their canonical JSON text.
  case union
}
