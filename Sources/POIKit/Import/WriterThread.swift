internal import Glibc

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
    var outcome: Result<ImportCheckpoint, ImportError>?

    /// Commits the batch, unless that was done.
    ///
    /// - Returns: whether it was not.
    mutating func commit() -> Bool {
      guard outcome == nil else { return false }
      do throws(ImportError) {
        outcome = .success(try committer.commit(&batch, progress, onto: checkpoint))
      } catch {
        outcome = .failure(error)
      }
      return true
    }
  }

  private let channel = Channel()
  private let thread: pthread_t

  /// Starts the thread.
  ///
  /// - Throws: `SystemError` when the system gives no thread.
  init() throws(SystemError) {
    // Signals are for the thread that reads: they end its waiting for a slow input.
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    let context = unsafe Unmanaged.passRetained(channel)
    var thread = pthread_t()
    let status = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<Channel>.fromOpaque(context).takeRetainedValue().commitAll()
        return nil
      }, context.toOpaque())
    guard status == 0 else {
      unsafe context.release()
      throw SystemError(number: status)
    }
    self.thread = thread
  }

  deinit {
    channel.end()
    pthread_join(thread, nil)
  }

  /// Hands a job over; none may be on its way.
  func start(_ job: consuming Job) { channel.post(job) }

  /// Waits until the job on its way is done, and takes it back.
  func finish() -> Job { channel.take() }
}

/// What the two threads share; the semaphores say whose turn it is.
private final class Channel: Sendable {
  private nonisolated(unsafe) var job: WriterThread.Job?
  private let isPosted = Semaphore()
  private let isDone = Semaphore()

  func post(_ job: consuming WriterThread.Job) {
    unsafe self.job = consume job
    isPosted.signal()
  }

  func take() -> WriterThread.Job {
    isDone.wait()
    guard let job = unsafe job.take() else { preconditionFailure("no job was on its way") }
    return job
  }

  /// Posts no job, which is the end.
  func end() { isPosted.signal() }

  /// What the thread does until the end; a job that was posted before is done first.
  func commitAll() {
    while true {
      isPosted.wait()
      guard unsafe job?.commit() == true else { return }
      isDone.signal()
    }
  }
}
