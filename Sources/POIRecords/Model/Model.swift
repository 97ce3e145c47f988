/// What a record is: its attributes with their types, sources and rules; its key; its timestamp;
/// its tombstone; its relations.
///
/// A model comes from a JSON Schema (2020-12) document with the toolkit's own `x-` keywords, see
/// ``init(parsing:)``. The built-in one is ``poi``.
public struct Model: Sendable {
  /// The prefix of the names that the toolkit keeps for itself; no table or column of a model has it.
  package static let reservedPrefix = "poikit_"

  /// What messages call the model: its `$id`, else its `title`, else its table.
  public let name: String

  /// The table that holds the records.
  public let table: String

  /// The attributes in the order in which the document names them, but for relations to many.
  public let attributes: [Attribute]

  /// The relations to many, in the order in which the document names them.
  public let relations: [RelationToMany]

  /// The names of the attributes that identify a record; empty where the model names none.
  public let key: [String]

  /// The name of the attribute that says when a record was last changed.
  public let timestamp: String?

  /// What says that a record was removed; nil if nothing does.
  public let tombstone: Tombstone?

  /// The column that keeps the members that no attribute maps, as one JSON object.
  public let unmappedColumn: String?

  /// The rules of all values, compiled.
  package let rules: RuleTable

  /// The rules of the record as a whole.
  package let recordRules: RecordRules

  /// What records get for the attributes that they lack.
  package var defaults = DefaultValues()

  /// The document that the model was read from, as compact JSON text.
  public let document: String

  /// The attribute called `name`.
  public func attribute(named name: String) -> Attribute? {
    attributes.index(named: name).map { attributes[$0] }
  }
}

/// Models are equal where their documents are, of which all of a model follows.
extension Model: Hashable {
  public static func == (left: Model, right: Model) -> Bool {
    left.document.isExactly(right.document)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(document) }
}
