/// How many losers lost for which reason.
public struct ReasonCounts: Sendable, Hashable {
  /// Losers that are older, or younger where the oldest is kept.
  public internal(set) var timestamp = 0

  /// Losers that lack the timestamp that their winner has.
  public internal(set) var timestampPresent = 0

  /// Losers that are live where the winner is a removal of the same instant.
  public internal(set) var tombstone = 0

  /// Losers of the same instant with a smaller digest.
  public internal(set) var digest = 0

  /// Losers that say the same as their winner.
  public internal(set) var identical = 0

  /// The number of all losers.
  public var total: Int { timestamp + timestampPresent + tombstone + digest + identical }

  mutating func add(_ reason: WinReason, count: Int = 1) {
    switch reason {
    case .timestamp: timestamp += count
    case .timestampPresent: timestampPresent += count
    case .tombstone: tombstone += count
    case .digest: digest += count
    case .identical: identical += count
    }
  }
}
