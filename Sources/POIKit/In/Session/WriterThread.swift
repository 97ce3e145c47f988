internal import JSONStreaming
internal import POIRecords

/// A thread that writes batches.
typealias WriterThread = JobThread<BatchJob>

/// A batch to write, with all that is needed for it.
struct BatchJob: ~Copyable {
  var runWriter: RunWriter
  var batch: RecordBatch
  let progress: InputProgress
  let checkpoint: ImportCheckpoint

  /// The checkpoint after the batch; nil until it is written.
  private(set) var outcome: Result<ImportCheckpoint, StoreError>?

  init(
    _ batch: consuming RecordBatch, by runWriter: consuming RunWriter,
    _ progress: InputProgress, onto checkpoint: ImportCheckpoint
  ) {
    self.runWriter = runWriter
    self.batch = batch
    self.progress = progress
    self.checkpoint = checkpoint
  }

  /// Writes the batch.
  mutating func run() {
    do throws(StoreError) {
      outcome = .success(try runWriter.write(&batch, progress, onto: checkpoint))
    } catch {
      outcome = .failure(error)
    }
  }
}
