/// Counts distinct values by their 64-bit hashes, in bounded memory.
struct DistinctCounter {
  /// What all counters share.
  struct Scope {
    /// The number of hashes that the counters together can keep, beyond their own.
    var hashCount: Int
    /// The number of the input, modulo 256.
    var input: UInt8 = 0
  }

  /// The number of hashes that every counter can keep, in addition to the shared ones.
  static let ownLimit = 256

  /// The last input that had the value with this hash.
  private var inputs: [UInt64: UInt8] = [:]

  /// The number of values that repeat a value of the same input whose hash is kept. Inputs can be versions
  /// of one file, so a value in two of them is no repetition.
  private(set) var repeatedCount = 0

  /// Whether all hashes are kept. If not, the counts are lower bounds.
  private(set) var isExact = true

  var count: Int { inputs.count }

  mutating func insert(_ hash: UInt64, scope: inout Scope) {
    if let input = inputs[hash] {
      if input == scope.input { repeatedCount += 1 } else { inputs[hash] = scope.input }
    } else if inputs.count < DistinctCounter.ownLimit {
      inputs[hash] = scope.input
    } else if scope.hashCount > 0 {
      scope.hashCount -= 1
      inputs[hash] = scope.input
    } else {
      isExact = false
    }
  }
}
