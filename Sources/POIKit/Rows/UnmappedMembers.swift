internal import JSONStreaming
internal import POIRecords

/// Merging the unmapped members of a record and a stored row one by one.
///
/// A kept value and the value of its column exclude each other, so the merge removes one of them.
struct UnmappedMembers {
  let slot: Int

  /// The slots with a place in the record, and the steps to it.
  private let places: [(slot: Int, steps: [String])]

  /// Nil if the model does not keep unmapped members.
  init?(_ layout: RecordLayout) {
    guard let unmapped = layout.unmappedSlot else { return nil }
    slot = unmapped
    let attributes = (0..<layout.attributeCount).map { ($0, layout.fields[$0].attribute.source) }
    let relations = layout.relations.map { ($0.slot, $0.relation.source) }
    places = (attributes + relations).compactMap { slot, source in
      if case .pointer(let steps) = source { (slot, steps) } else { nil }
    }
  }

  /// The members of the stored row, replaced and completed by the record's, as `object-trump` merges; nil if the merge
  /// of the slots does that, empty if no member is left.
  func trumped(
    _ stored: borrowing RecordBatch, by record: Int, of batch: borrowing RecordBatch
  ) -> String? {
    guard var members = Self.members(in: stored[0, slot], of: stored) else { return nil }
    for place in places where batch[record, place.slot].isNamed {
      Self.remove(place.steps[...], from: &members)
    }
    Self.merge(Self.members(in: batch[record, slot], of: batch) ?? [], into: &members)
    return Self.text(members)
  }

  /// The members of the stored row, completed by the record's, as `store-trump` merges; nil if the record has no
  /// members, empty if no member is left.
  func completed(
    _ stored: borrowing RecordBatch, by record: Int, of batch: borrowing RecordBatch
  ) -> String? {
    guard var members = Self.members(in: batch[record, slot], of: batch) else { return nil }
    for place in places where !stored[0, place.slot].isNull {
      Self.remove(place.steps[...], from: &members)
    }
    Self.merge(Self.members(in: stored[0, slot], of: stored) ?? [], into: &members)
    return Self.text(members)
  }

  /// The slots instead of which the stored row has a kept value.
  func keptSlots(of stored: borrowing RecordBatch) -> [Int] {
    guard let members = Self.members(in: stored[0, slot], of: stored) else { return [] }
    return places.filter { Self.keeps($0.steps[...], in: members) }.map(\.slot)
  }

  /// The members of the stored row without values that are kept beside some slots; nil if it has no members.
  func members(of stored: borrowing RecordBatch, without slots: [Int]) -> String? {
    guard var members = Self.members(in: stored[0, slot], of: stored) else { return nil }
    for place in places where slots.contains(place.slot) {
      Self.remove(place.steps[...], from: &members)
    }
    return Self.text(members)
  }

  /// Nil if the slot has no object.
  private static func members(
    in slot: ValueSlot, of batch: borrowing RecordBatch
  ) -> [JSONValue.Member]? {
    guard slot.kind == .text else { return nil }
    return JSONValue.stored(batch.arena.span.extracting(slot.textRange))?.members
  }

  private static func text(_ members: [JSONValue.Member]) -> String {
    members.isEmpty ? "" : JSONValue.object(members).description
  }

  private static func merge(
    _ newer: [JSONValue.Member], into members: inout [JSONValue.Member]
  ) {
    for member in newer {
      if var inner = members[member.name]?.members, let newerInner = member.value.members {
        merge(newerInner, into: &inner)
        members[member.name] = .object(inner)
      } else {
        members[member.name] = member.value
      }
    }
  }

  /// Whether there is a value at a place, or a scalar instead of an object around it. An array also has what its columns
  /// have.
  private static func keeps(_ steps: ArraySlice<String>, in members: [JSONValue.Member]) -> Bool {
    guard let step = steps.first, let value = members[step] else { return false }
    guard steps.count > 1 else { return true }
    if let inner = value.members { return keeps(steps.dropFirst(), in: inner) }
    return value.elements == nil
  }

  /// Removes the value at a place, or the array or scalar that is there instead of an object around it.
  private static func remove(
    _ steps: ArraySlice<String>, from members: inout [JSONValue.Member]
  ) {
    guard let step = steps.first, let value = members[step] else { return }
    if steps.count > 1, var inner = value.members, !inner.isEmpty {
      remove(steps.dropFirst(), from: &inner)
      members[step] = inner.isEmpty ? nil : .object(inner)
    } else {
      members[step] = nil
    }
  }
}
