internal import JSONStreaming

/// Rows of delimited text: objects whose values are texts and null.
extension RecordDecoder {
  /// Decodes a text in a row that is the JSON of an array or object, if the target is one or holds the unmapped members;
  /// returns whether the model maps all of it, and nil for all other values.
  @inline(never)
  mutating func decodeText(
    _ target: SourceTable.Target, name: Span<UInt8>, value: Int, handling: UnmappedHandling,
    element: JSONElement, record: Int, batch: inout RecordBatch
  ) -> Bool? {
    guard readsTexts else { return nil }
    let isUnmapped =
      !target.isMapped && unmappedName.map { name.hasSameBytes(as: $0.span) } ?? false
    if isUnmapped, element.tape[value].kind == .null { return true }
    guard element.tape[value].kind == .string else { return nil }
    let types =
      0..<layout.fields.count ~= target.field ? layout.fields[target.field].attribute.types : .array
    guard isUnmapped || target.isMapped && !types.isDisjoint(with: [.object, .array]) else {
      return nil
    }
    let text = element.tape.text(of: element.tape[value])
    guard text.count > 1, text[0] == UInt8(ascii: "{") || text[0] == UInt8(ascii: "["),
      text[0] == UInt8(ascii: "{") || !isUnmapped, ElementReader.flaw(inDocument: text) == nil
    else { return nil }
    var reader = ElementReader(shape: .sequence, isResumable: false)
    reader.append(text)
    reader.finish()
    guard reader.findValue() else { return nil }
    let json = JSONElement(reader)
    readsTexts = false
    defer { readsTexts = true }
    guard !isUnmapped else {
      return walkObject(
        json.start, node: SourceTable.root, handling: handling, element: json, record: record,
        batch: &batch)
    }
    return decodeMapped(
      target, name: name, value: json.start, handling: handling, element: json, record: record,
      batch: &batch)
  }

  /// Appends a row as the JSON record that the model reads: numbers, booleans, arrays and objects without quotes where
  /// it has no texts.
  mutating func append(
    rowAt start: Int, of element: JSONElement, node: Int = SourceTable.root,
    to output: inout GrowableBuffer<UInt8>
  ) {
    var cursor = table.cursor(in: node)
    var index = start + 1
    output.append(UInt8(ascii: "{"))
    while element.tape[index].kind == .key {
      let name = element.tape.text(of: element.tape[index])
      let target = table.target(ofMember: name, at: &cursor)
      let value = index + 1
      if index > start + 1 { output.append(UInt8(ascii: ",")) }
      JSONText.appendQuoted(name, to: &output)
      output.append(UInt8(ascii: ":"))
      switch element.tape[value].kind {
      case .startObject where target.node >= 0:
        append(rowAt: value, of: element, node: target.node, to: &output)
      case .string where isJSON(element.tape.text(of: element.tape[value]), of: target):
        output.append(copying: element.tape.text(of: element.tape[value]))
      default: JSONText.append(valueAt: value, of: element.tape, to: &output)
      }
      index = element.tape.end(ofValueAt: value)
    }
    output.append(UInt8(ascii: "}"))
  }

  /// Whether a text is the JSON of a value of the target, which is no text.
  private func isJSON(_ text: Span<UInt8>, of target: SourceTable.Target) -> Bool {
    guard target.isMapped else { return false }
    if layout.fields.indices.contains(target.field) {
      let attribute = layout.fields[target.field].attribute
      if attribute.types.contains(.string) || attribute.hasDecimalComma { return false }
    }
    return ElementReader.flaw(inDocument: text) == nil
      && text[0] != UInt8(ascii: "\"") && text[0] > 0x20
  }
}
