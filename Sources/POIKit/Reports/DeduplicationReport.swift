internal import POIRecords

/// What a deduplication did.
public struct DeduplicationReport: Sendable, Hashable {
  /// What it found and decided.
  public let plan: DeduplicationPlan

  /// What it changed.
  public let changes: RemovalCounts

  /// What earlier passes of the run had changed before they were interrupted; nothing where this one
  /// began it.
  public let earlier: RemovalCounts

  /// The run under which it can be undone, or nil if it left nothing in the table of runs. One whose
  /// options said not to archive has a number, too, and cannot be undone.
  public let run: Int64?

  /// Whether it came to its end, and was not stopped.
  public let isFinished: Bool

  /// Whether it created the index that enforces the key; false also where the index was there.
  public let createdIndex: Bool

  /// The digest of the table afterwards, or nil if the pass was stopped.
  public let digest: Digest?

  /// What the run changed in all its passes.
  public var runChanges: RemovalCounts { earlier + changes }

  /// The rows before the pass.
  public var rowsBefore: Int { plan.rowCount }

  /// The rows after it.
  public var rowsLeft: Int { plan.rowCount - changes.removedRowCount - changes.supersededRowCount }
}
