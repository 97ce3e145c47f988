internal import POIRecords

/// Computes the compact key of records that go into a table whose key is enforced by its hash.
struct CompactKey: ~Copyable {
  /// The slots of the key's columns, in the order of the key.
  private let slots: [Int]
  private var content = CanonicalContent()

  /// The compact key of a table; nothing where the key is not enforced by its hash.
  init?(_ key: EnforcedKey?) {
    guard let key, key.isHashed else { return nil }
    slots = key.slots
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
