internal import JSONStreaming

/// Computes the digests of decoded records; they equal the digests of the resulting rows.
package struct RecordDigester: ~Copyable {
  /// Not private: the compiler (6.3.1) fails on a buffer of private values.
  struct Column: BitwiseCopyable {
    var nameTag: UInt64
    var slot: Int
    /// The number of following columns that belong to the related row; -1 if the column is not a relation.
    var relatedCount = -1
  }

  /// In canonical field order.
  private var columns = GrowableBuffer<Column>()
  /// The relations to many in canonical field order.
  private let relations: [(nameTag: UInt64, number: Int)]
  private let hasRelations: Bool
  private var content = CanonicalContent()

  package init(_ model: Model) {
    let layout = RecordLayout(model)
    relations = model.relations.map(\.name).enumerated()
      .sorted { CanonicalContent.precedes($0.element, $1.element) }
      .map { (CanonicalContent.nameTag($0.element), $0.offset) }
    hasRelations = !relations.isEmpty
    var fields: [(name: String, columns: [Column])] = []
    for (slot, attribute) in model.attributes.enumerated() where attribute.isContent {
      var columns = [Column(nameTag: CanonicalContent.nameTag(attribute.column), slot: slot)]
      if let relation = attribute.relation {
        columns[0].relatedCount = relation.attributes.count
        columns += zip(relation.attributes, layout.fields[slot].relatedFields)
          .sorted { CanonicalContent.precedes($0.0.column, $1.0.column) }
          .map { Column(nameTag: CanonicalContent.nameTag($0.0.column), slot: $0.1) }
      }
      fields.append((attribute.column, columns))
    }
    if let unmapped = model.unmappedColumn, let slot = layout.unmappedSlot {
      fields.append((unmapped, [Column(nameTag: CanonicalContent.nameTag(unmapped), slot: slot)]))
    }
    for field in fields.sorted(by: { CanonicalContent.precedes($0.name, $1.name) }) {
      for column in field.columns { columns.append(column) }
    }
  }

  /// Computes the digest of a record. Inlined: the compiler (6.3.1) copies a borrowed batch for a call.
  @inline(__always)
  package mutating func digest(record: Int, of batch: borrowing RecordBatch) -> Digest {
    appendContent(
      of: batch.slots.span.extracting(
        record * batch.slotCount..<(record + 1) * batch.slotCount),
      arena: batch.arena.span)
    if hasRelations { appendRelations(of: record, children: batch.children) }
    return content.digest
  }

  private mutating func appendContent(of slots: Span<ValueSlot>, arena: Span<UInt8>) {
    content.removeAll()
    var room = unsafe columns.count * CanonicalFieldWriter.fieldByteLimit
    for slot in slots.indices { room &+= slots[slot].textCount }
    unsafe arena.withUnsafeBytes { arena in
      unsafe content.appendFields(room: room) { writer in
        var writer = unsafe writer
        var index = 0
        while index < columns.count {
          let column = columns[index]
          index &+= 1
          if column.relatedCount < 0 {
            unsafe writer.append(slots[column.slot], of: arena, nameTag: column.nameTag)
            continue
          }
          let end = index &+ column.relatedCount
          if slots[column.slot].kind == .related {
            let start = unsafe writer.beginRelated(nameTag: column.nameTag)
            for related in index..<end {
              let column = columns[related]
              unsafe writer.append(slots[column.slot], of: arena, nameTag: column.nameTag)
            }
            unsafe writer.endRelated(at: start)
          }
          index = end
        }
        return unsafe writer
      }
    }
  }

  @inline(never)
  private mutating func appendRelations(of record: Int, children: [ChildRecords]) {
    for relation in relations {
      let rows = children[relation.number].digest(ofParent: record)
      content.append(rows: rows, nameTag: relation.nameTag)
    }
  }

  /// Compares the content of the last digested records, like `CanonicalContent.compareBytes`.
  package func compareContent(with other: borrowing RecordDigester) -> Int {
    content.compareBytes(with: other.content)
  }
}

extension CanonicalFieldWriter {
  /// Appends the value of a slot whose text is in `arena`; NULL adds no bytes.
  @inline(__always)
  fileprivate mutating func append(
    _ value: ValueSlot, of arena: UnsafeRawBufferPointer, nameTag: UInt64
  ) {
    if value.kind == .text {
      unsafe append(bytes: value.text(in: arena), type: UInt8(ascii: "t"), nameTag: nameTag)
    } else if value.kind == .integer {
      unsafe append(integer: value.integer, nameTag: nameTag)
    } else if value.kind == .real {
      unsafe append(real: value.real, nameTag: nameTag)
    }
  }
}
