internal import POIRecords
internal import POISQLite

/// Changes the model of an existing table.
extension Store {
  /// Has a table keep another version of its model, as an import with that model would.
  ///
  /// - Throws: `StoreError` with `modelDiffers` if the table does not fit it, or an import is unfinished.
  package func keep(_ model: Model) throws(StoreError) {
    try leased { (lease) in
      if model.groupsNullKeys,
        try EnforcedKey.read(of: model, in: lease.connection)?.isHashed == true
      {
        throw StoreFailure(
          .invalidOptions, "keys that contain NULL cannot be grouped by a hash: such a key has none"
        )
      }
      let unfinished = RunRecord.unfinishedImports(into: model.table)
      let isFree = try RunRecord.latest(where: unfinished, in: lease.connection) == nil
      try lease.prepareTables(for: model, mayChange: isFree)
    }
  }
}

extension Store.Lease {
  /// Adapts a model's table to another version of the model, in one transaction: it adds and widens columns,
  /// recreates the readable view and stores the new document.
  ///
  /// - Throws: `StoreError` with `modelDiffers`, all reasons and remedies if this would lose data.
  func changeModel(to new: Model) throws {
    // A table cannot be rebuilt while foreign keys are enforced; a transaction cannot change whether they are.
    let enforcesReferences = try connection.integer("PRAGMA foreign_keys") == 1
    try connection.execute("PRAGMA foreign_keys = OFF")
    defer { if enforcesReferences { try? connection.execute("PRAGMA foreign_keys = ON") } }
    try connection.inTransaction {
      // Read inside the transaction, because another program may change it, too.
      let old = try model(ofTable: new.table)
      let change = ModelChange(from: old, to: new, table: try tableState(of: old, new))
      guard change.obstacles.isEmpty else {
        throw StoreFailure(
          .modelDiffers,
          "the table \"\(new.table)\" was made with another model: "
            + change.obstacles.joined(separator: "; "),
          advice: change.advice + [.useModel(ofTable: new.table), .useOtherStore])
      }
      try RememberedDigest(TableLayout(contentOf: old), in: connection).forget()
      let log = try ChangeLog.existing(of: old, in: connection)
      if let log {
        let types = log.key.map(StoreSchema(old).columnType)
        let newTypes = log.key.compactMap { new.attribute(named: $0.name) }.map(
          StoreSchema(new).columnType)
        guard types.map(\.text) == newTypes.map(\.text) else {
          throw StoreFailure(
            .modelDiffers,
            "local changes of the table \"\(new.table)\" are remembered by its key, whose type would change",
            advice: .untrack(table: new.table))
        }
        try ChangeTriggers(log).drop()
      } else if TombstoneTable(old) != TombstoneTable(new) {
        // The next import recreates it for the new model.
        try TombstoneTable.remove(for: new.table, in: connection)
      }
      try connection.writing(.unlogged) { try apply(change, to: new) }
      if log != nil { try trackAgain(new) }
    }
  }

  /// Why a table cannot be changed to another model; nil if it can, or if it does not exist.
  ///
  /// - Parameter abandonsRuns: whether unfinished imports into the table are abandoned.
  func obstacle(to new: Model, abandonsRuns: Bool) throws -> String? {
    guard try document(ofTable: new.table) != nil else { return nil }
    let old = try model(ofTable: new.table)
    if old == new { return nil }
    guard
      try abandonsRuns
        || RunRecord.latest(where: RunRecord.unfinishedImports(into: new.table), in: connection)
          == nil
    else {
      return "an import into the table is unfinished"
    }
    let change = ModelChange(from: old, to: new, table: try tableState(of: old, new))
    guard change.obstacles.isEmpty else { return change.obstacles.joined(separator: "; ") }
    if !change.widened.isEmpty {
      do {
        _ = try TableRebuild(
          attributes: change.widened, schema: StoreSchema(new), connection: connection
        )
        .creation()
      } catch let error as StoreFailure {
        return error.message
      }
    }
    return nil
  }

