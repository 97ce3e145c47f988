internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// Finds or inserts the rows of one relation's table, and remembers the latest ones.
///
/// It is a class, because arrays cannot hold noncopyable values.
final class RelationWriter {
  private var rows: RelatedRows

  /// - Parameters:
  ///   - relation: the relation.
  ///   - fields: the slots of the attributes that identify a related row.
  init(
    _ relation: Relation, fields: Range<Int>, _ facts: SchemaFacts, connection: Connection
  ) throws {
    rows = try RelatedRows(relation, fields: fields, facts, connection: connection)
  }

  static func writers(
    for model: Model, layout: RecordLayout, _ facts: SchemaFacts, connection: Connection
  ) throws -> [(slot: Int, writer: RelationWriter)] {
    var writers: [(slot: Int, writer: RelationWriter)] = []
    for (slot, attribute) in model.attributes.enumerated() {
      guard let relation = attribute.relation else { continue }
      let writer = try RelationWriter(
        relation, fields: layout.fields[slot].relatedFields, facts, connection: connection)
      writers.append((slot, writer))
    }
    return writers
  }

  /// Forgets the remembered rows, after a rollback.
  func forgetRows() { rows.forget() }

  /// The id of the related row, which is inserted if it is missing.
  ///
  /// - Parameter savepoint: the savepoint to open before the insert, or nil.
  func rowID(
    record: Int, batch: borrowing RecordBatch, undoableBy savepoint: RecordSavepoint? = nil
  ) throws -> Int64 {
    try rows.rowID(record: record, batch: batch, undoableBy: savepoint)
  }
}

/// The latest used rows of a relation's table. When the memory is full it is emptied, and rows are looked up
/// again.
private struct RelatedRows: ~Copyable {
  /// The largest number of remembered rows.
  private static let capacity = 8192

  /// The largest number of bytes of their content.
  private static let byteCapacity = 1 << 20

  struct Entry: BitwiseCopyable {
    /// The offset of its content in `contents`.
    var start: Int
    var count: Int
    var rowID: Int64

    var content: Range<Int> { start..<start + count }
  }

  /// Whether rows are remembered; not if triggers or foreign keys may delete them.
  private let isRemembering: Bool

  private let fields: Range<Int>
  private var lookup: Statement
  private var insertion: RowInsertion
  private var entries = GrowableBuffer<Entry>()
  private var contents = GrowableBuffer<UInt8>()
  private var buckets = GrowableBuffer<Int32>()
  private var content = CanonicalContent()

  init(
    _ relation: Relation, fields: Range<Int>, _ facts: SchemaFacts, connection: Connection
  ) throws {
    let lookup = try connection.prepare(StoreSchema.lookup(in: relation))
    let insertion = try RowInsertion(
      into: relation.table, columns: relation.attributes.map { SQL(name: $0.column) }, facts,
      connection: connection)
    self.fields = fields
    isRemembering = !facts.changesOtherRows
    self.lookup = lookup
    self.insertion = insertion
    buckets.append(repeating: -1, count: RelatedRows.capacity * 2)
  }

  mutating func rowID(
    record: Int, batch: borrowing RecordBatch, undoableBy savepoint: RecordSavepoint?
  ) throws -> Int64 {
    content.removeAll()
    for field in fields {
      batch.append(record: record, slot: field, nameTag: UInt64(field), to: &content)
    }
    let mask = buckets.count - 1
    var bucket = Int(truncatingIfNeeded: content.bytes.tableHash) & mask
    while buckets[bucket] >= 0 {
      let entry = Int(buckets[bucket])
      if content.bytes.hasSameBytes(as: contents.span.extracting(entries[entry].content)) {
        return entries[entry].rowID
      }
      bucket = (bucket + 1) & mask
    }
    let rowID = try storedRowID(record: record, batch: batch, undoableBy: savepoint)
    guard isRemembering, content.bytes.count <= RelatedRows.byteCapacity else { return rowID }
    if entries.count == RelatedRows.capacity
      || contents.count + content.bytes.count > RelatedRows.byteCapacity
    {
      forget()
      bucket = Int(truncatingIfNeeded: content.bytes.tableHash) & mask
    }
    buckets[bucket] = Int32(entries.count)
    let start = contents.count
    RelatedRows.append(content, to: &contents)
    entries.append(Entry(start: start, count: contents.count - start, rowID: rowID))
    return rowID
  }

  mutating func forget() {
    entries.removeAll()
    contents.removeAll()
    for index in 0..<buckets.count { buckets[index] = -1 }
  }

  private static func append(
    _ content: borrowing CanonicalContent, to contents: inout GrowableBuffer<UInt8>
  ) {
    contents.append(copying: content.bytes)
  }

  private mutating func storedRowID(
    record: Int, batch: borrowing RecordBatch, undoableBy savepoint: RecordSavepoint?
  ) throws -> Int64 {
    for (position, field) in fields.enumerated() {
      try batch.bind(record: record, slot: field, to: &lookup, at: position + 1)
    }
    let found = try lookup.step() ? lookup.integer(0) : nil
    try lookup.reset()
    if let found { return found }
    try savepoint?.open()
    for (position, field) in fields.enumerated() {
      try batch.bind(record: record, slot: field, to: &insertion.statement, at: position + 1)
    }
    return try insertion.run()
  }
}
