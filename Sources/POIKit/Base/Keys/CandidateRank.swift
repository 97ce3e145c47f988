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

/// A timestamp in a form that can be compared: a whole number and a fraction.
struct RowTimestamp: Equatable {
  /// The greatest integer that is not greater than the timestamp.
  let whole: Int64

  /// The difference to `whole`, in units of 2^-62.
  let fraction: UInt64

  static let greatestFraction: UInt64 = 1 << 62 - 1

  init(_ integer: Int64) {
    whole = integer
    // Reals below the least integer have a smaller fraction.
    fraction = integer == .min ? Self.greatestFraction : 0
  }

  /// It is exact for reals of a magnitude of at least 2^-9. Reals beyond 64-bit integers keep their
  /// order: they are numbered by the fractions of the greatest and the least integer, which no
  /// other real uses.
  init(_ real: Double) {
    let stepCount = real.magnitude.bitPattern &- 0x1p63.bitPattern
    if real >= 0x1p63 {
      (whole, fraction) = (.max, stepCount + 1)
    } else if real <= -0x1p63 {
      (whole, fraction) = (.min, Self.greatestFraction - stepCount)
    } else {
      let truncated = Int64(real)
      let floor = Double(truncated) > real ? truncated - 1 : truncated
      whole = floor
      fraction = min(UInt64((real - Double(floor)) * 0x1p62), Self.greatestFraction)
    }
  }
}
