internal import POIPlatform

/// The system clock.
package enum SystemClock {
  /// The current instant, from `clock_gettime(CLOCK_REALTIME)`.
  @Sendable
  package static func now() -> Instant {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }
}
