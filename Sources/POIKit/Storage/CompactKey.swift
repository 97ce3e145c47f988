internal import SQLiteKit

/// Computes the compact key of records that go into a table whose key is enforced by its hash.
struct CompactKey: ~Copyable {
  /// The slots of the key's columns, in the order of the key.
  private let slots: [Int]
  private var content = CanonicalContent()

  /// The compact key of the model's table; nothing where the key is not enforced by its hash.
  ///
  /// - Throws: `SQLiteError` when the store cannot be read.
  init?(_ model: Model, connection: borrowing Connection) throws(SQLiteError) {
    var columns: [String] = []
    var statement = try connection.prepare(
      """
      SELECT k.value FROM poikit_table AS t, json_each(t.enforced_key) AS k
      WHERE t.name = ?1 AND EXISTS (SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2)
      ORDER BY k.key
      """)
    try statement.bind(1, text: model.table)
    try statement.bind(2, text: KeyEnforcer.hashColumn)
    while try statement.step() { columns.append(statement.text(0)) }
    let slots = columns.compactMap { column in
      model.attributes.firstIndex { $0.column == column }
    }
    guard !slots.isEmpty, slots.count == columns.count else { return nil }
    self.slots = slots
  }

  /// The hash of a record's key; nothing where a part of the key is null.
  ///
  /// - Parameter relatedRowID: the row id that stands for the related object of a slot.
  mutating func digest(
    record: Int, of batch: borrowing RecordBatch, relatedRowID: (Int) -> Int64?
  ) -> Digest? {
    content.removeAll()
    for (part, slot) in slots.enumerated() {
      if batch[record, slot].isNull { return nil }
      if let rowID = relatedRowID(slot) {
        content.append(integer: rowID, name: UInt64(part))
      } else {
        batch.append(record: record, slot: slot, name: UInt64(part), to: &content)
      }
    }
    return content.digest
  }
}
