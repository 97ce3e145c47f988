import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Rows imported after a deduplication do not get the ids of losers.
@Suite struct ReservedRowIDTests {
  /// Imports issues into a store with issues.
  private static func append(
    _ records: [String], to store: Store, batchSize: Int
  ) throws -> IssueTracker.Outcome {
    var options = ImportOptions()
    options.batchSize = batchSize
    var session = try ImportSession(into: store, model: IssueTracker.model(), options: options)
    try session.append(Array(records.joined(separator: "\n").utf8).span)
    let report = try session.finish()
    return IssueTracker.Outcome(report: report, store: store)
  }

  @Test(arguments: DeduplicationOptions.ArrayRule.allCases)
  func `a deduplication is undone after an import, with the rows of every relation`(
    arrays: DeduplicationOptions.ArrayRule
  ) throws {
    var refusedCount = 0
    for seed in TestLength.some(UInt64(1)...12, 4) {
      var generator = SplitMix64(seed: seed)
      let first = try IssueTracker.imported(IssueTracker.records(40, using: &generator))
      let before = try IssueTracker.dump(first.store)
      let deduplicated = first.store
      var options = DeduplicationOptions()
      options.arrays = arrays
      _ = try deduplicated.deduplicate(
        Deduplicator(layout: deduplicated.layout(), options: options))
      // Some records are written in part and rolled back.
      try deduplicated.execute(
        """
        CREATE TRIGGER refusal BEFORE INSERT ON file
        WHEN new.path = 'b' BEGIN SELECT RAISE(ABORT, 'no'); END
        """)
      let second = try Self.append(
        IssueTracker.records(40, using: &generator), to: deduplicated,
        batchSize: Int.random(in: 1...20, using: &generator))
      refusedCount += second.report.counters.rejected
      try second.store.execute("DROP TRIGGER refusal")
      _ = try second.store.undo()
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

  @Test func `the greatest possible id is never reserved`() throws {
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

  @Test func `SQLite chooses the id after the greatest possible one`() throws {
    let store = try MergeStore()
    _ = try store.run(
      [#"{"id":1,"at":2}"#, #"{"id":1,"at":1}"#, #"{"id":2,"at":1}"#], ImportOptions())
    try store.deduplicate(.none)
    try store.execute("UPDATE note SET poikit_id = \(Int64.max) WHERE id = 2")
    let report = try store.run([#"{"id":3,"at":1}"#], ImportOptions())
    #expect(report.counters.inserted == 1)
    try store.undo()
    #expect(try store.rows("SELECT count(*) FROM note") == ["4"])
  }

  @Test func `a row that is inserted and removed by one import leaves the ids reserved`() throws {
    let feed = try FeedStore(
      Model(
        parsing: #"""
          {"x-table":"t","x-key":"k","x-timestamp":"at",
           "x-tombstone":{"attribute":"gone","removal":"delete"},
           "properties":{"k":{"type":"integer"},"at":{"type":"integer","x-unit":"seconds"},
            "gone":{"type":["boolean","null"]}}}
          """#))
    try feed.take(#"{"k":1,"at":3}"#, #"{"k":1,"at":1}"#, #"{"k":1,"at":2}"#)
    try feed.deduplicate(ImportInterferenceTests.enforcing)
    try feed.take(#"{"k":5,"at":1}"#, #"{"k":5,"at":2,"gone":true}"#, #"{"k":6,"at":1}"#)
    let undone = try Store(feed.path).undo(clock: someInstant)
    #expect(undone.restoredRowCount == 2)
    #expect(try feed.rows("SELECT poikit_id, k FROM t") == ["1|1", "2|1", "3|1", "4|6"])
  }

  @Test func `a row that was moved leaves its id reserved`() throws {
    let feed = try FeedStore(IssueTracker.model())
    try feed.take(#"{"number":1,"changed":2}"#, #"{"number":1,"changed":1,"tags":["old"]}"#)
    try feed.deduplicate(ImportInterferenceTests.enforcing)
    try feed.take(#"{"number":1,"changed":3,"tags":["new"]}"#)
    _ = try Store(feed.path).undo(clock: someInstant)
    #expect(
      try feed.rows(
        """
        SELECT i.changed, t.name FROM issue_tag AS j JOIN issue AS i ON i.poikit_id = j.issue
        JOIN tag AS t ON t.poikit_id = j.tag
        """) == ["3000000|new"])
  }

  @Test func `a row that a snapshot marked leaves its id reserved`() throws {
    let feed = try FeedStore(
      Model(
        parsing: #"""
          {"x-table":"t","x-key":"k","x-timestamp":"at",
           "x-tombstone":"gone",
           "properties":{"k":{"type":"integer"},"at":{"type":"integer","x-unit":"seconds"},
            "gone":{"type":["boolean","null"]}}}
          """#))
    var options = ImportOptions()
    options.isSnapshot = true
    options.removalLimit = .count(1)
    try feed.take(#"{"k":1,"at":1}"#, #"{"k":2,"at":1}"#, options: options)
    try feed.take(#"{"k":1,"at":1}"#, options: options)
    try feed.execute("DELETE FROM t WHERE k = 2")
    try feed.take(#"{"k":9,"at":1,"gone":true}"#)
    _ = try Store(feed.path).undo(clock: someInstant)
    #expect(try feed.rows("SELECT poikit_id, k, coalesce(gone, 0) FROM t") == ["1|1|0", "3|9|1"])
  }

  @Test(arguments: [false, true])
  func `an import does not use ids that are reserved while it runs`(hasReserved: Bool) throws {
    let feed = try FeedStore(Model(parsing: MergeFixture.document))
    try feed.take(#"{"id":1,"at":3}"#, #"{"id":1,"at":2}"#)
    if hasReserved { try feed.deduplicate() }
    var options = ImportOptions()
    options.batchSize = 1
    options.jobCount = 1
    var session = try ImportSession(
      into: Store(feed.path), model: feed.model, options: options)
    try session.append(Array(#"{"id":2,"at":2}{"id":2,"at":1} "#.utf8).span)
    #expect(try feed.deduplicate().changes.removedRowCount == (hasReserved ? 1 : 2))
    try session.append(Array(#"{"id":3,"at":1}"#.utf8).span)
    #expect(try session.finish().counters.inserted == 3)
    _ = consume session
    let undone = try Store(feed.path).undo(clock: someInstant)
    #expect(undone.restoredRowCount == (hasReserved ? 1 : 2))
    #expect(try feed.rows("SELECT count(*) FROM note") == [hasReserved ? "4" : "5"])
  }
}
