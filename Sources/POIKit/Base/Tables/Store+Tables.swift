internal import POIRecords
internal import POISQLite

/// The tables of records and their models.
extension Store.Lease {
  /// See `Store.tables()`.
  func tables() throws -> [String] {
    try connection.rows(
      """
      SELECT name FROM poikit_table AS t WHERE EXISTS (
        SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'view') AND name = t.name COLLATE NOCASE)
      ORDER BY name
      """
    ) { $0.text(0) }
  }

  /// The tables that a call without a table's name may mean: those with rows, or all if none has any.
  ///
  /// So the empty table of a first try that stored nothing is not chosen.
  func defaultTables() throws -> [String] {
    let names = try tables()
    guard names.count > 1 else { return names }
    let filled = try names.filter { try hasRows(inTable: $0) }
    return filled.isEmpty ? names : filled
  }

  /// Whether a table is there and has a row.
  func hasRows(inTable name: String) throws -> Bool {
    try sql(ofTable: name) != nil
      && connection.integer("SELECT EXISTS (SELECT 1 FROM main.\(name: name))") == 1
  }

  /// See `Store.table(named:)`.
  func table(named name: String) throws -> String? {
    try tables().first { TableSchema.isSame($0, name) }
  }

  /// See `Store.model(ofTable:)`.
  func model(ofTable table: String? = nil) throws -> Model {
    let names = table == nil ? try defaultTables() : []
    guard let table = table ?? (names.count == 1 ? names[0] : nil) else {
      throw names.isEmpty
        ? StoreFailure(.noSuchTable, "the store holds no records; import some first")
        : StoreFailure(
          .noSuchTable, "the store holds several tables, \(names.joined(separator: ", "))",
          advice: .nameTable)
    }
    guard let document = try document(ofTable: try self.table(named: table) ?? table) else {
      throw try missing(table)
    }
    do {
      return try Model(parsing: document)
    } catch {
      throw StoreFailure(.notAStore, "the model of the table \"\(table)\": \(error)")
    }
  }

  /// The error for a table that the store does not have.
  private func missing(_ table: String) throws -> StoreFailure {
    let names = try tables()
    return StoreFailure(
      .noSuchTable,
      "the store has no table of records \"\(table)\"; it has "
        + (names.isEmpty ? "none" : names.joined(separator: ", ")))
  }

  /// - Throws: `StoreFailure` with `noSuchTable` if the store lacks the model's table.
  func checkTable(of model: Model) throws {
    guard try sql(ofTable: model.table) == nil else { return }
    throw try missing(model.table)
  }

  /// The document of the model that a table was made with or last adapted to.
  func document(ofTable table: String) throws -> String? {
    try Bookkeeping.document(ofTable: table, in: connection)
  }

  /// Creates the model's tables, or adapts existing ones.
  ///
  /// Foreign keys are enforced from then on in three cases:
  /// - The model has to-many relations or deletes removed rows, so that rows that belong to a row go with
  ///   it.
  /// - Foreign keys of an app may refuse a record.
  /// - An app's other additions may change rows.
  ///
  /// - Parameter mayChange: whether tables of another model may be adapted.
  func prepareTables(for model: Model, mayChange: Bool = true) throws {
    if !model.relations.isEmpty || model.tombstone?.removal == .delete { try enforceReferences() }
    if try document(ofTable: model.table) == nil {
      try connection.withoutWaitingForDisk { try makeTables(for: model) }
    }
    if try document(ofTable: model.table)?.isExactly(model.document) != true {
      try fitTables(to: model, mayChange: mayChange)
    }
    let facts = try SchemaFacts(of: model, in: connection)
    if facts.mayRefuseReference || facts.changesOtherRows { try enforceReferences() }
  }

  /// Forgets the model's table, its unfinished imports and its tokens if another program dropped it.
  func forgetDroppedTable(of model: Model) throws {
    guard try document(ofTable: model.table) != nil, try sql(ofTable: model.table) == nil else {
      return
    }
    for run in try RunRecord.list(
      where: RunRecord.unfinishedImports(into: model.table), in: connection)
    {
      try RunRecord.abandon(run.id, in: connection)
    }
    try connection.inTransaction {
      try connection.execute("DROP VIEW IF EXISTS main.\(name: model.readableView)")
      try TombstoneTable.remove(for: model.table, in: connection)
      try connection.execute("DROP TABLE IF EXISTS main.\(name: ChangeLog.prefix + model.table)")
      try forgetTokens(ofTable: model.table)
      try ServerLink.remove(of: model.table, in: connection)
      try connection.execute(
        """
        DELETE FROM poikit_redirect WHERE table_name = \(literal: model.table);
        DELETE FROM poikit_table WHERE name = \(literal: model.table)
        """)
    }
  }

