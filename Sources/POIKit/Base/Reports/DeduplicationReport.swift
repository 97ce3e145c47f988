internal import POIRecords

/// What a deduplication did.
public struct DeduplicationReport: Sendable, Hashable {
  /// What the pass found and decided before it changed anything.
  public let plan: DeduplicationPlan

  /// The changes of this pass.
  public let changes: Changes

  /// The changes of earlier, interrupted passes of the run; zero if this pass began it.
  public let earlier: Changes

  /// The run by which the pass can be undone; nil if the table of runs has no entry for it. A run that
  /// did not archive has a number but cannot be undone.
  public let run: Int64?

  /// Whether the pass finished, rather than being stopped.
  public let isFinished: Bool

  /// Whether the pass created the index that enforces the key; false if the index existed before.
  public let createdIndex: Bool

  /// The digest of the table after the pass; nil if it was stopped.
  public let digest: Digest?

  /// The changes of all passes of the run.
  public var runChanges: Changes { earlier + changes }

  /// The number of rows before the pass.
  public var rowsBefore: Int { plan.rowCount }

  /// The number of rows after the pass.
  public var rowsLeft: Int { plan.rowCount - changes.removedRowCount - changes.supersededRowCount }
}
