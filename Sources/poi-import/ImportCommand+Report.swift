import POIKit
import POIToolSupport

/// The report, as text and as JSON.
extension ImportCommand {
  /// Writes the report in the requested form; `--quiet` omits a text report.
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
    for counter in merged where counter.count > 0 {
      let isOlder = counter.name == "kept" && report.keptOlderCount > 0
      counters.append(
        counter.name, counter.count,
        isOlder
          ? "with local changes; \(QuantityFormat.count(report.keptOlderCount)) are older than the delivery"
          : "")
    }
    if report.tiedCount > 0 {
      counters.append(
        "tied", report.tiedCount,
        report.ties == .later
          ? "of the updated ones, by the order of import"
          : "of the updated and stale ones, as new as the stored record")
    }
    if report.keylessCount > 0 {
      counters.append(
        "without key", report.keylessCount,
        "no \(model.key.joined(separator: ", ")): not compared with other records")
    }
    counters.append(
      "rejected", report.counters.rejected,
      rules(of: report))
    if report.foldedCount > 0 {
      counters.append(
        "folded", report.foldedCount,
        "removed as duplicates before, and again; poi-dedup --undo puts them back")
    }
    if options.isSnapshot {
      counters.append(
        "removed", report.counters.removed,
        report.counters.removed == 0
          ? "" : "that the snapshot lacks; poi-dedup --undo \(report.runID ?? 0) puts them back")
    }
    text += counters.text()
    if report.keepsUnmappedMembers, !report.unmappedMembers.isEmpty {
      let members = report.unmappedMembers.map {
        (pointer: $0.pointer, count: $0.count, example: "")
      }
      text += line("kept in \(model.unmappedColumn ?? "")", of: members)
    } else if !report.unmappedMembers.isEmpty {
      text += "members that the model does not map, not kept:\n"
      var members = TextTable(.left, .right)
      for member in report.unmappedMembers.prefix(20) {
        members.append(member.pointer, QuantityFormat.count(member.count))
      }
      text += members.text(indent: 2)
      let more = report.unmappedMembers.count - 20
      if more > 0 { text += "  and \(more) more names; --report json lists them\n" }
    }
    if !report.keptMembers.isEmpty {
      text += line("kept beside their columns", of: report.keptMembers)
    }
    return text + "digest \(report.digest)\n"
  }

  /// A line with the number of records that have each of some members, and an example of their value.
  private func line(
    _ title: String, of members: [(pointer: String, count: Int, example: String)]
  ) -> String {
    let names = members.prefix(20).map { member in
      "\(member.pointer) \(QuantityFormat.count(member.count))"
        + (member.example.isEmpty ? "" : " (\(member.example))")
    }
    let more = members.count - names.count
    return printable(title + ": " + names.joined(separator: ", "))
      + (more > 0 ? " and \(QuantityFormat.count(more)) more" : "") + "\n"
  }

  /// The rejects by rule; with the attributes that are missing.
  func rules(of report: ImportReport) -> String {
    report.rejectsByRule.map { rule in
      guard rule.rule == "required" else { return "\(rule.rule) \(rule.count)" }
      let attributes = (report.rejectsByAttribute[rule.rule] ?? [:]).sorted {
        ($1.value, $0.key) < ($0.value, $1.key)
      }
      let list =
        attributes.prefix(3).map { "\($0.key) \($0.value)" } + (attributes.count > 3 ? ["…"] : [])
      return "\(rule.rule) \(rule.count)"
        + (list.isEmpty ? "" : " (\(list.joined(separator: ", ")))")
    }.joined(separator: ", ")
  }

  func place(_ pointer: String?) -> String {
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
      "version": .string(ToolkitVersion.current),
      "store": .string(isDryRun ? nil : storePath),
      "table": .string(model.table),
      "run": .number(report.runID),
      "merge": .string(report.mergePolicy?.rawValue),
      "ending": .string(report.ending.rawValue),
      "inputs": .array(inputs),
      "counters": .counts(report.counters.byName.map { ($0.name, $0.count) }),
      "batchSize": .number(options.batchSize),
      "batches": .number(report.batchCount),
      "keptOlder": .number(report.keptOlderCount),
      "tied": .number(report.tiedCount), "ties": .string(report.ties.rawValue),
      "folded": .number(report.foldedCount),
      "repeatedKeys": .number(report.repeatedKeys?.count),
      "withoutKey": .number(report.keylessCount),
      "skipped": .number(report.skippedCount),
      "rejects": .counts(report.rejectsByRule.map { ($0.rule, $0.count) }),
      "rejectsByAttribute": .counts(nested: report.rejectsByAttribute),
      "unmapped": .counts(report.unmappedMembers.map { ($0.pointer, $0.count) }),
      "otherUnmapped": .number(report.otherUnmappedMemberCount),
      "kept": .object(
        report.keptMembers.map { member in
          JSONValue.Member(
            name: member.pointer,
            value: .object(["count": .number(member.count), "first": .string(member.example)]))
        }),
      "digest": .string(report.digest.description),
    ])
  }

  /// Results that the user should check.
  func warnings(on report: ImportReport) -> [String] {
    tokenWarnings(on: report) + tieWarnings(on: report) + repetitionWarnings(on: report)
  }

  /// Warns if most of the first records that were appended have keys that were there before.
  private func repetitionWarnings(on report: ImportReport) -> [String] {
    guard let (count, keyCount) = report.repeatedKeys, count * 2 > keyCount else { return [] }
    return [
      "\(QuantityFormat.count(count)) of the first \(QuantityFormat.count(keyCount)) keys were already in "
        + "\(model.table), and their records were added beside them: poi-dedup --enforce\(storeOption) "
        + "removes duplicates, and later imports merge"
    ]
  }

  private func tieWarnings(on report: ImportReport) -> [String] {
    guard report.tiedCount > 0, report.ties == .digest else { return [] }
    let records = report.tiedCount == 1 ? "record differs" : "records differ"
    return [
      "\(QuantityFormat.count(report.tiedCount)) \(records) from the stored one and "
        + (model.timestamp == nil
          ? "the model names no timestamp" : "\(report.tiedCount == 1 ? "is" : "are") as new")
        + ", so their digests decided; --ties later keeps the one that comes later"
    ]
  }

  private func tokenWarnings(on report: ImportReport) -> [String] {
    guard let pointer = options.tokenPointer, report.ending == .finished else { return [] }
    return report.inputs.filter { $0.token == nil }.map { input in
      let found =
        switch input.otherAtToken {
        case nil: "there is no token at \"\(pointer)\""
        case .null: "null at \"\(pointer)\" is not a token"
        case .object: "an object at \"\(pointer)\" is not a token; name a value in it"
        case .array: "an array at \"\(pointer)\" is not a token; name a value in it"
        }
      return "\(input.name): \(found); the old token is kept"
    }
  }

  func notes(on report: ImportReport) -> [String] {
    var notes: [String] = []
    if let problem = report.foldProblem {
      notes.append(
        "rows that were removed as duplicates are back, and were not folded again: \(printable(problem))"
      )
    }
    if report.ending == .stopped {
      notes.append(
        report.counters.read == 0
          ? "stopped before the first batch"
          : "stopped at a batch boundary; the store holds the outcome of "
            + "\(QuantityFormat.count(report.counters.read, "record")), --resume continues")
    }
    if report.ending == .failed {
      notes.append(
        "the store holds the outcome of \(QuantityFormat.count(report.counters.read, "record"))"
          + (report.canBeResumed
            ? "; --resume continues with the same inputs once the cause is fixed; if an input that was "
              + "begun has another size by then, --restart begins again (its rows stay)"
            : ""))
    }
    if report.unmappedMembers.contains(where: { $0.pointer == "/poikit_reject" }) {
      notes.append(
        "the input has lines of a reject file behind other records, with their members in another "
          + "order: import those lines as an input of their own to read the records in them")
    }
    let rules = Set(["type", "format", "integer-range"])
    if model.keepsMisfits, !widens,
      let key = model.key.first(where: { name in
        report.rejectsByAttribute.contains { rules.contains($0.key) && $0.value[name] != nil }
      })
    {
      notes.append("a key does not fit \(printable(key)): --widen makes the column accept it")
    }
    let frequent = report.keptMembers.filter { $0.count * 20 > report.counters.read }
    if !widens, !frequent.isEmpty {
      let names =
        frequent.prefix(5).map { printable($0.pointer) } + (frequent.count > 5 ? ["…"] : [])
      notes.append(
        "more than 5 % of the values at \(names.joined(separator: ", ")) do not fit: --widen makes "
          + "columns accept them")
    }
    if report.ending == .finished, report.counters.read == 0, options.recordLimit != 0 {
      notes.append("no record was read: the input has no records")
    }
    if report.counters.read > 0, report.counters.rejected == report.counters.read,
      report.rejectsObjects, !report.rejectsOnlyMalformed
    {
      notes.append(
        "no record fits the model of \(model.table); if they are of another kind, "
          + (isModelUntried && task == .importRecords
            ? "this imports them: \(arguments.commandLine(adding: ["--infer"]))"
            : task == .importInferred
              ? "rename the file or use another --store: --infer uses the model of a table with the file's "
                + "name" : "--infer imports them into a table of their own"))
    }
    if !leftOutMembers.isEmpty, report.inputs.allSatisfy(\.isPointerFound) {
      let members = leftOutMembers.prefix(5).map(printable).joined(separator: ", ")
      notes.append(
        "the files have other members beside their records, which were left out: \(members)"
          + (leftOutMembers.count > 5 ? ", …" : "") + "; --at '' takes each file as the record")
    }
    if report.skippedCount > 0 {
      notes.append(
        "skipped \(QuantityFormat.count(report.skippedCount, "text")) between records: comments, byte-order "
          + "marks or surplus commas")
    }
    if let note = noteOnElements(of: report) { notes.append(note) }
    if !report.keptMembers.isEmpty, !widens {
      notes.append(
        "values that do not fit their columns are kept beside them; --widen changes the columns")
    }
    for input in report.inputs where !input.omittedColumns.isEmpty {
      notes.append(
        "\(input.name): left out, because they hold bytes and no text: \(input.omittedColumns.joined(separator: ", "))"
      )
    }
    for input in report.inputs {
      guard let delimiter = input.delimiter, options.delimiter == nil else { continue }
      notes.append(
        "\(input.name): read as rows of text, with \(delimiter == "\t" ? "TAB" : "\(delimiter)") between the fields"
      )
    }
    for (rule, _) in report.rejectsByRule {
      if rule == "nan" { notes.append("--nan null reads NaN and Infinity as null") }
      if rule == "utf-8", report.inputs.contains(where: { $0.delimiter != nil }) {
        notes.append("rejected by the rule utf-8: \(Advice.nameEncoding.text)")
      }
      guard let limit = Advice.Limit(rule: rule) else { continue }
      notes.append("rejected by the rule \(rule): \(limit.option) sets its limit")
    }
    if report.counters.rejected > 0, options.rejectFile == nil {
      notes.append(
        isDryRun
          ? "--rejects FILE writes the rejected records"
          : "the rejected records are in the table poikit_reject; --rejects FILE also writes them to "
            + "a file")
    }
    return notes
  }

  func noteOnElements(of report: ImportReport) -> String? {
    let count = report.counters.read
    guard count > 0, report.counters.rejected == count, !report.rejectsObjects else { return nil }
    let note = "none of \(QuantityFormat.count(count, "element")) is a JSON object"
    let rules = report.rejectsByRule.map(\.rule)
    if rules == ["not-an-object"] {
      return note.advised(by: [.nameRecords, .readHeader])
    }
    // An array or an object around the elements shows that the input is JSON, even if damaged.
    guard report.inputs.allSatisfy({ $0.pointer == nil && $0.delimiter == nil }),
      report.rejectsOnlyMalformed
    else { return nil }
    return "\(note): is this JSON?".advised(by: [.nameDelimiter])
  }
}

extension ImportReport {
  /// Whether no reject was judged by the model: none is a JSON object that can be read.
  fileprivate var rejectsOnlyMalformed: Bool {
    rejectsByRule.allSatisfy {
      ["not-an-object", "syntax", "nan", "truncated", "utf-8"].contains($0.rule)
    }
  }

  var exitCode: ExitCode {
    if ending == .stopped { return .interrupted }
    return counters.rejected == 0 ? .done : .rejected
  }
}

extension Progress {
  /// The progress of an import as its line shows it.
  init(_ progress: StoreProgress) {
    let (activity, unit): (String, Unit) =
      switch progress.stage {
      case .importing: (progress.inputName, .bytes)
      case .merging: ("merging", .items("records"))
      case .reading: ("reading", .items("rows"))
      case .removing: ("removing", .items("rows"))
      case .finishing: ("finishing", .none)
      }
    self.init(
      activity, unit: unit, done: progress.completedCount, total: progress.totalCount,
      counts: [
        Count("records", progress.counters.read, showsRate: true),
        Count("rejects", progress.counters.rejected),
      ])
  }
}
