/// When a batch ends and is committed.
///
/// Every commit waits for the disk, and an uncommitted batch is lost with its process. So a batch of no
/// set size ends at 5,000 records, or earlier if it holds 500 and the last commit was 100 ms ago.
package struct BatchPace {
  /// The smallest batch of no set size, unless it is the last one.
  package static let smallestSize = 500

  static let largestSize = 5_000
  static let interval = Duration.milliseconds(100)

  private let size: Int?
  private let clock: @Sendable () -> Duration
  private var lastCommit: Duration

  /// - Parameter clock: a clock that never goes back.
  package init(size: Int?, clock: @escaping @Sendable () -> Duration) {
    self.size = size
    self.clock = clock
    lastCommit = clock()
  }

  /// How many records a batch has at most.
  package var limit: Int { size ?? BatchPace.largestSize }

  /// How many records may be added to a batch of `count` before the next call of `isDue`.
  package func portion(after count: Int) -> Int { min(limit - count, BatchPace.smallestSize) }

  /// Whether a batch of `count` records ends because of the time.
  package func isDue(_ count: Int) -> Bool {
    size == nil && count >= BatchPace.smallestSize && clock() - lastCommit >= BatchPace.interval
  }

  /// Notes that a batch was handed over.
  package mutating func noteCommit() { lastCommit = clock() }
}
