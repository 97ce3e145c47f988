internal import POIRecords

/// A loser as it goes with its group.
struct GroupLoser {
  let loser: Int64
  let winner: Int64

  /// How many ranks of the group come before its own.
  let place: UInt64

  /// The digest of its content, where others of the group have its rank; else zero.
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
