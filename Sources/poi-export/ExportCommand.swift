import POIFiles
import POIKit
import POIPlatform
import POISQLite
import POIToolSupport

/// The parsed options of `poi-export`.
struct ExportCommand {
  /// What the tool does.
  enum Work {
    /// Writes records as text.
    case records
    /// Hands out local changes.
    case unsent
    /// Counts them.
    case status
    /// Writes records as a GeoPackage.
    case geoPackage
    /// Compares the store with an older one.
    case difference(older: String)
    /// Writes a store for an app.
    case shipping(path: String)
  }

  /// The choices of `--format`.
  enum Form: String, CaseIterable {
    case ndjson, json, geojson, geojsonseq, csv, gpkg

    /// The form that the end of a file's name asks for, before the suffix of a compression; nil for an unknown end.
    init?(ofFileNamed name: String) {
      var name = name[...]
      if let compression = Compressor.compression(ofFileNamed: String(name)) {
        name = name.dropLast(compression.fileNameEnd.utf8.count)
      }
      guard let dot = name.lastIndex(of: ".") else { return nil }
      let ending = name[name.index(after: dot)...].lowercased()
      self.init(rawValue: ending == "jsonl" ? "ndjson" : ending)
    }
  }

  let work: Work
  let storePath: String
  let table: String?
  let outputPath: String?
  let isReportJSON: Bool
  private let trustsSchema: Bool
  private(set) var options = ExportOptions()
  private(set) var differenceOptions = DifferenceOptions()
  private(set) var shippingOptions = ShippingOptions()

  /// The page of `--html`.
  let page: PageFile?
  /// This command for a shell.
  let commandLine: String

  init(_ arguments: ParsedArguments) throws {
    page = try PageFile(arguments)
    commandLine = arguments.commandLine(adding: [])
    storePath = try arguments.texts("store", orPositionals: Array(arguments.positionals.prefix(1)))[
      0]
    table = arguments.text("table")
    let output = try arguments.texts(
      "output", orPositionals: Array(arguments.positionals.dropFirst()))
    outputPath = output.last.flatMap { $0 == "-" ? nil : $0 }
    trustsSchema = arguments.flag("trust-schema")
    isReportJSON = arguments.choice("report", as: OptionDescription.ReportForm.self) == .json
    let form =
      arguments.choice("format", as: Form.self) ?? outputPath.flatMap(Form.init(ofFileNamed:))
    if let older = arguments.text("diff") {
      work = .difference(older: older)
    } else if let path = arguments.text("ship") {
      work = .shipping(path: path)
    } else if arguments.flag("unsent") {
      work = .unsent
    } else if arguments.flag("status") {
      work = .status
    } else {
      work = form == .gpkg ? .geoPackage : .records
    }
    switch work {
    case .shipping, .status:
      if let file = output.last {
        throw UsageError("'\(file)' is not written: no records come out")
      }
    default: break
    }
    let writesRecordsToOutput =
      switch work {
      case .shipping, .status: false
      default: outputPath == nil
      }
    if writesRecordsToOutput {
      guard form != .gpkg else {
        throw UsageError("--format gpkg needs --output: it is a database")
      }
      guard !isReportJSON else {
        throw UsageError("--report json needs --output: the records are on standard output")
      }
    }
    func names(_ option: String) throws -> [String] {
      try ParsedArguments.names(in: arguments.texts(option), option: option, known: [])
    }
    options.format = form.flatMap { ExportOptions.Format(rawValue: $0.rawValue) }
    options.limit = try arguments.integer("limit")
    options.columns = try names("columns")
    options.orders = try names("order").map(Self.order)
    options.isSpreadsheetSafe = arguments.flag("csv-safe")
    guard !options.isSpreadsheetSafe || form == .csv else {
      throw UsageError("--csv-safe is for CSV: add --format csv")
    }
    options.isChecked = arguments.flag("check")
    options.box = try arguments.text("bbox").map(Self.box)
    for condition in arguments.texts("where") {
      options.filters.append(try Self.filter(condition))
    }
    differenceOptions.table = table
    differenceOptions.key = try names("key")
    differenceOptions.ignoredAttributes = try names("ignore")
    shippingOptions.table = table
    shippingOptions.indexes = try arguments.texts("index").map {
      try ParsedArguments.names(in: [$0], option: "index", known: [])
    }
    shippingOptions.hasSpatialIndex = arguments.flag("spatial-index")
    shippingOptions.fullText = try names("full-text")
  }

  /// The order of a text such as `area`, `-area` or `area:desc`.
  private static func order(_ text: String) -> RowOrder {
    if text.hasPrefix("-") { return .descending(String(text.dropFirst())) }
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    return switch parts.count == 2 ? parts[1].lowercased() : "" {
    case "desc", "descending": .descending(parts[0])
    case "asc", "ascending": .ascending(parts[0])
    default: .ascending(text)
    }
  }

