internal import JSONStreaming

extension RecordDecoder {
  /// Decodes the array of a relation to many; returns whether the model maps the whole array.
  @inline(never)
  mutating func decodeChildren(
    _ number: Int, value: Int, element: JSONElement, record: Int, batch: inout RecordBatch
  ) -> Bool {
    let slot = layout.relations[number].slot
    let relation = layout.relations[number].relation
    guard batch[record, slot].kind == .absent else {
      issues.report("duplicate-key", relation.name, "the member occurs twice in the record")
      return true
    }
    switch element.tape[value].kind {
    case .startArray:
      batch[record, slot] = .related
      checkCount(element.tape[value].elementCount, of: relation)
      return childDecoders[number].decode(
        arrayAt: value, of: element, into: batch.children[number], issues: &issues)
    case .null where relation.allowsNull:
      batch[record, slot] = .null
    default:
      let types: JSONTypes = relation.allowsNull ? [.array, .null] : .array
      issues.report(
        "type", relation.name,
        "\(element.excerpt(ofValueAt: value)) is not of type \(types.phrase)")
    }
    return true
  }

  private mutating func checkCount(_ count: Int, of relation: RelationToMany) {
    if let limit = relation.minItems, count < limit {
      issues.report(
        "minItems", relation.name, "the array of \(count) has fewer than \(limit) elements")
    }
    if let limit = relation.maxItems, count > limit {
      issues.report(
        "maxItems", relation.name, "the array of \(count) has more than \(limit) elements")
    }
  }

  /// Decodes an element that is a plain value; returns whether it was accepted.
  mutating func decodePlain(_ element: JSONElement, into batch: inout RecordBatch) -> Bool {
    clearIssues()
    let arenaStart = batch.arena.count
    let record = batch.beginRecord()
    decodeField(0, value: element.start, element: element, record: record, batch: &batch)
    guard issues.isEmpty else {
      batch.discard(arenaStart: arenaStart)
      return false
    }
    batch.accept(RecordOrigin(index: 0, byteOffset: 0))
    return true
  }

  mutating func checkRequiredChildren(record: Int, batch: borrowing RecordBatch) {
    for many in layout.relations
    where many.relation.isRequired && batch[record, many.slot].kind == .absent {
      reportMissing(many.relation.name, "the attribute is missing", as: "required")
    }
  }
}
