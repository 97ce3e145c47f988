import POIKit
import POIToolSupport

/// The report, as text and as JSON.
extension DedupCommand {
  /// Writes the report in the requested form. `--quiet` omits a text report, except the answer to a
  /// question.
  func write(_ outcome: DedupOutcome, to tool: inout ToolEnvironment) {
    if isReportJSON {
      tool.output.write(json: json(of: outcome).indented(width: 0) + "\n")
    } else if !tool.isQuiet || task.isQuestion {
      tool.output.write(text(of: outcome))
    }
  }

  private func text(of outcome: DedupOutcome) -> String {
    func count(_ number: Int) -> String { QuantityFormat.count(number) }
    switch outcome {
    case .planned(let plan, let layout):
      guard let plan else { return "" }
      var table = table(of: plan, layout: layout)
      appendFills(
        plan.filledWinnerCount, plan.filledValueCount, plan.refusedValueCount, to: &table)
      return table.text() + decisions(of: plan)
    case .deduplicated(let report, let layout, _):
      return text(of: report, layout: layout)
    case .undone(let report):
      let (values, marks) = (report.restoredValueCount, report.restoredMarkCount)
      let (changed, raised) = (report.changedRowCount, report.raisedRowCount)
      return "run \(report.run) undone: \(count(report.restoredRowCount)) rows and "
        + "\(count(report.restoredReferenceCount)) references put back"
        + (values > 0 ? ", and \(count(values)) values that winners had" : "")
        + (marks > 0 ? ", and \(count(marks)) marks removed" : "")
        + (changed > 0 ? "; rows changed since and left as they are: \(count(changed))" : "")
        + (raised > 0
          ? "; rows with a later time, because their removal was handed out: \(count(raised)), so the digest differs"
          : "") + "\n"
    case .digests(let digests):
      func line(_ digest: TableDigest, _ place: String) -> String {
        "digest \(digest.digest) of \(QuantityFormat.count(digest.rowCount, "row"))\(place)\n"
      }
      guard digests.count > 1 else { return line(digests[0].digest, "") }
      return digests.map { line($0.digest, " in \(printable($0.store))") }.joined()
        + line(sum(of: digests), " in \(count(digests.count)) stores")
    case .references(let references):
      var table = TextTable(.left, .right, .left)
      for reference in references {
        table.append(
          "\(reference.child).\(reference.columns.joined(separator: ","))", reference.rowCount,
          "without a row of \(reference.parent)"
            + (reference.examples.isEmpty ? "" : ": \(reference.examples.joined(separator: "; "))"))
      }
      return references.isEmpty ? "no references\n" : table.text()
    case .purged(let report, let table):
      return "\(count(report.rowCount)) marked rows deleted from \(printable(table)), "
        + "\(count(report.deletedTombstoneCount)) removals forgotten\ndigest \(report.digest)\n"
    }
  }

  private func sum(of digests: [DedupOutcome.StoreDigest]) -> TableDigest {
    digests.dropFirst().reduce(digests[0].digest) { $0 + $1.digest }
  }

  /// - Parameter earlier: what the run had changed before an interruption; nil if it was not
  ///   interrupted.
  private func table(
    of plan: DeduplicationPlan, layout: TableLayout, earlier: DeduplicationReport.Changes? = nil
  ) -> TextTable {
    var table = TextTable(.left, .right, .left)
    let (losers, beaten) = (earlier?.removedRowCount ?? 0, earlier?.supersededRowCount ?? 0)
    table.append("rows", plan.rowCount + losers + beaten, "in \(layout.table) of \(storePath)")
    if plan.nullKeyRowCount > 0 { table.append("without key", plan.nullKeyRowCount, "left alone") }
    table.append("keys", plan.groupCount, "by \(layout.keyColumns.joined(separator: ", "))")
    table.append(
      "groups", plan.duplicateGroupCount,
      losers == 0 ? "of duplicates" : "of duplicates that were left")
    table.append("losers", plan.loserCount + losers, reasons(of: plan, earlier: losers))
    if plan.supersededRowCount + beaten > 0 {
      table.append("removed", plan.supersededRowCount + beaten, "as old as a removal, or older")
    }
    return table
  }

