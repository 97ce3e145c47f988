internal import POIRecords
internal import POISQLite

/// The unmapped members of a winner while its losers are merged into it.
///
/// The winner gets the members that it lacks. A value that is kept instead of a column's counts as its value: the column
/// of the winner stays empty beside one of its own, and gets one of a loser if it stays empty otherwise.
struct LoserMembers {
  let column: String
  private let unmapped: UnmappedMembers
  private let place: Int

  /// The slot of each merged column.
  private let slots: [Int?]

  /// The members of the winner; nil if they are no JSON object with different names, and stay.
  private var own: UnmappedMembers.Content?
  private var others: [ExactText: MergedValue] = [:]
  private var kept: [Int: MergedValue] = [:]

  /// Nil if the model keeps no unmapped members, or if their column is not merged.
  init?(_ model: Model, columns: [String]) {
    guard let column = model.unmappedColumn, let unmapped = UnmappedMembers(RecordLayout(model)),
      let place = columns.firstIndex(of: column)
    else { return nil }
    self.column = column
    self.unmapped = unmapped
    self.place = place
    slots = columns.map { column in model.attributes.firstIndex { $0.column == column } }
  }

  /// Begins with a winner in the current row.
  mutating func begin(_ rows: borrowing Statement) {
    own = content(of: rows)
    others = [:]
    kept = [:]
  }

  /// Whether the losers cannot change a column of the winner.
  func isFixed(_ place: Int) -> Bool {
    place == self.place || slots[place].map { own?.replaces($0) == true } == true
  }

  /// Merges a loser in the current row.
  mutating func merge(
    _ rows: borrowing Statement, of loser: GroupLoserEntry, times: PropertyTimes?
  ) {
    guard let own, let content = content(of: rows) else { return }
    for member in content.others where own.others[member.name] == nil {
      others[ExactText(member.name), default: MergedValue(.newest, own: nil)].merge(
        .text(Array(member.value.description.utf8)), of: loser,
        time: times?.members[member.name] ?? .never)
    }
    for (slot, value) in content.kept
    where value.isInstead && value.depth == unmapped.depth(of: slot) && own.kept[slot] == nil {
      kept[slot, default: MergedValue(.newest, own: nil)].merge(
        .text(Array(value.value.description.utf8)), of: loser)
    }
  }

  /// The new value of the column; nil if it stays.
  ///
  /// - Parameter values: the merged values of the columns.
  func change(beside values: [MergedValue]) -> StoredValue? {
    guard let own else { return nil }
    var content = own
    for (name, value) in others.sorted(by: { $0.key < $1.key }) {
      content.others[name.text] = Self.json(value)
    }
    for (place, slot) in slots.enumerated() {
      guard let slot, !values[place].isPresent, let value = kept[slot].flatMap(Self.json) else {
        continue
      }
      content.kept[slot] = UnmappedMembers.KeptValue(
        value: value, depth: unmapped.depth(of: slot), isInstead: true)
    }
    guard content.others.count > own.others.count || content.kept.count > own.kept.count else {
      return nil
    }
    return .text(Array(unmapped.text(content).utf8))
  }

  /// Adds the times of the members that the winner got.
  func addTimes(to members: inout PropertyTimes.Members) {
    for (name, value) in others { members.times[name] = value.time }
  }

  private func content(of rows: borrowing Statement) -> UnmappedMembers.Content? {
    guard let value = StoredValue(place, of: rows) else { return UnmappedMembers.Content() }
    guard case .text(let text) = value else { return nil }
    return unmapped.content(text.span)
  }

  private static func json(_ value: MergedValue) -> JSONValue? {
    guard case .text(let text) = value.change else { return nil }
    return JSONValue.stored(text.span)
  }
}
