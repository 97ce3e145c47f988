import POIKit
import POIToolSupport

extension ExportCommand {
  /// Writes a store for an app.
  func ship(to path: String, _ tool: inout ToolEnvironment) throws -> ExitCode {
    try OutputFile.checkDatabase(path)
    let diagnostics = tool.diagnostics
    let report = try store(at: storePath).ship(to: path, options: shippingOptions) { progress in
      diagnostics.progress(
        .init("\(path): indexing", unit: .items("records"), done: progress.completedCount))
      return Interruption.isRequested ? .stop : .proceed
    }
    tool.diagnostics.clearProgress()
    if isReportJSON {
      tool.output.write(json: json(of: report, at: path).indented(width: 0) + "\n")
    } else {
      for table in report.tables {
        tool.diagnostics.note(
          "\(QuantityFormat.count(table.rowCount, "record")) of \(table.name); digest \(table.digest)"
        )
      }
      tool.diagnostics.note("\(path): \(QuantityFormat.bytes(report.byteCount))")
    }
    return .done
  }

  private func json(of report: ShippingReport, at path: String) -> JSONValue {
    let tables = report.tables.map { table in
      JSONValue.object([
        .init(name: "table", value: .string(table.name)),
        .init(name: "records", value: .number(Int64(table.rowCount))),
        .init(name: "digest", value: .string(table.digest.description)),
      ])
    }
    return .object([
      .init(name: "report", value: .number(1)), .init(name: "tool", value: .string("poi-export")),
      .init(name: "version", value: .string(ToolkitVersion.current)),
      .init(name: "store", value: .string(storePath)), .init(name: "output", value: .string(path)),
      .init(name: "bytes", value: .number(Int64(report.byteCount))),
      .init(name: "tables", value: .array(tables)),
    ])
  }
}
