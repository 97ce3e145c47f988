internal import JSONStreaming
internal import POIRecords

/// The unmapped members of records, to merge them one by one.
///
/// A value that is kept instead of an attribute's belongs to the attribute: a merge takes both from the same record.
struct UnmappedMembers {
  /// The unmapped members of one record.
  struct Content {
    /// The values that are kept for slots.
    var kept: [Int: KeptValue] = [:]

    /// The members without an attribute.
    var others: [JSONValue.Member] = []

    /// Whether a value is kept instead of a slot's.
    func replaces(_ slot: Int) -> Bool { kept[slot]?.isInstead ?? false }
  }

  /// A value at the place of an attribute, or a value that is there instead of an object or array around it.
  struct KeptValue: Equatable {
    var value: JSONValue

    /// The number of steps from the record to the value.
    var depth: Int

    /// Whether the attribute has no value. An array is kept whole, with the values that its columns have.
    var isInstead: Bool
  }

  let slot: Int

  /// The steps from the record to a slot, and the slots of each member of the record.
  private let steps: [Int: [String]]
  private let slots: [ExactText: [Int]]

  /// The places of arrays: all values with a slot in them are elements.
  private let arrayPlaces: Set<[ExactText]>

  /// The slots of the array that has a slot.
  private(set) var arrays: [Int: [Int]] = [:]

  /// Nil if the model does not keep unmapped members.
  init?(_ layout: RecordLayout) {
    guard let unmapped = layout.unmappedSlot else { return nil }
    slot = unmapped
    let attributes = (0..<layout.attributeCount).map { ($0, layout.fields[$0].attribute.source) }
    let relations = layout.relations.map { ($0.slot, $0.relation.source) }
    var steps: [Int: [String]] = [:]
    var slots: [ExactText: [Int]] = [:]
    var (arrays, objects) = (Set<[ExactText]>(), Set<[ExactText]>())
    for (slot, source) in attributes + relations {
      guard case .pointer(let pointer) = source else { continue }
      steps[slot] = pointer
      slots[ExactText(pointer[0]), default: []].append(slot)
      for depth in 1..<max(1, pointer.count) {
        let place = pointer.prefix(depth).map(ExactText.init)
        if JSONPointer.arrayIndex(pointer[depth]) == nil {
          objects.insert(place)
        } else {
          arrays.insert(place)
        }
      }
    }
    self.steps = steps
    self.slots = slots
    arrayPlaces = arrays.subtracting(objects)
    var members: [[ExactText]: [Int]] = [:]
    for (slot, steps) in steps.sorted(by: { $0.key < $1.key }) {
      let places = (1...steps.count).map { steps.prefix($0).map(ExactText.init) }
      guard let array = places.first(where: arrayPlaces.contains) else { continue }
      members[array, default: []].append(slot)
    }
    for slots in members.values {
      for slot in slots { self.arrays[slot] = slots }
    }
  }

  /// The number of steps from the record to a slot with a place in it.
  func depth(of slot: Int) -> Int { steps[slot]!.count }

  /// The members of a record; nil if they are no JSON object with different names.
  func content(of record: Int, in batch: borrowing RecordBatch) -> Content? {
    guard batch[record, slot].kind == .text else { return Content() }
    return content(batch.arena.span.extracting(batch[record, slot].textRange))
  }

  /// The members in a stored text; nil if it is no JSON object with different names.
  func content(_ text: Span<UInt8>) -> Content? {
    guard let members = JSONValue.stored(text)?.members else { return nil }
    var content = Content()
    for member in members {
      var rest = [member]
      let own = slots[ExactText(member.name)] ?? []
      for slot in own { content.kept[slot] = kept(slot, in: rest) }
      for slot in own {
        guard let depth = content.kept[slot]?.depth else { continue }
        Self.remove(steps[slot]!.prefix(depth), from: &rest)
      }
      content.others += rest
    }
    return content
  }

