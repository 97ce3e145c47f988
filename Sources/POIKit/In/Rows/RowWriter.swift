internal import POIRecords
internal import POISQLite

/// Writes records to the rows of a model's table: inserts rows, or updates stored ones.
///
/// The statements are prepared once for the run, and again after another program changed the database.
struct RowWriter: ~Copyable {
  struct Table {
    let schema: StoreSchema
    let key: EnforcedKey?
    let hasTimes: Bool
    let facts: SchemaFacts

    init(of model: Model, in connection: Connection) throws {
      schema = StoreSchema(model)
      key = try EnforcedKey.read(of: model, in: connection)
      hasTimes = try PropertyTimes.isKept(in: model.table, of: connection)
      facts = try SchemaFacts(of: model, in: connection)
    }

    /// The numbers of the parameters after the columns' parameters.
    var hashParameter: Int { schema.columnCount + 1 }
    var timesParameter: Int { schema.columnCount + 2 }
    var rowIDParameter: Int { schema.columnCount + 3 }
  }

  private let table: Table
  private var insertion: RowInsertion
  private var update: Statement
  private var deletion: Statement
  private var canonicalKey = CanonicalKey()
  private let relations: [(slot: Int, writer: RelationWriter)]
  private let relationsToMany: [RelationToManyWriter]
  private var relatedRowIDs: [(slot: Int, rowID: Int64)] = []

  /// Restored if a record is refused after rows were inserted for its relations.
  private let savepoint: RecordSavepoint

  init(_ table: Table, savepoint: RecordSavepoint, connection: Connection) throws {
    // The initializer of a noncopyable value must do everything that can fail before it sets the
    // first property.
    let insertion = try table.insertion(on: connection)
    let update = try connection.prepare(table.update)
    let relations = try RelationWriter.writers(
      for: table.schema.model, layout: table.schema.layout, table.facts, connection: connection)
    let relationsToMany = try RelationToManyWriter.writers(
      for: table.schema.layout, table.facts, connection: connection)
    let deletion = try connection.prepare(
      "DELETE FROM \(name: table.schema.model.table) WHERE \(StoreSchema.idColumn) = ?1")
    self.table = table
    self.insertion = insertion
    self.update = update
    self.deletion = deletion
    self.relations = relations
    self.relationsToMany = relationsToMany
    self.savepoint = savepoint
  }

  /// Inserts a record as a new row, with the rows of its relations to many.
  ///
  /// - Parameter times: the times of its attributes, if the table keeps them.
  /// - Returns: the id of the row.
  @discardableResult
  mutating func insert(
    record: Int, of batch: borrowing RecordBatch, times: String? = nil
  ) throws -> Int64 {
    try findRelatedRows(record: record, of: batch)
    try RowWriter.bind(
      record, of: batch, relatedRowIDs, to: &insertion.statement, table.schema.layout)
    if let key = table.key, key.isHashed {
      if let hash = hash(of: key, record: record, in: batch) {
        try insertion.statement.bind(table.hashParameter, blob: hash.bytes.span)
      } else {
        try insertion.statement.bindNull(table.hashParameter)
      }
    }
    if table.hasTimes { try insertion.statement.bind(table.timesParameter, text: times) }
    let rowID = try insertion.run()
    for writer in relationsToMany {
      try writer.insertRows(ofRow: rowID, record: record, of: batch)
    }
    try checkReferences()
    return rowID
  }

  /// Updates a row to the attributes of a record.
  ///
  /// - Parameter times: the times of its attributes, if the table keeps them.
  mutating func update(
    _ rowID: Int64, to record: Int, of batch: borrowing RecordBatch, times: String? = nil
  ) throws {
    try findRelatedRows(record: record, of: batch)
    try RowWriter.bind(record, of: batch, relatedRowIDs, to: &update, table.schema.layout)
    if table.hasTimes { try update.bind(table.timesParameter, text: times) }
    try update.bind(table.rowIDParameter, integer: rowID)
    try update.runChangingOneRow()
  }

  private var hasRelationsToMany: Bool { !relationsToMany.isEmpty }

  /// Whether a record can be refused.
  var mayRefuse: Bool { table.facts.mayRefuse }

  /// Whether a record can be refused after a part of it is written: a trigger may fail without
  /// rolling back.
  var mayRefuseInPart: Bool {
    hasRelationsToMany || table.facts.mayRefuseCommit || table.facts.changesOtherRows
  }

  /// Checks that a written record leaves no references to missing rows.
  ///
  /// - Throws: `SQLiteError`, a constraint violation, if it violates a deferred foreign key.
  ///   Otherwise the commit of the whole batch would fail.
  func checkReferences() throws {
    guard table.facts.mayRefuseCommit, deletion.hasDeferredViolations else { return }
    throw SQLiteError.violatedReference
  }

  /// Replaces the rows of a row's relations to many with the rows of a record.
  ///
  /// - Parameter numbers: the numbers of the relations; nil for all.
  func replaceRelations(
    ofRow rowID: Int64, by record: Int, of batch: borrowing RecordBatch, numbers: [Int]? = nil
  ) throws {
    for (number, writer) in relationsToMany.enumerated()
    where numbers?.contains(number) ?? true {
      try writer.replaceRows(ofRow: rowID, record: record, of: batch)
    }
  }

