/// Counts the distinct values of a path by their 64-bit hashes, in bounded memory.
///
/// As long as the memory that it may take suffices the count is exact, but for collisions of
/// hashes. Then it goes on with a sample of the values: those whose hash ends in `level` zero bits.
/// A value is in the sample with all its occurrences or with none, so also how often values repeat
/// can be told from it.
///
/// Page: P. B. Gibbons, Distinct Sampling for Highly-Accurate Answers to Distinct Values Queries and
/// Event Reports, VLDB 2001
struct DistinctCounter {
  /// The slots that every counter may have, whatever is left of the shared ones.
  static let ownSlotCount = 512

  /// The hashes of the sample, in the order of an open hash table; 0 is a free slot.
  private var slots: [UInt64] = []

  /// How many values are in the sample.
  private var sampleCount = 0

  /// How often they occurred.
  private var occurrenceCount = 0

  /// How often each one in `slots` occurred.
  private var occurrences: [UInt32] = []

  /// One in 2^level values is in the sample.
  private var level: UInt64 = 0

  /// Whether the counts are those of all values.
  var isExact: Bool { level == 0 }

  /// How many different values there were, about where `isExact` is false.
  var count: Int { sampleCount << level }

  /// How many values were not the first of their kind, about where `isExact` is false.
  var repeatedCount: Int { (occurrenceCount - sampleCount) << level }

  /// Counts one value.
  ///
  /// - Parameters:
  ///   - hash: its hash.
  ///   - freeSlotCount: how many slots all counters together may still take.
  mutating func insert(_ hash: UInt64, freeSlotCount: inout Int) {
    let hash = hash == 0 ? 1 << 63 : hash
    guard isSampled(hash) else { return }
    if slots.isEmpty { resize(to: DistinctCounter.ownSlotCount) }
    while sampleCount * 4 >= slots.count * 3 {
      if freeSlotCount >= slots.count {
        freeSlotCount -= slots.count
        resize(to: slots.count * 2)
      } else {
        level += 1
        resize(to: slots.count)
      }
    }
    guard isSampled(hash) else { return }
    add(hash, times: 1)
  }

  private func isSampled(_ hash: UInt64) -> Bool { hash & (1 << level - 1) == 0 }

  private mutating func add(_ hash: UInt64, times: UInt32) {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash >> 32) & mask
    while slots[slot] != 0, slots[slot] != hash { slot = (slot + 1) & mask }
    if slots[slot] == 0 {
      slots[slot] = hash
      sampleCount += 1
    }
    let (sum, overflow) = occurrences[slot].addingReportingOverflow(times)
    guard !overflow else { return }
    occurrences[slot] = sum
    occurrenceCount += Int(times)
  }

  /// Puts what belongs to the sample into `count` slots, a power of two.
  private mutating func resize(to count: Int) {
    let before = (slots, occurrences)
    slots = [UInt64](repeating: 0, count: count)
    occurrences = [UInt32](repeating: 0, count: count)
    sampleCount = 0
    occurrenceCount = 0
    for (hash, times) in zip(before.0, before.1) where hash != 0 && isSampled(hash) {
      add(hash, times: times)
    }
  }
}
