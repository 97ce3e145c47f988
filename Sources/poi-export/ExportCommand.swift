import Glibc
import POIKit
import SQLiteKit
import ToolSupport

/// The parsed options of `poi-export`.
struct ExportCommand {
  let storePath: String
  let table: String?
  let outputPath: String?
  private let trustsSchema: Bool
  private let isReportJSON: Bool
  private var options = ExportOptions()

  init(_ arguments: ParsedArguments) throws {
    storePath = arguments.positionals.first ?? arguments.text("store") ?? "poi.sqlite"
    table = arguments.text("table")
    outputPath = arguments.text("output")
    trustsSchema = arguments.flag("trust-schema")
    isReportJSON = arguments.choice("report", as: OptionDescription.ReportForm.self) == .json
    guard !isReportJSON || outputPath != nil else {
      throw UsageError("--report json needs --output: the records are on standard output")
    }
    options.format = arguments.choice("format", as: ExportOptions.Format.self) ?? options.format
    options.limit = try arguments.integer("limit")
    options.columns = try ParsedArguments.names(
      in: arguments.texts("columns"), option: "columns", known: [])
    options.orders = try ParsedArguments.names(
      in: arguments.texts("order"), option: "order", known: []
    ).map { $0.hasPrefix("-") ? .descending(String($0.dropFirst())) : .ascending($0) }
    for condition in arguments.texts("where") {
      options.filters.append(try Self.filter(condition))
    }
  }

  /// The filter of a condition such as `city=Berlin`.
  private static func filter(_ condition: String) throws(UsageError) -> RowFilter {
    let operators = ["!=", "<=", ">=", "=", "<", ">", "~"]
    guard let start = condition.firstIndex(where: { "!<>=~".contains($0) }),
      start > condition.startIndex,
      let found = operators.first(where: { condition[start...].hasPrefix($0) })
    else {
      throw UsageError(
        "--where '\(condition)' is no condition; one is an attribute, one of "
          + "\(operators.joined(separator: " ")) and a value, such as city=Berlin")
    }
    let name = String(condition[..<start])
    let text = String(condition[start...].dropFirst(found.count))
    // A number in its usual notation is one for columns of any type.
    let number: RowValue? =
      Int64(text).flatMap { $0.description == text ? .integer($0) : nil }
      ?? Double(text).flatMap { $0.isFinite && $0.description == text ? .real($0) : nil }
    let value: RowValue =
      text.isEmpty && ["=", "!="].contains(found) ? .null : number ?? .text(text)
    return switch found {
    case "=": .equal(name, value)
    case "!=": .notEqual(name, value)
    case "<": .less(name, value)
    case "<=": .atMost(name, value)
    case ">": .greater(name, value)
    case ">=": .atLeast(name, value)
    default: .contains(name, text)
    }
  }

  func run(_ tool: inout ToolEnvironment) throws -> ExitCode {
    guard unsafe access(storePath, F_OK) == 0 else {
      throw ToolFailure(
        .noInput, "\(storePath): no such store; name one with --store, or import some records")
    }
    let report: ExportReport
    if let outputPath {
      try OutputFile.check(outputPath)
      var file = try OutputFile(outputPath)
      report = try export(&tool) { bytes, _ in try file.write(bytes) }
      if report.isFinished { try file.complete() }
    } else {
      report = try export(&tool) { bytes, tool in tool.output.write(json: bytes) }
    }
    tool.diagnostics.clearProgress()
    write(report, to: &tool)
    // A reader such as `head` may want no more.
    guard report.isFinished || tool.output.isClosed else { return .interrupted }
    let isFaithful =
      report.refusedRecordCount + report.repairedTextCount == 0 && !report.hasChangedValues
    return isFaithful ? .done : .rejected
  }

  private func export(
    _ tool: inout ToolEnvironment,
    to write: (Span<UInt8>, inout ToolEnvironment) throws -> Void
  ) throws -> ExportReport {
    let diagnostics = tool.diagnostics
    var isClosed = false
    func progress(_ progress: StoreProgress) -> BatchDecision {
      diagnostics.progress(
        .init("\(storePath): writing", unit: .items("records"), done: progress.completedCount))
      return isClosed || Interruption.isRequested ? .stop : .proceed
    }
    func pass(_ bytes: Span<UInt8>) throws {
      try write(bytes, &tool)
      isClosed = tool.output.isClosed
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
    if report.hasChangedValues, let digest = report.tableDigest {
      tool.diagnostics.warning(
        "an import of the export gives other records: the digest of \(report.table) is \(digest). "
          + "Another program stored what its model does not read, or a date is outside its pattern's years"
      )
    }
    guard report.isFinished, !isReportJSON else { return }
    tool.diagnostics.note(
      "\(QuantityFormat.count(report.recordCount)) records of \(report.table) in "
        + "\(QuantityFormat.bytes(report.byteCount))"
        + (report.digest.map { "; digest \($0)" } ?? ""))
  }

  private func json(of report: ExportReport) -> JSONValue {
    let counters = [
      ("records", report.recordCount), ("bytes", report.byteCount),
      ("refusedRecords", report.refusedRecordCount), ("repairedTexts", report.repairedTextCount),
    ]
    let members: [(String, JSONValue)] = [
      ("report", .number(1)), ("tool", .string("poi-export")),
      ("version", .string(ToolkitVersion.current)), ("store", .string(storePath)),
      ("table", .string(report.table)), ("output", .string(outputPath)),
      ("ending", .string(report.isFinished ? "finished" : "stopped")),
      ("counters", .counts(counters)), ("digest", .string(report.digest?.description)),
      ("tableDigest", .string(report.tableDigest?.description)),
    ]
    return .object(members.map { .init(name: $0.0, value: $0.1) })
  }
}
