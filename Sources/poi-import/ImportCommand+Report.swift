import POIKit
import ToolSupport

/// The report, as text and as JSON.
extension ImportCommand {
  /// Writes the report in the form asked for; a text report unless `--quiet` is given.
  func write(_ report: ImportReport, to tool: inout ToolEnvironment) {
    if isReportJSON {
      tool.output.write(json: json(of: report).indented(width: 0) + "\n")
    } else if !tool.isQuiet {
      tool.output.write(text(of: report))
    }
  }

  private func text(of report: ImportReport) -> String {
    var text = ""
    for input in report.inputs where input.isPointerFound {
      text += printable("\(input.name): records at \(place(input.pointer))") + "\n"
    }
    var counters = TextTable(.left, .right, .left)
    counters.append(
      "read", report.counters.read, report.resumedAt.map { "resumed after \($0)" } ?? "")
    counters.append(
      isDryRun ? "valid" : "inserted", report.counters.inserted,
      isDryRun ? "" : "into \(model.table) of \(storePath)")
    let merged = report.counters.byName.filter {
      !["read", "inserted", "rejected", "removed"].contains($0.name)
    }
    for counter in merged where counter.count > 0 { counters.append(counter.name, counter.count) }
    counters.append(
      "rejected", report.counters.rejected,
      report.rejectsByRule.map { "\($0.rule) \($0.count)" }.joined(separator: ", "))
    if options.isSnapshot {
      counters.append(
        "removed", report.counters.removed,
        report.counters.removed == 0
          ? "" : "that the snapshot lacks; poi-dedup --undo \(report.runID ?? 0) puts them back")
    }
    text += counters.text()
    if !report.unmappedMembers.isEmpty {
      let kept =
        report.keepsUnmappedMembers
        ? "kept in \(printable(model.unmappedColumn ?? ""))" : "not kept"
      text += "members that the model does not map, \(kept):\n"
      var members = TextTable(.left, .right)
      for member in report.unmappedMembers.prefix(20) {
        members.append(member.pointer, QuantityFormat.count(member.count))
      }
      text += members.text(indent: 2)
      let more = report.unmappedMembers.count - 20
      if more > 0 { text += "  and \(more) more names; --report json lists them\n" }
    }
    return text + "digest \(report.digest)\n"
  }

  private func place(_ pointer: String?) -> String {
    guard let pointer else { return "the top level" }
    return pointer.isEmpty ? "the top-level array" : pointer
  }

  private func json(of report: ImportReport) -> JSONValue {
    let inputs = report.inputs.map { input in
      JSONValue.object([
        "name": .string(input.name), "at": .string(input.pointer), "token": .string(input.token),
      ])
    }
    return .object([
      "report": .number(1),
      "tool": .string("poi-import"),
      "version": .string(POIKitVersion.current),
      "store": .string(isDryRun ? nil : storePath),
      "table": .string(model.table),
      "run": .number(report.runID),
      "merge": .string(report.mergePolicy?.rawValue),
      "ending": .string(report.ending.rawValue),
      "inputs": .array(inputs),
      "counters": .counts(report.counters.byName.map { ($0.name, $0.count) }),
      "batchSize": .number(options.batchSize),
      "batches": .number(report.batchCount),
      "rejects": .counts(report.rejectsByRule.map { ($0.rule, $0.count) }),
      "unmapped": .counts(report.unmappedMembers.map { ($0.pointer, $0.count) }),
      "otherUnmapped": .number(report.otherUnmappedMemberCount),
      "digest": .string(report.digest.description),
    ])
  }

  /// What the user should look at.
  func warnings(on report: ImportReport) -> [String] {
    tokenWarnings(on: report) + timestampWarnings(on: report)
  }

  private func timestampWarnings(on report: ImportReport) -> [String] {
    let (updated, stale) = (report.counters.updated, report.counters.stale)
    guard model.timestamp == nil, updated + stale > 0, report.mergePolicy == .newest else {
      return []
    }
    return [
      "the model names no timestamp, so of records with one key that differ none is the newer one, "
        + "and their digest decided: \(QuantityFormat.count(updated)) updated, "
        + "\(QuantityFormat.count(stale)) stale; --merge overwrite takes each as it comes"
    ]
  }

