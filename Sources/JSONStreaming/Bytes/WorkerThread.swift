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
  private let thread: SystemThread

  /// Starts the thread, which waits.
  ///
  /// - Parameter work: the work; if it returns false, the thread ends.
  /// - Throws: `SystemError` if the system cannot create a thread.
  package init(_ work: @escaping @Sendable () -> Bool) throws(SystemError) {
    channel = Channel(work)
    let channel = channel
    thread = try SystemThread { channel.run() }
  }

  /// Ends the thread after pending work: `work` finds nothing to do for the extra signal.
  deinit {
    channel.request.signal()
    thread.join()
  }

  /// Requests the work; the previous request must be done.
  package func start() { channel.request.signal() }

  /// Waits until the requested work is done.
  package func wait() { channel.completion.wait() }
}
