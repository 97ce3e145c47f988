internal import JSONStreaming
internal import POIRecords

/// A thread that commits the batches that it is given, one at a time.
///
/// A batch goes to it together with the committer, and both come back: whoever has them may use
/// them, and nobody else can.
struct WriterThread: ~Copyable {
  /// A batch on its way, with all that is needed to commit it.
  struct Job: ~Copyable {
    var committer: BatchCommitter
    var batch: RecordBatch
    let progress: InputProgress
    let checkpoint: ImportCheckpoint

    /// What came of it: the checkpoint after the batch.
    var outcome: Result<ImportCheckpoint, StoreError>?

    /// Commits the batch, unless that was done.
    ///
    /// - Returns: whether it was not.
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
  /// - Throws: `SystemError` when the system gives no thread.
  init() throws(SystemError) {
    let channel = Channel()
    self.channel = channel
    worker = try WorkerThread { channel.commit() }
  }

  /// Hands a job over; none may be on its way.
  func start(_ job: consuming Job) {
    channel.put(job)
    worker.start()
  }

  /// Waits until the job on its way is done, and takes it back.
  func finish() -> Job {
    worker.wait()
    return channel.remove()
  }
}

/// What the two threads share; who has the turn, says the worker thread.
private final class Channel: Sendable {
  private nonisolated(unsafe) var job: WriterThread.Job?

  func put(_ job: consuming WriterThread.Job) { unsafe self.job = consume job }

  func remove() -> WriterThread.Job {
    guard let job = unsafe job.take() else { preconditionFailure("no job was on its way") }
    return job
  }

  /// Commits the batch of the job.
  ///
  /// - Returns: whether there is one that is not done.
  func commit() -> Bool { unsafe job?.commit() == true }
}
