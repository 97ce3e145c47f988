internal import JSONStreaming

/// Decodes single values of a record, to compare them with stored ones.
package struct ValueDecoder: ~Copyable {
  private var decoder: RecordDecoder
  private var children: [ChildRecords]
  private var arena = GrowableBuffer<UInt8>()

  /// The defaults by field; their texts are in `defaultTexts`.
  private var defaults: [Int: ValueSlot] = [:]
  private let defaultTexts: [UInt8]

  package init(_ model: Model) {
    decoder = RecordDecoder(model: model)
    defaultTexts = model.defaults.text
    for entry in model.defaults.entries { defaults[entry.field] = entry.slot }
    children = decoder.layout.relations.map { ChildRecords($0.layout) }
  }

  /// The value of a field; nil if the model refuses it. For a text see `isText`.
  package mutating func slot(
    ofField field: Int, valueAt index: Int, of element: JSONElement
  ) -> ValueSlot? {
    decoder.clearIssues()
    arena.removeAll()
    let slot = decoder.slot(of: field, value: index, element: element, arena: &arena)
    return decoder.issues.isEmpty ? slot : nil
  }

  /// The slot of a field's default, with its text; nil if the field has none.
  package mutating func slot(ofDefaultOf field: Int) -> ValueSlot? {
    guard let slot = defaults[field] else { return nil }
    arena.removeAll()
    let texts = defaultTexts
    arena.append(copying: texts.span)
    return slot
  }

  /// The text of the last slot.
  package func text(of slot: ValueSlot) -> [UInt8] {
    let text = arena.span.extracting(slot.textRange)
    return text.indices.map { text[$0] }
  }

  /// Whether the last slot has a text.
  package func isText(_ text: Span<UInt8>, in slot: ValueSlot) -> Bool {
    arena.span.extracting(slot.textRange).hasSameBytes(as: text)
  }

  /// The number of rows in the array of a relation to many, and the sum of their digests; nil if the model
  /// refuses the array.
  package mutating func digest(
    ofRelation number: Int, arrayAt index: Int, of element: JSONElement
  ) -> TableDigest? {
    guard element.tape[index].kind == .startArray else { return nil }
    var issues: [Issue] = []
    let rows = children[number]
    rows.removeAll()
    _ = decoder.childDecoders[number].decode(
      arrayAt: index, of: element, into: rows, issues: &issues)
    guard issues.isEmpty else { return nil }
    rows.endParent()
    return rows.digest(ofParent: 0)
  }
}
