internal import POIRecords
internal import POISQLite

/// The columns of the key that the store enforces for a table of records.
struct EnforcedKey: Equatable {
  let columns: [String]

  let slots: [Int]

  /// Whether the unique index is on the hash column instead of the columns of the key.
  let isHashed: Bool

  /// Whether keys that contain NULL are equal if their other parts are. The index does not enforce that.
  let groupsNull: Bool

  /// Whether a record has no key.
  func isMissing(of record: Int, in batch: borrowing RecordBatch) -> Bool {
    !groupsNull && hasNull(record, in: batch)
  }

  func hasNull(_ record: Int, in batch: borrowing RecordBatch) -> Bool {
    for slot in slots where batch[record, slot].isNull { return true }
    return false
  }

  /// The key of the model's table, or nil if no key is enforced.
  static func read(of model: Model, in connection: Connection) throws -> EnforcedKey? {
    let columns = try columns(ofTable: model.table, in: connection)
    let slots = columns.compactMap { column in
      model.attributes.firstIndex { $0.column == column }
    }
    guard !slots.isEmpty, slots.count == columns.count else { return nil }
    let indexed = try KeyEnforcer.indexedColumns(of: model.table, in: connection)
    guard let first = indexed.first else { return nil }
    return EnforcedKey(
      columns: columns, slots: slots, isHashed: first == KeyEnforcer.hashColumn,
      groupsNull: model.groupsNullKeys)
  }

  /// The columns of a table's enforced key, in the order of the key; empty if no key was enforced.
  static func columns(ofTable table: String, in connection: Connection) throws -> [String] {
    return try connection.rows(
      """
      SELECT k.value FROM main.poikit_table AS t, json_each(t.enforced_key) AS k
      WHERE t.name = \(literal: table) ORDER BY k.key
      """
    ) { $0.text(0) }
  }
}
