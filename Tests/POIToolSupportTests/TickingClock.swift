import Synchronization

/// A clock that advances by a second at each call.
final class TickingClock: Sendable {
  private let reads = Atomic<Int>(0)

  func tick() -> Duration {
    .seconds(reads.wrappingAdd(1, ordering: .relaxed).newValue)
  }
}
