/// Computes the digest of decoded records: the same as that of the rows they become.
struct RecordDigester: ~Copyable {
  private struct Column {
    var name: UInt64
    var slot: Int
    /// The columns of the related row, for a relation.
    var related: [(name: UInt64, slot: Int)]?
  }

  private let columns: [Column]
  private var content = CanonicalContent()

  init(_ model: Model) {
    let layout = RecordLayout(model)
    var columns: [(name: String, column: Column)] = []
    for (slot, attribute) in model.attributes.enumerated() {
      let related = attribute.relation.map { relation in
        zip(relation.attributes, layout.fields[slot].relatedFields)
          .sorted { $0.0.column.utf8.lexicographicallyPrecedes($1.0.column.utf8) }
          .map { (CanonicalContent.nameTag($0.0.column), $0.1) }
      }
      columns.append(
        (
          attribute.column,
          Column(name: CanonicalContent.nameTag(attribute.column), slot: slot, related: related)
        ))
    }
    if let unmapped = model.unmappedColumn, let slot = layout.unmappedSlot {
      columns.append(
        (unmapped, Column(name: CanonicalContent.nameTag(unmapped), slot: slot, related: nil)))
    }
    self.columns = columns.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
      .map(\.column)
  }

  /// The digest of one record of the batch.
  mutating func digest(record: Int, of batch: borrowing RecordBatch) -> Digest {
    content.removeAll()
    for column in columns {
      guard let related = column.related else {
        batch.append(record: record, slot: column.slot, name: column.name, to: &content)
        continue
      }
      guard batch[record, column.slot].kind == .related else { continue }
      let start = content.beginRelated(name: column.name)
      for (name, slot) in related {
        batch.append(record: record, slot: slot, name: name, to: &content)
      }
      content.endRelated(at: start)
    }
    return content.digest
  }
}
