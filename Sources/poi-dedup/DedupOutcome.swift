import POIKit
import SQLiteKit
import ToolSupport

/// What a run of the tool came to.
enum DedupOutcome {
  /// A plan; none where it was stopped.
  case planned(DeduplicationPlan?, layout: TableLayout)
  case deduplicated(DeduplicationReport, layout: TableLayout)
  case undone(UndoReport)
  case digest(TableDigest, table: String)
  case purged(PurgeReport, table: String)

  /// Whether the user stopped it.
  var isInterrupted: Bool {
    switch self {
    case .planned(let plan, _): plan == nil
    case .deduplicated(let report, _): !report.isFinished
    case .undone, .digest, .purged: false
    }
  }

  /// What the user should look at.
  var warnings: [String] {
    let plan: DeduplicationPlan?
    switch self {
    case .planned(let found, _): plan = found
    case .deduplicated(let report, _): plan = report.plan
    case .undone, .digest, .purged: plan = nil
    }
    guard let plan, let first = plan.firstUnreadableTimestamp else { return [] }
    return [
      "timestamps of \(plan.unreadableTimestampCount) of \(plan.rowCount) rows cannot be read and count "
        + "as missing, so a record with a timestamp wins over theirs: the first is \(first.value) in row "
        + "\(first.row)"
    ]
  }

  /// What the user may want to do next.
  var notes: [String] {
    guard case .deduplicated(let report, _) = self, !report.isFinished else { return [] }
    return ["stopped at a batch boundary; the same command goes on, --undo puts the losers back"]
  }
}

extension Progress {
  /// The progress of a deduplication as its line shows it.
  init(_ progress: DeduplicationProgress, store: String) {
    switch progress {
    case .reading(let rowCount):
      self.init("\(store): reading", unit: .items("rows"), done: rowCount)
    case .removing(let removed, let total):
      self.init("\(store): removing", unit: .items("losers"), done: removed, total: total)
    }
  }
}

extension DeduplicationError {
  /// The exit code that the error stands for.
  var exitCode: ExitCode {
    switch code {
    case .unknownTable, .unknownColumn, .unsupportedTable, .invalidOptions, .cannotUndo: .usage
    case .mixedTimestamps, .keyNotUnique, .unmovableReference, .unmergeableValue,
      .interferingTrigger:
      .dataError
    case .database where cause?.isConstraint == true: .dataError
    case .changedByOther, .temporaryFile, .database: .ioError
    case .internalCheck: .internalError
    }
  }
}
