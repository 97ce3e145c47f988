internal import POIRecords
internal import POISQLite

/// The value of one column of a winner while its losers are merged into it, in the order of their
/// ranks.
struct MergedValue {
  private let rule: MergeRule
  private let own: StoredValue?
  private var best: StoredValue?

  /// The origin of the best value: the winner itself, or a loser's place and digest.
  private var isOwn: Bool
  private var place: UInt64 = 0
  private var digest = Digest.zero

  /// The loser with the best value; nil if the value is the winner's own or united from several.
  private(set) var source: Int64?

  /// The time of the best value; for a united list the latest time of its parts.
  private(set) var time: PropertyTime

  private var list: ListUnion?

  /// - Parameters:
  ///   - rule: how it is merged.
  ///   - own: the value of the winner; nil if it is NULL.
  ///   - time: the time of that value.
  init(_ rule: MergeRule, own: StoredValue?, time: PropertyTime = .never) {
    self.rule = rule
    self.own = own
    self.time = time
    best = own
    isOwn = own != nil
    if rule == .union, case .text(let text) = own { list = ListUnion(text) }
  }

  /// Whether a loser of a place can change the value. If it cannot, no later loser can.
  func isOpen(at place: UInt64) -> Bool {
    rule != .newest || best == nil || (!isOwn && place == self.place)
  }

  mutating func merge(
    _ value: StoredValue, of loser: GroupLoserEntry, time: PropertyTime = .never
  ) {
    if rule == .union { return merge(list: value, time: time) }
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

  private mutating func merge(list value: StoredValue, time: PropertyTime) {
    guard case .text(let text) = value else { return }
    if list == nil {
      guard own == nil, let first = ListUnion(text) else { return }
      list = first
      self.time = time
    } else {
      guard list?.insert(text) == true else { return }
      self.time = max(self.time, time)
    }
    isOwn = false
  }

  /// Drops the merged value, so that the winner keeps its own.
  mutating func keepOwn() { isOwn = true }

  /// Compares two values by the rule alone: 1 if the first is better, -1 if the second is, else 0.
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

  /// Whether the loser with the value comes before the loser with the best value. That is possible
  /// only if both have the same rank.
  private func precedesInRank(_ value: StoredValue, _ loser: GroupLoserEntry) -> Bool {
    guard !isOwn, loser.place == place, let best else { return false }
    return loser.digest == digest ? best.precedes(value) : digest < loser.digest
  }

  /// Whether the winner has a value after the merge.
  var isPresent: Bool { own != nil || change != nil }

  /// The value to write to the winner; nil if it keeps its own.
  var change: StoredValue? {
    guard !isOwn else { return nil }
    let value = rule == .union ? list.map { StoredValue.text($0.text) } : best
    return value == own ? nil : value
  }
}

/// The distinct elements of JSON arrays.
///
/// Elements are equal if their canonical texts are; see `JSONValue.canonical`.
struct ListUnion {
  private var elements: Set<[UInt8]> = []

  /// The elements of an array; nil if the text is not a JSON array.
  init?(_ text: [UInt8]) {
    guard insert(text) != nil else { return nil }
  }

  /// Adds the elements of an array.
  ///
  /// - Returns: whether one of them is new; nil if the text is not a JSON array.
  mutating func insert(_ text: [UInt8]) -> Bool? {
    guard let list = JSONValue.stored(text.span)?.elements else { return nil }
    let countBefore = elements.count
    for element in list { elements.insert(Array(element.canonical.description.utf8)) }
    return elements.count > countBefore
  }

  /// A JSON array of the elements, in the order of their texts' bytes.
  var text: [UInt8] {
    let sorted = elements.sorted { $0.lexicographicallyPrecedes($1) }
    return Array("[".utf8) + sorted.joined(separator: ",".utf8) + Array("]".utf8)
  }
}
