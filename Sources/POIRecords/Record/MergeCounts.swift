/// The number of accepted records that did not become new rows, by outcome.
package struct MergeCounts {
  package private(set) var updated = 0
  package private(set) var unchanged = 0
  package private(set) var stale = 0
  package private(set) var ignored = 0
  package private(set) var removals = 0

  /// The updated and stale records that differ from the stored one with the same timestamp, or also without one.
  package private(set) var tied = 0

  var total: Int { updated + unchanged + stale + ignored + removals }

  mutating func addTie() { tied += 1 }

  mutating func add(_ outcome: MergeOutcome) {
    switch outcome {
    case .inserted: break
    case .updated: updated += 1
    case .unchanged: unchanged += 1
    case .stale: stale += 1
    case .ignored: ignored += 1
    case .removal: removals += 1
    }
  }
}
