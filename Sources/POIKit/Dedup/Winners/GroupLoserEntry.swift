internal import POIRecords

/// A loser that is merged into its winner. The order is by the id of the winner, then by the place
/// in the group, then by the digest of the loser's content, the greatest first.
struct GroupLoserEntry: SortableEntry {
  private let orderedWinner: UInt64

  /// The number of ranks in the group before the rank of the loser; 0 is the rank of the winner.
  let place: UInt64
  private let invertedDigestHigh: UInt64
  private let invertedDigestLow: UInt64
  private let orderedLoser: UInt64

  /// - Parameter digest: the digest of the loser's content if others have its rank; else zero.
  init(loser: Int64, winner: Int64, place: UInt64, digest: Digest) {
    orderedWinner = UInt64(bitPattern: winner) ^ 1 << 63
    self.place = place
    invertedDigestHigh = ~digest.high
    invertedDigestLow = ~digest.low
    orderedLoser = UInt64(bitPattern: loser) ^ 1 << 63
  }

  var loser: Int64 { Int64(bitPattern: orderedLoser ^ 1 << 63) }

  var winner: Int64 { Int64(bitPattern: orderedWinner ^ 1 << 63) }

  var digest: Digest { Digest(high: ~invertedDigestHigh, low: ~invertedDigestLow) }

  static var wordCount: Int { 5 }

  func word(_ index: Int) -> UInt64 {
    switch index {
    case 0: orderedWinner
    case 1: place
    case 2: invertedDigestHigh
    case 3: invertedDigestLow
    default: orderedLoser
    }
  }
}
