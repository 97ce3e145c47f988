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
