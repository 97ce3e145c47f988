internal import JSONStreaming
internal import POIRecords

/// A thread that commits batches.
typealias WriterThread = JobThread<BatchCommit>

/// A batch to commit, with all that is needed for it.
struct BatchCommit: ~Copyable {
  var committer: BatchCommitter
  var batch: RecordBatch
  let progress: InputProgress
  let checkpoint: ImportCheckpoint

  /// The checkpoint after the batch; nil until it is committed.
  private(set) var outcome: Result<ImportCheckpoint, StoreError>?

  init(
    _ batch: consuming RecordBatch, by committer: consuming BatchCommitter,
    _ progress: InputProgress, onto checkpoint: ImportCheckpoint
  ) {
    self.committer = committer
    self.batch = batch
    self.progress = progress
    self.checkpoint = checkpoint
  }

  /// Commits the batch.
  mutating func run() {
    do throws(StoreError) {
      outcome = .success(try committer.commit(&batch, progress, onto: checkpoint))
    } catch {
      outcome = .failure(error)
    }
  }
}
