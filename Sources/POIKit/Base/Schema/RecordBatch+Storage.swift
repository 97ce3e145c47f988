internal import JSONStreaming
internal import POIRecords
internal import POISQLite

extension RecordBatch {
  /// Binds the value of a slot to a parameter.
  ///
  /// Text is not copied: the parameter points into the batch's arena. The statement must run before
  /// the batch changes.
  func bind(record: Int, slot: Int, to statement: inout Statement, at index: Int) throws {
    let value = self[record, slot]
    switch value.kind {
    case .absent, .null, .related: try statement.bindNull(index)
    case .integer: try statement.bind(index, integer: value.integer)
    case .real: try statement.bind(index, real: value.real)
    case .text:
      try unsafe arena.withUnsafeBufferPointer { (bytes) throws in
        try unsafe statement.bindBorrowed(
          index, text: UnsafeBufferPointer(rebasing: bytes[value.textRange]))
      }
    }
  }

  /// Binds the values of slots to the first parameters, as above.
  func bind(record: Int, slots: [Int], to statement: inout Statement) throws {
    for (part, slot) in slots.enumerated() {
      try bind(record: record, slot: slot, to: &statement, at: part + 1)
    }
  }

  /// Appends the value of a slot to canonical content, under a column's name tag. NULL adds no
  /// bytes.
  func append(record: Int, slot: Int, nameTag: UInt64, to content: inout CanonicalContent) {
    let value = self[record, slot]
    switch value.kind {
    case .absent, .null, .related: break
    case .integer: content.append(integer: value.integer, nameTag: nameTag)
    case .real: content.append(real: value.real, nameTag: nameTag)
    case .text: content.append(text: arena.span.extracting(value.textRange), nameTag: nameTag)
    }
  }

  /// Turns a record that violates a constraint of the table into a reject.
  mutating func refuse(record: Int, because error: SQLiteError) {
    refuse(
      record: record,
      because: [
        Issue(
          rule: error.isUniqueViolation ? "unique" : "constraint", attribute: nil,
          message: "the table refuses the record: \(error.message)")
      ])
  }

  /// The position of a record for messages.
  ///
  /// - Parameter names: the names of the inputs.
  func place(of record: Int, _ names: InputNames) -> String {
    let origin = origins[record]
    return "\(names.name(of: origin)):\(origin.line + 1):\(origin.column + 1) "
      + "(record \(origin.index + 1))"
  }
}

extension RecordLayout {
  /// Makes `content` the value of one attribute. For a relation to one that is the identifying
  /// values of the related row, for a relation to many its rows.
  func append(
    _ slot: Int, of record: Int, in batch: borrowing RecordBatch,
    to content: inout CanonicalContent
  ) {
    content.removeAll()
    if let number = relations.firstIndex(where: { $0.slot == slot }) {
      return content.append(
        rows: batch.children[number].digest(ofParent: record), nameTag: UInt64(slot))
    }
    let related = slot < attributeCount ? fields[slot].relatedFields : 0..<0
    for slot in related.isEmpty ? slot..<slot + 1 : related {
      batch.append(record: record, slot: slot, nameTag: UInt64(slot), to: &content)
    }
  }

  /// The value of an attribute as people read it; not for relations.
  func text(of slot: Int, of record: Int, in batch: borrowing RecordBatch) -> String {
    let value = batch[record, slot]
    return switch value.kind {
    case .absent, .null: "null"
    case .related:
      fields[slot].relatedFields.map { text(of: $0, of: record, in: batch) }.joined(separator: ", ")
    case .integer: String(value.integer)
    case .real: String(value.real)
    case .text: "\"\(String(copying: batch.arena.span.extracting(value.textRange)))\""
    }
  }
}