  /// Forgets the row ids of relations, after a rollback.
  func forgetRows() {
    for relation in relations { relation.writer.forgetRows() }
    for writer in relationsToMany { writer.forgetRows() }
  }

  /// Deletes a row.
  ///
  /// - Throws: `SQLiteError`, a constraint violation, if other rows refer to the row. If they refer
  ///   by a deferred foreign key, the row is deleted anyway; the commit of the whole batch would
  ///   fail.
  mutating func delete(_ rowID: Int64) throws {
    let hadViolations = deletion.hasDeferredViolations
    try deletion.bind(1, integer: rowID)
    try deletion.runChangingOneRow()
    if !hadViolations, deletion.hasDeferredViolations { throw SQLiteError.violatedReference }
  }

  /// Binds the key of a record to the parameters from 1 on. If the key is enforced by its hash, the
  /// hash is bound to the parameter after them.
  mutating func bindKey(
    _ key: EnforcedKey, of record: Int, in batch: borrowing RecordBatch,
    to statement: inout Statement
  ) throws {
    relatedRowIDs.removeAll(keepingCapacity: true)
    for (part, slot) in key.slots.enumerated() {
      if !batch[record, slot].isNull, let relation = relations.first(where: { $0.slot == slot }) {
        let rowID = try relatedRowID(relation.writer, record: record, of: batch)
        relatedRowIDs.append((slot, rowID))
        try statement.bind(part + 1, integer: rowID)
      } else {
        try batch.bind(record: record, slot: slot, to: &statement, at: part + 1)
      }
    }
    if key.isHashed, let hash = hash(of: key, record: record, in: batch) {
      try statement.bind(key.slots.count + 1, blob: hash.bytes.span)
    }
  }

  private mutating func findRelatedRows(record: Int, of batch: borrowing RecordBatch) throws {
    relatedRowIDs.removeAll(keepingCapacity: true)
    for relation in relations where batch[record, relation.slot].kind == .related {
      let rowID = try relatedRowID(relation.writer, record: record, of: batch)
      relatedRowIDs.append((relation.slot, rowID))
    }
  }

  private func relatedRowID(
    _ writer: RelationWriter, record: Int, of batch: borrowing RecordBatch
  ) throws -> Int64 {
    try writer.rowID(record: record, batch: batch, undoableBy: mayRefuse ? savepoint : nil)
  }

  /// The value of the hash column, or nil if a part of the key is null.
  private mutating func hash(
    of key: EnforcedKey, record: Int, in batch: borrowing RecordBatch
  ) -> KeyHash? {
    let relatedRowIDs = relatedRowIDs
    let isWhole = canonicalKey.read(key, of: record, in: batch) { slot in
      relatedRowIDs.first { $0.slot == slot }?.rowID
    }
    return isWhole ? canonicalKey.hash : nil
  }

  private static func bind(
    _ record: Int, of batch: borrowing RecordBatch, _ relatedRowIDs: [(slot: Int, rowID: Int64)],
    to statement: inout Statement, _ layout: RecordLayout
  ) throws {
    for slot in 0..<layout.attributeCount {
      try batch.bind(record: record, slot: slot, to: &statement, at: slot + 1)
    }
    for related in relatedRowIDs { try statement.bind(related.slot + 1, integer: related.rowID) }
    if let slot = layout.unmappedSlot {
      try batch.bind(record: record, slot: slot, to: &statement, at: layout.attributeCount + 1)
    }
  }
}

extension RowWriter.Table {
  /// The columns of a record and their parameters: attribute n has parameter n + 1.
  private var columns: [(name: String, parameter: Int)] {
    var names = schema.model.attributes.map(\.column)
    if let unmapped = schema.model.unmappedColumn { names.append(unmapped) }
    return names.enumerated().map { ($0.element, $0.offset + 1) }
  }

  fileprivate func insertion(on connection: Connection) throws -> RowInsertion {
    var columns = columns
    if key?.isHashed == true { columns.append((KeyEnforcer.hashColumn, hashParameter)) }
    if hasTimes { columns.append((PropertyTimes.column, timesParameter)) }
    return try RowInsertion(
      into: schema.model.table, columns: columns.map { SQL(name: $0.name) },
      values: columns.map { "?\($0.parameter)" }, facts, connection: connection)
  }

  /// The statement omits the columns of the key: they have these values already, and SQLite would
  /// delete and insert the entry in their index. If a row has no other columns, it sets them.
  fileprivate var update: SQL {
    var changed = columns.filter { key?.columns.contains($0.name) != true }
    if hasTimes { changed.append((PropertyTimes.column, timesParameter)) }
    if changed.isEmpty { changed = columns }
    var values: [SQL] = changed.map { "\(name: $0.name) = ?\($0.parameter)" }
    if values.isEmpty { values = ["\(StoreSchema.idColumn) = \(StoreSchema.idColumn)"] }
    return """
      UPDATE \(facts.conflictClause(on: schema.model.table))\(name: schema.model.table) SET \(values.joined(separator: ", "))
      WHERE \(StoreSchema.idColumn) = ?\(rowIDParameter)
      """
  }
}
