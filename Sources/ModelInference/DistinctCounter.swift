/// Counts the distinct values of a path by their 64-bit hashes, in bounded memory.
struct DistinctCounter {
  /// The hashes that every counter may keep, whatever is left of the shared ones.
  static let ownLimit = 256

  private var hashes: Set<UInt64> = []

  /// How many values were not the first of their kind, of those whose hashes are kept.
  private(set) var repeatedCount = 0

  /// Whether the hashes of all values are kept. If not, the counts are too low.
  private(set) var isExact = true

  /// How many different values there were, at least.
  var count: Int { hashes.count }

  /// - Parameter sharedCount: how many more hashes all counters together may keep.
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
