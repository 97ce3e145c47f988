internal import POIPlatform

/// A clock that never goes back.
///
/// `ContinuousClock` would link Swift's concurrency into every tool and make its start a fifth
/// slower.
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
