internal import POIRecords
internal import POISQLite

/// The statements that change a table to another model.
extension StoreSchema {
  /// The statements that add columns to the table of records.
  ///
  /// The columns accept NULL, because existing rows have no value.
  func additions(_ attributes: [Attribute], unmappedColumn: String?) -> [SQL] {
    var definitions = attributes.map { definition(of: $0, acceptsNull: true) }
    if let unmappedColumn { definitions.append("\(name: unmappedColumn) TEXT") }
    return definitions.map { "ALTER TABLE \(name: model.table) ADD COLUMN \($0)" }
  }

  var viewRenewal: SQL { "DROP VIEW IF EXISTS \(name: viewName); \(readableView)" }

  /// The statements that create all tables of a relation to many, to compare it with another
  /// relation.
  func tables(of relation: RelationToMany) -> [SQL] {
    let creation = creation(of: relation, parent: model.table)
    let element = relation.element
    return [creation.rows, creation.join ?? ""]
      + element.attributes.compactMap(\.relation).map(self.creation(of:))
      + element.relations.flatMap { StoreSchema(element).tables(of: $0) }
  }
}
