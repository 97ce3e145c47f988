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

  /// The elements so far, under the rule `union`.
  private var list: ListUnion?

  /// The value of a winner.
  ///
  /// - Parameters:
  ///   - rule: how it is merged.
  ///   - own: what the winner has; nil where it is null.
  init(_ rule: MergeRule, own: StoredValue?) {
    self.rule = rule
    self.own = own
    best = own
    isOwn = own != nil
    if rule == .union, case .text(let text) = own { list = ListUnion(text) }
  }

  /// Whether a loser of a place can still change the value; where it cannot, later ones cannot either.
  func isOpen(at place: UInt64) -> Bool {
    rule != .newest || best == nil || (!isOwn && place == self.place)
  }

  /// Merges the value of a loser.
  ///
  /// - Parameters:
  ///   - place: how many ranks of the group come before the loser's.
  ///   - digest: of the loser's content, where others have its rank.
  mutating func merge(_ value: StoredValue, place: UInt64, digest: Digest) {
    if rule == .union { return merge(list: value) }
    if let best {
      let order = order(value, best)
      guard order > 0 || (order == 0 && precedesInRank(value, place, digest)) else { return }
    }
    best = value
    isOwn = false
    self.place = place
    self.digest = digest
  }

  private mutating func merge(list value: StoredValue) {
    guard case .text(let text) = value else { return }
    if list == nil {
      guard own == nil, let first = ListUnion(text) else { return }
      list = first
      isOwn = false
    } else if list?.insert(text) == true {
      isOwn = false
    }
  }

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
  private func precedesInRank(_ value: StoredValue, _ place: UInt64, _ digest: Digest) -> Bool {
    guard !isOwn, place == self.place, let best else { return false }
    return digest == self.digest ? best.precedes(value) : self.digest < digest
  }

  /// The value that the winner is to get; nil where it keeps its own.
  var change: StoredValue? {
    guard !isOwn else { return nil }
    let value = rule == .union ? list.map { StoredValue.text($0.text) } : best
    return value == own ? nil : value
  }
}
