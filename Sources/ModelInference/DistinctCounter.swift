/// Counts distinct values by their 64-bit hashes, in bounded memory.
struct DistinctCounter {
  /// The number of hashes that every counter can keep, in addition to the shared ones.
  static let ownLimit = 256

  private var hashes: Set<UInt64> = []

  /// The number of values that repeat a value whose hash is kept.
  private(set) var repeatedCount = 0

  /// Whether all hashes are kept. If not, the counts are lower bounds.
  private(set) var isExact = true

  var count: Int { hashes.count }

  /// - Parameter sharedCount: the number of further hashes that all counters together can keep.
  mutating func insert(_ hash: UInt64, sharedCount: inout Int) {
    if hashes.contains(hash) {
      repeatedCount += 1
    } else if hashes.count < DistinctCounter.ownLimit {
      hashes.insert(hash)
    } else if sharedCount > 0 {
      sharedCount -= 1
      hashes.insert(hash)
    } else {
      isExact = false
    }
  }
}
