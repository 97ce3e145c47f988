/// A loser as it is merged into its winner.
struct GroupLoser {
  let loser: Int64
  let winner: Int64

  /// How many ranks of the group come before its own.
  let place: UInt64

  /// Whether another loser of the group has the same rank.
  let isTied: Bool

  /// Whether it is the last one of its group.
  let isLast: Bool

  init(_ entry: GroupLoserEntry, isTied: Bool, isLast: Bool) {
    loser = entry.loser
    winner = entry.winner
    place = entry.place
    self.isTied = isTied
    self.isLast = isLast
  }
}
