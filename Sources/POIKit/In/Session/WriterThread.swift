internal import JSONStreaming
internal import POIRecords

/// A thread that commits batches, one at a time.
///
/// A batch goes to it together with the committer, and both come back. Only their current owner can use
/// them.
struct WriterThread: ~Copyable {
  /// A batch to commit, with all that is needed for it.
  struct Job: ~Copyable {
    var committer: BatchCommitter
    var batch: RecordBatch
    let progress: InputProgress
    let checkpoint: ImportCheckpoint

    var outcome: Result<ImportCheckpoint, StoreError>?

    /// Commits the batch, and returns whether it was still to be done.
    mutating func commit() -> Bool {
      guard outcome == nil else { return false }
      do throws(StoreError) {
        outcome = .success(try committer.commit(&batch, progress, onto: checkpoint))
      } catch {
        outcome = .failure(error)
      }
      return true
    }
  }

  private let channel: Channel
  private let worker: WorkerThread

  /// Starts the thread.
  ///
  /// - Throws: `SystemError` when the system provides no thread.
  init() throws(SystemError) {
    let channel = Channel()
    self.channel = channel
    worker = try WorkerThread { channel.commit() }
  }

  /// Hands a job over. The previous one must be finished.
  func start(_ job: consuming Job) {
    channel.put(job)
    worker.start()
  }

  /// Waits until the job is done, and returns it.
  func finish() -> Job {
    worker.wait()
    return channel.remove()
  }
}

/// The shared state of the two threads; the worker thread decides which of them may use it.
private final class Channel: Sendable {
  private nonisolated(unsafe) var job: WriterThread.Job?

  func put(_ job: consuming WriterThread.Job) { unsafe self.job = consume job }

  func remove() -> WriterThread.Job {
    guard let job = unsafe job.take() else { preconditionFailure("no job was on its way") }
    return job
  }

  /// Commits the batch of the job, and returns whether there was one still to be done.
  func commit() -> Bool { unsafe job?.commit() == true }
}
