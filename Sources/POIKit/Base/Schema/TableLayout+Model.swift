internal import POIRecords
internal import POISQLite

extension TableLayout {
  /// The layout of a model's table in a store.
  ///
  /// - Parameters:
  ///   - model: the model of the table.
  ///   - key: the names of the attributes or columns to group by; if empty, the model's key.
  ///   - timestamp: the name of the attribute or column with the time of a record's last change; if
  ///     nil, the model's timestamp.
  /// - Throws: `StoreError` with `noSuchColumn` when the model has no such attribute, or when the
  ///   model has no key and `key` is empty.
  package init(
    _ model: Model, key: [String] = [], timestamp: String? = nil
  ) throws(StoreError) {
    let columns = try (key.isEmpty ? model.key : key).map { name throws(StoreError) in
      try TableLayout.attribute(name, of: model).column
    }
    guard !columns.isEmpty else {
      throw StoreError(
        .noSuchColumn, "the model \"\(model.name)\" names no key", advice: .nameKey)
    }
    let timestampAttribute = try (timestamp ?? model.timestamp).map { name throws(StoreError) in
      try TableLayout.attribute(name, of: model)
    }
    if let timestampAttribute, timestampAttribute.relation != nil {
      throw StoreError(
        .noSuchColumn,
        "the attribute \"\(timestampAttribute.name)\" is a relation, not a timestamp; name "
          + "another one")
    }
    var isInstant = false
    if case .instant = timestampAttribute?.storage { isInstant = true }
    self.init(
      table: model.table, contentColumns: TableLayout.contentColumns(of: model),
      keyColumns: columns,
      timestampColumn: timestampAttribute?.column, isTimestampInstant: isInstant,
      tombstoneColumn: model.tombstoneColumn,
      identityColumns: model.key.compactMap { model.attribute(named: $0)?.column },
      isToolkitTable: true, relations: ContentRelation.all(of: model))
    removals = TombstoneTable(model)
    self.model = model
    isKeyDoubtful = key.isEmpty && model.isKeyDoubtful
  }

  /// The columns that the digest of a model's record covers.
  static func contentColumns(of model: Model) -> [ContentColumn] {
    var columns = model.attributes.map { attribute in
      ContentColumn(
        attribute.column,
        relation: attribute.relation.map { relation in
          RelatedRow(
            table: relation.table, idColumn: StoreSchema.idColumn.text,
            uniqueColumns: relation.attributes.map(\.column))
        }, mergeRule: attribute.mergeRule ?? .newest)
    }
    if let unmapped = model.unmappedColumn { columns.append(ContentColumn(unmapped)) }
    return columns
  }

  private static func attribute(
    _ name: String, of model: Model
  ) throws(StoreError) -> Attribute {
    let attribute =
      model.attribute(named: name) ?? model.attributes.first { $0.column == name }
    guard let attribute else {
      throw StoreError(
        .noSuchColumn,
        "the model \"\(model.name)\" has no attribute \"\(name)\"; it has "
          + model.attributes.map(\.name).joined(separator: ", "))
    }
    return attribute
  }
}
