extension DeduplicationPlan {
  /// Records that share a key.
  public struct Group: Sendable, Hashable {
    /// The values of the key columns as text; nil for NULL.
    public let key: [String?]

    /// The number of records.
    public let rowCount: Int

    /// The id of the row that wins.
    public let winner: Int64
  }

  /// A decision between two records with the same key.
  public struct Decision: Sendable, Hashable {
    /// The values of the key columns as text; nil for NULL.
    public let key: [String?]

    /// The id of the row that stays.
    public let winner: Int64

    /// The id of the row that goes.
    public let loser: Int64

    /// The reason for the decision.
    public let reason: Reason

    /// Which record the pass keeps.
    public let keep: DeduplicationOptions.KeepRule

    /// The difference of the timestamps in microseconds; nil if they did not decide or their unit is
    /// unknown.
    public let microseconds: UInt64?
  }

  /// Why a record won over another one with the same key.
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// Its timestamp is later, or earlier if the oldest is kept.
    case timestamp

    /// It has a timestamp, and the other has none.
    case timestampPresent

    /// It is a removal, and the other is live, with the same timestamp.
    case tombstone

    /// It has the greater digest, with the same timestamp.
    case digest

    /// It was imported later, and nothing says which is newer.
    case later

    /// The other has the same content.
    case identical

    fileprivate var index: Int {
      switch self {
      case .timestamp: 0
      case .timestampPresent: 1
      case .tombstone: 2
      case .digest: 3
      case .later: 4
      case .identical: 5
      }
    }
  }

  /// The number of losers for each reason.
  public struct ReasonCounts: Sendable, Hashable {
    /// In the order of `Reason.allCases`.
    private var counts = [Int](repeating: 0, count: Reason.allCases.count)

    /// Losers that are older, or younger if the oldest is kept.
    public var timestamp: Int { self[.timestamp] }

    /// Losers without a timestamp, if the winner has one.
    public var timestampPresent: Int { self[.timestampPresent] }

    /// Live losers of a removal with the same timestamp.
    public var tombstone: Int { self[.tombstone] }

    /// Losers with the same timestamp and a smaller digest.
    public var digest: Int { self[.digest] }

    /// Losers that were imported earlier, if nothing says which record is newer.
    public var later: Int { self[.later] }

    /// Losers with the same content as their winner.
    public var identical: Int { self[.identical] }

    /// The number of all losers.
    public var total: Int { counts.reduce(0, +) }

    /// The reasons in words, with the numbers of their losers.
    package func described(keeping keep: DeduplicationOptions.KeepRule) -> [(
      name: String, count: Int
    )] {
      [
        (keep == .newest ? "older" : "younger", timestamp),
        ("without timestamp", timestampPresent),
        ("live, with a removal of the same time", tombstone),
        ("ties broken by digest", digest),
        ("\(keep == .newest ? "earlier" : "later") by the order of import", later),
        ("identical", identical),
      ]
    }

    /// The number of losers for a reason.
    public internal(set) subscript(reason: Reason) -> Int {
      get { counts[reason.index] }
      set { counts[reason.index] = newValue }
    }
  }
}

extension DeduplicationPlan.Decision {
  /// The reason in words, such as "newer by 2 d 3 h".
  public var explanation: String {
    switch reason {
    case .timestamp:
      let comparative = keep == .newest ? "newer" : "older"
      guard let microseconds else { return comparative }
      return "\(comparative) by \(Self.duration(microseconds))"
    case .timestampPresent: return "has a timestamp, the other has none"
    case .tombstone: return "a removal of the same instant"
    case .digest: return "tie broken by digest"
    case .later: return "\(keep == .newest ? "later" : "earlier") by the order of import"
    case .identical: return "same content"
    }
  }

  /// Formats a duration in its two largest units.
  static func duration(_ microseconds: UInt64) -> String {
    let units: [(name: String, size: UInt64)] = [
      ("d", 86_400_000_000), ("h", 3_600_000_000), ("min", 60_000_000), ("s", 1_000_000),
      ("ms", 1_000), ("µs", 1),
    ]
    guard let first = units.firstIndex(where: { microseconds >= $0.size }) else { return "0 s" }
    var text = "\(microseconds / units[first].size) \(units[first].name)"
    if first + 1 < units.count {
      let second = microseconds % units[first].size / units[first + 1].size
      if second > 0 { text += " \(second) \(units[first + 1].name)" }
    }
    return text
  }
}
