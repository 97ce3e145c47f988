internal import POIRecords

/// How records stand by age and tombstone: the part of the winner rule that needs no look at the
/// content, for records in a batch.
struct RecordRanking {
  /// The slot of the model's timestamp.
  private let timestampSlot: Int?

  /// The slot of the attribute that says that a record was removed.
  private let tombstoneSlot: Int?

  init(_ model: Model) {
    tombstoneSlot = model.tombstone?.attribute.flatMap { name in
      model.attributes.index(named: name)
    }
    timestampSlot = model.timestamp.flatMap { name in
      model.attributes.index(named: name)
    }
  }

  /// The rank of a record, the same as `poi-dedup` gives its row.
  ///
  /// - Parameter isRemoval: whether it is a removal whatever its attributes say.
  func rank(
    of record: Int, in batch: borrowing RecordBatch, isRemoval: Bool = false
  ) -> CandidateRank {
    let timestamp = timestampSlot.flatMap { slot in
      batch[record, slot].kind == .integer ? RowTimestamp(batch[record, slot].integer) : nil
    }
    return CandidateRank(
      timestamp: timestamp, isTombstone: isRemoval || isTombstone(record, in: batch), keep: .newest)
  }

  /// Whether a record says that it was removed: with true, or an instant other than the start of
  /// 1970.
  private func isTombstone(_ record: Int, in batch: borrowing RecordBatch) -> Bool {
    guard let tombstoneSlot else { return false }
    let value = batch[record, tombstoneSlot]
    return value.kind == .integer && value.integer != 0
  }

  /// The time at which a record changes the attributes that it names.
  func time(of record: Int, in batch: borrowing RecordBatch) -> PropertyTime {
    guard let timestampSlot, batch[record, timestampSlot].kind == .integer else {
      return .untimed
    }
    return .at(batch[record, timestampSlot].integer)
  }
}
