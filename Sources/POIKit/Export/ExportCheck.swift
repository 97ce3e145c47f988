internal import JSONStreaming
internal import POIRecords

/// Reads the written records as an import would, to find those that the model refuses.
struct ExportCheck: ~Copyable {
  private var reader: ElementReader
  private var intake: RecordIntake

  /// The row ids of the records that were written and not yet read.
  private var rows: [Int64] = []

  /// The number of records read before them.
  private var readCount = 0

  /// The sum of the digests of the records; nil if some of them are removals, which have none.
  private(set) var digest: Digest? = .zero
  private(set) var refusedCount = 0
  private(set) var firstRefusal: ExportReport.Refusal?

  init(_ model: Model, _ format: ExportOptions.Format) {
    reader = ElementReader(
      shape: format == .ndjson ? .sequence : .container(JSONPointer(tokens: [])),
      limits: StoredJSON.limits, isResumable: false)
    intake = RecordIntake(model: model, limits: StoredJSON.limits, validators: [])
  }

  /// Notes the row ids of the records in the next bytes.
  mutating func note(_ rows: [Int64]) { self.rows += rows }

  /// Reads more of the export.
  mutating func read(_ bytes: borrowing GrowableBuffer<UInt8>) throws {
    reader.append(bytes.span)
    try readElements()
  }

  /// Reads the rest.
  mutating func finish() throws {
    reader.finish()
    try readElements()
    guard rows.isEmpty else { throw Self.miscount }
  }

  private mutating func readElements() throws {
    var isAtEnd = false
    while !isAtEnd {
      switch try reader.next() {
      case .element: intake.addElement(of: &reader)
      case .malformed(let malformation): intake.addReject(malformation, of: &reader)
      case .needsInput, .end: isAtEnd = true
      }
      if isAtEnd || intake.batch.readCount >= 1_000 { try settle() }
    }
  }

  private static let miscount = StoreFailure(
    .internalCheck, "an import of the export would not read one record for each row")

  /// Counts the records of the batch, and empties it.
  private mutating func settle() throws {
    guard intake.batch.readCount <= rows.count else { throw Self.miscount }
    let batch = intake.batch.digestChange
    let isWhole = !(0..<intake.batch.recordCount).contains { intake.batch.origins[$0].isDeletion }
    digest = isWhole ? digest.map { $0 + batch } : nil
    for reject in intake.batch.rejects {
      refusedCount += 1
      if firstRefusal == nil {
        firstRefusal = ExportReport.Refusal(
          row: rows[reject.origin.index - readCount], issues: reject.issues)
      }
    }
    rows.removeFirst(intake.batch.readCount)
    readCount += intake.batch.readCount
    intake.batch.removeAll()
  }
}
