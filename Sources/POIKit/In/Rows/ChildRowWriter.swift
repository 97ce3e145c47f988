internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// Writes rows that belong to one parent each.
///
/// It is a class for the same reason as `RelationToManyWriter`.
final class ChildRowWriter {
  private let layout: RecordLayout
  /// The slots of the attributes that distinguish the rows of one parent, and the other slots.
  private let keySlots: [Int]
  private let otherSlots: [Int]
  private let relations: [(slot: Int, writer: RelationWriter)]
  private let relationsToMany: [RelationToManyWriter]
  private var insertion: RowInsertion
  private var lookup: Statement
  /// Nil if rows have no other attributes.
  private var update: Statement?
  private var obsoleteRows: ObsoleteRows

  /// - Parameter parentColumn: the column that holds the parent's row id.
  init(
    _ many: RecordLayout.RelationLayout, parentColumn: String, _ facts: SchemaFacts,
    connection: Connection
  ) throws {
    let element = many.relation.element
    let key = Set(element.key.map(ExactText.init))
    let keySlots = element.attributes.indices.filter {
      key.contains(ExactText(element.attributes[$0].name))
    }
    let otherSlots = element.attributes.indices.filter { !keySlots.contains($0) }
    let table = SQL(name: element.table)
    let parent = SQL(name: parentColumn)
    let columns = element.attributes.map { SQL(name: $0.column) }
    func parameters(_ slots: [Int]) -> SQL {
      slots.map { "?\($0 + 2)" }.joined(separator: ", ")
    }

    let insertion = try RowInsertion(
      into: element.table, columns: [parent] + columns, facts, connection: connection)
    let conditions: [SQL] = keySlots.map { "\(columns[$0]) = ?\($0 + 2)" }
    let lookup = try connection.prepare(
      """
      SELECT \(StoreSchema.idColumn) FROM \(table)
      WHERE \((["\(parent) = ?1"] + conditions).joined(separator: " AND "))
      """)
    var update: Statement?
    if !otherSlots.isEmpty {
      let targets = otherSlots.map { columns[$0] }.joined(separator: ", ")
      let values = parameters(otherSlots)
      update = try connection.prepare(
        """
        UPDATE \(facts.conflictClause(on: element.table))\(table) SET (\(targets)) = (\(values))
        WHERE \(StoreSchema.idColumn) = ?1 AND (\(targets)) IS NOT (\(values))
        """)
    }
    let obsoleteRows = try ObsoleteRows(
      table: element.table, parentColumn: parentColumn, column: StoreSchema.idColumn.text,
      connection: connection)
    let relations = try RelationWriter.writers(
      for: element, layout: many.layout, facts, connection: connection)
    let relationsToMany = try RelationToManyWriter.writers(
      for: many.layout, facts, connection: connection)
    layout = many.layout
    self.keySlots = keySlots
    self.otherSlots = otherSlots
    self.relations = relations
    self.relationsToMany = relationsToMany
    self.insertion = insertion
    self.lookup = lookup
    self.update = update
    self.obsoleteRows = obsoleteRows
  }

  /// Inserts the rows of a new parent.
  func insert(_ children: ChildRecords, ofParent parent: Int, under parentRowID: Int64) throws {
    for row in children.rows(ofParent: parent) {
      try insert(row, of: children.rows, under: parentRowID)
    }
  }

  /// Replaces the rows of a parent by the rows in the batch. Deletes come first, to avoid
  /// conflicts.
  func replace(_ children: ChildRecords, ofParent parent: Int, under parentRowID: Int64) throws {
    var stored: [Int64?] = []
    for row in children.rows(ofParent: parent) {
      stored.append(try storedRow(row, of: children.rows, under: parentRowID))
    }
    _ = try obsoleteRows.remove(ofParent: parentRowID, except: Set(stored.compactMap { $0 }))
    for (row, rowID) in zip(children.rows(ofParent: parent), stored) {
      if let rowID {
        try update(rowID, to: row, of: children.rows)
        for writer in relationsToMany {
          try writer.replaceRows(ofRow: rowID, record: row, of: children.rows)
        }
      } else {
        try insert(row, of: children.rows, under: parentRowID)
      }
    }
  }

  func forgetRows() {
    for relation in relations { relation.writer.forgetRows() }
    for writer in relationsToMany { writer.forgetRows() }
  }

  private func insert(_ row: Int, of rows: borrowing RecordBatch, under parentRowID: Int64) throws {
    try insertion.statement.bind(1, integer: parentRowID)
    for slot in 0..<layout.attributeCount {
      try rows.bind(record: row, slot: slot, to: &insertion.statement, at: slot + 2)
    }
    for relation in relations where rows[row, relation.slot].kind == .related {
      let related = try relation.writer.rowID(record: row, batch: rows)
      try insertion.statement.bind(relation.slot + 2, integer: related)
    }
    let rowID = try insertion.run()
    for writer in relationsToMany {
      try writer.insertRows(ofRow: rowID, record: row, of: rows)
    }
  }

  /// The stored row of the parent with the key of a row in the batch.
  private func storedRow(
    _ row: Int, of rows: borrowing RecordBatch, under parentRowID: Int64
  ) throws -> Int64? {
    try lookup.bind(1, integer: parentRowID)
    for slot in keySlots { try rows.bind(record: row, slot: slot, to: &lookup, at: slot + 2) }
    let found = try lookup.step() ? lookup.integer(0) : nil
    try lookup.reset()
    return found
  }

  /// Updates a stored row to the values in the batch, if they differ.
  private func update(_ rowID: Int64, to row: Int, of rows: borrowing RecordBatch) throws {
    guard update != nil else { return }
    try update?.bind(1, integer: rowID)
    for slot in otherSlots {
      try rows.bind(record: row, slot: slot, to: &update!, at: slot + 2)
    }
    for relation in relations where rows[row, relation.slot].kind == .related {
      let related = try relation.writer.rowID(record: row, batch: rows)
      try update?.bind(relation.slot + 2, integer: related)
    }
    try update?.run()
  }
}
