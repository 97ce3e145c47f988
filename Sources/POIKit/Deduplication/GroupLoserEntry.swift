/// A row that goes and is merged into the one that stays, ordered by the id of the latter and by the
/// place in its group.
struct GroupLoserEntry: SortableEntry {
  private let orderedWinner: UInt64

  /// How many ranks of the group come before that of the loser; 0 is the winner's own.
  let place: UInt64
  private let orderedLoser: UInt64

  init(loser: Int64, winner: Int64, place: UInt64) {
    orderedWinner = UInt64(bitPattern: winner) ^ 1 << 63
    self.place = place
    orderedLoser = UInt64(bitPattern: loser) ^ 1 << 63
  }

  var loser: Int64 { Int64(bitPattern: orderedLoser ^ 1 << 63) }

  var winner: Int64 { Int64(bitPattern: orderedWinner ^ 1 << 63) }

  /// Whether both are of one group and one rank, so that only their contents order them.
  func sharesPlace(with other: GroupLoserEntry) -> Bool {
    orderedWinner == other.orderedWinner && place == other.place
  }

  static var wordCount: Int { 3 }

  func word(_ index: Int) -> UInt64 {
    switch index {
    case 0: orderedWinner
    case 1: place
    default: orderedLoser
    }
  }
}
