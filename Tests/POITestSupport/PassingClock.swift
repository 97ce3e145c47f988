import Synchronization

/// A clock that advances by the same time at each call.
public final class PassingClock: Sendable {
  private let step: Duration
  private let time = Mutex(Duration.zero)

  public init(_ step: Duration) { self.step = step }

  /// The time since an arbitrary moment.
  @Sendable public func now() -> Duration {
    time.withLock { time in
      time += step
      return time
    }
  }
}
