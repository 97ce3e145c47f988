import POIKit
import POIReport
import POIToolSupport

extension ExportCommand {
  /// Writes how the records differ from the records of an older store.
  func writeDifferences(from older: String, _ tool: inout ToolEnvironment) throws -> ExitCode {
    var examples = DifferencePage()
    let report: DifferenceReport
    // The files have records of both stores.
    let modes = [older, storePath].map { StorePermissions.forFile(besideStoreAt: $0) }
    if let outputPath {
      try OutputFile.check(outputPath)
      var file = try OutputFile(outputPath, mode: modes[0] & modes[1])
      report = try compare(with: older, &tool) { bytes, _ in
        if page != nil { examples.collect(bytes) }
        try file.write(bytes)
      }
      if report.isFinished { try file.complete() }
    } else {
      report = try compare(with: older, &tool) { bytes, tool in
        if page != nil { examples.collect(bytes) }
        tool.output.write(json: bytes)
      }
    }
    tool.diagnostics.clearProgress()
    if isReportJSON { tool.output.write(json: json(of: report).indented(width: 0) + "\n") }
    guard report.isFinished || tool.output.isClosed else { return interrupted(tool) }
    if !isReportJSON { write(report, older, to: &tool) }
    if report.isFinished {
      try page?.write(
        examples.html(of: report, in: store(at: storePath), commandLine: commandLine),
        mode: modes[0] & modes[1])
    }
    return report.areEqual ? .done : .rejected
  }

  private func compare(
    with older: String, _ tool: inout ToolEnvironment,
    to write: (Span<UInt8>, inout ToolEnvironment) throws -> Void
  ) throws -> DifferenceReport {
    let newerStore = try store(at: storePath)
    let olderStore = try store(at: older)
    let diagnostics = tool.diagnostics
    var isClosed = false
    return try newerStore.compare(
      withOlder: olderStore, options: differenceOptions,
      progress: { progress in
        diagnostics.progress(
          .init("\(storePath): comparing", unit: .items("records"), done: progress.completedCount))
        return isClosed || Interruption.isRequested ? .stop : .proceed
      },
      to: { bytes in
        try write(bytes, &tool)
        isClosed = tool.output.isClosed
      })
  }

  private func write(_ report: DifferenceReport, _ older: String, to tool: inout ToolEnvironment) {
    func count(_ number: Int) -> String { QuantityFormat.count(number) }
    let attributes = report.changedAttributes.map { "\($0.name) \(count($0.recordCount))" }
    tool.diagnostics.note(
      "\(report.table) by \(report.key.joined(separator: ",")): \(count(report.addedCount)) added, "
        + "\(count(report.removedCount)) removed, \(count(report.changedCount)) changed"
        + (attributes.isEmpty ? "" : " (\(attributes.joined(separator: ", ")))")
        + ", \(count(report.equalCount)) equal")
    if !report.uncomparedAttributes.isEmpty {
      tool.diagnostics.warning(
        "the models differ; not compared: \(report.uncomparedAttributes.joined(separator: ", "))")
    }
    for (name, keyless, repeated) in [
      (older, report.keylessCounts.older, report.repeatedKeyCounts.older),
      (storePath, report.keylessCounts.newer, report.repeatedKeyCounts.newer),
    ] {
      if keyless > 0 {
        tool.diagnostics.warning(
          "\(name): \(count(keyless)) records without a key are not compared")
      }
      if repeated > 0 {
        tool.diagnostics.warning(
          "\(name): \(count(repeated)) keys are not unique, and their records are not compared; "
            + "poi-dedup leaves one of each")
      }
    }
  }

  private func json(of report: DifferenceReport) -> JSONValue {
    let counters = [
      ("added", report.addedCount), ("removed", report.removedCount),
      ("changed", report.changedCount), ("equal", report.equalCount),
      ("keylessOlder", report.keylessCounts.older), ("keylessNewer", report.keylessCounts.newer),
      ("repeatedKeysOlder", report.repeatedKeyCounts.older),
      ("repeatedKeysNewer", report.repeatedKeyCounts.newer),
    ]
    let members: [(String, JSONValue)] = [
      ("report", .number(1)), ("tool", .string("poi-export")),
      ("version", .string(ToolkitVersion.current)), ("store", .string(storePath)),
      ("table", .string(report.table)), ("output", .string(outputPath)),
      ("ending", .string(report.isFinished ? "finished" : "stopped")),
      ("counters", .counts(counters)),
      (
        "changedAttributes",
        .counts(report.changedAttributes.map { ($0.name, $0.recordCount) })
      ),
      ("uncomparedAttributes", .array(report.uncomparedAttributes.map { .string($0) })),
    ]
    return .object(members.map { .init(name: $0.0, value: $0.1) })
  }
}
