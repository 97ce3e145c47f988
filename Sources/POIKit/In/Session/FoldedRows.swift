internal import POIRecords
internal import POISQLite

/// What became of rows that lost in earlier runs and that a delivery brought back.
struct FoldedRows {
  var count = 0

  /// The digest of the table, if it was read.
  var digest: Digest?

  /// Why some rows were not folded; nil if all were.
  var problem: String?

  /// Folds them, with the lease of the store, the model of the table, the rows of a snapshot whose others will be
  /// removed, and a clock.
  ///
  /// It is a deduplication, which an import does not know.
  typealias Fold =
    (borrowing Store.Lease, Model, SnapshotTable?, () -> Instant) throws -> FoldedRows

  /// The number of rows that folds after a run have removed from a table.
  static func count(in table: String, since run: Int64, of connection: Connection) throws -> Int {
    Int(
      try connection.integer(
        """
        SELECT coalesce(sum(counters ->> 'losers'), 0) FROM main.poikit_run
        WHERE tool = \(literal: RunRecord.deduplicationTool) AND table_name = \(literal: table)
          AND id > \(run) AND state = 'finished' AND options ->> 'fold' = 1
        """) ?? 0)
  }
}

/// The rows that a first import appended.
enum AppendedRows {
  /// Removes the duplicates among them and enforces the key, with the lease of the store, the model of the table, what
  /// decides between equally new records, the greatest row id before the run, and a clock. Before the first row goes it
  /// tells what merging each record of the run, in the order of the row ids, would have counted. Returns the digest of
  /// the table.
  ///
  /// It is a deduplication, which an import does not know.
  typealias Deduplication =
    (
      borrowing Store.Lease, Model, TieRule, Int64, () -> Instant,
      @escaping (MergeCounts) throws -> Void
    ) throws -> Digest
}
