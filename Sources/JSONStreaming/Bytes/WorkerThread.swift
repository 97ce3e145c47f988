internal import Glibc

/// A thread that does its work each time that it is asked to.
package struct WorkerThread: ~Copyable {
  /// What the two threads share.
  private final class Channel: Sendable {
    private let work: @Sendable () -> Bool
    let isAsked = Semaphore()
    let isDone = Semaphore()

    init(_ work: @escaping @Sendable () -> Bool) { self.work = work }

    /// What the thread does until there is no work.
    func run() {
      while true {
        isAsked.wait()
        guard work() else { return }
        isDone.signal()
      }
    }
  }

  private let channel: Channel
  private let thread: pthread_t

  /// Starts the thread, which waits.
  ///
  /// - Parameter work: what it does when it is asked to; false where there is nothing to do, which
  ///   ends the thread.
  /// - Throws: `SystemError` when the system gives no thread.
  package init(_ work: @escaping @Sendable () -> Bool) throws(SystemError) {
    channel = Channel(work)
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
        unsafe Unmanaged<Channel>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    guard status == 0 else {
      unsafe context.release()
      throw SystemError(number: status)
    }
    self.thread = thread
    // A new thread may stand in line behind this one while another processor is idle. Once it waits
    // for work it is woken where there is room.
    sched_yield()
  }

  /// Work that was asked for is done first; whoever ends the thread leaves no other.
  deinit {
    channel.isAsked.signal()
    pthread_join(thread, nil)
  }

  /// Asks for the work, which must not be on its way.
  package func start() { channel.isAsked.signal() }

  /// Waits until the work that was asked for is done.
  package func wait() { channel.isDone.wait() }
}
