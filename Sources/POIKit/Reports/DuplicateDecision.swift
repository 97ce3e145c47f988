/// A decision between two records with the same key.
public struct DuplicateDecision: Sendable, Hashable {
  /// The values of the key columns as text; nil for NULL.
  public let key: [String?]

  /// The id of the row that stays.
  public let winner: Int64

  /// The id of the row that goes.
  public let loser: Int64

  /// The reason for the decision.
  public let reason: WinReason

  /// Which record the pass keeps.
  public let keep: KeepRule

  /// The difference of the timestamps in microseconds; nil if they did not decide or their unit is
  /// unknown.
  public let microseconds: UInt64?
}

extension DuplicateDecision {
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
