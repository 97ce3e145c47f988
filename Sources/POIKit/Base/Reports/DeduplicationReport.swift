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

extension DeduplicationReport {
  /// The changes made by removing losers.
  public struct Changes: Sendable, Hashable {
    /// The number of losers removed from the table.
    public internal(set) var removedRowCount = 0

    /// The number of rows superseded by a stored tombstone.
    public internal(set) var supersededRowCount = 0

    /// The number of archived rows: losers, rows superseded by tombstones, and rows of other tables
    /// removed with them.
    public internal(set) var archivedRowCount = 0

    /// The number of rows that referred to a loser and now refer to its winner, and of rows that changed
    /// with them by a foreign key.
    public internal(set) var movedReferenceCount = 0

    /// The number of rows of other tables that were removed because they referred to a loser and the
    /// winner had an equal row.
    public internal(set) var removedReferenceRowCount = 0

    /// The number of redirects stored from a loser's identity to its winner's.
    public internal(set) var redirectCount = 0

    /// The number of winners that got values of their losers.
    public internal(set) var filledWinnerCount = 0

    /// The number of values that winners got.
    public internal(set) var filledValueCount = 0

    /// The number of values that winners did not get, because the result would break a rule of the model.
    public internal(set) var refusedValueCount = 0

    static func + (left: Changes, right: Changes) -> Changes {
      var sum = left
      sum.removedRowCount += right.removedRowCount
      sum.supersededRowCount += right.supersededRowCount
      sum.archivedRowCount += right.archivedRowCount
      sum.movedReferenceCount += right.movedReferenceCount
      sum.removedReferenceRowCount += right.removedReferenceRowCount
      sum.redirectCount += right.redirectCount
      sum.filledWinnerCount += right.filledWinnerCount
      sum.filledValueCount += right.filledValueCount
      sum.refusedValueCount += right.refusedValueCount
      return sum
    }
  }
}
