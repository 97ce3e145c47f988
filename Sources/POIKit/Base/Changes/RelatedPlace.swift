internal import POIRecords
internal import POISQLite

/// A table with parts of records, and the way from its rows to the rows of the records.
struct RelatedPlace {
  let table: String

  /// A query of the row ids of the records that have certain rows.
  ///
  /// - Parameter rows: row ids of the table, as the inside of `IN (…)`.
  let records: (_ rows: SQL) -> SQL

  /// The places of a model: the table of records itself, then the tables of its relations. A table that several
  /// relations use has several places.
  static func all(of model: Model) -> [RelatedPlace] {
    var places: [RelatedPlace] = []
    add(model, records: { $0 }, to: &places)
    return places
  }

  private static func add(
    _ model: Model, records: @escaping (SQL) -> SQL, to places: inout [RelatedPlace]
  ) {
    let id = StoreSchema.idColumn
    places.append(RelatedPlace(table: model.table, records: records))
    for attribute in model.attributes {
      guard let relation = attribute.relation else { continue }
      places.append(
        RelatedPlace(table: relation.table) { rows in
          records(
            "SELECT \(id) FROM main.\(name: model.table) WHERE \(name: attribute.column) IN (\(rows))"
          )
        })
    }
    for relation in model.relations {
      let (table, column, row): (String, String, SQL) =
        switch relation.link {
        case .parent(let column): (relation.element.table, column, id)
        case .join(let join, let parent, let row): (join, parent, SQL(name: row))
        }
      add(
        relation.element,
        records: {
          records("SELECT \(name: column) FROM main.\(name: table) WHERE \(row) IN (\($0))")
        },
        to: &places)
    }
  }
}
