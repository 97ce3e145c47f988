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

  /// Reads what was written, if it should be whole records.
  private var checker: CheckThread?

  /// The row ids of the records in the output, if they are checked.
  private var rows: [Int64] = []

  /// - Parameter model: the model of the table; nil if it has none.
  init(of table: String, _ options: ExportOptions, _ model: Model? = nil) {
    self.options = options
    let areNamed = model?.attributes.contains { $0.source == .memberName } ?? false
    format = options.format ?? (areNamed ? .json : .ndjson)
    report = ExportReport(table: table)
    output.isSpreadsheetSafe = options.isSpreadsheetSafe
  }

  /// Writes the rows of a table of records.
  consuming func run(
    _ model: Model, _ layout: TableLayout, in connection: Connection,
    progress: (StoreProgress) -> BatchDecision, to write: (Span<UInt8>) throws -> Void
  ) throws -> ExportReport {
    let nameField = try nameField(of: model, in: connection)
    var selection = try ExportedRows(
      model, options, includesRemoved: format.isReadAgain, in: connection)
    let reader = selection.reader
    let columns =
      format == .csv ? try TableColumns(of: model, named: options.columns) : nil
    let writer = try RecordWriter(
      model, columns: columns == nil ? options.columns : [], reader: reader, in: connection)
    let feature = format.isMap ? try writer.featurePlan(of: model) : nil
    if options.columns.isEmpty, format.isReadAgain { try startChecker(model) }
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
      if checker != nil { rows.append(reader.statement.integer(0)) }
      if output.bytes.count >= Self.pieceSize { try flush(progress, write) }
    }
    output.bytes.append(copying: closing.utf8Span.span)
    try flush(progress, write)
    if var check = try checker?.finish() {
      if report.isFinished {
        try check.finish()
        report.digest = check.digest
        if check.digest != nil, options.isOfAllRows {
          report.tableDigest = try Self.digest(of: layout, exportedAs: check.digest, in: connection)
        }
      }
      report.refusedRecordCount = check.refusedCount
      report.firstRefusal = check.firstRefusal
    }
    if report.digest == nil, report.isFinished, options.isOfAllRows, options.columns.isEmpty {
      try Self.check(layout, in: connection)
    }
    report.repairedTextCount = output.repairedTextCount
    return report
  }

  /// Checks that the rows of a table have the digest that is remembered, if one is.
  private static func check(_ layout: TableLayout, in connection: Connection) throws {
    guard try RememberedDigest(layout).read(in: connection) != nil else { return }
    _ = try digest(of: layout, exportedAs: nil, in: connection)
  }

  /// The digest of the table; nil if a view has its name now.
  ///
  /// - Parameter exported: the digest of the exported records.
  private static func digest(
    of layout: TableLayout, exportedAs exported: Digest?, in connection: Connection
  ) throws -> Digest? {
    let isView: SQL = """
      SELECT 1 FROM main.sqlite_schema WHERE type = 'view' AND name = \(literal: layout.table) COLLATE NOCASE
      """
    guard try connection.integer(isView) == nil else { return nil }
    let remembered = RememberedDigest(layout)
    if let digest = try remembered.read(in: connection), digest == exported { return digest }
    let schema = try TableSchema(of: layout.table, in: connection)
    let digest = try RowReader(layout, schema: schema, rows: .all, in: connection).digest().digest
    try remembered.check(digest, in: connection)
    return digest
  }

  private mutating func startChecker(_ model: Model) throws {
    do throws(SystemError) {
      checker = try CheckThread(ExportCheck(model, format))
    } catch {
      throw StoreFailure(
        .inputOutput, "the system gives no thread to check the export with: \(error.text)")
    }
  }

  /// Writes the rows of a table or view that has no model.
  consuming func run(
    _ table: PlainTable, in connection: Connection, progress: (StoreProgress) -> BatchDecision,
    to write: (Span<UInt8>) throws -> Void
  ) throws -> ExportReport {
    guard !format.isMap, options.box == nil else {
      throw StoreFailure(
        .invalidOptions, "\(table.name) has no model that names its coordinates, so it is not a map"
      )
    }
    let names = try table.chosen(options)
    let members = names.map { Array((JSONText.quoted($0) + ":").utf8) }
    let (opening, closing) = format.brackets(areRecordsNamed: false)
    var statement = try table.statement(options, in: connection)
    output.bytes.append(copying: opening.utf8Span.span)
    if format == .csv { output.append(header: names) }
    while report.isFinished, try statement.step() {
      beginRecord()
      if format == .csv {
        output.append(csv: statement, count: names.count)
      } else {
        output.append(statement, names: members)
      }
      endRecord()
      if output.bytes.count >= Self.pieceSize { try flush(progress, write) }
    }
    output.bytes.append(copying: closing.utf8Span.span)
    try flush(progress, write)
    report.repairedTextCount = output.repairedTextCount
    return report
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
    if checker != nil {
      try checker?.take(&output.bytes, ofRows: &rows, write)
    } else {
      try write(output.bytes.span)
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
