internal import POIRecords

/// What is kept of every row to find the duplicates: 40 bytes, and 32 while it is sorted where it fits
/// `CompactCandidate`.
///
/// Entries order by key, and within a key from the one that wins to the one that loses first; rows
/// that tie order by their ids.
struct CandidateEntry: SortableEntry {
  private let keyHigh: UInt64
  private let keyLow: UInt64

  /// The inverted rank, so that a greater rank comes first.
  private let invertedTime: UInt64
  private let invertedDetail: UInt64
  private let orderedRowID: UInt64

  /// The entry of one row.
  ///
  /// - Parameters:
  ///   - keyCode: what stands for the row's key.
  ///   - rank: how the row stands among those with the same key.
  ///   - rowID: the row's id.
  init(keyCode: Digest, rank: CandidateRank, rowID: Int64) {
    keyHigh = keyCode.high
    keyLow = keyCode.low
    invertedTime = ~rank.time
    invertedDetail = ~rank.detail
    orderedRowID = UInt64(bitPattern: rowID) ^ 1 << 63
  }

  var keyCode: Digest { Digest(high: keyHigh, low: keyLow) }

  var rank: CandidateRank { CandidateRank(time: ~invertedTime, detail: ~invertedDetail) }

  var rowID: Int64 { Int64(bitPattern: orderedRowID ^ 1 << 63) }

  func hasSameKeyCode(as other: CandidateEntry) -> Bool {
    keyHigh == other.keyHigh && keyLow == other.keyLow
  }

  static var wordCount: Int { 5 }

  func word(_ index: Int) -> UInt64 {
    switch index {
    case 0: keyHigh
    case 1: keyLow
    case 2: invertedTime
    case 3: invertedDetail
    default: orderedRowID
    }
  }
}
