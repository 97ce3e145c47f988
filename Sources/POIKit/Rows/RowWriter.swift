internal import POIRecords
internal import SQLiteKit

/// Writes records as rows of a model's table: as new ones, or in the place of stored ones.
///
/// The statements are prepared once and kept for the run.
struct RowWriter: ~Copyable {
  /// The table as a writer must know it.
  struct Table {
    let schema: StoreSchema
    /// The key that the table is unique by, if it is.
    let key: EnforcedKey?
    /// Whether rows say when each of their attributes was changed.
    let hasTimes: Bool

    /// The numbers of the parameters behind those of the columns.
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

  /// Why the tables may refuse a record.
  private(set) var refusals: RecordRefusals

  /// Whether what an app has added may change other rows than those that are written.
  private var hasSideEffects: Bool

  /// What a record is undone to where it is refused after rows were made for its relations.
  private let savepoint: RecordSavepoint

  init(
    _ table: Table, savepoint: RecordSavepoint, connection: Connection
  ) throws(SQLiteError) {
    // A value that is not copyable is made whole at once: nothing of it is set before all that may
    // fail is done.
    let insertion = try table.insertion(on: connection)
    let update = try connection.prepare(
      table.update(try ConflictClause.aborting(on: table.schema.model.table, in: connection)))
    let relations = try RelationWriter.writers(
      for: table.schema.model, layout: table.schema.layout, connection: connection)
    let relationsToMany = try RelationToManyWriter.writers(
      for: table.schema.layout, connection: connection)
    let deletion = try connection.prepare(
      "DELETE FROM \(name: table.schema.model.table) WHERE \(StoreSchema.idColumn) = ?1")
    let refusals = try RecordRefusals.read(of: table.schema.model, in: connection)
    let hasSideEffects = try SideEffects.arePossible(on: table.schema.model, in: connection)
    self.table = table
    self.insertion = insertion
    self.update = update
    self.deletion = deletion
    self.relations = relations
    self.relationsToMany = relationsToMany
    self.refusals = refusals
    self.hasSideEffects = hasSideEffects
    self.savepoint = savepoint
    forgetRows()
  }

