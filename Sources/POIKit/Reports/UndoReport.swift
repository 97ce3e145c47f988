/// What undoing a deduplication restored.
public struct UndoReport: Sendable, Hashable {
  /// The run that was undone.
  public let run: Int64

  /// The rows put back, into all tables.
  public let restoredRowCount: Int

  /// The values that refer to a restored row again; a reference of two columns has two.
  public let restoredReferenceCount: Int

  /// The values that winners had before they got some of their losers.
  public let restoredValueCount: Int

  /// The marks of a snapshot that were taken back: rows that are not removed any more.
  public let restoredMarkCount: Int

  /// The rows that did not hold any more what the run had made of them, and were left as they are.
  public let changedRowCount: Int

  /// The rows put back that refer to rows of other tables which are gone since.
  public let danglingRowCount: Int

  /// Whether the index that the run had created was dropped.
  public let droppedIndex: Bool
}
