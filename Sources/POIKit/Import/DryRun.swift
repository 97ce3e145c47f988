internal import POIRecords

/// Receives the batches of a dry run: counts what would become of the records, and writes rejects.
struct DryRun: ~Copyable {
  /// The inputs that were begun up to the last batch, in their order.
  private(set) var inputs: [ImportReport.Input] = []

  private var rejectLog: RejectLog

  init(options: ImportOptions) { rejectLog = RejectLog(path: options.rejectFile) }

  /// Counts a batch and forgets its content.
  ///
  /// - Returns: the checkpoint after the batch.
  /// - Throws: `StoreError` when the reject file cannot be made.
  mutating func commit(
    _ batch: inout RecordBatch, _ progress: InputProgress, onto checkpoint: ImportCheckpoint
  ) throws(StoreError) -> ImportCheckpoint {
    try openRejectFile()
    let next = checkpoint.advanced(by: batch, progress, isLanded: false)
    progress.note(in: &inputs)
    rejectLog.write(batch, InputNames(progress))
    batch.removeAll()
    return next
  }

  /// Why the rejects of the last batch could not be written to their file.
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
