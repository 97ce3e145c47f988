internal import JSONStreaming

/// Values that a column cannot hold and that are kept with the unmapped members.
extension RecordDecoder {
  /// Decodes any value, or keeps it with the unmapped members if the model says so and the column cannot hold it;
  /// returns false if it does not belong to the column.
  ///
  /// Its column is null: the record names the attribute. An element is kept with its array.
  @inline(never)
  mutating func decodeOrKeep(
    _ index: Int, name: Span<UInt8>?, value: Int, handling: UnmappedHandling,
    element: JSONElement, record: Int, batch: inout RecordBatch
  ) -> Bool {
    let issueCount = issues.count
    decodeUncommonField(index, value: value, element: element, record: record, batch: &batch)
    if issues.count == issueCount, keepsMisfit[index], handling != .ignore,
      hasFineFraction(index, value: value, element: element)
    {
      // The export writes the text while the column has its microseconds.
      if handling == .keep, let name { appendUnmapped(name, value: value, element: element) }
      return false
    }
    // A column of JSON around the value keeps it as it is.
    guard issues.count > issueCount, keepsMisfit[index],
      issues[issueCount...].allSatisfy(\.isMisfit)
    else { return true }
    issues.removeSubrange(issueCount...)
    batch[record, index] = .null
    guard handling != .ignore else { return true }
    keep(
      name, value: value, handling: handling, element: element,
      from: layout.fields[index].attribute.source.notation)
    return false
  }

  /// Whether a text has more digits of a second than the instant that it became.
  private func hasFineFraction(_ index: Int, value: Int, element: JSONElement) -> Bool {
    guard case .instant(let notation) = layout.fields[index].attribute.storage else { return false }
    let token = element.tape[value]
    if token.kind == .number, case .sinceEpoch(let length) = notation {
      // A second has six digits of microseconds, a millisecond three.
      let digitCount = String(length).utf8.count - 1
      return DecimalText(element.tape.text(of: token)).exponent < -digitCount
    }
    guard token.kind == .string else { return false }
    let text = element.tape.text(of: token)
    var digitCount = 0
    var isInFraction = false
    for index in text.indices where digitCount <= 6 {
      let isDigit = text[index] &- 0x30 <= 9
      digitCount = isInFraction && isDigit ? digitCount + 1 : 0
      isInFraction = isInFraction && isDigit || [0x2C, 0x2E].contains(text[index])
    }
    return digitCount > 6
  }

  /// Counts a value that does not fit, and copies it to the unmapped members unless its array is copied.
  private mutating func keep(
    _ name: Span<UInt8>?, value: Int, handling: UnmappedHandling, element: JSONElement,
    from pointer: String
  ) {
    let pointer = ExactText(pointer)
    if kept[pointer] == nil {
      kept[pointer] = KeptMember(example: element.excerpt(ofValueAt: value))
    }
    kept[pointer]?.count += 1
    if handling == .keep, let name { appendUnmapped(name, value: value, element: element) }
  }

  /// Whether a value is no object and no array, or an array instead of an object, or the reverse.
  mutating func isOfOtherKind(_ value: Int, node: Int, element: JSONElement) -> Bool {
    switch element.tape[value].kind {
    case .startArray: return table.elementCount(of: node) == 0
    case .startObject:
      guard table.isArray(node) else { return false }
      var cursor = table.cursor(in: node)
      var index = value + 1
      while element.tape[index].kind == .key {
        let name = element.tape.text(of: element.tape[index])
        if table.target(ofMember: name, at: &cursor).isMapped { return false }
        index = element.tape.end(ofValueAt: index + 1)
      }
      return true
    case .null: return false
    default: return true
    }
  }

  /// Keeps a value instead of the attributes inside, which the record names.
  mutating func keepWhole(
    _ node: Int, name: Span<UInt8>?, value: Int, handling: UnmappedHandling,
    element: JSONElement, record: Int, batch: inout RecordBatch
  ) -> Bool {
    reportIfRepeated(ofNode: node)
    let pointer = table.pointer(of: node)
    keep(name, value: value, handling: handling, element: element, from: pointer)
    nameFields(at: pointer, record: record, batch: &batch)
    return false
  }

  /// Sets the attributes at a place and inside to null.
  func nameFields(at pointer: String, record: Int, batch: inout RecordBatch) {
    for (index, field) in layout.fields.enumerated() where keepsMisfit[index] {
      let source = field.attribute.source.notation
      if source == pointer || source.hasPrefix(pointer + "/") { batch[record, index] = .null }
    }
  }

  /// Moves the values that were kept beside their columns to `members`.
  mutating func moveKept(to members: inout [ExactText: KeptMember]) {
    guard !kept.isEmpty else { return }
    members.merge(kept) { $0.adding($1) }
    kept.removeAll()
  }
}
