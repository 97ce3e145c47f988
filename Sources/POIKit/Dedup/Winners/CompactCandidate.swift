/// A `CandidateEntry` in 32 bytes. Nearly every entry fits: the timestamp is a whole number or missing,
/// and the row id has at most 61 bits.
///
/// Compact entries have the order of the full entries. For 1,000,000 rows they need 32 MB, not 40.
struct CompactCandidate: SortableEntry {
  private let sortKey: SortKey
  private let invertedTime: UInt64

  /// From the highest bit: 1 if the rank has no timestamp; 1 if its fraction is 0, 0 if it is the
  /// greatest one; 1 if the row is not a tombstone; 61 bits of the row id.
  private let invertedDetailAndRowID: UInt64

  private static let rowIDBitCount: UInt64 = 61

  /// Added to a row id of 61 bits with a sign, it makes a positive number.
  private static let rowIDOffset: Int64 = 1 << 60

  /// The entry in its compact form, or nil if it does not fit.
  init?(_ entry: CandidateEntry) {
    let rank = entry.rank
    let fraction = rank.detail >> 1 & RowTimestamp.greatestFraction
    guard fraction == 0 || fraction == RowTimestamp.greatestFraction,
      entry.rowID >= -Self.rowIDOffset, entry.rowID < Self.rowIDOffset
    else { return nil }
    let detail = (rank.detail >> 63) << 2 | (fraction & 1) << 1 | rank.detail & 1
    sortKey = entry.sortKey
    invertedTime = ~rank.time
    invertedDetailAndRowID =
      (~detail & 7) << Self.rowIDBitCount | UInt64(entry.rowID + Self.rowIDOffset)
  }

  /// The full entry.
  var entry: CandidateEntry {
    let detail = ~invertedDetailAndRowID >> Self.rowIDBitCount
    let fraction = detail & 2 == 0 ? 0 : RowTimestamp.greatestFraction
    let rowID = invertedDetailAndRowID & (1 << Self.rowIDBitCount - 1)
    return CandidateEntry(
      sortKey: sortKey,
      rank: CandidateRank(
        time: ~invertedTime, detail: (detail >> 2) << 63 | fraction << 1 | detail & 1),
      rowID: Int64(rowID) - Self.rowIDOffset)
  }

  static var wordCount: Int { 4 }

  func word(_ index: Int) -> UInt64 {
    switch index {
    case 0: sortKey.high
    case 1: sortKey.low
    case 2: invertedTime
    default: invertedDetailAndRowID
    }
  }
}
