/// The number of losers for each reason.
public struct ReasonCounts: Sendable, Hashable {
  /// Losers that are older, or younger if the oldest is kept.
  public internal(set) var timestamp = 0

  /// Losers without a timestamp, if the winner has one.
  public internal(set) var timestampPresent = 0

  /// Live losers of a removal with the same timestamp.
  public internal(set) var tombstone = 0

  /// Losers with the same timestamp and a smaller digest.
  public internal(set) var digest = 0

  /// Losers with the same content as their winner.
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
