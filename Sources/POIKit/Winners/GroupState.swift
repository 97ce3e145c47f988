internal import POIRecords

/// What is known of a duplicate group while its rows pass by, the highest rank first.
struct GroupState {
  /// The best row so far.
  private(set) var winner: CandidateEntry

  /// The rows so far.
  var rowCount = 1

  /// The digest of the best row's content, once a tie has made it needed.
  var bestDigest = Digest.zero

  /// The rows that tie with the winner by rank.
  private(set) var tiedCount = 0

  /// Those among them that say the same as the winner.
  private(set) var identicalCount = 0

  /// The first row that lost, and why it lost against the winner.
  private(set) var firstLoser: CandidateEntry?
  private(set) var firstReason = WinReason.identical

  /// How many lower ranks than the winner's there were so far; rows of equal rank share a place.
  private(set) var place: UInt64 = 0
  private var latestRank: CandidateRank

  /// A group of one row.
  init(winner: CandidateEntry) {
    self.winner = winner
    latestRank = winner.rank
  }

  /// A group that stands for none.
  init() {
    let rank = CandidateRank(timestamp: nil, isTombstone: false, keep: .newest)
    winner = CandidateEntry(sortKey: SortKey(high: 0, low: 0), rank: rank, rowID: 0)
    latestRank = rank
  }

  /// Notes a row that lost by its rank.
  mutating func noteLoser(_ entry: CandidateEntry, reason: WinReason) {
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
    noteLoser(entry, reason: isIdentical ? .identical : .digest)
  }

  /// Puts a row of the same rank with a greater digest in the winner's place.
  mutating func replaceWinner(by entry: CandidateEntry, digest: Digest) {
    noteLoser(winner, reason: .digest)
    // Whoever said the same as the former winner differs from the new one.
    firstReason = .digest
    tiedCount += 1
    identicalCount = 0
    winner = entry
    bestDigest = digest
  }
}
