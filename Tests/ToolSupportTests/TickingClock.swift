import Synchronization

/// A clock that moves on by a second whenever it is read.
final class TickingClock: Sendable {
  private let reads = Atomic<Int>(0)

  func tick() -> Duration {
    .seconds(reads.wrappingAdd(1, ordering: .relaxed).newValue)
  }
}