  private func appendFills(
    _ winners: Int, _ values: Int, _ refused: Int, to table: inout TextTable
  ) {
    guard options.mergesLosers else { return }
    let leftOut =
      refused == 0 ? "" : "; \(QuantityFormat.count(refused)) that would break a rule are left out"
    table.append(
      "filled", winners,
      "winners with \(QuantityFormat.count(values)) values of their losers" + leftOut)
  }

  private func reasons(of plan: DeduplicationPlan, earlier: Int) -> String {
    let reasons =
      plan.reasons.described(keeping: options.keep) + [("before the run was interrupted", earlier)]
    return reasons.filter { $0.count > 0 }.map { "\(QuantityFormat.count($0.count)) \($0.name)" }
      .joined(separator: ", ")
  }

  private func decisions(of plan: DeduplicationPlan) -> String {
    var text = ""
    if !plan.largestGroups.isEmpty {
      text += "largest groups:\n"
      var table = TextTable(.right, .left)
      for group in plan.largestGroups {
        table.append(QuantityFormat.count(group.rowCount), name(of: group.key))
      }
      text += table.text(indent: 2)
    }
    if !plan.samples.isEmpty {
      text += "some decisions:\n"
      var table = TextTable(.left, .left)
      for sample in plan.samples {
        table.append(
          name(of: sample.key),
          "row \(sample.winner) wins over row \(sample.loser): \(sample.explanation)")
      }
      text += table.text(indent: 2)
    }
    return text
  }

  private func name(of key: [String?]) -> String {
    key.map { $0 ?? "NULL" }.joined(separator: ", ")
  }

  private func text(of report: DeduplicationReport, layout: TableLayout) -> String {
    var table = table(of: report.plan, layout: layout, earlier: report.earlier)
    let changes = report.runChanges
    appendFills(
      changes.filledWinnerCount, changes.filledValueCount, changes.refusedValueCount, to: &table)
    table.append(
      "rows left", report.rowsLeft,
      options.archive
        ? "\(QuantityFormat.count(changes.archivedRowCount)) archived"
          + (report.run.map { " in run \($0)" } ?? "") : "no archive")
    let (moved, removed) = (changes.movedReferenceCount, changes.removedReferenceRowCount)
    if moved + removed > 0 {
      table.append(
        "references", moved,
        "moved"
          + (removed > 0
            ? ", \(QuantityFormat.count(removed)) removed that the winner had too" : ""))
    }
    var text = table.text()
    if options.enforcement != .none, report.isFinished {
      text += report.createdIndex ? "the key is unique from now on" : "the key was unique before"
      text += options.nullKey == .group ? ", except rows whose key contains NULL\n" : "\n"
    }
    if let digest = report.digest { text += "digest \(digest)\n" }
    return text
  }

  // MARK: JSON

