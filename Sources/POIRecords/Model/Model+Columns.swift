/// Models of tables that no document describes: the columns as they are.
extension Model {
  /// A model without a key or rules.
  package init(ofTable table: String, _ columns: [Attribute]) {
    var rules = RuleTable()
    rules.schemas = [.anything]
    self.init(
      name: table, table: table, attributes: columns, relations: [], key: [], timestamp: nil,
      tombstone: nil, unmappedColumn: nil, rules: rules,
      recordRules: RecordRules(schema: 0, additional: nil, dependencies: []), document: "")
  }
}

extension Attribute {
  /// A column with values of any type.
  ///
  /// - Parameters:
  ///   - relation: the row that the value refers to, if the content is that row.
  ///   - mergeRule: see `mergeRule`.
  package init(column: String, relation: Relation? = nil, mergeRule: MergeRule? = nil) {
    self.init(
      name: column, column: column, source: .pointer([column]),
      types: [.null, .integer, .number, .string], storage: relation == nil ? .any : .relation,
      isRequired: true, isLenient: false, readsEmptyAsNull: false, allowsNUL: true,
      defaultValue: nil, mergeRule: mergeRule, schema: 0, relation: relation)
  }
}

extension Relation {
  /// A row of a table that no document describes.
  ///
  /// - Parameter columns: the columns that identify the row on every device.
  package init(ofTable table: String, _ columns: [String], foreignKey: ForeignKey) {
    self.init(
      table: table, attributes: columns.map { Attribute(column: $0) }, isPlain: false,
      foreignKey: foreignKey)
  }
}