  private func tableState(of old: Model, _ new: Model) throws -> ModelChange.Table {
    let name = SQL(name: old.table)
    var table = ModelChange.Table(
      notNullColumns: [], columns: [],
      rowCount: Int(try connection.integer("SELECT count(*) FROM \(name)") ?? 0),
      isKeyEnforced: try EnforcedKey.read(of: old, in: connection) != nil, columnsWithNull: [])
    if TombstoneTable(old) != TombstoneTable(new),
      try !ChangeLog.exists(of: old.table, in: connection)
    {
      table.unfitRemovalCount = try TombstoneTable.removalCount(of: old.table, in: connection)
    }
    var statement = try connection.prepare("SELECT name, \"notnull\" FROM pragma_table_info(?1)")
    try statement.bind(1, text: old.table)
    while try statement.step() {
      table.columns.insert(statement.text(0).lowercased())
      if statement.integer(1) != 0 { table.notNullColumns.insert(ExactText(statement.text(0))) }
    }
    for attribute in ModelChange.newlyRequired(from: old, to: new) {
      let found = try connection.integer(
        "SELECT EXISTS (SELECT 1 FROM \(name) WHERE \(name: attribute.column) IS NULL)")
      if found == 1 { table.columnsWithNull.insert(ExactText(attribute.column)) }
    }
    for before in old.attributes where before.storage == .integer {
      guard let after = new.attributes.first(where: { $0.column.isExactly(before.column) }),
        after.storage == .real
      else { continue }
      let limit = 1 << 53
      let archive = ArchiveTable.prefix + old.table
      let isArchived = TableSchema.contains(
        try ArchiveTable.columns(of: old.table, in: connection), before.column)
      for source in [name] + (isArchived ? [SQL(name: archive)] : []) {
        let found = try connection.integer(
          """
          SELECT EXISTS (
            SELECT 1 FROM \(source) WHERE \(name: before.column) NOT BETWEEN \(-limit) AND \(limit))
          """)
        if found == 1 { table.columnsWithWideIntegers.insert(ExactText(before.column)) }
      }
    }
    return table
  }

  private func apply(_ change: ModelChange, to model: Model) throws {
    let schema = StoreSchema(model)
    if !change.widened.isEmpty {
      try TableRebuild(attributes: change.widened, schema: schema, connection: connection).run()
    }
    try makeRelations(of: change.attributes, schema: schema)
    for addition in schema.additions(change.attributes, unmappedColumn: change.unmappedColumn) {
      try connection.execute(addition)
    }
    try makeRelationsToMany(change.relations, of: model, schema: schema)
    let columns = change.attributes.map(\.column)
    let keepsTimes = try PropertyTimes.isKept(in: model.table, of: connection)
    var tables = [model.table]
    // Archived rows get the same columns and defaults, so that a run can be undone.
    if try ArchiveTable.add(
      columns + (keepsTimes ? [PropertyTimes.column] : []), toArchiveOf: model.table,
      in: connection)
    {
      tables.append(ArchiveTable.prefix + model.table)
    }
    for table in tables {
      try giveDefaults(of: model, to: change.attributes, in: table)
      guard keepsTimes else { continue }
      try PropertyTimes.markUnnamed(
        columns + (change.unmappedColumn.map { [$0] } ?? []) + change.relations.map(\.name),
        in: table, of: connection)
    }
    let changed = columns + change.widened.map(\.after.column)
    if var move = try KeptValueMove(model, columns: changed, in: connection) { try move.run() }
    if change.outdatesTokens { try forgetHighestRecords(ofTable: model.table) }
    try connection.execute(schema.viewRenewal)
    var statement = try connection.prepare("UPDATE poikit_table SET model = ?2 WHERE name = ?1")
    try statement.bind(1, text: model.table)
    try statement.bind(2, text: model.document)
    try statement.run()
  }

  /// Fills new attributes of the rows of a table or its archive with their defaults.
  private func giveDefaults(of model: Model, to attributes: [Attribute], in table: String) throws {
    let columns = attributes.map(\.column)
    let entries = model.defaults.entries.filter {
      !$0.slot.isNull && columns.contains(model.attributes[$0.field].column)
    }
    guard !entries.isEmpty else { return }
    let values: [SQL] = entries.enumerated().map { number, entry in
      "\(name: model.attributes[entry.field].column) = ?\(number + 1)"
    }
    var update = try connection.prepare(
      "UPDATE \(name: table) SET \(values.joined(separator: ", "))",
      isPersistent: false)
    for (number, entry) in entries.enumerated() {
      switch entry.slot.kind {
      case .integer: try update.bind(number + 1, integer: entry.slot.integer)
      case .real: try update.bind(number + 1, real: entry.slot.real)
      case .text:
        try update.bind(number + 1, text: model.defaults.text.span.extracting(entry.slot.textRange))
      case .absent, .null, .related: break
      }
    }
    try update.run()
  }
}
