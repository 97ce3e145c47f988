internal import POIRecords
internal import SQLiteKit

/// The value of one column of a winner while its losers are merged into it, in the order of their
/// ranks.
struct MergedValue {
  private let rule: MergeRule
  private let own: StoredValue?
  private var best: StoredValue?

  /// Where the best value is from: the winner itself, or a loser's place and digest.
  private var isOwn: Bool
  private var place: UInt64 = 0
  private var digest = Digest.zero

  /// The loser that the best value is from; nothing where it is the winner's own or united of several.
  private(set) var source: Int64?

  /// When the best value was set; of a united list, the latest time of all that it is from.
  private(set) var time: PropertyTime

  /// The elements so far, under the rule `union`.
  private var list: ListUnion?

  /// The value of a winner.
  ///
  /// - Parameters:
  ///   - rule: how it is merged.
  ///   - own: what the winner has; nil where it is null.
  ///   - time: when that was set.
  /// - Throws: `SQLiteError` when there is no memory for a list.
  init(_ rule: MergeRule, own: StoredValue?, time: PropertyTime = .never) throws(SQLiteError) {
    self.rule = rule
    self.own = own
    self.time = time
    best = own
    isOwn = own != nil
    if rule == .union, case .text(let text) = own { list = try ListUnion(text) }
  }

  /// Whether a loser of a place can still change the value; where it cannot, later ones cannot either.
  func isOpen(at place: UInt64) -> Bool {
    rule != .newest || best == nil || (!isOwn && place == self.place)
  }

  /// Merges the value of a loser.
  ///
  /// - Parameters:
  ///   - loser: the loser.
  ///   - time: when the value was set.
  /// - Throws: `SQLiteError` when there is no memory for a list.
  mutating func merge(
    _ value: StoredValue, of loser: GroupLoser, time: PropertyTime = .never
  ) throws(SQLiteError) {
    if rule == .union { return try merge(list: value, time: time) }
    if let best {
      let order = order(value, best)
      guard order > 0 || (order == 0 && precedesInRank(value, loser)) else { return }
    }
    best = value
    isOwn = false
    place = loser.place
    source = loser.loser
    digest = loser.digest
    self.time = time
  }

  private mutating func merge(
    list value: StoredValue, time: PropertyTime
  ) throws(SQLiteError) {
    guard case .text(let text) = value else { return }
    if list == nil {
      guard own == nil, let first = try ListUnion(text) else { return }
      list = first
      self.time = time
    } else {
      guard try list?.insert(text) == true else { return }
      self.time = max(self.time, time)
    }
    isOwn = false
  }

  /// Leaves the winner its own value after all.
  mutating func keepOwn() { isOwn = true }

  /// Whether the rule alone prefers the first of two values, 1, the second, -1, or neither, 0.
  private func order(_ value: StoredValue, _ other: StoredValue) -> Int {
    switch rule {
    case .newest, .union: return 0
    case .longest:
      let (count, otherCount) = (value.scalarCount ?? -1, other.scalarCount ?? -1)
      return count == otherCount ? 0 : count > otherCount ? 1 : -1
    case .minimum: return value.isLess(than: other) ? 1 : other.isLess(than: value) ? -1 : 0
    case .maximum: return value.isLess(than: other) ? -1 : other.isLess(than: value) ? 1 : 0
    }
  }

  /// Whether the loser that has the value comes before the one that has the best so far, which can
  /// only be where both have one rank.
  private func precedesInRank(_ value: StoredValue, _ loser: GroupLoser) -> Bool {
    guard !isOwn, loser.place == place, let best else { return false }
    return loser.digest == digest ? best.precedes(value) : digest < loser.digest
  }

  /// Whether the winner has a value after the merge.
  var isPresent: Bool { own != nil || change != nil }

  /// The value that the winner is to get; nil where it keeps its own.
  var change: StoredValue? {
    guard !isOwn else { return nil }
    let value = rule == .union ? list.map { StoredValue.text($0.text) } : best
    return value == own ? nil : value
  }
}