  private func enforceReferences() throws {
    try connection.execute("PRAGMA foreign_keys = ON")
  }

  /// Adapts tables that were made with another model.
  private func fitTables(to model: Model, mayChange: Bool) throws {
    guard mayChange else {
      throw StoreFailure(
        .modelDiffers,
        "the table \"\(model.table)\" has another model, and an import into it with the "
          + "previous model is unfinished",
        advice: .useModel(ofTable: model.table), .restart)
    }
    try changeModel(to: model)
  }

  /// Creates the tables of a model, unless another program created them meanwhile.
  private func makeTables(for model: Model) throws {
    let schema = StoreSchema(model)
    try connection.inTransaction {
      guard try document(ofTable: model.table) == nil else { return }
      try makeRelations(of: model.attributes, schema: schema)
      try refuseTable(model.table)
      try connection.execute(schema.creation)
      try makeRelationsToMany(model.relations, of: model, schema: schema)
      var statement = try connection.prepare(
        "INSERT INTO poikit_table (name, model) VALUES (?, ?)")
      try statement.bind(1, text: model.table)
      try statement.bind(2, text: model.document)
      try statement.run()
    }
  }

  /// Creates the tables of the to-one relations of some attributes. Several models may share an equal one.
  func makeRelations(of attributes: [Attribute], schema: StoreSchema) throws {
    for relation in attributes.compactMap(\.relation) { try makeShared(relation, schema: schema) }
  }

  /// Creates the tables of to-many relations. Only rows shared by several parents may go into an existing
  /// table.
  func makeRelationsToMany(
    _ relations: [RelationToMany], of model: Model, schema: StoreSchema
  ) throws {
    for relation in relations {
      try makeRelations(of: relation.element.attributes, schema: schema)
      let creation = schema.creation(of: relation, parent: model.table)
      switch relation.link {
      case .parent:
        try refuseTable(relation.element.table)
        try connection.execute(creation.rows)
      case .join(let join, _, _):
        try makeShared(relation.sharedRows, schema: schema)
        try refuseTable(join)
        if let creation = creation.join { try connection.execute(creation) }
      }
      try makeRelationsToMany(
        relation.element.relations, of: relation.element, schema: schema)
    }
  }

  private func makeShared(_ relation: Relation, schema: StoreSchema) throws {
    if try sql(ofTable: relation.table) == nil {
      try connection.execute(schema.creation(of: relation))
    } else if try connection.integer(schema.compatibilityCheck(of: relation)) != 1 {
      try refuseTable(relation.table)
    }
  }

  private func refuseTable(_ table: String) throws {
    try Store.refuseTable(table, in: connection)
  }

  /// The statement that created a table or view.
  private func sql(ofTable table: String) throws -> String? {
    try Store.sql(ofTable: table, in: connection)
  }
}

extension Store.Database {
  /// The number of tables that the toolkit's own lack in a database of another program; nil if the database
  /// is empty or a store. Nothing changes.
  ///
  /// - Parameter model: the model of the records that the database is to hold.
  /// - Throws: `StoreError` with `modelDiffers` if the other program has one of the model's tables.
  package func missingTableCount(for model: Model) throws(StoreError) -> Int64? {
    guard case .foreign(let connection) = self else { return nil }
    return try StoreError.converting(path: connection.path) {
      if try Store.isEmpty(connection) { return nil }
      for table in [model.table] + model.tablesOfRelationsToOne + model.tablesOfRelationsToMany {
        try Store.refuseTable(table, in: connection)
      }
      return try Bookkeeping.missingCount(in: connection)
    }
  }
}

extension Store {
  fileprivate static func refuseTable(_ table: String, in connection: Connection) throws {
    guard try sql(ofTable: table, in: connection) != nil else { return }
    throw StoreFailure(
      .modelDiffers,
      "the store has another table or view called \"\(table)\"; name another one in the "
        + "model")
  }

  fileprivate static func sql(ofTable table: String, in connection: Connection) throws -> String? {
    var statement = try connection.prepare(
      "SELECT sql FROM sqlite_schema WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view')")
    try statement.bind(1, text: table)
    return try statement.step() ? statement.text(0) : nil
  }
}
