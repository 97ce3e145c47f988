internal import POIRecords
internal import POISQLite

/// Stores the keys of a snapshot's records.
struct SnapshotWriter: ~Copyable {
  private let keySlots: [Int]
  private var insertion: Statement

  init(
    _ table: SnapshotTable, _ model: Model, connection: Connection
  ) throws {
    let parameters: [SQL] = table.keyColumns.map { _ in "?" }
    let insertion = try connection.prepare(
      "INSERT INTO \(table.quotedName) VALUES (\(parameters.joined(separator: ", ")))")
    keySlots = model.key.compactMap { name in model.attributes.index(named: name) }
    self.insertion = insertion
  }

  /// Stores the key of a record, unless a part of it is null: then it is the key of no row.
  mutating func add(_ record: Int, of batch: borrowing RecordBatch) throws {
    for slot in keySlots where batch[record, slot].isNull { return }
    for (part, slot) in keySlots.enumerated() {
      try batch.bind(record: record, slot: slot, to: &insertion, at: part + 1)
    }
    try insertion.run()
  }
}
