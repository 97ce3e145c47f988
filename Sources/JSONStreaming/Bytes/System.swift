// What this target needs of the operating system: threads, semaphores, error numbers.

internal import Glibc

/// A thread of the system, which gets no signals.
///
/// The program's own threads must get them: they end the wait for a slow input.
package struct SystemThread {
  private let handle: pthread_t

  private final class Work {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts a thread that runs `body` and ends. Call `join` or `detach` once.
  ///
  /// - Throws: `SystemError` if the system cannot create a thread.
  package init(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    let context = unsafe Unmanaged.passRetained(Work(body))
    var handle = pthread_t()
    let status = unsafe pthread_create(
      &handle, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    guard status == 0 else {
      unsafe context.release()
      throw SystemError(number: status)
    }
    self.handle = handle
    // A new thread may be queued after this one while another processor is idle. Once it has waited for
    // something, it is woken on an idle processor.
    sched_yield()
  }

  /// Waits until the thread has ended.
  package func join() { pthread_join(handle, nil) }

  /// Lets the thread end by itself.
  package func detach() { pthread_detach(handle) }
}

/// A counting semaphore. Writes before `signal()` are visible after `wait()`.
///
/// C functions: `sem_post`, `sem_wait`
@safe
package final class Semaphore: Sendable {
  private nonisolated(unsafe) let handle: UnsafeMutablePointer<sem_t>

  /// A semaphore with the count 0.
  package init() {
    unsafe handle = .allocate(capacity: 1)
    unsafe handle.initialize(to: sem_t())
    unsafe sem_init(handle, 0, 0)
  }

  deinit {
    unsafe sem_destroy(handle)
    unsafe handle.deallocate()
  }

  /// Increments the count.
  package func signal() { _ = unsafe sem_post(handle) }

  /// Waits until the count is not 0 and decrements it.
  package func wait() {
    // A signal handler may interrupt the wait.
    while unsafe sem_wait(handle) != 0 {}
  }
}

/// A system error number that has not been interpreted yet.
package struct SystemError: Error {
  /// The value of `errno`.
  package let number: Int32

  package init(number: Int32) { self.number = number }

  /// The error of the last failed system call on this thread.
  package static var last: SystemError { SystemError(number: errno) }

  /// The system's description of the error, `strerror(3)`.
  package var text: String {
    guard let text = unsafe strerror(number) else { return "error \(number)" }
    return unsafe String(cString: text)
  }
}
