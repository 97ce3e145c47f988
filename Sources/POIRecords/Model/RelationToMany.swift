/// A relation to many: an array of the record whose elements are stored as rows of another table.
package struct RelationToMany: Sendable {
  /// The name of the array's attribute.
  package let name: String

  /// The place of the array in the record.
  package let source: Attribute.Source

  /// Whether a record without the array is rejected.
  package let isRequired: Bool

  /// Whether `null` is allowed, with the meaning of an empty array.
  package let allowsNull: Bool

  let minItems: Int?
  let maxItems: Int?

  /// The model of an element: its table, attributes and relations to many, and its key, which is unique
  /// within one array.
  package let element: Model

  /// Whether an element is the plain value of its only attribute instead of an object.
  package let isPlain: Bool

  /// How the rows are linked to the row of the record.
  package let link: Link

  /// How rows are linked to the row of a record.
  package enum Link: Sendable, Hashable {
    /// Each row belongs to one record: a column of the row holds the record's row id.
    case parent(column: String)
    /// Each row can belong to many records: a join table holds the row ids of both.
    case join(table: String, parentColumn: String, rowColumn: String)
  }
}

extension RelationToMany {
  /// The shared rows of a join, described as a relation to one.
  package var sharedRows: Relation {
    Relation(table: element.table, attributes: element.attributes, isPlain: isPlain)
  }
}

extension Model {
  static let relationDepthLimit = 8

  /// The tables of all relations to one at any depth.
  package var tablesOfRelationsToOne: [String] {
    attributes.compactMap(\.relation?.table) + relations.flatMap(\.element.tablesOfRelationsToOne)
  }

  /// The tables of all relations to many at any depth, each after the table that it refers to.
  package var tablesOfRelationsToMany: [String] {
    relations.flatMap { relation in
      var tables = [relation.element.table]
      if case .join(let table, _, _) = relation.link { tables.append(table) }
      return tables + relation.element.tablesOfRelationsToMany
    }
  }
}
