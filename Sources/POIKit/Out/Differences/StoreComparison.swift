internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// A comparison from the first row of the newer store to its report.
struct StoreComparison: ~Copyable {
  private static let pieceSize = 1 << 16

  private let older: KeyedRows
  private let newer: KeyedRows
  private let attributes: ComparedAttributes
  private let writers: (older: RecordWriter, newer: RecordWriter)
  private let manyReaders: [(older: RowReader, newer: RowReader)]
  private var places: PlaceReader?
  private var output: RowOutput
  private var report: DifferenceReport
  private var changedCounts: [String: Int] = [:]

  /// The number of rows of the older store that have a record in the newer one.
  private var matchedCount = 0
  private var readCount = 0

  /// - Parameters:
  ///   - older: a store's table, the model of its records, and the connection.
  ///   - newer: the other one's.
  init(
    _ older: (model: Model, connection: Connection),
    _ newer: (model: Model, connection: Connection),
    _ options: DifferenceOptions
  ) throws {
    let key = options.key.isEmpty ? newer.model.key : options.key
    guard !key.isEmpty else {
      throw StoreFailure(
        .invalidOptions,
        "the model \"\(newer.model.name)\" has no key to find the same record in both stores")
    }
    let olderRows = try KeyedRows(of: older.model, key: key, in: older.connection)
    let newerRows = try KeyedRows(of: newer.model, key: key, in: newer.connection)
    for (part, name) in key.enumerated() {
      let fields = [olderRows, newerRows].map { $0.layout.fields[$0.keyFields[part]].attribute }
      guard fields[0].storage.isComparable(with: fields[1].storage) else {
        throw StoreFailure(
          .invalidOptions,
          "the key \"\(name)\" has another type in the older store, so no record is in both")
      }
    }
    let attributes = try ComparedAttributes(
      olderRows, newerRows, ignoring: options.ignoredAttributes)
    let manyReaders = try attributes.relations.map { many in
      (
        try RowReader(rowsOf: older.model.relations[many.older], in: older.connection),
        try RowReader(rowsOf: newer.model.relations[many.newer], in: newer.connection)
      )
    }
    let writers = (
      try RecordWriter(
        older.model, columns: [], reader: olderRows.reader, in: older.connection),
      try RecordWriter(
        newer.model, columns: [], reader: RowReader(newer.model, in: newer.connection),
        in: newer.connection)
    )
    var report = DifferenceReport(table: newer.model.table, key: key)
    report.uncomparedAttributes = attributes.uncompared
    report.repeatedKeyCounts.older = olderRows.repeatedKeyCount
    report.repeatedKeyCounts.newer = newerRows.repeatedKeyCount
    self.manyReaders = manyReaders
    places = PlaceReader(of: newer.model)
    self.writers = writers
    self.report = report
    output = RowOutput()
    self.attributes = attributes
    self.older = olderRows
    self.newer = newerRows
  }

  consuming func run(
    progress: (StoreProgress) -> BatchDecision, to write: (Span<UInt8>) throws -> Void
  ) throws -> DifferenceReport {
    let rows = writers.newer.reader
    while report.isFinished, try rows.step() {
      try compareRow()
      try flushIfFull(progress, write)
    }
    if report.isFinished, matchedCount < (try older.count()) {
      try writeRemoved(progress, write)
    }
    try write(output.bytes.span)
    report.changedAttributes = (attributes.fields.map(\.name) + attributes.relations.map(\.name))
      .compactMap { name in changedCounts[name].map { .init(name: name, recordCount: $0) } }
    return report
  }

  private mutating func compareRow() throws {
    let rows = writers.newer.reader
    switch try standing(of: rows, in: newer) {
    case .keyless: report.keylessCounts.newer += 1
    case .repeated: break
    case .comparable:
      if try older.find(rows.statement, keyFields: newer.keyFields) {
        matchedCount += 1
        try writeChange()
      } else {
        report.addedCount += 1
        report.append(rows, of: .added, &places)
        try appendRecord("added", from: writers.newer, newer)
      }
    }
  }

  /// The rows of the older store that have no record in the newer one.
  private mutating func writeRemoved(
    _ progress: (StoreProgress) -> BatchDecision, _ write: (Span<UInt8>) throws -> Void
  ) throws {
    let rows = try RowReader(older.model, in: older.connection)
    let writer = try RecordWriter(older.model, columns: [], reader: rows, in: older.connection)
    var places = PlaceReader(of: older.model)
    while report.isFinished, try rows.step() {
      switch try standing(of: rows, in: older) {
      case .keyless: report.keylessCounts.older += 1
      case .repeated: break
      case .comparable:
        if try !newer.find(rows.statement, keyFields: older.keyFields) {
          report.removedCount += 1
          report.append(rows, of: .removed, &places)
          try appendRecord("removed", from: writer, older)
        }
      }
      try flushIfFull(progress, write)
    }
  }

