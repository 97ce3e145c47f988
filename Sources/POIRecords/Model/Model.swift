/// The description of a record: attributes with types, sources and rules; key; timestamp; tombstone;
/// relations.
///
/// A model is read from a JSON Schema (2020-12) document with additional `x-` keywords, see
/// ``init(parsing:)``. The built-in model is ``poi``.
public struct Model: Sendable {
  /// The reserved prefix, which no table or column of a model can have.
  package static let reservedPrefix = "poikit_"

  /// The name in messages: the `$id`, or else the `title`, or else the table.
  public let name: String

  /// The table that holds the records.
  public let table: String

  /// The attributes, except relations to many, in document order.
  package internal(set) var attributes: [Attribute]

  /// The relations to many, in document order.
  package internal(set) var relations: [RelationToMany]

  /// The names of the attributes that identify a record; empty if the model has no key.
  public let key: [String]

  /// Whether the key is a guess: it was inferred, and its values repeat or nothing but its values suggests it.
  public internal(set) var isKeyDoubtful = false

  /// Whether a value that its column cannot hold is kept with the unmapped members, instead of rejecting the
  /// record.
  public package(set) var keepsMisfits = false

  /// The name of the attribute with the time of the last change; nil if the model has no timestamp.
  public let timestamp: String?

  /// What decides between records that are equally new, if the model says so.
  public internal(set) var ties: TieRule?

  /// Whether keys that contain NULL are equal if their other parts are; else such a record meets no other.
  public internal(set) var groupsNullKeys = false

  /// How a record says that it was removed; nil if the model has no tombstone.
  package internal(set) var tombstone: Tombstone?

  /// The member that marks the removal of a record by being true, whatever its tombstone says; nil if no member does.
  package internal(set) var removalMember: String?

  /// The column that stores the unmapped members as one JSON object, if any.
  public private(set) var unmappedColumn: String?

  /// The compiled rules of all values.
  package internal(set) var rules: RuleTable

  /// The rules of the record as a whole.
  package let recordRules: RecordRules

  /// The values for absent attributes.
  package var defaults = DefaultValues()

  /// The document of the model, as compact JSON text.
  public let document: String

  /// The view of the table for people.
  package var readableView: String { Model.reservedPrefix + "readable_" + table }

  /// Whether the table has instants, which are numbers.
  package var hasInstants: Bool {
    attributes.contains { if case .instant = $0.storage { true } else { false } }
  }

  /// The names of the attributes with times that are in UTC if they name no zone.
  package var zonelessNames: [String] {
    attributes.filter {
      switch $0.storage {
      case .instant(.rfc3339(0)), .instant(.pattern(_, 0)): true
      default: false
      }
    }.map(\.name)
  }

  /// The columns of the attributes and of the unmapped members.
  package var columns: [String] { attributes.map(\.column) + (unmappedColumn.map { [$0] } ?? []) }

  /// Removes columns and relations to many.
  package mutating func removeParts(where isRemoved: (String) -> Bool) {
    attributes.removeAll { isRemoved($0.column) }
    relations.removeAll { isRemoved($0.name) }
    if let column = unmappedColumn, isRemoved(column) { unmappedColumn = nil }
  }

  /// The attribute called `name`; nil if the model has no such attribute.
  package func attribute(named name: String) -> Attribute? {
    attributes.index(named: name).map { attributes[$0] }
  }
}

/// Models are equal if their documents are equal.
extension Model: Hashable {
  public static func == (left: Model, right: Model) -> Bool {
    left.document.isExactly(right.document)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(document) }
}

/// What decides between different records with one key and one timestamp, or without timestamps.
public enum TieRule: String, Sendable, Hashable, CaseIterable {
  /// The greater digest wins. The result does not depend on the order, so it is the same on every device.
  case digest

  /// The record that comes later wins. The result depends on the order of the deliveries.
  case later
}

/// The model's defaults, decoded once when the model is loaded.
package struct DefaultValues: Sendable {
  /// The default of one field.
  package struct Entry: BitwiseCopyable, Sendable {
    package var field: Int
    /// Its text range is in `text`.
    package var slot: ValueSlot
  }

  package var entries: [Entry] = []
  package var text: [UInt8] = []
}

/// The rules of a record as a whole; attributes are indices in the model.
package struct RecordRules: Sendable {
  var schema: Int

  /// The schema of unmapped members; nil if it allows every value.
  var additional: Int?

  /// The pairs of `dependentRequired`: a record with `attribute` must also have `needed`.
  package var dependencies: [Dependency]

  /// The attributes of `x-coordinates`.
  package var coordinates: Coordinates?

  package struct Dependency: BitwiseCopyable, Sendable {
    package var attribute: Int
    package var needed: Int
  }

  package struct Coordinates: BitwiseCopyable, Sendable {
    package var latitude: Int
    package var longitude: Int
  }
}

extension Model {
  /// The document as indented JSON text with a final newline, for editing.
  public var printedDocument: String {
    guard let json = try? JSONValue(parsing: document) else {
      preconditionFailure("a model was read from its document")
    }
    return json.indented() + "\n"
  }
}
