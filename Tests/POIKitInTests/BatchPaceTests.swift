import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Batches without a set size: their bounds, and that results do not depend on them.
@Suite struct BatchPaceTests {
  private static let model = #"""
    {"x-table":"note","x-key":"id","x-timestamp":"at","required":["id"],
     "properties":{"id":{"type":"integer"},"at":{"type":["integer","null"],"x-unit":"seconds"},
      "text":{"type":["string","null"]}}}
    """#

  private static func lines(_ count: Int, using generator: inout SplitMix64) -> [String] {
    (0..<count).map { _ in
      let id = Int.random(in: 0..<count / 2, using: &generator)
      let time = Int.random(in: 0..<3, using: &generator)
      return Int.random(in: 0..<50, using: &generator) == 0
        ? #"{"id":"none"}"# : #"{"id":\#(id),"at":\#(time),"text":"text \#(id % 7)"}"#
    }
  }

  /// An import that has ended, with the number of records in each of its batches.
  private struct Outcome: ~Copyable {
    var sizes: [Int]
    var report: ImportReport
    var store: Store
  }

  /// Imports into a new store; the input comes in pieces of some lines.
  private static func batches(
    of lines: [String], linesInPiece: Int, adjust: (inout ImportOptions) -> Void
  ) throws -> Outcome {
    var options = ImportOptions()
    options.clock = someInstant
    adjust(&options)
    var counts = [0]
    let noted = Noted()
    let store = try Store.inMemory()
    var session = try ImportSession(
      into: store, model: Model(parsing: model), options: options
    ) { progress in
      noted.counts.append(progress.counters.read - progress.counters.landed)
      return .proceed
    }
    try session.beginInput(named: "notes")
    for start in stride(from: 0, to: lines.count, by: linesInPiece) {
      let piece = lines[start..<min(start + linesInPiece, lines.count)].map { $0 + "\n" }
      try session.append(Array(piece.joined().utf8).span)
    }
    let report = try session.finish()
    counts += noted.counts
    let sizes = zip(counts.dropFirst(), counts).map { $0 - $1 }.filter { $0 > 0 }
    return Outcome(sizes: sizes, report: report, store: store)
  }

  private final class Noted {
    var counts: [Int] = []
  }

  @Test(arguments: [1, 2])
  func `a batch ends at 5,000 records if no time passes`(jobCount: Int) throws {
    var generator = SplitMix64(seed: 1)
    let outcome = try Self.batches(
      of: Self.lines(12_000, using: &generator), linesInPiece: 300
    ) {
      $0.elapsed = { .zero }
      $0.jobCount = jobCount
    }
    #expect(outcome.report.batchCount == 3)
    #expect(outcome.sizes == [5_000, 5_000, 2_000])
  }

  @Test(arguments: [1, 2])
  func `a batch of 500 records ends with the current bytes after 100 ms`(
    jobCount: Int
  ) throws {
    var generator = SplitMix64(seed: 2)
    let clock = PassingClock(.milliseconds(100))
    let outcome = try Self.batches(
      of: Self.lines(2_000, using: &generator), linesInPiece: 300
    ) {
      $0.elapsed = clock.now
      $0.jobCount = jobCount
    }
    #expect(outcome.sizes == [600, 600, 600, 200])
  }

  @Test func `a set batch size is kept, however long a batch takes`() throws {
    var generator = SplitMix64(seed: 3)
    let clock = PassingClock(.seconds(1))
    let outcome = try Self.batches(
      of: Self.lines(2_000, using: &generator), linesInPiece: 300
    ) {
      $0.elapsed = clock.now
      $0.batchSize = 800
    }
    #expect(outcome.sizes == [800, 800, 400])
  }

  /// Landed records are merged, and losers removed, in portions of 500 and 100 until the time is up.
  @Test(arguments: [(0, 5_000, 5_000), (25, 2_000, 800), (100, 500, 500)])
  func `merged and removed batches have the same bounds`(
    milliseconds: Int, mergedCount: Int, removedCount: Int
  ) throws {
    var generator = SplitMix64(seed: 4)
    let clock = PassingClock(.milliseconds(milliseconds))
    let lines = (0..<12_000).map { #"{"id":\#($0 / 2),"at":\#($0)}"# }.shuffled(using: &generator)

    let merged = try Self.batches(of: lines, linesInPiece: 12_000) {
      $0.elapsed = clock.now
      $0.mergePolicy = .newest
      // Without a choice the records of a first import are appended.
      $0.choosePolicy = { _, _ in .newest }
      $0.directRecordLimit = 0
    }
    #expect(merged.sizes.dropLast().allSatisfy { $0 == mergedCount }, "\(merged.sizes)")

    let appended = try Self.batches(of: lines, linesInPiece: 12_000) { $0.elapsed = { .zero } }
    var deduplicator = Deduplicator(layout: try TableLayout(Model(parsing: Self.model)))
    deduplicator.elapsed = clock.now
    let noted = Noted()
    let report = try appended.store.deduplicate(deduplicator) { progress in
      if progress.stage == .removing { noted.counts.append(progress.completedCount) }
      return .proceed
    }
    #expect(report.changes.removedRowCount == 6_000)
    let sizes = zip(noted.counts, [0] + noted.counts).map { $0 - $1 }
    #expect(sizes.dropLast().allSatisfy { $0 == removedCount }, "\(sizes)")
    #expect(report.digest == merged.report.digest)
  }

  @Test func `the result does not depend on the time`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    let lines = Self.lines(6_000, using: &generator)
    var outcomes: Set<String> = []
    for _ in 0..<6 {
      let clock = PassingClock(.milliseconds([0, 1, 7, 40, 100].randomElement(using: &generator)!))
      let piece = Int.random(in: 1...2_000, using: &generator)
      let jobCount = Int.random(in: 1...2, using: &generator)
      let lands = Bool.random(using: &generator)
      let outcome = try Self.batches(of: lines, linesInPiece: piece) {
        $0.elapsed = clock.now
        $0.jobCount = jobCount
        $0.mergePolicy = .newest
        $0.directRecordLimit = lands ? 0 : .max
      }
      outcomes.insert("\(outcome.report.digest) \(outcome.report.counters.rejected)")
    }
    #expect(outcomes.count == 1, "seed \(seed): \(outcomes)")
  }

  @Test(arguments: [(5, 20, 0.25), (30, 20, 1.0), (0, 0, 1.0)])
  func `the completed part is between 0 and 1`(completed: Int, total: Int, fraction: Double) {
    let progress = StoreProgress(.importing, completedCount: completed, totalCount: total)
    #expect(progress.fraction == fraction)
    #expect(StoreProgress(.importing, completedCount: completed).fraction == nil)
  }
}
