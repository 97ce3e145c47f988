import POIKit
import ToolSupport

/// The report, as text and as JSON.
extension DedupCommand {
  /// The report in the form asked for; as text nothing when quiet, but for the answer to a question.
  func text(of outcome: DedupOutcome, isQuiet: Bool) -> String {
    if isReportJSON { return json(of: outcome) }
    if isQuiet, !task.isQuestion { return "" }
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
      return "run \(report.run) undone: \(QuantityFormat.count(report.restoredRowCount)) rows and "
        + "\(QuantityFormat.count(report.restoredReferenceCount)) references put back"
        + (report.restoredValueCount > 0
          ? ", and \(QuantityFormat.count(report.restoredValueCount)) values that winners had" : "")
        + (report.restoredMarkCount > 0
          ? ", and \(QuantityFormat.count(report.restoredMarkCount)) marks taken back" : "")
        + (report.changedRowCount > 0
          ? "; rows changed since and left as they are: "
            + QuantityFormat.count(report.changedRowCount) : "") + "\n"
    case .digest(let digest, _):
      return "digest \(digest.digest) of \(QuantityFormat.count(digest.rowCount)) rows\n"
    case .purged(let report, let table):
      return "\(QuantityFormat.count(report.rowCount)) marked rows deleted from "
        + "\(printable(table)), "
        + "\(QuantityFormat.count(report.rememberedCount)) removals forgotten\n"
        + "digest \(report.digest)\n"
    }
  }

  /// - Parameter earlier: what the run had changed before it was interrupted, if it was.
  private func table(
    of plan: DeduplicationPlan, layout: TableLayout, earlier: RemovalCounts? = nil
  ) -> TextTable {
    var table = TextTable(.left, .right, .left)
    let (losers, beaten) = (earlier?.removedRowCount ?? 0, earlier?.beatenRowCount ?? 0)
    table.append(
      "rows", QuantityFormat.count(plan.rowCount + losers + beaten),
      "in \(layout.table) of \(storePath)")
    if plan.nullKeyRowCount > 0 {
      table.append("without key", QuantityFormat.count(plan.nullKeyRowCount), "left alone")
    }
    table.append(
      "keys", QuantityFormat.count(plan.groupCount),
      "by \(layout.keyColumns.joined(separator: ", "))")
    table.append(
      "groups", QuantityFormat.count(plan.duplicateGroupCount),
      losers == 0 ? "of duplicates" : "of duplicates that were left")
    table.append(
      "losers", QuantityFormat.count(plan.loserCount + losers), reasons(of: plan, earlier: losers))
    if plan.beatenRowCount + beaten > 0 {
      table.append(
        "removed", QuantityFormat.count(plan.beatenRowCount + beaten),
        "as old as a removal, or older")
    }
    return table
  }

  private func appendFills(
    _ winners: Int, _ values: Int, _ refused: Int, to table: inout TextTable
  ) {
    guard options.mergesLosers else { return }
    let leftOut =
      refused == 0 ? "" : "; \(QuantityFormat.count(refused)) left out that break a rule with them"
    table.append(
      "filled", QuantityFormat.count(winners),
      "winners with \(QuantityFormat.count(values)) values of their losers" + leftOut)
  }

  private func reasons(of plan: DeduplicationPlan, earlier: Int) -> String {
    let reasons = plan.reasons
    return [
      (options.keep == .newest ? "older" : "younger", reasons.timestamp),
      ("without timestamp", reasons.timestampPresent), ("live beside a removal", reasons.tombstone),
      ("ties broken by digest", reasons.digest), ("identical", reasons.identical),
      ("before the run was interrupted", earlier),
    ].filter { $0.1 > 0 }.map { "\(QuantityFormat.count($0.1)) \($0.0)" }.joined(separator: ", ")
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
      "rows left", QuantityFormat.count(report.rowsLeft),
      options.archive
        ? "\(QuantityFormat.count(changes.archivedRowCount)) archived"
          + (report.run.map { " in run \($0)" } ?? "") : "no archive")
    let (moved, removed) = (changes.movedReferenceCount, changes.removedReferenceRowCount)
    if moved + removed > 0 {
      table.append(
        "references", QuantityFormat.count(moved),
        "moved"
          + (removed > 0
            ? ", \(QuantityFormat.count(removed)) removed that the winner had too" : ""))
    }
    var text = table.text()
    if options.enforcement != .none, report.isFinished {
      text += report.createdIndex ? "the key is unique from now on" : "the key was unique before"
      text += options.nullKey == .group ? ", but for rows whose key has a NULL\n" : "\n"
    }
    if let digest = report.digest { text += "digest \(digest)\n" }
    return text
  }

  // MARK: JSON

  private func json(of outcome: DedupOutcome) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("report", 1)
      json.member("tool", "poi-dedup")
      json.member("version", POIKitVersion.current)
      json.member("store", storePath)
      switch outcome {
      case .planned(let plan, let layout):
        json.member("task", "plan")
        if let plan { write(plan, layout, nil, to: &json) }
      case .deduplicated(let report, let layout, let failure):
        json.member("task", "deduplicate")
        json.member("run", report.run)
        json.member(
          "ending", failure != nil ? "failed" : report.isFinished ? "finished" : "stopped")
        json.member("batchSize", options.batchSize)
        write(report.plan, layout, report, to: &json)
        json.member("createdIndex", report.createdIndex)
        json.member("digest", report.digest?.description)
      case .undone(let report):
        json.member("task", "undo")
        json.member("run", report.run)
        json.object("counters") { json in
          json.member("restoredRows", report.restoredRowCount)
          json.member("restoredReferences", report.restoredReferenceCount)
          json.member("restoredValues", report.restoredValueCount)
          json.member("restoredMarks", report.restoredMarkCount)
          json.member("changedRows", report.changedRowCount)
          json.member("danglingRows", report.danglingRowCount)
        }
      case .digest(let digest, let table):
        json.member("task", "digest")
        json.member("table", table)
        json.object("counters") { json in json.member("rows", digest.rowCount) }
        json.member("digest", digest.digest.description)
      case .purged(let report, let table):
        json.member("task", "purge")
        json.member("table", table)
        json.object("counters") { json in
          json.member("purgedRows", report.rowCount)
          json.member("forgottenRemovals", report.rememberedCount)
        }
        json.member("digest", report.digest.description)
      }
    }
    return json.text + "\n"
  }

  private func write(
    _ plan: DeduplicationPlan, _ layout: TableLayout, _ report: DeduplicationReport?,
    to json: inout JSONWriter
  ) {
    json.member("table", layout.table)
    json.array("key") { json in for column in layout.keyColumns { json.value(column) } }
    let (earlier, changes) = (report?.earlier, report?.runChanges)
    let (losers, beaten) = (earlier?.removedRowCount ?? 0, earlier?.beatenRowCount ?? 0)
    json.object("counters") { json in
      json.member("rowsBefore", plan.rowCount + losers + beaten)
      json.member("nullKeyRows", plan.nullKeyRowCount)
      json.member("unreadableTimestamps", plan.unreadableTimestampCount)
      json.member("groups", plan.duplicateGroupCount)
      json.member("keys", plan.groupCount)
      json.member("losers", plan.loserCount + losers)
      json.member("removed", plan.beatenRowCount + beaten)
      json.member("filled", changes?.filledWinnerCount ?? plan.filledWinnerCount)
      json.member("filledValues", changes?.filledValueCount ?? plan.filledValueCount)
      json.member("refusedValues", changes?.refusedValueCount ?? plan.refusedValueCount)
      if let report, let changes {
        json.member("rowsLeft", report.rowsLeft)
        json.member("archived", changes.archivedRowCount)
        json.member("movedReferences", changes.movedReferenceCount)
        json.member("removedReferences", changes.removedReferenceRowCount)
      }
    }
    json.object("reasons") { json in
      json.member("timestamp", plan.reasons.timestamp)
      json.member("timestampPresent", plan.reasons.timestampPresent)
      json.member("tombstone", plan.reasons.tombstone)
      json.member("digest", plan.reasons.digest)
      json.member("identical", plan.reasons.identical)
      json.member("earlier", losers)
    }
    json.array("largestGroups") { json in
      for group in plan.largestGroups {
        json.object { json in
          json.array("key") { json in for value in group.key { json.value(value) } }
          json.member("rows", group.rowCount)
        }
      }
    }
  }
}
