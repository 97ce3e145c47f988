internal import POIRecords

/// A `CandidateEntry` in 32 bytes, which nearly all fit: those of rows whose timestamp is a whole
/// number or missing and whose id has at most 61 bits.
///
/// Compact entries order as the entries that they stand for. Of 1,000,000 rows they take 32 MB
/// instead of 40.
struct CompactCandidate: SortableEntry {
  private let keyHigh: UInt64
  private let keyLow: UInt64
  private let invertedTime: UInt64

  /// From the highest bit: whether the rank has no timestamp; whether its fraction is 0, not the
  /// greatest one; whether the row is no tombstone; 61 bits of the row's id.
  private let invertedDetailAndRowID: UInt64

  private static let rowIDBitCount: UInt64 = 61

  /// What makes an id of a row, 61 bits with a sign, a positive number.
  private static let rowIDOffset: Int64 = 1 << 60

  /// The entry in its compact form, or nil if it does not fit.
  init?(_ entry: CandidateEntry) {
    let rank = entry.rank
    let fraction = rank.detail >> 1 & RowTimestamp.greatestFraction
    guard fraction == 0 || fraction == RowTimestamp.greatestFraction,
      entry.rowID >= -Self.rowIDOffset, entry.rowID < Self.rowIDOffset
    else { return nil }
    let detail = (rank.detail >> 63) << 2 | (fraction & 1) << 1 | rank.detail & 1
    keyHigh = entry.keyCode.high
    keyLow = entry.keyCode.low
    invertedTime = ~rank.time
    invertedDetailAndRowID =
      (~detail & 7) << Self.rowIDBitCount | UInt64(entry.rowID + Self.rowIDOffset)
  }

  /// The entry that it stands for.
  var entry: CandidateEntry {
    let detail = ~invertedDetailAndRowID >> Self.rowIDBitCount
    let fraction = detail & 2 == 0 ? 0 : RowTimestamp.greatestFraction
    let rowID = invertedDetailAndRowID & (1 << Self.rowIDBitCount - 1)
    return CandidateEntry(
      keyCode: Digest(high: keyHigh, low: keyLow),
      rank: CandidateRank(
        time: ~invertedTime, detail: (detail >> 2) << 63 | fraction << 1 | detail & 1),
      rowID: Int64(rowID) - Self.rowIDOffset)
  }

  static var wordCount: Int { 4 }

  func word(_ index: Int) -> UInt64 {
    switch index {
    case 0: keyHigh
    case 1: keyLow
    case 2: invertedTime
    default: invertedDetailAndRowID
    }
  }
}
