import SQLiteKit
import TestSupport
import Testing

@testable import POIKit

/// Rows that are imported after a deduplication do not take the ids of the losers.
@Suite struct ReservedRowIDTests {
  /// Imports issues into a store that has some.
  private static func append(
    _ records: [String], to store: consuming Store, batchSize: Int
  ) throws -> IssueTracker.Outcome {
    var options = ImportOptions()
    options.batchSize = batchSize
    var session = try ImportSession(into: store, model: IssueTracker.model(), options: options)
    try session.append(Array(records.joined(separator: "\n").utf8).span)
    let report = try session.finish()
    return IssueTracker.Outcome(report: report, store: session.takeStore())
  }

  @Test(arguments: ArrayRule.allCases)
  func `a deduplication is undone after an import, with the rows of every relation`(
    arrays: ArrayRule
  ) throws {
    var refusedCount = 0
    for seed in UInt64(1)...12 {
      var generator = SplitMix64(seed: seed)
      let first = try IssueTracker.imported(IssueTracker.records(40, using: &generator))
      let before = try IssueTracker.dump(first.store)
      let deduplicated = first.store
      var options = DeduplicationOptions()
      options.arrays = arrays
      _ = try deduplicated.deduplicate(
        Deduplicator(layout: deduplicated.layout(), options: options))
      // Some records are written in part, and taken back.
      try deduplicated.connection.execute(
        """
        CREATE TRIGGER refusal BEFORE INSERT ON file
        WHEN new.path = 'b' BEGIN SELECT RAISE(ABORT, 'no'); END
        """)
      let second = try Self.append(
        IssueTracker.records(40, using: &generator), to: deduplicated,
        batchSize: Int.random(in: 1...20, using: &generator))
      refusedCount += second.report.counters.rejected
      try second.store.connection.execute("DROP TRIGGER refusal")
      _ = try second.store.undoDeduplication()
      let after = try IssueTracker.dump(second.store)
      for (rowsBefore, rowsAfter) in zip(before, after) {
        #expect(Set(rowsAfter).isSuperset(of: rowsBefore), "seed \(seed)")
      }
      #expect(
        after[0].count == before[0].count + second.report.counters.inserted, "seed \(seed)")
      #expect(try IssueTracker.brokenReferences(in: second.store).isEmpty, "seed \(seed)")
    }
    #expect(refusedCount > 0)
  }

  @Test func `the greatest id of all is reserved by nothing`() throws {
    let store = try MergeStore()
    _ = try store.run([#"{"id":1,"at":2}"#, #"{"id":1,"at":1}"#], ImportOptions())
    try store.execute("UPDATE note SET poikit_id = \(Int64.max) WHERE at = 1000000")
    try store.deduplicate(.none)
    _ = try store.run([#"{"id":2,"at":1}"#], ImportOptions())
    try store.undo()
    #expect(
      try store.rows("SELECT poikit_id, id FROM note ORDER BY 1") == [
        "1|1", "2|2", "\(Int64.max)|1",
      ])
  }
}
