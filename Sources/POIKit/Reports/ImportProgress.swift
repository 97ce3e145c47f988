/// How far an import is; given to the progress closure for each committed batch, and while a source is
/// searched for its records.
public struct ImportProgress: Sendable {
  /// The input being read.
  public var inputName: String

  /// Bytes read of the input, before decompression.
  public var consumedByteCount: Int

  /// Bytes of the input; nothing for a pipe.
  public var totalByteCount: Int?

  /// All records up to now; they are committed.
  public var counters: ImportReport.Counters

  package init(
    inputName: String, consumedByteCount: Int, totalByteCount: Int?,
    counters: ImportReport.Counters
  ) {
    self.inputName = inputName
    self.consumedByteCount = consumedByteCount
    self.totalByteCount = totalByteCount
    self.counters = counters
  }
}

/// What the progress closure says to the import.
public enum ImportDecision: Sendable, Hashable {
  /// Go on.
  case proceed
  /// Stop at this batch boundary; the run can be resumed.
  case stop
}
