/// Decides when a batch ends and is committed.
///
/// Every commit waits for the disk, but a crash loses an uncommitted batch. Without a given size, a batch
/// ends at 5,000 records, or earlier once it has 500 and the last commit was at least 100 ms ago.
package struct BatchPace {
  /// The smallest batch if no size is given (the last batch may be smaller).
  package static let smallestSize = 500

  static let largestSize = 5_000
  static let interval = Duration.milliseconds(100)

  private let size: Int?
  private let clock: @Sendable () -> Duration
  private var lastCommit: Duration

  /// - Parameter clock: a monotonic clock.
  package init(size: Int?, clock: @escaping @Sendable () -> Duration) {
    self.size = size
    self.clock = clock
    lastCommit = clock()
  }

  /// The most records in a batch.
  package var limit: Int { size ?? BatchPace.largestSize }

  /// The number of records to add to a batch of `count` before `isDue` is asked again.
  package func nextRecordCount(after count: Int) -> Int {
    min(limit - count, BatchPace.smallestSize)
  }

  /// Whether a batch of `count` records ends because of the elapsed time.
  package func isDue(_ count: Int) -> Bool {
    size == nil && count >= BatchPace.smallestSize && clock() - lastCommit >= BatchPace.interval
  }

  /// Restarts the interval after a batch was handed over.
  package mutating func restartInterval() { lastCommit = clock() }
}