  /// The rectangle of a text such as `5.9,45.8,10.5,47.8`.
  private static func box(_ text: String) throws(UsageError) -> GeographicBox {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Double($0) }
    guard numbers.count == 4, parts.count == 4, numbers.allSatisfy(\.isFinite),
      numbers[1] <= numbers[3], zip(numbers, [180, 90, 180, 90]).allSatisfy({ $0.magnitude <= $1 })
    else {
      throw UsageError(
        "--bbox '\(text)' is no rectangle; one is west, south, east and north in degrees, such as "
          + "5.9,45.8,10.5,47.8; west is greater than east across the 180th meridian")
    }
    return GeographicBox(
      west: numbers[0], south: numbers[1], east: numbers[2], north: numbers[3])
  }

  /// The filter of a condition such as `city='Berlin' and area > 10`.
  private static func filter(_ condition: String) throws(UsageError) -> RowFilter {
    do throws(StoreError) { return try RowFilter(parsing: condition) } catch {
      let lines = error.message.split(separator: "\n").map { String($0.trimmingPrefix("  ")) }
      throw UsageError("--where: \(lines[0])", details: Array(lines.dropFirst()))
    }
  }

  func run(_ tool: inout ToolEnvironment) throws -> ExitCode {
    guard unsafe access(storePath, F_OK) == 0 else {
      throw ToolFailure(
        .noInput, "\(storePath): no such store; name one with --store, or import some records")
    }
    switch work {
    case .records, .unsent, .geoPackage: return try writeRecords(&tool)
    case .status: return try writeStatus(&tool)
    case .difference(let older): return try writeDifferences(from: older, &tool)
    case .shipping(let path): return try ship(to: path, &tool)
    }
  }

  private func writeRecords(_ tool: inout ToolEnvironment) throws -> ExitCode {
    let report: ExportReport
    if let outputPath {
      if case .geoPackage = work {
        try OutputFile.checkDatabase(outputPath)
        report = try writeGeoPackage(to: outputPath, tool)
      } else {
        try OutputFile.check(outputPath)
        let mode = StorePermissions.forFile(besideStoreAt: storePath)
        var file = try OutputFile(outputPath, mode: mode)
        report = try export(&tool) { bytes, _ in try file.write(bytes) }
        if report.isFinished { try file.complete() }
      }
    } else {
      report = try export(&tool) { bytes, tool in tool.output.write(json: bytes) }
    }
    tool.diagnostics.clearProgress()
    write(report, to: &tool)
    // A reader such as `head` may want no more.
    guard report.isFinished || tool.output.isClosed else { return interrupted(tool) }
    let isFaithful =
      report.refusedRecordCount + report.repairedTextCount == 0 && !report.hasChangedValues
    return isFaithful ? .done : .rejected
  }

  /// Says what an interruption leaves.
  func interrupted(_ tool: borrowing ToolEnvironment) -> ExitCode {
    tool.diagnostics.error(
      "interrupted; " + (outputPath.map { "\($0) was not written" } ?? "the output is not complete")
    )
    return .interrupted
  }

  /// The number of records that come out; nil if it would take long to find out.
  private var expectedCount: Int? {
    guard options.filters.isEmpty, options.box == nil,
      let count = try? store(at: storePath).count(of: table)
    else { return nil }
    return min(count, options.limit ?? count)
  }

  private func writeStatus(_ tool: inout ToolEnvironment) throws -> ExitCode {
    let tables = try store(at: storePath).trackingStatus()
    if isReportJSON {
      let list = tables.map { table in
        JSONValue.object([
          .init(name: "table", value: .string(table.table)),
          .init(name: "notSynchronised", value: .number(Int64(table.notSynchronisedCount))),
          .init(name: "pending", value: .number(Int64(table.pendingCount))),
          .init(name: "synchronised", value: .number(Int64(table.synchronisedCount))),
        ])
      }
      let report: [(String, JSONValue)] = [
        ("report", .number(1)), ("tool", .string("poi-export")),
        ("version", .string(ToolkitVersion.current)),
        ("store", .string(storePath)), ("tables", .array(list)),
      ]
      tool.output.write(
        json: JSONValue.object(report.map { .init(name: $0.0, value: $0.1) }).indented(width: 0)
          + "\n")
      return .done
    }
    if tables.isEmpty { tool.diagnostics.note("\(storePath): no table is tracked") }
    for table in tables {
      var counts = TextTable(.left, .right, .left)
      counts.append(
        "not synchronised", table.notSynchronisedCount,
        "of \(table.table), to hand out with --unsent")
      counts.append("pending", table.pendingCount, "handed out, not acknowledged")
      counts.append("synchronised", table.synchronisedCount)
      tool.output.write(counts.text())
    }
    return .done
  }

  /// Opens a store of the toolkit.
  func store(at path: String) throws -> Store {
    guard unsafe access(path, F_OK) == 0 else {
      throw ToolFailure(.noInput, "\(path): no such store")
    }
    return try Store(path, for: .readOnly, trustsSchema: trustsSchema)
  }

  private func writeGeoPackage(
    to path: String, _ tool: borrowing ToolEnvironment
  ) throws -> ExportReport {
    let diagnostics = tool.diagnostics
    lazy var total = expectedCount
    return try store(at: storePath).exportGeoPackage(to: path, table, options: options) {
      progress in
      diagnostics.progress(
        .init(
          "\(storePath): reading", unit: .items("records"), done: progress.completedCount,
          total: total))
      return Interruption.isRequested ? .stop : .proceed
    }
  }

  private func export(
    _ tool: inout ToolEnvironment,
    to write: (Span<UInt8>, inout ToolEnvironment) throws -> Void
  ) throws -> ExportReport {
    let diagnostics = tool.diagnostics
    var isClosed = false
    lazy var total = expectedCount
    func progress(_ progress: StoreProgress) -> BatchDecision {
      diagnostics.progress(
        .init(
          "\(storePath): writing", unit: .items("records"), done: progress.completedCount,
          total: total))
      return isClosed || Interruption.isRequested ? .stop : .proceed
    }
    func pass(_ bytes: Span<UInt8>) throws {
      try write(bytes, &tool)
      isClosed = tool.output.isClosed
    }
    if case .unsent = work {
      return try Store(storePath, for: .existing, trustsSchema: trustsSchema)
        .exportUnsent(table, progress: progress, to: pass)
    }
    switch try Store.Database(path: storePath, for: .readOnly, trustsSchema: trustsSchema) {
    case .store(let store):
      let isPlain = try table.map { try store.table(named: $0) == nil } ?? false
      guard let table, isPlain else {
        return try store.export(table, options: options, progress: progress, to: pass)
      }
      return try store.withConnection { connection in
        try Store.export(
          table: table, of: connection, options: options, progress: progress, to: pass)
      }
    case .foreign(let connection):
      guard let table else {
        throw ToolFailure(
          .usage,
          "\(storePath): the database was not made by poi-import; name the table with --table")
      }
      return try Store.export(
        table: table, of: connection, options: options, progress: progress, to: pass)
    }
  }

  // MARK: The report

  private func write(_ report: ExportReport, to tool: inout ToolEnvironment) {
    if isReportJSON { tool.output.write(json: json(of: report).indented(width: 0) + "\n") }
    if let refusal = report.firstRefusal, let issue = refusal.issues.first {
      tool.diagnostics.warning(
        "\(QuantityFormat.count(report.refusedRecordCount)) records were written that the model "
          + "refuses: another program changed their rows. The first is row \(refusal.row): "
          + (issue.attribute.map { "\($0): " } ?? "") + issue.message)
    }
    if report.repairedTextCount > 0 {
      tool.diagnostics.warning(
        "\(QuantityFormat.count(report.repairedTextCount)) texts are not UTF-8; their invalid bytes "
          + "were written as U+FFFD")
    }
    if report.hasChangedValues, let digest = report.importDigest {
      tool.diagnostics.warning(
        "an import of the export gives other records, with the digest \(digest). Another program stored what the "
          + "model of \(report.table) does not read, or a date is outside its pattern's years")
    }
    guard report.isFinished, !isReportJSON else { return }
    tool.diagnostics.note(
      "\(QuantityFormat.count(report.recordCount, "record")) of \(report.table) in "
        + "\(QuantityFormat.bytes(report.byteCount))"
        + (report.digest.map { "; digest \($0)" } ?? ""))
  }

  private func json(of report: ExportReport) -> JSONValue {
    var counters = [
      ("records", report.recordCount), ("bytes", report.byteCount),
      ("repairedTexts", report.repairedTextCount),
    ]
    if options.isChecked { counters.append(("refusedRecords", report.refusedRecordCount)) }
    let members: [(String, JSONValue)] = [
      ("report", .number(1)), ("tool", .string("poi-export")),
      ("version", .string(ToolkitVersion.current)), ("store", .string(storePath)),
      ("table", .string(report.table)), ("output", .string(outputPath)),
      ("ending", .string(report.isFinished ? "finished" : "stopped")),
      ("counters", .counts(counters)), ("digest", .string(report.digest?.description)),
      ("importDigest", .string(report.importDigest?.description)),
    ]
    return .object(members.map { .init(name: $0.0, value: $0.1) })
  }
}