  /// The members as a JSON object; empty if there are no members.
  ///
  /// A value around several attributes is left out unless all of them have it.
  ///
  /// - Parameter isSorted: whether the members of all objects are sorted by their names.
  func text(_ content: Content, isSorted: Bool = false) -> String {
    var members = content.others
    for (slot, kept) in content.kept.sorted(by: { $0.key < $1.key }) {
      let place = steps[slot]!.prefix(kept.depth)
      if kept.depth < steps[slot]!.count {
        let around = slots[ExactText(place[0])]!.filter { steps[$0]!.starts(with: place) }
        guard slot == around.first, around.allSatisfy({ hasSame(kept, $0, in: content) }) else {
          continue
        }
        // An object without values says less than what is there.
        if kept.value.members?.isEmpty == true,
          isSorted || Self.value(at: place, in: members) != nil
        {
          continue
        }
      }
      Self.set(kept.value, at: place, in: &members)
    }
    if members.isEmpty { return "" }
    return (isSorted ? JSONValue.object(members).sorted : .object(members)).description
  }

  private func hasSame(_ kept: KeptValue, _ slot: Int, in content: Content) -> Bool {
    guard let other = content.kept[slot] else { return false }
    return other.depth == kept.depth && other.value == kept.value
  }

  /// Removes the kept values around attributes at places where `members` have a value.
  func removeKept(from content: inout Content, where members: [JSONValue.Member]) {
    for (slot, kept) in content.kept where kept.depth < depth(of: slot) {
      guard Self.value(at: steps[slot]!.prefix(kept.depth), in: members) != nil else { continue }
      content.kept[slot] = nil
    }
  }

  /// Whether a value that is kept for a slot loses a tie against another one.
  ///
  /// A value around several attributes is the least: it goes as soon as one of them has another value.
  func isLess(_ value: KeptValue?, _ other: KeptValue?, for slot: Int) -> Bool {
    func rank(_ value: KeptValue?) -> Int { value.map { $0.depth < depth(of: slot) ? 0 : 2 } ?? 1 }
    func text(_ value: KeptValue?) -> ExactText { ExactText(value?.value.sorted.description ?? "") }
    return (rank(value), text(value)) < (rank(other), text(other))
  }

  /// Adds newer members to `members`, object by object.
  static func merge(_ newer: [JSONValue.Member], into members: inout [JSONValue.Member]) {
    for member in newer {
      if var inner = members[member.name]?.members, let newerInner = member.value.members {
        merge(newerInner, into: &inner)
        members[member.name] = .object(inner)
      } else {
        members[member.name] = member.value
      }
    }
  }

  /// The value at the place of a slot, or the one that is there instead of an object or array around it.
  private func kept(_ slot: Int, in members: [JSONValue.Member]) -> KeptValue? {
    let steps = steps[slot]!
    var members = members
    for (index, step) in steps.enumerated() {
      guard let value = members[step] else { return nil }
      let kept = KeptValue(
        value: value, depth: index + 1,
        isInstead: value != .null && value.members?.isEmpty != true)
      guard index + 1 < steps.count else { return kept }
      let next = steps[index + 1]
      let isArray = arrayPlaces.contains(steps.prefix(index + 1).map(ExactText.init))
      if isArray, let elements = value.elements {
        let element = JSONPointer.arrayIndex(next).flatMap {
          elements.indices.contains($0) ? elements[$0] : nil
        }
        return KeptValue(value: value, depth: index + 1, isInstead: element ?? .null != .null)
      }
      guard let inner = value.members, !inner.isEmpty, !isArray || inner[next] != nil else {
        return kept
      }
      members = inner
    }
    return nil
  }

  private static func value(
    at steps: ArraySlice<String>, in members: [JSONValue.Member]
  ) -> JSONValue? {
    guard let step = steps.first, let value = members[step] else { return nil }
    return steps.count == 1 ? value : Self.value(at: steps.dropFirst(), in: value.members ?? [])
  }

  private static func remove(_ steps: ArraySlice<String>, from members: inout [JSONValue.Member]) {
    guard let step = steps.first else { return }
    if steps.count > 1, var inner = members[step]?.members {
      remove(steps.dropFirst(), from: &inner)
      members[step] = inner.isEmpty ? nil : .object(inner)
    } else {
      members[step] = nil
    }
  }

  private static func set(
    _ value: JSONValue, at steps: ArraySlice<String>, in members: inout [JSONValue.Member]
  ) {
    guard let step = steps.first else { return }
    guard steps.count > 1 else {
      members[step] = value
      return
    }
    var inner = members[step]?.members ?? []
    set(value, at: steps.dropFirst(), in: &inner)
    members[step] = .object(inner)
  }
}