  /// Inserts a record as a new row, with the rows of its relations to many.
  ///
  /// - Parameter times: when its attributes were changed, for a table that keeps that.
  /// - Returns: the id of the row.
  @discardableResult
  mutating func insert(
    record: Int, of batch: borrowing RecordBatch, times: String? = nil
  ) throws(SQLiteError) -> Int64 {
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

  /// Writes a record's attributes in the place of the row that has its key.
  ///
  /// - Parameter times: when its attributes were changed, for a table that keeps that.
  mutating func update(
    _ rowID: Int64, to record: Int, of batch: borrowing RecordBatch, times: String? = nil
  ) throws(SQLiteError) {
    try findRelatedRows(record: record, of: batch)
    try RowWriter.bind(record, of: batch, relatedRowIDs, to: &update, table.schema.layout)
    if table.hasTimes { try update.bind(table.timesParameter, text: times) }
    try update.bind(table.rowIDParameter, integer: rowID)
    try update.runChangingOneRow()
  }

  /// Whether one record may be several rows.
  private var hasRelationsToMany: Bool { !relationsToMany.isEmpty }

  /// Whether a record may be refused when something of it is written. A trigger may fail in a way that
  /// undoes nothing.
  var mayRefuseInPart: Bool { hasRelationsToMany || refusals.mayComeLate || hasSideEffects }

  /// Looks whether a record that was written leaves references to rows that are not there.
  ///
  /// - Throws: `SQLiteError`, one of a constraint, where it does by a deferred key, which would stop the
  ///   whole batch when it is committed.
  func checkReferences() throws(SQLiteError) {
    guard refusals.mayComeLate, deletion.hasDeferredViolations else { return }
    throw SQLiteError.violatedReference
  }

  /// Makes the rows of a row's relations to many those of a record.
  ///
  /// - Parameter numbers: which relations; all where there are none.
  func replaceRelations(
    ofRow rowID: Int64, by record: Int, of batch: borrowing RecordBatch, numbers: [Int]? = nil
  ) throws(SQLiteError) {
    for (number, writer) in relationsToMany.enumerated()
    where numbers?.contains(number) ?? true {
      try writer.replaceRows(ofRow: rowID, record: record, of: batch)
    }
  }

  /// Heeds that another program has changed why the tables may refuse a record, or what happens when
  /// one is written.
  mutating func readRefusals(in connection: Connection) throws(SQLiteError) {
    refusals = try RecordRefusals.read(of: table.schema.model, in: connection)
    hasSideEffects = try SideEffects.arePossible(on: table.schema.model, in: connection)
  }

  /// Heeds the row ids that another program has reserved since.
  mutating func readReservedRowIDs(in connection: Connection) throws(SQLiteError) {
    try insertion.readReservedRowIDs(in: connection)
    for relation in relations { try relation.writer.readReservedRowIDs(in: connection) }
    for writer in relationsToMany { try writer.readReservedRowIDs(in: connection) }
  }

  /// Forgets the row ids of relations: after some of their rows were rolled back, or another program
  /// changed the database.
  func forgetRows() {
    for relation in relations { relation.writer.forgetRows(remembersOthers: !hasSideEffects) }
    for writer in relationsToMany { writer.forgetRows(remembersOthers: !hasSideEffects) }
  }

  /// Deletes a row.
  ///
  /// - Throws: `SQLiteError`, one of a constraint where other rows refer to the row. Where they do by a
  ///   deferred key, which would stop the whole batch when it is committed, the row is gone then.
  mutating func delete(_ rowID: Int64) throws(SQLiteError) {
    let hadViolations = deletion.hasDeferredViolations
    try deletion.bind(1, integer: rowID)
    try deletion.runChangingOneRow()
    if !hadViolations, deletion.hasDeferredViolations { throw SQLiteError.violatedReference }
  }

  /// Binds the key of a record to the parameters from 1 on, and its hash, where the key is enforced
  /// by it, to the one behind them.
  mutating func bindKey(
    _ key: EnforcedKey, of record: Int, in batch: borrowing RecordBatch,
    to statement: inout Statement
  ) throws(SQLiteError) {
    relatedRowIDs.removeAll(keepingCapacity: true)
    for (part, slot) in key.slots.enumerated() {
      if let relation = relations.first(where: { $0.slot == slot }) {
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

  private mutating func findRelatedRows(
    record: Int, of batch: borrowing RecordBatch
  ) throws(SQLiteError) {
    relatedRowIDs.removeAll(keepingCapacity: true)
    for relation in relations where batch[record, relation.slot].kind == .related {
      let rowID = try relatedRowID(relation.writer, record: record, of: batch)
      relatedRowIDs.append((relation.slot, rowID))
    }
  }

  private func relatedRowID(
    _ writer: RelationWriter, record: Int, of batch: borrowing RecordBatch
  ) throws(SQLiteError) -> Int64 {
    try writer.rowID(
      record: record, batch: batch, undoableBy: refusals.arePossible ? savepoint : nil)
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
  ) throws(SQLiteError) {
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
  /// What the columns of a record are bound to: the one of attribute n to parameter n + 1.
  private var columns: [(name: String, parameter: Int)] {
    var names = schema.model.attributes.map(\.column)
    if let unmapped = schema.model.unmappedColumn { names.append(unmapped) }
    return names.enumerated().map { ($0.element, $0.offset + 1) }
  }

  fileprivate func insertion(
    on connection: Connection
  ) throws(SQLiteError) -> RowInsertion {
    var columns = columns
    if key?.isHashed == true { columns.append((KeyEnforcer.hashColumn, hashParameter)) }
    if hasTimes { columns.append((PropertyTimes.column, timesParameter)) }
    return try RowInsertion(
      into: schema.model.table, columns: columns.map { SQL(name: $0.name) },
      values: columns.map { "?\($0.parameter)" }, connection: connection)
  }

  /// The columns of the key are not in it: they have the values already, and SQLite would remove and
  /// add the entry in their index. They are where a row has no others.
  fileprivate func update(_ conflictClause: SQL) -> SQL {
    var changed = columns.filter { key?.columns.contains($0.name) != true }
    if hasTimes { changed.append((PropertyTimes.column, timesParameter)) }
    if changed.isEmpty { changed = columns }
    var values: [SQL] = changed.map { "\(name: $0.name) = ?\($0.parameter)" }
    if values.isEmpty { values = ["\(StoreSchema.idColumn) = \(StoreSchema.idColumn)"] }
    return """
      UPDATE \(conflictClause)\(name: schema.model.table) SET \(values.joined(separator: ", "))
      WHERE \(StoreSchema.idColumn) = ?\(rowIDParameter)
      """
  }
}
