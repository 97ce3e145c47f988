internal import POIRecords

/// Counts the outcomes of a dry run's batches, and writes rejects.
struct DryRun: ~Copyable {
  /// The inputs that were begun up to the last batch, in order.
  private(set) var inputs: [ImportReport.Input] = []

  private var rejectLog: RejectLog

  init(options: ImportOptions) { rejectLog = RejectLog(path: options.rejectFile) }

  /// Counts a batch and clears it.
  ///
  /// - Returns: the checkpoint after the batch.
  /// - Throws: `StoreError` when the reject file cannot be created.
  mutating func count(
    _ batch: inout RecordBatch, _ progress: InputProgress, onto checkpoint: ImportCheckpoint
  ) throws(StoreError) -> ImportCheckpoint {
    try openRejectFile()
    let next = checkpoint.advanced(by: batch, progress, isLanded: false)
    progress.note(in: &inputs)
    rejectLog.write(batch, InputNames(progress))
    batch.removeAll()
    return next
  }

  var rejectFileError: StoreError? { rejectLog.error.map(DryRun.remediable) }

  mutating func openRejectFile() throws(StoreError) {
    _ = try rejectLog.open(besideStoreAt: nil)
  }

  mutating func syncRejects() throws(StoreError) {
    do { try rejectLog.sync() } catch { throw DryRun.remediable(error) }
  }

  private static func remediable(_ error: StoreError) -> StoreError {
    var error = error
    error.message += "; run again"
    return error
  }
}
