/// What undoing a deduplication restored.
public struct UndoReport: Sendable, Hashable {
  /// The run that was undone.
  public let run: Int64

  /// The number of restored rows in all tables.
  public let restoredRowCount: Int

  /// The number of restored references, by value: a reference of two columns counts two.
  public let restoredReferenceCount: Int

  /// The number of restored values of winners that had got values from losers.
  public let restoredValueCount: Int

  /// The number of removal marks that a snapshot had set and that were cleared.
  public let restoredMarkCount: Int

  /// The number of rows that were left alone because they had changed since the run.
  public let changedRowCount: Int

  /// The number of restored rows of a tracked table that got a later time, because a server may know that they were
  /// removed. With any, the digest is another one than before the run.
  public let raisedRowCount: Int

  /// The number of restored rows that refer to missing rows of other tables.
  public let danglingRowCount: Int

  /// Whether the index created by the run was dropped.
  public let droppedIndex: Bool
}
