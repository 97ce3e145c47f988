internal import JSONStreaming
internal import POIRecords
internal import POISQLite

/// An export from its first row to its report.
struct TableExport: ~Copyable {
  /// The bytes that are passed on at once.
  private static let pieceSize = 1 << 18

  private let options: ExportOptions
  private let format: ExportOptions.Format
  private var output = RowOutput()
  private var report: ExportReport

  /// Reads what was written, if that is asked for.
  private var check: ExportCheck?

  init(of model: Model, _ options: ExportOptions) {
    self.options = options
    let areNamed = model.attributes.contains { $0.source == .memberName }
    format = options.format ?? (areNamed ? .json : .ndjson)
    report = ExportReport(table: model.table)
    output.isSpreadsheetSafe = options.isSpreadsheetSafe
  }

  /// Writes the rows of a table.
  ///
  /// - Parameters:
  ///   - layout: the layout of a table of records; nil for another table, whose model is its columns.
  ///   - rowID: the row id; nil for rows without one, in any order.
  consuming func run(
    _ model: Model, _ layout: TableLayout?, rowID: SQL? = RowReader.rowID,
    in connection: Connection, progress: (StoreProgress) -> BatchDecision,
    to write: (Span<UInt8>) throws -> Void
  ) throws -> ExportReport {
    let isWhole = options.columns.isEmpty && layout != nil
    guard !options.isChecked || (isWhole && format.isReadAgain) else {
      throw ExportOptions.uncheckable
    }
    guard layout != nil || (!format.isMap && options.box == nil) else {
      throw StoreFailure(
        .invalidOptions,
        "\(model.table) has no model that names its coordinates, so it is not a map"
      )
    }
    let nameField = try nameField(of: model, in: connection)
    var selection = try ExportedRows(
      model, options, includesRemoved: format.isReadAgain, rowID: rowID, in: connection)
    let reader = selection.reader
    let columns =
      format == .csv ? try TableColumns(of: model, named: options.columns) : nil
    let writer = try RecordWriter(
      model, columns: columns == nil ? options.columns : [], reader: reader, in: connection)
    let feature = format.isMap ? try writer.featurePlaces(of: model) : nil
    if options.isChecked { check = ExportCheck(model, format) }
    var digest: Digest? = isWhole && (format.isReadAgain || options.isOfAllRows) ? .zero : nil
    let (opening, closing) = format.brackets(areRecordsNamed: nameField != nil)
    output.bytes.append(copying: opening.utf8Span.span)
    if let columns { output.append(header: columns.all.map(\.name)) }
    while report.isFinished, try selection.step() {
      beginRecord()
      if let nameField {
        writer.appendName(of: nameField, to: &output)
        output.bytes.append(UInt8(ascii: ":"))
      }
      if let feature {
        try writer.append(feature, to: &output)
      } else if let columns {
        try writer.append(columns, to: &output)
      } else {
        try writer.append(to: &output)
      }
      endRecord()
      check?.note(row: reader.statement.integer(0))
      if let sum = digest { digest = try sum + reader.rowDigest() }
      if output.bytes.count >= Self.pieceSize { try flush(progress, write) }
    }
    output.bytes.append(copying: closing.utf8Span.span)
    try flush(progress, write)
    report.repairedTextCount = output.repairedTextCount
    guard report.isFinished else { return report }
    if var check = check.take() {
      try check.finish()
      report.importDigest = check.digest
      report.refusedRecordCount = check.refusedCount
      report.firstRefusal = check.firstRefusal
    }
    if let digest, let layout {
      if format.isReadAgain { report.digest = digest }
      if options.isOfAllRows {
        let isOfRemoved = format.isReadAgain || model.tombstoneColumn == nil
        try RememberedDigest(layout, in: connection).check(
          isOfRemoved ? digest : Self.digest(of: layout, in: connection))
      }
    }
    return report
  }

  private static func digest(of layout: TableLayout, in connection: Connection) throws -> Digest {
    let schema = try TableSchema(of: layout.table, in: connection)
    return try RowReader(layout, schema: schema, rows: .all).digest().digest
  }

  private mutating func beginRecord() {
    switch format {
    case .ndjson, .csv: break
    case .geojsonseq: output.bytes.append(0x1E)
    case .json, .geojson:
      if report.recordCount > 0 { output.bytes.append(UInt8(ascii: ",")) }
      output.bytes.append(UInt8(ascii: "\n"))
    }
  }

  private mutating func endRecord() {
    report.recordCount += 1
    switch format {
    case .ndjson, .geojsonseq: output.bytes.append(UInt8(ascii: "\n"))
    case .csv, .json, .geojson: break
    }
  }

  /// Passes on what was written, and asks whether to continue.
  private mutating func flush(
    _ progress: (StoreProgress) -> BatchDecision, _ write: (Span<UInt8>) throws -> Void
  ) throws {
    report.byteCount += output.bytes.count
    try write(output.bytes.span)
    if var check = check.take() {
      try check.read(output.bytes.span)
      self.check = consume check
    }
    output.bytes.removeAll()
    let decision = progress(StoreProgress(.reading, completedCount: report.recordCount))
    if decision == .stop { report.isFinished = false }
  }

  /// The field that is read from the name of the member that holds the record; nil if there is no such field.
  private func nameField(of model: Model, in connection: Connection) throws -> Int? {
    guard let field = model.attributes.firstIndex(where: { $0.source == .memberName }) else {
      return nil
    }
    let attribute = model.attributes[field]
    guard format.isReadAgain else { return nil }
    guard format == .json else {
      throw StoreFailure(
        .invalidOptions,
        "the attribute \"\(attribute.name)\" is the name of the member that holds the record, which "
          + "a line has no place for; export as json")
    }
    let nameless = try connection.integer(
      """
      SELECT \(StoreSchema.idColumn) FROM main.\(name: model.table) \
      WHERE \(name: attribute.column) IS NULL LIMIT 1
      """)
    if let nameless {
      throw StoreFailure(
        .unsupportedTable,
        "row \(nameless) of \(model.table) has no \(attribute.name), which is the name of the member "
          + "that holds the record")
    }
    return field
  }
}

extension ExportOptions {
  fileprivate var isOfAllRows: Bool { filters.isEmpty && box == nil && limit == nil }
}

extension ExportOptions.Format {
  /// Whether the records are GeoJSON Features.
  fileprivate var isMap: Bool { self == .geojson || self == .geojsonseq }

  /// Whether an import with the same model reads the export.
  fileprivate var isReadAgain: Bool { self == .ndjson || self == .json }

  /// The texts before the records and after them.
  fileprivate func brackets(areRecordsNamed: Bool) -> (String, String) {
    switch self {
    case .ndjson, .geojsonseq, .csv: ("", "")
    case .json: areRecordsNamed ? ("{", "\n}\n") : ("[", "\n]\n")
    case .geojson: (#"{"type":"FeatureCollection","features":["#, "\n]}\n")
    }
  }
}
