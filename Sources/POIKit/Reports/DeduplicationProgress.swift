/// How far a deduplication is.
public enum DeduplicationProgress: Sendable, Hashable {
  /// The table is being read; so many rows have been.
  case reading(rowCount: Int)

  /// Losers are being removed; so many have been, of so many. The last batch is committed.
  case removing(removedCount: Int, loserCount: Int)
}
