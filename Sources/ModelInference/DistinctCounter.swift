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

  /// The last input that had the value with this hash, and above its 8 bits how often the value repeated.
  private var inputs: [UInt64: UInt32] = [:]

  /// The number of values that repeat a value of the same input whose hash is kept. Inputs can be versions
  /// of one file, so a value in two of them is no repetition.
  private(set) var repeatedCount = 0

  /// The repetitions of the value that repeats most.
  private(set) var greatestRepeatCount = 0

  /// Whether all hashes are kept. If not, the counts are lower bounds.
  private(set) var isExact = true

  var count: Int { inputs.count }

  mutating func insert(_ hash: UInt64, scope: inout Scope) {
    if var entry = inputs[hash] {
      if UInt8(truncatingIfNeeded: entry) == scope.input {
        repeatedCount += 1
        if entry < 0xFFFF_FF00 { entry += 0x100 }
        greatestRepeatCount = max(greatestRepeatCount, Int(entry >> 8))
      }
      inputs[hash] = entry & ~0xFF | UInt32(scope.input)
    } else if inputs.count < DistinctCounter.ownLimit {
      inputs[hash] = UInt32(scope.input)
    } else if scope.hashCount > 0 {
      scope.hashCount -= 1
      inputs[hash] = UInt32(scope.input)
    } else {
      isExact = false
    }
  }
}
