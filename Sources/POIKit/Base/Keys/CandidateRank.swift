/// The rank of a row among the rows with its key: the part of the winner rule that does not need
/// the content. The greatest rank wins.
struct CandidateRank: Comparable {
  /// The whole part of the timestamp, offset to be unsigned; 0 without a timestamp.
  let time: UInt64

  /// From the highest bit: 1 if there is a timestamp; 62 bits of its fraction; 1 if the row is a
  /// tombstone.
  let detail: UInt64

  init(time: UInt64, detail: UInt64) {
    self.time = time
    self.detail = detail
  }

  /// - Parameters:
  ///   - timestamp: its timestamp, or nil.
  ///   - isTombstone: whether it is a removal.
  ///   - keep: whether the newest or the oldest row has the greatest rank. A row without a
  ///     timestamp is below both.
  init(timestamp: RowTimestamp?, isTombstone: Bool, keep: DeduplicationOptions.KeepRule) {
    let tombstone: UInt64 = isTombstone ? 1 : 0
    guard let timestamp else {
      self.init(time: 0, detail: tombstone)
      return
    }
    let time = UInt64(bitPattern: timestamp.whole) ^ 1 << 63
    let fraction = timestamp.fraction
    switch keep {
    case .newest:
      self.init(time: time, detail: 1 << 63 | fraction << 1 | tombstone)
    case .oldest:
      let inverted = RowTimestamp.greatestFraction - fraction
      self.init(time: ~time, detail: 1 << 63 | inverted << 1 | tombstone)
    }
  }

  static func < (left: CandidateRank, right: CandidateRank) -> Bool {
    left.time == right.time ? left.detail < right.detail : left.time < right.time
  }

  var hasTimestamp: Bool { detail >> 63 == 1 }

  /// Why a row of this rank beats one of the lower rank `other`.
  func reasonToBeat(_ other: CandidateRank) -> DeduplicationPlan.Reason {
    if hasTimestamp != other.hasTimestamp { return .timestampPresent }
    return time == other.time && detail >> 1 == other.detail >> 1 ? .tombstone : .timestamp
  }

  /// The difference of the whole parts of two timestamps.
  func distance(to other: CandidateRank) -> UInt64 {
    max(time, other.time) - min(time, other.time)
  }
}
