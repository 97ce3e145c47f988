internal import JSONStreaming

/// Relations to many.
extension RecordDecoder {
  /// Decodes the array of a relation to many.
  ///
  /// - Parameter number: that of the relation.
  /// - Returns: whether the model maps all of it.
  @inline(never)
  mutating func decodeChildren(
    _ number: Int, value: Int, element: JSONElement, record: Int, batch: inout RecordBatch
  ) -> Bool {
    let slot = layout.relations[number].slot
    let relation = layout.relations[number].relation
    let issueCount = issues.count
    defer { limitIssues(of: layout.fields.count + number, since: issueCount) }
    guard batch[record, slot].kind == .absent else {
      report("duplicate-key", relation.name, "the member stands twice in the record")
      return true
    }
    switch element.tape[value].kind {
    case .startArray:
      batch[record, slot] = .related
      checkCount(element.tape[value].elementCount, of: relation)
      let isWhollyMapped = children[number].decode(
        arrayAt: value, of: element, into: batch.children[number])
      if !children[number].issues.isEmpty { report(children[number].issues) }
      return isWhollyMapped
    case .null where relation.allowsNull:
      batch[record, slot] = .null
    default:
      let types: JSONTypes = relation.allowsNull ? [.array, .null] : .array
      report(
        "type", relation.name,
        "\(element.excerpt(ofValueAt: value)) is not of type \(types.phrase)")
    }
    return true
  }

  /// Checks the number of elements, repeated ones too.
  private mutating func checkCount(_ count: Int, of relation: RelationToMany) {
    if let limit = relation.minItems, count < limit {
      report("minItems", relation.name, "the array of \(count) has fewer than \(limit) elements")
    }
    if let limit = relation.maxItems, count > limit {
      report("maxItems", relation.name, "the array of \(count) has more than \(limit) elements")
    }
  }

  /// Decodes an element that is the value of the only attribute.
  ///
  /// - Returns: whether it was accepted.
  mutating func decodePlain(_ element: JSONElement, into batch: inout RecordBatch) -> Bool {
    forgetIssues()
    let arenaStart = batch.arena.count
    let record = batch.beginRecord()
    if !decodeCommonField(
      0, value: element.start, element: element, record: record, batch: &batch)
    {
      decodeUncommonField(
        0, value: element.start, element: element, record: record, batch: &batch)
    }
    guard issues.isEmpty else {
      batch.discard(arenaStart: arenaStart)
      return false
    }
    batch.accept(RecordOrigin(index: 0, byteOffset: 0))
    return true
  }

  /// Reports the required relations to many that the record does not name.
  mutating func checkRequiredChildren(record: Int, batch: borrowing RecordBatch) {
    for (number, many) in layout.relations.enumerated()
    where many.relation.isRequired && batch[record, many.slot].kind == .absent {
      guard mayBeMissing(layout.fields.count + number) else { continue }
      report("required", many.relation.name, "the attribute is missing")
    }
  }
}
