import Synchronization

/// A clock that goes on by the same time whenever it is asked.
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
