/// The progress of an import or a deduplication.
///
/// A progress closure receives it after each committed batch, and from time to time during the survey
/// of an input or while a table is read.
public struct StoreProgress: Sendable, Hashable {
  /// What is being done, and the unit of the counts.
  public enum Stage: Sendable, Hashable {
    /// An input is being read: bytes before decompression.
    case importing
    /// The records that were read are merged into the table: records.
    case merging
    /// Indexes are built, digests computed and rows removed at the end: no counts.
    case finishing
    /// A table is being read: rows.
    case reading
    /// Losers are being removed: losers.
    case removing
  }

  /// What is being done.
  public var stage: Stage

  /// The number of bytes of the current input, rows or losers done.
  public var completedCount: Int

  /// The total number; nil if unknown, as for a pipe.
  public var totalCount: Int?

  /// The name of the current input; empty while a table is deduplicated.
  public var inputName = ""

  /// The outcomes of the records committed so far.
  public var counters = ImportReport.Counters()

  package init(_ stage: Stage, completedCount: Int, totalCount: Int? = nil) {
    self.stage = stage
    self.completedCount = completedCount
    self.totalCount = totalCount
  }

  /// The completed part of the stage, from 0 to 1; nil if the total is unknown.
  /// It begins again with each input.
  public var fraction: Double? {
    totalCount.map { $0 > 0 ? min(Double(completedCount) / Double($0), 1) : 1 }
  }
}

/// Whether an operation continues; returned by a progress closure.
public enum BatchDecision: Sendable, Hashable {
  /// Continue.
  case proceed

  /// Stop after this batch. Committed batches stay, and an import can be resumed.
  case stop
}
