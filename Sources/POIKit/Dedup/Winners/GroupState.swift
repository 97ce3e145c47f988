internal import POIRecords

/// The state of a duplicate group while its rows are read, the greatest rank first.
struct GroupState {
  /// The best row so far.
  private(set) var winner: CandidateEntry

  var rowCount = 1

  /// The digest of the best row's content, from the first tie on.
  var bestDigest = Digest.zero

  /// Whether a row has another content than the first one, if the key is doubtful.
  var isDiffering = false

  private(set) var tiedCount = 0

  /// The number of rows with the rank and the content of the winner.
  private(set) var identicalCount = 0

  /// Why a row of the winner's rank loses, if its content differs.
  private let tieReason: DeduplicationPlan.Reason

  /// The first loser, and why it lost against the winner.
  private(set) var firstLoser: CandidateEntry?
  private(set) var firstReason = DeduplicationPlan.Reason.identical

  /// The number of lower ranks than the winner's so far; rows of equal rank share a place.
  private(set) var place: UInt64 = 0
  private(set) var latestRank: CandidateRank

  init(winner: CandidateEntry, ties: TieRule) {
    tieReason = ties == .later ? .later : .digest
    self.winner = winner
    latestRank = winner.rank
  }

  mutating func noteLoser(_ entry: CandidateEntry, reason: DeduplicationPlan.Reason) {
    if entry.rank != latestRank {
      latestRank = entry.rank
      place += 1
    }
    guard firstLoser == nil else { return }
    firstLoser = entry
    firstReason = reason
  }

  /// Notes a row of the winner's rank that did not beat it.
  mutating func noteTied(_ entry: CandidateEntry, isIdentical: Bool) {
    tiedCount += 1
    if isIdentical { identicalCount += 1 }
    noteLoser(entry, reason: isIdentical ? .identical : tieReason)
  }

  /// Makes a row of the same rank the winner.
  mutating func replaceWinner(by entry: CandidateEntry, digest: Digest) {
    noteLoser(winner, reason: tieReason)
    // Rows that were identical to the former winner differ from the new one.
    firstReason = tieReason
    tiedCount += 1
    identicalCount = 0
    winner = entry
    bestDigest = digest
  }
}
