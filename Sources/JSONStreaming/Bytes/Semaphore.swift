internal import Glibc

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
