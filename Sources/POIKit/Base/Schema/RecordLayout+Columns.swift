package import POIRecords
package import POISQLite

/// A record's row in the database: its columns, and the columns of its related rows.
extension RecordLayout {
  /// The tables of the relations to one, as `column` names them, joined to the table `t` of the records.
  var joins: SQL {
    var joins: SQL = ""
    for (place, field) in fields.enumerated() {
      guard let relation = field.attribute.relation else { continue }
      let (row, key): (SQL, ForeignKey?) = ("r\(place)", relation.foreignKey)
      var value: SQL = "t.\(name: field.attribute.column)"
      // A foreign key compares without the affinity and the collation of the child column.
      if let collation = key?.collation { value = "+\(value) COLLATE \(name: collation)" }
      joins += """
         LEFT JOIN main.\(name: relation.table) AS \(row) \
        ON \(row).\(key.map { SQL(name: $0.column) } ?? StoreSchema.idColumn) = \(value)
        """
    }
    return joins
  }

  /// The column of a field, in a statement with the `joins`.
  func column(_ place: Int) -> SQL {
    let column = SQL(name: fields[place].attribute.column)
    return fields[place].relationField.map { "r\($0).\(column)" } ?? "t.\(column)"
  }

  /// The text of a statement that reads rows: the row id, the fields in their order, the unmapped members if the
  /// model keeps them, and more.
  ///
  /// - Parameters:
  ///   - model: the model of the layout.
  ///   - source: the tables, with the table of the rows as `t`; nil for this table alone.
  ///   - rowID: the row id.
  ///   - others: more result columns.
  ///   - rest: conditions and order.
  package func query(
    of model: Model, from source: SQL? = nil, rowID: SQL = "t.\(StoreSchema.idColumn)",
    with others: [SQL] = [], rest: SQL
  ) -> SQL {
    let unmapped: [SQL] = model.unmappedColumn.map { ["t.\(name: $0)"] } ?? []
    let results = [rowID] + fields.indices.map(column) + unmapped + others
    return """
      SELECT \(results.joined(separator: ", ")) \
      FROM \(source ?? "main.\(name: model.table) AS t")\(joins) \(rest)
      """
  }

  private typealias ForeignKey = Relation.ForeignKey
}

extension Model {
  /// The condition that a row of the table is not marked as removed.
  package func isLive(in row: SQL) -> SQL {
    tombstoneColumn.map { "coalesce(\(row).\(name: $0), 0) = 0" } ?? "1"
  }
}
