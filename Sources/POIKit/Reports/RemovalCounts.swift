/// What removing losers changed.
public struct RemovalCounts: Sendable, Hashable {
  /// Losers removed from the table.
  public internal(set) var removedRowCount = 0

  /// Rows removed because of a removal that is remembered.
  public internal(set) var supersededRowCount = 0

  /// Rows put into archives: losers, those that a removal beats, and rows of other tables that were removed with them.
  public internal(set) var archivedRowCount = 0

  /// Rows of any table that referred to a loser and now refer to its winner, and rows that followed
  /// one of these because they refer to what changed in it.
  public internal(set) var movedReferenceCount = 0

  /// Rows of other tables that referred to a loser and were removed, because the winner had the
  /// same.
  public internal(set) var removedReferenceRowCount = 0

  /// Redirects kept from the identity of a loser to that of its winner.
  public internal(set) var redirectCount = 0

  /// Winners that got values of their losers.
  public internal(set) var filledWinnerCount = 0

  /// The values that they got.
  public internal(set) var filledValueCount = 0

  /// The values that winners did not get, because they would have broken a rule of the model with
  /// them.
  public internal(set) var refusedValueCount = 0

  static func + (left: RemovalCounts, right: RemovalCounts) -> RemovalCounts {
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
