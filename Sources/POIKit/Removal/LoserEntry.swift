/// A row that goes and the row that stays in its place, ordered by the id of the one that goes.
///
/// Losers whose ranks do not matter are removed in the order of their ids, so that every page of the
/// table is met once.
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
