/// How records stand by age and tombstone: the part of the winner rule that needs no look at the
/// content, for records in a batch.
struct RecordRanking {
  /// The slot of the model's timestamp.
  private let timestampSlot: Int?

  init(_ model: Model) {
    timestampSlot = model.timestamp.flatMap { name in
      model.attributes.firstIndex { $0.name == name }
    }
  }

  /// The rank of a record, the same as `poi-dedup` gives its row.
  func rank(of record: Int, in batch: borrowing RecordBatch) -> CandidateRank {
    let timestamp = timestampSlot.flatMap { slot in
      batch[record, slot].kind == .integer ? RowTimestamp(batch[record, slot].integer) : nil
    }
    return CandidateRank(
      timestamp: timestamp, isTombstone: isTombstone(record, in: batch), keep: .newest)
  }

  /// Whether a record is a removal.
  private func isTombstone(_ record: Int, in batch: borrowing RecordBatch) -> Bool { false }

  /// The time at which a record changes the attributes that it names.
  func time(of record: Int, in batch: borrowing RecordBatch) -> PropertyTime {
    guard let timestampSlot, batch[record, timestampSlot].kind == .integer else {
      return .untimed
    }
    return .at(batch[record, timestampSlot].integer)
  }
}
