/// A thread that works on jobs, one at a time.
///
/// From `start` until `finish` a job belongs to the thread, with all that it refers to.
package struct JobThread<Job: ~Copyable>: ~Copyable {
  /// What both threads use. The semaphores decide which of them may use the job.
  @safe
  private final class Channel: Sendable {
    private let work: @Sendable (inout Job) -> Void
    let request = Semaphore()
    let completion = Semaphore()

    /// A pointer, because the thread sanitizer takes the place of a generic property for the object's own.
    nonisolated(unsafe) let job: UnsafeMutablePointer<Job?>

    init(_ work: @escaping @Sendable (inout Job) -> Void) {
      unsafe job = .allocate(capacity: 1)
      unsafe job.initialize(to: nil)
      self.work = work
    }

    deinit {
      unsafe job.deinitialize(count: 1)
      unsafe job.deallocate()
    }

    /// Works until a request finds no job.
    func run() {
      while true {
        request.wait()
        guard var job = unsafe job.pointee.take() else { return }
        work(&job)
        unsafe self.job.pointee = consume job
        completion.signal()
      }
    }
  }

  private let channel: Channel
  private let thread: SystemThread
  private var isBusy = false

  /// Starts the thread, which waits.
  ///
  /// - Parameter work: what the thread does with each job.
  /// - Throws: `SystemError` if the system cannot create a thread.
  package init(_ work: @escaping @Sendable (inout Job) -> Void) throws(SystemError) {
    channel = Channel(work)
    let channel = channel
    thread = try SystemThread { channel.run() }
  }

  /// Ends the thread after its job.
  deinit {
    if isBusy { channel.completion.wait() }
    unsafe channel.job.pointee = nil
    channel.request.signal()
    thread.join()
  }

  /// Hands a job to the thread, which must have none.
  package mutating func start(_ job: consuming Job) {
    unsafe channel.job.pointee = consume job
    isBusy = true
    channel.request.signal()
  }

  /// Waits until the job is done, and returns it; nil if the thread has none.
  package mutating func finish() -> Job? {
    if isBusy { channel.completion.wait() }
    isBusy = false
    return unsafe channel.job.pointee.take()
  }
}
