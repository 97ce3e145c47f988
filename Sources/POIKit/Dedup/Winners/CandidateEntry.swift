/// The data of a row that is needed to find duplicates, in 40 bytes.
///
/// The order is by sort key, then from the greatest rank to the lowest, then by row id.
struct CandidateEntry: SortableEntry {
  let sortKey: SortKey

  /// The inverted rank, so that a greater rank comes first.
  private let invertedTime: UInt64
  private let invertedDetail: UInt64
  private let orderedRowID: UInt64

  /// - Parameter rank: the rank among the rows with the same key.
  init(sortKey: SortKey, rank: CandidateRank, rowID: Int64) {
    self.sortKey = sortKey
    invertedTime = ~rank.time
    invertedDetail = ~rank.detail
    orderedRowID = UInt64(bitPattern: rowID) ^ 1 << 63
  }

  var rank: CandidateRank { CandidateRank(time: ~invertedTime, detail: ~invertedDetail) }

  var rowID: Int64 { Int64(bitPattern: orderedRowID ^ 1 << 63) }

  static var wordCount: Int { 5 }

  func word(_ index: Int) -> UInt64 {
    switch index {
    case 0: sortKey.high
    case 1: sortKey.low
    case 2: invertedTime
    case 3: invertedDetail
    default: orderedRowID
    }
  }
}
