/// A relation to many: an array of the record whose elements are rows of a table of their own.
public struct RelationToMany: Sendable {
  /// The name of the attribute that is the array.
  public let name: String

  /// Where the array stands in the record.
  public let source: Attribute.Source

  /// Whether a record without the array is rejected.
  public let isRequired: Bool

  /// Whether `null` may stand in the place of the array; it is an array without elements then.
  public let allowsNull: Bool

  let minItems: Int?
  let maxItems: Int?

  /// What an element is: its table, its attributes, its key, which tells the elements of one array
  /// apart, and its own relations to many.
  public let element: Model

  /// Whether an element is the value of its only attribute, and no object.
  public let isPlain: Bool

  /// How the rows belong to that of the record.
  public let link: Link

  /// How rows belong to the row of a record.
  public enum Link: Sendable, Hashable {
    /// Each to one: the column of their own table holds its row id.
    case parent(column: String)
    /// Each to any number: the rows of a table between hold the row ids of both.
    case join(table: String, parentColumn: String, rowColumn: String)
  }
}

extension RelationToMany {
  /// The rows that several parents share, as those of a relation to one.
  package var sharedRows: Relation {
    Relation(table: element.table, attributes: element.attributes, isPlain: isPlain)
  }
}

extension Model {
  /// How deep relations to many are nested at most.
  static let relationDepthLimit = 8

  /// The tables of all relations to one, of records and of the rows of their relations to many.
  package var tablesOfRelationsToOne: [String] {
    attributes.compactMap(\.relation?.table) + relations.flatMap(\.element.tablesOfRelationsToOne)
  }

  /// The tables of all relations to many at any depth, each after the one it refers to.
  package var tablesOfRelationsToMany: [String] {
    relations.flatMap { relation in
      var tables = [relation.element.table]
      if case .join(let table, _, _) = relation.link { tables.append(table) }
      return tables + relation.element.tablesOfRelationsToMany
    }
  }
}
