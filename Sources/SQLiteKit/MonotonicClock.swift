internal import Glibc

/// A clock that never goes back.
///
/// It is asked of the kernel: `ContinuousClock` is a part of Swift's concurrency, and would link it and its
/// dispatch library into every tool, which would start a fifth later.
package enum MonotonicClock {
  /// The time since an arbitrary moment, the same for the whole process.
  ///
  /// Page: `clock_gettime(2)`, `CLOCK_MONOTONIC`
  @Sendable
  package static func now() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
