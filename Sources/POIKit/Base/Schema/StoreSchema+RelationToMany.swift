internal import POIRecords
internal import POISQLite

/// The tables of relations to many.
///
/// Foreign keys delete rows with their parents. A store enforces them while records with such
/// relations are written.
extension StoreSchema {
  /// The statements that create the tables of a relation to many, but not the tables of its own relations.
  ///
  /// - Parameter parent: the table of the records that have the array.
  /// - Returns: the table of the rows, and the join table if several parents share a row.
  func creation(of relation: RelationToMany, parent: String) -> (rows: SQL, join: SQL?) {
    switch relation.link {
    case .parent(let column):
      let columns =
        [reference(column, to: parent)] + relation.element.attributes.map { definition(of: $0) }
      let unique = ([column] + StoreSchema.keyColumns(of: relation)).map(SQL.init(name:))
      return (
        rows: """
        CREATE TABLE \(name: relation.element.table) (
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
        CREATE TABLE \(name: join) (
          \(StoreSchema.idColumn) INTEGER PRIMARY KEY,
          \(reference(parentColumn, to: parent)),
          \(name: rowColumn) INTEGER NOT NULL
            REFERENCES \(name: relation.element.table) (\(StoreSchema.idColumn)),
          UNIQUE (\(name: parentColumn), \(name: rowColumn))
        ) STRICT;
        CREATE INDEX \(name: Bookkeeping.prefix + "related_" + join)
        ON \(name: join) (\(name: rowColumn))
        """
      )
    }
  }

  /// The number of a relation's rows, for the readable view.
  func count(of relation: RelationToMany) -> SQL {
    let (table, column) =
      switch relation.link {
      case .parent(let column): (relation.element.table, column)
      case .join(let join, let parentColumn, _): (join, parentColumn)
      }
    return """
      (SELECT count(*) FROM \(name: table) AS n WHERE n.\(name: column) \
      = t.\(StoreSchema.idColumn)) AS \(name: relation.name)
      """
  }

  /// The columns that distinguish the elements of one array.
  static func keyColumns(of relation: RelationToMany) -> [String] {
    relation.element.key.compactMap { relation.element.attribute(named: $0)?.column }
  }

  private func reference(_ column: String, to parent: String) -> SQL {
    """
    \(name: column) INTEGER NOT NULL REFERENCES \(name: parent) (\(StoreSchema.idColumn)) \
    ON DELETE CASCADE
    """
  }
}
