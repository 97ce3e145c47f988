internal import POIRecords

/// The rank of records in a batch by timestamp and tombstone: the part of the winner rule that does
/// not need the content.
struct RecordRanking {
  let timestampSlot: Int?

  private let tombstoneSlot: Int?
  private let ties: TieRule

  /// - Parameter ties: if `later`, the tombstone does not count.
  init(_ model: Model, ties: TieRule) {
    self.ties = ties
    tombstoneSlot = model.tombstone?.attribute.flatMap { name in
      model.attributes.index(named: name)
    }
    timestampSlot = model.timestamp.flatMap { name in
      model.attributes.index(named: name)
    }
  }

  /// The rank of a record, equal to the rank of its row in `poi-dedup`.
  ///
  /// - Parameter isRemoval: whether it is a removal regardless of its attributes.
  func rank(
    of record: Int, in batch: borrowing RecordBatch, isRemoval: Bool = false
  ) -> CandidateRank {
    CandidateRank(
      timestamp: batch.timestamp(of: record, slot: timestampSlot).map { RowTimestamp($0) },
      isTombstone: ties == .digest && (isRemoval || isTombstone(record, in: batch)), keep: .newest)
  }

  /// Whether the tombstone attribute marks a removal: by true, or by an instant other than the
  /// start of 1970.
  func isTombstone(_ record: Int, in batch: borrowing RecordBatch) -> Bool {
    guard let tombstoneSlot else { return false }
    let value = batch[record, tombstoneSlot]
    return value.kind == .integer && value.integer != 0
  }

  /// The time of the attributes that a record names.
  func time(of record: Int, in batch: borrowing RecordBatch) -> PropertyTime {
    batch.timestamp(of: record, slot: timestampSlot).map(PropertyTime.at) ?? .untimed
  }
}
