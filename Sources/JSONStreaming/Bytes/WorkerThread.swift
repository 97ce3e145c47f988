internal import Glibc

/// A thread that does its work each time it is started.
package struct WorkerThread: ~Copyable {
  private final class Channel: Sendable {
    private let work: @Sendable () -> Bool
    let request = Semaphore()
    let completion = Semaphore()

    init(_ work: @escaping @Sendable () -> Bool) { self.work = work }

    /// Repeats the work until it returns false.
    func run() {
      while true {
        request.wait()
        guard work() else { return }
        completion.signal()
      }
    }
  }

  private let channel: Channel
  private let thread: pthread_t

  /// Starts the thread, which waits.
  ///
  /// - Parameter work: the work; if it returns false, the thread ends.
  /// - Throws: `SystemError` if the system cannot create a thread.
  package init(_ work: @escaping @Sendable () -> Bool) throws(SystemError) {
    channel = Channel(work)
    // Signals must reach the reading thread: they end its wait for a slow input.
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
        unsafe Unmanaged<Channel>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    guard status == 0 else {
      unsafe context.release()
      throw SystemError(number: status)
    }
    self.thread = thread
    // A new thread may be queued after this one while another processor is idle. Once it has
    // waited for work, it is woken on an idle processor.
    sched_yield()
  }

  /// Ends the thread after pending work: `work` finds nothing to do for the extra signal.
  deinit {
    channel.request.signal()
    pthread_join(thread, nil)
  }

  /// Requests the work; the previous request must be done.
  package func start() { channel.request.signal() }

  /// Waits until the requested work is done.
  package func wait() { channel.completion.wait() }
}
