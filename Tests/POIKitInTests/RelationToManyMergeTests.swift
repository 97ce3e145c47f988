import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Records with relations to many that match stored ones.
@Suite struct RelationToManyMergeTests {
  private static let first =
    #"{"number":1,"changed":1,"tags":["ui","db"],"thread":{"comments":[{"author":"ann","number":1,"text":"a","mood":{"name":"glad"},"files":[{"path":"a"},{"path":"b","size":1}]},{"author":"bob","number":1,"files":[{"path":"c"}]}]}}"#

  private static let second =
    #"{"number":1,"changed":2,"tags":["db","cli"],"thread":{"comments":[{"author":"cyd","number":1},{"author":"ann","number":1,"text":"b","files":[{"path":"b","size":2},{"path":"d"}]}]}}"#

  @Test func `remaining rows keep their ids, others change with their own rows`() throws {
    let store = try MergeStore(IssueTracker.document)
    _ = try store.run([Self.first], .newest)
    let report = try store.run([Self.second], .newest)
    #expect(report.counters.updated == 1)
    #expect(try store.rows("SELECT * FROM issue_tag") == ["2|1|2", "3|1|3"])
    #expect(try store.rows("SELECT * FROM tag") == ["1|ui", "2|db", "3|cli"])
    #expect(
      try store.rows("SELECT poikit_id, author, text, mood FROM comment")
        == ["1|ann|b|", "2|cyd||"])
    #expect(try store.rows("SELECT * FROM file") == ["2|1|b|2.0", "3|1|d|"])
    #expect(try store.rows("PRAGMA foreign_key_check").isEmpty)
    #expect(try store.digest() == report.digest)
  }

  @Test func `the same records again change nothing, whatever the order of their elements`() throws
  {
    var generator = SplitMix64(seed: 5)
    let records = (0..<40).map {
      IssueTracker.record(number: $0, changed: "1", using: &generator)
    }
    for policy in [
      MergePolicy.newest, .overwrite, .objectTrump, .storeTrump, .newestByProperty, .rollback,
    ] {
      let store = try MergeStore(IssueTracker.document)
      let before = try store.run(records, policy)
      let rows = try IssueTracker.tables.map { try store.rows("SELECT * FROM \(name: $0)") }
      let again = try store.run(records.shuffled(using: &generator), policy)
      #expect(again.counters.inserted == 0 && again.counters.updated == 0, "\(policy)")
      #expect(again.digest == before.digest, "\(policy)")
      let later = try IssueTracker.tables.map { try store.rows("SELECT * FROM \(name: $0)") }
      #expect(later == rows, "\(policy)")
    }
  }

  @Test func `the newest record of each issue is stored, for any runs and order`() throws {
    for seed in TestLength.some(UInt64(1)...8, 3) {
      var generator = SplitMix64(seed: seed)
      let records = IssueTracker.records(60, using: &generator)
      var digests: Set<Digest> = []
      var relations: Set<[String]> = []
      for runCount in [1, 1, 5] {
        let store = try MergeStore(IssueTracker.document)
        var digest = Digest.zero
        let shuffled = records.shuffled(using: &generator)
        for run in 0..<runCount {
          var options = ImportOptions()
          options.mergePolicy = .newest
          options.batchSize = Int.random(in: 1...30, using: &generator)
          let part = shuffled.enumerated().filter { $0.offset % runCount == run }.map(\.element)
          digest = try store.run(part, options).digest
          #expect(try store.digest() == digest, "seed \(seed)")
          #expect(try store.rows("PRAGMA foreign_key_check").isEmpty, "seed \(seed)")
        }
        digests.insert(digest)
        relations.insert(try store.relations())
      }
      #expect(digests.count == 1 && relations.count == 1, "seed \(seed)")
    }
  }

  @Test func `landed records give the same rows`() throws {
    for seed in UInt64(1)...4 {
      var generator = SplitMix64(seed: seed)
      let batches = (0..<2).map { _ in IssueTracker.records(50, using: &generator) }
      let outcomes = try [Int.max, 0].map { limit in
        let store = try MergeStore(IssueTracker.document)
        var digest = Digest.zero
        for records in batches {
          var options = ImportOptions()
          options.mergePolicy = .newest
          options.directRecordLimit = limit
          options.windowBlockSize = 8
          options.batchSize = 7
          digest = try store.run(records, options).digest
          #expect(try store.digest() == digest, "seed \(seed)")
          #expect(try store.rows("PRAGMA foreign_key_check").isEmpty, "seed \(seed)")
        }
        return (digest, try store.relations())
      }
      #expect(outcomes[0] == outcomes[1], "seed \(seed)")
    }
  }

  /// A policy, a record, and the relations of the issue after merging it with `first`.
  @Test(arguments: [
    (MergePolicy.objectTrump, #"{"number":1,"tags":["cli"]}"#, ["1: ann 1", "1: bob 1", "1: cli"]),
    (.objectTrump, #"{"number":1,"tags":null}"#, ["1: ann 1", "1: bob 1"]),
    (.objectTrump, #"{"number":1,"title":"t"}"#, ["1: ann 1", "1: bob 1", "1: db", "1: ui"]),
    (.storeTrump, #"{"number":1,"tags":["cli"]}"#, ["1: ann 1", "1: bob 1", "1: db", "1: ui"]),
    (.overwrite, #"{"number":1,"tags":["cli"]}"#, ["1: cli"]),
    (.newestByProperty, #"{"number":1,"changed":2,"tags":[]}"#, ["1: ann 1", "1: bob 1"]),
    (
      .newestByProperty, #"{"number":1,"changed":0,"tags":[]}"#,
      ["1: ann 1", "1: bob 1", "1: db", "1: ui"]
    ),
    (.rollback, #"{"number":1,"tags":["cli"]}"#, ["1: ann 1", "1: bob 1", "1: db", "1: ui"]),
  ])
  func `an array is merged like an attribute, as a whole`(
    _ policy: MergePolicy, _ record: String, _ expected: [String]
  ) throws {
    let store = try MergeStore(IssueTracker.document)
    _ = try store.run([Self.first], policy)
    let report = try store.run([record], policy)
    #expect(try store.relations() == expected)
    #expect(try store.digest() == report.digest)
    #expect(try store.rows("PRAGMA foreign_key_check").isEmpty)
  }

  @Test func `an array is filled if the stored record has none`() throws {
    let store = try MergeStore(IssueTracker.document)
    _ = try store.run([#"{"number":1,"tags":["db"]}"#], .storeTrump)
    let report = try store.run([Self.first], .storeTrump)
    #expect(try store.relations() == ["1: ann 1", "1: bob 1", "1: db"])
    #expect(try store.digest() == report.digest)
  }

  @Test func `a record whose rows are refused leaves the stored rows`() throws {
    let store = try MergeStore(IssueTracker.document)
    _ = try store.run([Self.first, #"{"number":2}"#], .newest)
    try store.execute("CREATE UNIQUE INDEX one_text ON comment (text)")
    let report = try store.run(
      [
        #"{"number":2,"changed":5,"title":"t","tags":["x"],"thread":{"comments":[{"author":"ann","number":7,"text":"new"},{"author":"ann","number":8,"text":"a"}]}}"#
      ], .newest)
    #expect(report.counters.rejected == 1)
    #expect(try store.relations() == ["1: ann 1", "1: bob 1", "1: db", "1: ui"])
    #expect(try store.rows("SELECT number, title FROM issue") == ["1|", "2|"])
    #expect(try store.digest() == report.digest)
  }

  @Test func `deleted elements make room for new ones in an app's index`() throws {
    let store = try MergeStore(IssueTracker.document)
    _ = try store.run([Self.first], .newest)
    try store.execute(
      """
      CREATE UNIQUE INDEX one_text ON comment (issue_id, text);
      CREATE UNIQUE INDEX one_size ON file (comment, size)
      """)
    let report = try store.run(
      [
        #"{"number":1,"changed":2,"thread":{"comments":[{"author":"cyd","number":1,"text":"a"},{"author":"bob","number":1,"files":[{"path":"c"},{"path":"d","size":1}]}]}}"#,
        #"{"number":1,"changed":3,"thread":{"comments":[{"author":"dan","number":1},{"author":"bob","number":1,"text":"a","files":[{"path":"e","size":1}]}]}}"#,
      ], .newest)
    #expect(report.counters.updated == 2 && report.counters.rejected == 0)
    #expect(try store.relations() == ["1: bob 1", "1: dan 1"])
    #expect(try store.rows("SELECT path, size FROM file") == ["e|1.0"])
    #expect(try store.digest() == report.digest)
  }

  @Test func `error names the row of a record with relations`() throws {
    let store = try MergeStore(IssueTracker.document)
    let error = #expect(throws: StoreError.self) {
      _ = try store.run([Self.first, #"{"number":2}"#, Self.second], .error)
    }
    #expect(error?.message.contains("bytes:1:1 (record 1)") == true, "\(error?.message ?? "")")
  }
}

extension MergeStore {
  fileprivate func relations() throws -> [String] { try rows(IssueTracker.relationsQuery) }
}
