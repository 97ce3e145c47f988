/// When a batch ends and is committed.
///
/// Every commit waits for the disk, and a batch that is not committed is lost with its process. So a batch
/// of no set size ends once it holds 500 records and 100 ms have passed since the last commit, and at 5,000
/// records at the latest: on a fast machine a commit costs little then, on a slow one little is lost.
package struct BatchPace {
  /// How many records a batch of no set size has at least, unless it is the last one.
  package static let smallestSize = 500

  /// How many records such a batch has at most.
  static let largestSize = 5_000

  /// How much time passes between two commits, unless a batch is full before.
  static let interval = Duration.milliseconds(100)

  private let size: Int?
  private let clock: @Sendable () -> Duration
  private var lastCommit: Duration

  /// - Parameters:
  ///   - size: how many records each batch has; nil for batches of no set size.
  ///   - clock: a clock that never goes back.
  package init(size: Int?, clock: @escaping @Sendable () -> Duration) {
    self.size = size
    self.clock = clock
    lastCommit = clock()
  }

  /// How many records a batch has at most.
  package var limit: Int { size ?? BatchPace.largestSize }

  /// How many records are added at most to a batch of so many before it is asked again whether it ends.
  package func portion(after count: Int) -> Int { min(limit - count, BatchPace.smallestSize) }

  /// Whether a batch of so many records ends because the time has come.
  package func isDue(_ count: Int) -> Bool {
    size == nil && count >= BatchPace.smallestSize && clock() - lastCommit >= BatchPace.interval
  }

  /// Notes that a batch is committed, or handed over to be.
  package mutating func noteCommit() { lastCommit = clock() }
}
