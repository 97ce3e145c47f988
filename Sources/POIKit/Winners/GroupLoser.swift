internal import POIRecords

/// A loser that is removed with its group.
struct GroupLoser {
  let loser: Int64
  let winner: Int64

  /// The number of ranks in the group before its own.
  let place: UInt64

  /// The digest of its content if other losers of the group have its rank; else zero.
  let digest: Digest

  /// Whether it is the last one of its group.
  let isLast: Bool

  init(_ entry: GroupLoserEntry, isLast: Bool) {
    loser = entry.loser
    winner = entry.winner
    place = entry.place
    digest = entry.digest
    self.isLast = isLast
  }
}
