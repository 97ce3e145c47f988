internal import Glibc

/// The system clock.
public enum SystemClock {
  /// The current instant, from `clock_gettime(CLOCK_REALTIME)`.
  @Sendable
  public static func now() -> Instant {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }
}