  private enum Standing {
    case keyless, repeated, comparable
  }

  private func standing(of rows: RowReader, in store: KeyedRows) throws -> Standing {
    let fields = store.keyFields
    if fields.contains(where: { rows.statement.isNull($0 + 1) }) { return .keyless }
    let isRepeated =
      try older.isRepeated(rows.statement, keyFields: fields)
      || newer.isRepeated(rows.statement, keyFields: fields)
    return isRepeated ? .repeated : .comparable
  }

  // MARK: One record

  /// Writes the attributes of the current rows that differ, if there are any.
  private mutating func writeChange() throws {
    let (old, new) = (older.reader, writers.newer.reader)
    let start = output.bytes.count
    for field in attributes.fields
    where !old.statement.hasSameValue(field.older, as: field.newer, of: new.statement) {
      begin(field.name, isFirst: output.bytes.count == start)
      output.append(field.older, of: old.statement, in: field.olderForm)
      JSONText.append(#","new":"#, to: &output.bytes)
      output.append(field.newer, of: new.statement, in: field.newerForm)
      output.bytes.append(UInt8(ascii: "}"))
    }
    for (many, readers) in zip(attributes.relations, manyReaders) {
      let (oldRow, newRow) = (old.statement.integer(0), new.statement.integer(0))
      guard try readers.older.digest(ofRow: oldRow) != readers.newer.digest(ofRow: newRow) else {
        continue
      }
      begin(many.name, isFirst: output.bytes.count == start)
      try writers.older.append(rowsOf: many.older, to: &output)
      JSONText.append(#","new":"#, to: &output.bytes)
      try writers.newer.append(rowsOf: many.newer, to: &output)
      output.bytes.append(UInt8(ascii: "}"))
    }
    if output.bytes.count == start {
      report.equalCount += 1
    } else {
      report.changedCount += 1
      report.append(new, of: .changed, &places)
      JSONText.append("}}\n", to: &output.bytes)
    }
  }

  /// Begins the difference of an attribute; before the first one of a record, the line.
  private mutating func begin(_ name: String, isFirst: Bool) {
    changedCounts[name, default: 0] += 1
    if isFirst {
      appendHead("changed", of: writers.newer.reader, newer)
      JSONText.append(#","attributes":{"#, to: &output.bytes)
    } else {
      output.bytes.append(UInt8(ascii: ","))
    }
    JSONText.appendQuoted(name.utf8Span.span, to: &output.bytes)
    JSONText.append(#":{"old":"#, to: &output.bytes)
  }

  /// Appends a line with a whole record.
  private mutating func appendRecord(
    _ change: StaticString, from writer: RecordWriter, _ store: KeyedRows
  ) throws {
    appendHead(change, of: writer.reader, store)
    JSONText.append(#","record":"#, to: &output.bytes)
    try writer.append(to: &output)
    JSONText.append("}\n", to: &output.bytes)
  }

  private mutating func appendHead(_ change: StaticString, of rows: RowReader, _ store: KeyedRows) {
    JSONText.append(#"{"change":""#, to: &output.bytes)
    JSONText.append(change, to: &output.bytes)
    JSONText.append(#"","key":{"#, to: &output.bytes)
    for (part, field) in store.keyFields.enumerated() {
      if part > 0 { output.bytes.append(UInt8(ascii: ",")) }
      JSONText.appendQuoted(report.key[part].utf8Span.span, to: &output.bytes)
      output.bytes.append(UInt8(ascii: ":"))
      output.append(
        field + 1, of: rows.statement, in: ValueForm(store.layout.fields[field].attribute))
    }
    output.bytes.append(UInt8(ascii: "}"))
  }

  private mutating func flushIfFull(
    _ progress: (StoreProgress) -> BatchDecision, _ write: (Span<UInt8>) throws -> Void
  ) throws {
    readCount += 1
    guard output.bytes.count >= Self.pieceSize || readCount.isMultiple(of: 4_096) else { return }
    try write(output.bytes.span)
    output.bytes.removeAll()
    let decision = progress(StoreProgress(.reading, completedCount: readCount))
    if decision == .stop { report.isFinished = false }
  }
}
