internal import SQLiteKit

/// The tables of relations to many and what they are filled with.
///
/// Rows go with the one that they belong to where foreign keys are enforced, which a store does while
/// records with such relations are written.
extension StoreSchema {
  /// The statements that create the tables of a relation to many, without those inside of it.
  ///
  /// - Parameter parent: the table of the records that have the array.
  /// - Returns: the table of the rows, and the table between where several parents share a row.
  func creation(of relation: RelationToMany, parent: String) -> (rows: String, join: String?) {
    switch relation.link {
    case .parent(let column):
      let columns =
        [reference(column, to: parent)] + relation.element.attributes.map { definition(of: $0) }
      let unique = ([column] + StoreSchema.keyColumns(of: relation)).map(quoted)
      return (
        rows: """
        CREATE TABLE \(quoted(relation.element.table)) (
          \(StoreSchema.idColumn) INTEGER PRIMARY KEY,
          \(columns.joined(separator: ",\n  ")),
          UNIQUE (\(unique.joined(separator: ", ")))
        ) STRICT
        """, join: nil
      )
    case .join(let join, let parentColumn, let rowColumn):
      return (
        rows: creation(of: relation.sharedRows),
        join: """
        CREATE TABLE \(quoted(join)) (
          \(StoreSchema.idColumn) INTEGER PRIMARY KEY,
          \(reference(parentColumn, to: parent)),
          \(quoted(rowColumn)) INTEGER NOT NULL
            REFERENCES \(quoted(relation.element.table)) (\(StoreSchema.idColumn)),
          UNIQUE (\(quoted(parentColumn)), \(quoted(rowColumn)))
        ) STRICT;
        CREATE INDEX \(quoted(Bookkeeping.prefix + "related_" + join))
        ON \(quoted(join)) (\(quoted(rowColumn)))
        """
      )
    }
  }

  /// The count of a relation's rows, for the readable view.
  func count(of relation: RelationToMany) -> String {
    let (table, column) =
      switch relation.link {
      case .parent(let column): (relation.element.table, column)
      case .join(let join, let parentColumn, _): (join, parentColumn)
      }
    return "(SELECT count(*) FROM \(quoted(table)) WHERE \(quoted(column)) "
      + "= t.\(StoreSchema.idColumn)) AS \(quoted(relation.name))"
  }

  /// The columns that tell the elements of one array apart.
  static func keyColumns(of relation: RelationToMany) -> [String] {
    relation.element.key.compactMap { relation.element.attribute(named: $0)?.column }
  }

  /// The column of a row that belongs to one parent.
  private func reference(_ column: String, to parent: String) -> String {
    "\(quoted(column)) INTEGER NOT NULL REFERENCES \(quoted(parent)) (\(StoreSchema.idColumn)) "
      + "ON DELETE CASCADE"
  }
}

extension RelationToMany {
  /// The rows that several parents share, as those of a relation to one.
  var sharedRows: Relation { Relation(table: element.table, attributes: element.attributes) }
}
