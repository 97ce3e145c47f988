/// A loser and its winner, in the order of the losers' ids.
///
/// If `winner` equals `loser`, the row is removed without a winner.
struct LoserEntry: SortableEntry {
  private let orderedLoser: UInt64
  private let orderedWinner: UInt64

  init(loser: Int64, winner: Int64) {
    orderedLoser = UInt64(bitPattern: loser) ^ 1 << 63
    orderedWinner = UInt64(bitPattern: winner) ^ 1 << 63
  }

  var loser: Int64 { Int64(bitPattern: orderedLoser ^ 1 << 63) }

  var winner: Int64 { Int64(bitPattern: orderedWinner ^ 1 << 63) }

  static var wordCount: Int { 2 }

  func word(_ index: Int) -> UInt64 { index == 0 ? orderedLoser : orderedWinner }
}