  private func tokenWarnings(on report: ImportReport) -> [String] {
    guard let pointer = options.tokenPointer, report.ending == .finished else { return [] }
    return report.inputs.filter { $0.token == nil }.map { input in
      let found =
        switch input.otherAtToken {
        case nil: "no token stands at \"\(pointer)\""
        case .null: "null stands at \"\(pointer)\", which is no token"
        case .object: "an object stands at \"\(pointer)\", which is no token; name a value in it"
        case .array: "an array stands at \"\(pointer)\", which is no token; name a value in it"
        }
      return "\(input.name): \(found); the one of before stays"
    }
  }

  /// What the user may want to do next.
  func notes(on report: ImportReport) -> [String] {
    var notes: [String] = []
    if report.ending == .stopped {
      notes.append(
        report.counters.read == 0
          ? "stopped before the first batch"
          : "stopped at a batch boundary; the store holds the outcome of "
            + "\(QuantityFormat.count(report.counters.read)) records, --resume goes on")
    }
    if report.ending == .failed {
      notes.append(
        "the store holds the outcome of \(QuantityFormat.count(report.counters.read)) records"
          + (report.canBeResumed
            ? "; --resume goes on with the same inputs once the cause is mended; where one that was begun "
              + "has another size by then, --restart begins again (its rows stay)"
            : ""))
    }
    if report.unmappedMembers.contains(where: { $0.pointer == "/poikit_reject" }) {
      notes.append(
        "there are lines of a reject file with their members in another order, behind records that are "
          + "none: give those lines as an input of their own, and the records in them are read")
    }
    if report.ending == .finished, report.counters.read == 0, options.recordLimit != 0 {
      notes.append("no record was read: there is none in the input")
    }
    if report.rejectsByRule.contains(where: {
      $0.rule == "required" && $0.count == report.counters.read
    }) {
      notes.append(
        "no record has what the model requires; where they are of another kind, --infer prints a model "
          + "that fits them")
    }
    if let note = noteOnElements(of: report) { notes.append(note) }
    for (rule, _) in report.rejectsByRule {
      guard let limit = Advice.Limit(rule: rule) else { continue }
      notes.append("rejected by the rule \(rule): \(limit.option) sets its limit")
    }
    if report.counters.rejected > 0, options.rejectFile == nil {
      notes.append(
        isDryRun
          ? "--rejects FILE writes the rejected records"
          : "the rejected records stand in the table poikit_reject; --rejects FILE writes them, too"
      )
    }
    return notes
  }

  /// What to do where no element is an object.
  private func noteOnElements(of report: ImportReport) -> String? {
    let count = report.counters.read
    guard count > 0, report.counters.rejected == count, !report.rejectsObjects else { return nil }
    let note = "none of \(QuantityFormat.count(count)) elements is a JSON object"
    let rules = report.rejectsByRule.map(\.rule)
    if rules == ["not-an-object"] { return note + "; name where the records stand with --at" }
    // Where there is an array or an object around the elements, it is JSON, be it damaged.
    guard report.inputs.allSatisfy({ $0.pointer == nil }),
      rules.allSatisfy({ ["not-an-object", "syntax", "truncated", "utf-8"].contains($0) })
    else { return nil }
    return note + ": is this JSON? CSV and other formats are converted first"
  }
}

extension ImportReport {
  /// The exit code that the report stands for.
  var exitCode: ExitCode {
    if ending == .stopped { return .interrupted }
    return counters.rejected == 0 ? .done : .rejected
  }
}

extension Progress {
  /// The progress of an import as its line shows it.
  init(_ progress: StoreProgress) {
    self.init(
      progress.inputName, unit: .bytes, done: progress.completedCount,
      total: progress.totalCount,
      counts: [
        Count("records", progress.counters.read, showsRate: true),
        Count("rejects", progress.counters.rejected),
      ])
  }
}
