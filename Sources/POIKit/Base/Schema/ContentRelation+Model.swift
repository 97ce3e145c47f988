internal import POIRecords
internal import POISQLite

extension ContentRelation {
  static func all(of model: Model) -> [ContentRelation] {
    model.relations.map { relation in
      ContentRelation(
        name: relation.name, table: relation.element.table, idColumn: StoreSchema.idColumn.text,
        contentColumns: TableLayout.contentColumns(of: relation.element),
        relations: all(of: relation.element), link: relation.link)
    }
  }
}
