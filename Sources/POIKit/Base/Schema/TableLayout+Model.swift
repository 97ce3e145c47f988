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
  package init(_ model: Model, key: [String] = [], timestamp: String? = nil) throws(StoreError) {
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
      model, isToolkitTable: true, keyColumns: columns,
      timestampColumn: timestampAttribute?.column, isTimestampInstant: isInstant,
      tombstoneColumn: model.tombstoneColumn,
      identityColumns: model.key.compactMap { model.attribute(named: $0)?.column })
    removals = TombstoneTable(model)
    isKeyDoubtful = key.isEmpty && model.isKeyDoubtful
  }

  /// The part of a layout that a digest needs.
  init(contentOf model: Model) { self.init(model, isToolkitTable: true) }

  private static func attribute(_ name: String, of model: Model) throws(StoreError) -> Attribute {
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
