/// How far an import or a deduplication is.
///
/// A progress closure receives one after each committed batch, and now and then while an input is
/// searched for its records or a table is read.
public struct StoreProgress: Sendable, Hashable {
  /// What is being done, and what is counted.
  public enum Stage: Sendable, Hashable {
    /// An input is being read: bytes, before decompression.
    case importing
    /// A table is being read: rows.
    case reading
    /// Losers are being removed: losers. The last batch is committed.
    case removing
  }

  /// What is being done.
  public var stage: Stage

  /// How many bytes, rows or losers are done.
  public var completedCount: Int

  /// How many there are; nil if it is not known, as for a pipe.
  public var totalCount: Int?

  /// The name of the input that is being read.
  public var inputName = ""

  /// What became of the records up to now. They are committed.
  public var counters = ImportReport.Counters()

  package init(_ stage: Stage, completedCount: Int, totalCount: Int? = nil) {
    self.stage = stage
    self.completedCount = completedCount
    self.totalCount = totalCount
  }

  /// The completed part of the stage, from 0 to 1; nil if the total is not known.
  public var fraction: Double? {
    totalCount.map { $0 > 0 ? min(Double(completedCount) / Double($0), 1) : 1 }
  }
}
