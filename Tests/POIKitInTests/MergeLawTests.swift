import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// The laws of merging, on random records with every kind of tie, null and absence.
@Suite struct MergeLawTests {
  /// The content of a store after several imports.
  private struct Outcome: Equatable {
    var content: [String]
    var digest: Digest
  }

  /// Imports records in runs with different options, and checks the report of each run.
  private static func outcome(
    of runs: [[String]], policy: MergePolicy, _ document: String = MergeFixture.document,
    using generator: inout SplitMix64
  ) throws -> Outcome {
    let store = try MergeStore(document)
    var digest = Digest.zero
    for run in runs {
      var options = ImportOptions()
      options.mergePolicy = policy
      options.batchSize = Int.random(in: 1...40, using: &generator)
      options.jobCount = Int.random(in: 1...2, using: &generator)
      // Written directly, or landed from a record on.
      options.directRecordLimit = [0, 0, 20, .max].randomElement(using: &generator)!
      options.windowBlockSize = [0, 4, 16].randomElement(using: &generator)!
      let report = try store.run(run, options)
      #expect(report.counters.areBalanced && report.counters.read == run.count)
      digest = report.digest
    }
    #expect(try store.digest() == digest)
    return Outcome(
      content: try store.content(times: policy == .newestByProperty), digest: digest)
  }

  /// Appends the records and deduplicates them.
  private static func deduplicated(_ records: [String], _ document: String) throws -> Outcome {
    let store = try MergeStore(document)
    _ = try store.run(records, .append)
    let report = try store.deduplicate()
    return Outcome(content: try store.content(), digest: try #require(report.digest))
  }

  private static func expect(_ outcome: Outcome, _ expected: Outcome, _ seed: UInt64) {
    let difference = Set(outcome.content).symmetricDifference(expected.content)
    #expect(difference.isEmpty, "seed \(seed)")
    let isSame = outcome == expected
    #expect(isSame, "seed \(seed)")
  }

  private static func runs(
    of records: [String], using generator: inout SplitMix64
  ) -> [[String]] {
    var runs: [[String]] = []
    var rest = records.shuffled(using: &generator)[...]
    while !rest.isEmpty {
      let count = Int.random(in: 1...60, using: &generator)
      runs.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return runs
  }

  @Test(arguments: [MergeFixture.document, MergeFixture.documentWithDefaults])
  func `append and deduplicate, newest in one run and newest in many end in the same store`(
    document: String
  ) throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    for _ in 0..<TestLength.count(6, long: 25) {
      let records = MergeFixture.records(
        Int.random(in: 1...160, using: &generator), using: &generator)
      let expected = try Self.deduplicated(records, document)
      for _ in 0..<2 {
        let inOne = try Self.outcome(
          of: [records.shuffled(using: &generator)], policy: .newest, document, using: &generator)
        Self.expect(inOne, expected, seed)
      }
      let inMany = try Self.outcome(
        of: Self.runs(of: records, using: &generator), policy: .newest, document,
        using: &generator)
      Self.expect(inMany, expected, seed)
    }
  }

  @Test(arguments: [MergeFixture.document, MergeFixture.documentWithDefaults])
  func `newest-by-property ends in the same store in any order and number of runs`(
    document: String
  ) throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    for _ in 0..<TestLength.count(6, long: 25) {
      let records = MergeFixture.records(
        Int.random(in: 1...120, using: &generator), using: &generator)
      let expected = try Self.outcome(
        of: [records], policy: .newestByProperty, document, using: &generator)
      for _ in 0..<3 {
        let other = try Self.outcome(
          of: Self.runs(of: records, using: &generator), policy: .newestByProperty,
          document, using: &generator)
        Self.expect(other, expected, seed)
      }
      // Known records change nothing, except records without a key, which match no row.
      let keyed = records.filter { $0.contains(#""id":"#) && !$0.contains(#""id":null"#) }
      let once = try Self.outcome(
        of: [keyed], policy: .newestByProperty, document, using: &generator)
      let twice = try Self.outcome(
        of: [keyed, keyed], policy: .newestByProperty, document, using: &generator)
      Self.expect(twice, once, seed)
    }
  }

  @Test(arguments: [
    MergePolicy.newest, .overwrite, .objectTrump, .storeTrump, .newestByProperty,
  ])
  func `importing the same again changes nothing`(policy: MergePolicy) throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    let records = (0..<100).map { #"{"id":\#($0),"text":"\#($0)","at":1}"# }
    let store = try MergeStore()
    _ = try store.run(records, policy)
    let before = try store.dump()
    let report = try store.run(records.shuffled(using: &generator), policy)
    #expect(report.counters.unchanged == 100, "seed \(seed)")
    #expect(try store.dump() == before)
  }
}
