internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// A stored row in the form of a record, to compare and merge it with an imported one.
///
/// One value serves all rows of a run and keeps its memory.
struct StoredRow: ~Copyable {
  private let layout: RecordLayout
  private let values: RowValues

  /// A batch with one record: the row.
  private(set) var batch: RecordBatch

  private(set) var rowID: Int64 = 0

  /// The stored times of the row's attributes; see `PropertyTimes`.
  private(set) var times: String?

  /// The readers of its relations to many, by the number of the relation.
  private let relations: [RowReader]

  /// The relations to many that were copied from a record.
  private(set) var copiedRelations: [Int] = []

  init(_ schema: StoreSchema, connection: Connection) throws {
    relations = try schema.model.relations.map { try RowReader(rowsOf: $0, in: connection) }
    layout = schema.layout
    values = RowValues(schema.layout)
    batch = RecordBatch(schema.layout, recordCapacity: 1)
  }

  /// The text of a statement that finds rows for `load`.
  ///
  /// - Parameter condition: a condition on the row `t`.
  static func query(_ table: RowWriter.Table, where condition: SQL) -> SQL {
    table.schema.layout.query(
      of: table.schema.model, with: [table.hasTimes ? "t.\(name: PropertyTimes.column)" : "NULL"],
      rest: "WHERE \(condition)")
  }

  /// Loads the row that a statement finds.
  ///
  /// - Returns: false if it finds no row.
  mutating func load(_ statement: inout Statement) throws -> Bool {
    guard try statement.step() else { return false }
    batch.removeAll()
    values.read(statement, into: &batch)
    rowID = statement.integer(0)
    copiedRelations.removeAll(keepingCapacity: true)
    times = statement.isNull(values.end) ? nil : statement.text(values.end)
    try statement.reset()
    return true
  }

  /// Reads the digests of its relations to many.
  mutating func loadRelations() throws {
    for (number, reader) in relations.enumerated() {
      setRelation(number, to: try reader.digest(ofRow: rowID))
    }
  }

  /// Sets relations to one to null if the related row is missing.
  mutating func clearMissingRelations() {
    for slot in 0..<layout.attributeCount {
      let related = layout.fields[slot].relatedFields
      guard !related.isEmpty, related.allSatisfy({ batch[0, $0].isNull }) else { continue }
      batch[0, slot] = .null
    }
  }

  mutating func copy(slot: Int, from record: Int, of other: borrowing RecordBatch) {
    batch.copy(slot: slot, from: record, of: other, to: 0)
    if let number = layout.relations.firstIndex(where: { $0.slot == slot }) {
      setRelation(number, to: other.children[number].digest(ofParent: record))
      return copiedRelations.append(number)
    }
    guard slot < layout.attributeCount else { return }
    for related in layout.fields[slot].relatedFields {
      batch.copy(slot: related, from: record, of: other, to: 0)
    }
  }

  /// Replaces the unmapped members; `text` is empty if none are left.
  mutating func setUnmapped(_ text: String) {
    guard let slot = layout.unmappedSlot else { return }
    batch[0, slot] = text.isEmpty ? .null : .text(batch.copyToArena(text.utf8Span.span))
  }

  private mutating func setRelation(_ number: Int, to rows: TableDigest) {
    batch[0, layout.relations[number].slot] = rows.rowCount > 0 ? .related : .null
    batch.children[number].setDigest(ofParent: 0, to: rows)
  }
}

/// Reads the values of rows as records.
struct RowValues {
  /// Whether each slot is a relation to one.
  private let areRelations: [Bool]

  /// The column behind the values.
  var end: Int { areRelations.count + 1 }

  init(_ layout: RecordLayout) {
    areRelations = (0..<layout.slotCount - layout.relations.count).map { slot in
      slot < layout.attributeCount && !layout.fields[slot].relatedFields.isEmpty
    }
  }

  /// Appends the current row of a statement by `RecordLayout.query` to a batch, without its relations to many.
  func read(_ statement: borrowing Statement, into batch: inout RecordBatch) {
    let record = batch.beginRecord()
    batch.accept(RecordOrigin(index: 0, byteOffset: 0))
    for slot in areRelations.indices {
      batch[record, slot] =
        switch statement.value(slot + 1) {
        case .integer(let integer): areRelations[slot] ? .related : .integer(integer)
        case .real(let real): .real(real)
        case .text(let text): .text(batch.copyToArena(text))
        // No attribute is stored as a blob.
        case .null, .blob: .null
        }
    }
  }
}
