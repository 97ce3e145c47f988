internal import Glibc

/// A count that one thread raises and another waits for; what the one did before, the other sees.
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

  /// Raises the count by one.
  package func signal() { _ = unsafe sem_post(handle) }

  /// Waits until the count is not 0, and lowers it by one.
  package func wait() {
    // A signal of the process may end the wait early.
    while unsafe sem_wait(handle) != 0 {}
  }
}