  private func json(of outcome: DedupOutcome) -> JSONValue {
    var members: [(String, JSONValue)] = [
      ("report", .number(1)), ("tool", .string("poi-dedup")),
      ("version", .string(ToolkitVersion.current)),
      ("store", .string(storePaths.count == 1 ? storePath : nil)),
    ]
    switch outcome {
    case .planned(let plan, let layout):
      members.append(("task", .string("plan")))
      if let plan { members += self.members(of: plan, layout, nil) }
    case .deduplicated(let report, let layout, let failure):
      let ending = failure != nil ? "failed" : report.isFinished ? "finished" : "stopped"
      members += [
        ("task", .string("deduplicate")), ("run", .number(report.run)),
        ("ending", .string(ending)), ("batchSize", .number(options.batchSize)),
      ]
      members += self.members(of: report.plan, layout, report)
      members += [
        ("createdIndex", .bool(report.createdIndex)),
        ("digest", .string(report.digest?.description)),
      ]
    case .undone(let report):
      let counters = [
        ("restoredRows", report.restoredRowCount),
        ("restoredReferences", report.restoredReferenceCount),
        ("restoredValues", report.restoredValueCount),
        ("restoredMarks", report.restoredMarkCount),
        ("changedRows", report.changedRowCount), ("danglingRows", report.danglingRowCount),
        ("raisedRows", report.raisedRowCount),
      ]
      members += [
        ("task", .string("undo")), ("run", .number(report.run)), ("counters", .counts(counters)),
      ]
    case .digests(let digests):
      let sum = sum(of: digests)
      members += [
        ("task", .string("digest")), ("table", .string(digests[0].table)),
        ("counters", .counts([("rows", sum.rowCount)])),
        ("digest", .string(sum.digest.description)),
      ]
      if digests.count > 1 {
        let stores = digests.map { part in
          JSONValue.object([
            "store": .string(part.store), "table": .string(part.table),
            "counters": .counts([("rows", part.digest.rowCount)]),
            "digest": .string(part.digest.digest.description),
          ])
        }
        members.append(("stores", .array(stores)))
      }
    case .references(let references):
      let rows = references.reduce(0) { $0 + $1.rowCount }
      members += [
        ("task", .string("dangling")), ("counters", .counts([("dangling", rows)])),
        ("references", .array(references.map(json))),
      ]
    case .purged(let report, let table):
      let counters = [
        ("purgedRows", report.rowCount), ("forgottenRemovals", report.deletedTombstoneCount),
      ]
      members += [
        ("task", .string("purge")), ("table", .string(table)), ("counters", .counts(counters)),
        ("digest", .string(report.digest.description)),
      ]
    }
    return .object(members.map { .init(name: $0.0, value: $0.1) })
  }

  private func json(of reference: DanglingReference) -> JSONValue {
    .object([
      "table": .string(reference.child), "columns": .array(reference.columns.map { .string($0) }),
      "parent": .string(reference.parent), "rows": .number(reference.rowCount),
      "examples": .array(reference.examples.map { .string($0) }),
    ])
  }

  private func members(
    of plan: DeduplicationPlan, _ layout: TableLayout, _ report: DeduplicationReport?
  ) -> [(String, JSONValue)] {
    let (earlier, changes) = (report?.earlier, report?.runChanges)
    let (losers, beaten) = (earlier?.removedRowCount ?? 0, earlier?.supersededRowCount ?? 0)
    var counters = [
      ("rowsBefore", plan.rowCount + losers + beaten),
      ("nullKeyRows", plan.nullKeyRowCount),
      ("unreadableTimestamps", plan.unreadableTimestampCount),
      ("groups", plan.duplicateGroupCount),
      ("keys", plan.groupCount),
      ("losers", plan.loserCount + losers),
      ("removed", plan.supersededRowCount + beaten),
      ("filled", changes?.filledWinnerCount ?? plan.filledWinnerCount),
      ("filledValues", changes?.filledValueCount ?? plan.filledValueCount),
      ("refusedValues", changes?.refusedValueCount ?? plan.refusedValueCount),
    ]
    if layout.isKeyDoubtful { counters.append(("differingGroups", plan.differingGroupCount)) }
    if let report, let changes {
      counters += [
        ("rowsLeft", report.rowsLeft),
        ("archived", changes.archivedRowCount),
        ("movedReferences", changes.movedReferenceCount),
        ("removedReferences", changes.removedReferenceRowCount),
      ]
    }
    let reasons = [
      ("timestamp", plan.reasons.timestamp), ("timestampPresent", plan.reasons.timestampPresent),
      ("tombstone", plan.reasons.tombstone), ("digest", plan.reasons.digest),
      ("later", plan.reasons.later), ("identical", plan.reasons.identical), ("earlier", losers),
    ]
    let groups = plan.largestGroups.map { group in
      JSONValue.object([
        "key": .array(group.key.map { .string($0) }), "rows": .number(group.rowCount),
      ])
    }
    return [
      ("table", .string(layout.table)),
      ("key", .array(layout.keyColumns.map { .string($0) })),
      ("counters", .counts(counters)), ("reasons", .counts(reasons)),
      ("largestGroups", .array(groups)),
    ]
  }
}
