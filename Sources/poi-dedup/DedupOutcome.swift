import POIKit
import POIToolSupport

enum DedupOutcome {
  /// A plan; nil if it was stopped.
  case planned(DeduplicationPlan?, layout: TableLayout)
  /// A deduplication; `failure` says why it stopped after something was committed.
  case deduplicated(DeduplicationReport, layout: TableLayout, failure: StoreError? = nil)
  case undone(UndoReport)
  /// The digest of a table in each store.
  case digests([StoreDigest])
  case references([DanglingReference])
  case purged(Store.PurgeReport, table: String)

  struct StoreDigest {
    let store: String
    let table: String
    let digest: TableDigest
  }

  /// Runs a deduplication, which may fail after something was committed.
  ///
  /// - Throws: the error of `body` if nothing was committed.
  init(
    of layout: TableLayout, _ body: () throws(StoreError) -> DeduplicationReport
  ) throws(StoreError) {
    do {
      self = .deduplicated(try body(), layout: layout)
    } catch {
      guard let report = error.report else { throw error }
      self = .deduplicated(report, layout: layout, failure: error)
    }
  }

  var failure: ToolFailure? {
    guard case .deduplicated(_, _, let failure?) = self else { return nil }
    return ToolFailure(failure)
  }

  /// Whether references to missing rows were found.
  var hasFindings: Bool {
    guard case .references(let references) = self else { return false }
    return references.contains { $0.rowCount > 0 }
  }

  var isInterrupted: Bool {
    switch self {
    case .planned(let plan, _): plan == nil
    case .deduplicated(let report, _, let failure): failure == nil && !report.isFinished
    case .undone, .digests, .references, .purged: false
    }
  }

  private var plan: DeduplicationPlan? {
    switch self {
    case .planned(let plan, _): plan
    case .deduplicated(let report, _, _): report.plan
    case .undone, .digests, .references, .purged: nil
    }
  }

  private var layout: TableLayout? {
    switch self {
    case .planned(_, let layout), .deduplicated(_, let layout, _): layout
    case .undone, .digests, .references, .purged: nil
    }
  }

  /// Results that the user should check.
  var warnings: [String] {
    if case .undone(let report) = self, report.danglingRowCount > 0 {
      return [
        "\(QuantityFormat.count(report.danglingRowCount)) restored rows refer to rows that no longer "
          + "exist; PRAGMA foreign_key_check names them"
      ]
    }
    guard let plan else { return [] }
    var warnings: [String] = []
    if plan.differingGroupCount > 0, let key = layout?.keyColumns.joined(separator: ",") {
      warnings.append(
        "\(QuantityFormat.count(plan.differingGroupCount)) groups differ: --key \(key.shellWord) keeps one "
          + "row of each; the key was inferred and is doubtful, so only identical rows are removed")
    }
    for reference in plan.likelyReferences {
      warnings.append(
        "the column \(reference.column) of \(reference.child) looks like a reference to "
          + "\(reference.parent), and rows that refer to losers keep it; if it is one, name it with "
          + "--references \(reference.description.shellWord)")
    }
    guard let first = plan.firstUnreadableTimestamp else { return warnings }
    return warnings + [
      "timestamps of \(plan.unreadableTimestampCount) of \(plan.rowCount) rows cannot be read and count "
        + "as missing, so a record with a timestamp wins over them: the first is \(first.value) in row "
        + "\(first.row)"
    ]
  }

  /// Hints on what to do next.
  ///
  /// - Parameter archives: whether losers are archived.
  func notes(archives: Bool) -> [String] {
    var notes: [String] = []
    if let plan, plan.loserCount > 0, !plan.triggers.isEmpty {
      notes.append(
        "the table has triggers, \(plan.triggers.joined(separator: ", ")): what they change when losers "
          + "are removed is not archived, and --undo does not restore it")
    }
    guard case .deduplicated(let report, _, let failure) = self, !report.isFinished else {
      return notes
    }
    let end =
      failure == nil
      ? "stopped at a batch boundary; the same command continues"
      : "the batches before that are committed; the same command continues once the cause is fixed"
    return notes + [
      end + (archives ? ", --undo puts the losers back" : "; the losers are not archived")
    ]
  }
}

extension Progress {
  /// The progress of a deduplication as its line shows it.
  init(_ progress: StoreProgress, store: String) {
    let (verb, unit) = progress.stage == .removing ? ("removing", "losers") : ("reading", "rows")
    self.init(
      "\(store): \(verb)", unit: .items(unit), done: progress.completedCount,
      total: progress.totalCount)
  }
}
