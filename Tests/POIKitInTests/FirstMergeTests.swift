import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// First imports that append their records and merge them at the end.
@Suite struct FirstMergeTests {
  private static let plain = #"""
    {"x-table":"note","x-key":"id","x-timestamp":"at","x-tombstone":{"attribute":"gone"},
     "properties":{
      "id":{"type":["integer","null"]},
      "text":{"type":["string","null"]},
      "gone":{"type":["boolean","null"]},
      "at":{"type":["integer","null"],"x-unit":"seconds"}}}
    """#

  private static let timeless = #"""
    {"x-table":"note","x-key":"id","properties":{
      "id":{"type":["integer","null"]},
      "text":{"type":["string","null"]}}}
    """#

  private static func records(
    _ count: Int, using generator: inout SplitMix64
  ) -> [String] {
    MergeFixture.records(count, using: &generator).map { record in
      guard Int.random(in: 0..<5, using: &generator) == 0 else { return record }
      return record.dropLast() + (record == "{}" ? "" : ",") + #""gone":true}"#
    }
  }

  private static func options(using generator: inout SplitMix64) -> ImportOptions {
    var options = ImportOptions()
    options.mergePolicy = .newest
    options.batchSize = Int.random(in: 1...40, using: &generator)
    options.jobCount = Int.random(in: 1...2, using: &generator)
    options.ties = [nil, .digest, .later].randomElement(using: &generator)!
    options.clock = someInstant
    return options
  }

  /// What must not depend on the road: the rows without their ids, and the report.
  private static func outcome(_ feed: borrowing FeedStore, _ report: ImportReport) throws
    -> [String]
  {
    let columns = try feed.rows(
      "SELECT name FROM pragma_table_info('poikit_readable_note') WHERE name <> 'poikit_id'")
    let names = columns.map { "quote(\(name: $0))" as SQL }.joined(separator: ", ")
    return try feed.rows("SELECT \(names) FROM poikit_readable_note").sorted()
      + ["\(report.counters)", "\(report.digest)", "\(report.tiedCount)", "\(report.mergePolicy!)"]
  }

  @Test(arguments: [MergeFixture.document, MergeFixture.documentWithDefaults, plain, timeless])
  func `rows, counters, ties and digest are the same as by merging each record, also after stops`(
    document: String
  ) throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    for trial in 0..<TestLength.count(4, long: 100) {
      let count = Int.random(in: 1...150, using: &generator)
      var records = Self.records(count, using: &generator)
      // Records without a key are added again by a restart.
      let restarts = trial % 4 == 3
      if restarts {
        records.removeAll { !$0.contains(#""id":"#) || $0.contains(#""id":null"#) }
        if records.isEmpty { continue }
      }
      let text = records.joined(separator: "\n")
      let options = Self.options(using: &generator)
      let merged = try FeedStore(Model(parsing: document))
      var merging = options
      // A program that chooses may look at the stored row, so each record is merged.
      merging.choosePolicy = { _, _ in .newest }
      let expected = try Self.outcome(merged, merged.take(text, options: merging))

      let appended = try FeedStore(Model(parsing: document))
      let stop = Int.random(in: 0...count, using: &generator)
      var report = try appended.take(text, options: options) {
        trial % 2 == 0 || $0.counters.read < stop ? .proceed : .stop
      }
      if report.ending == .stopped {
        var later = options
        later.isResuming = !restarts
        later.isRestarting = restarts
        if later.isResuming, trial % 4 == 1 {
          // Meanwhile the key is enforced: the other records are merged.
          var rule = DeduplicationOptions()
          rule.enforcement = .index
          rule.ties = options.ties
          try appended.deduplicate(rule)
        }
        report = try appended.take(text, options: later)
        let counters = report.counters
        #expect(counters.areBalanced && counters.inserted >= 0, "seed \(seed)")
        #expect(counters.read == records.count)
        let found = try Self.outcome(appended, report)
        #expect(found.dropLast(4) == expected.dropLast(4), "seed \(seed)")
        #expect(found[found.count - 3] == expected[expected.count - 3], "seed \(seed)")
      } else {
        let found = try Self.outcome(appended, report)
        #expect(found == expected, "seed \(seed)")
      }
      let isDigestRight = try appended.digest() == report.digest
      #expect(isDigestRight, "seed \(seed)")
      #expect(
        try appended.rows("SELECT name FROM sqlite_schema WHERE name = 'poikit_key_note'").count
          == 1)
      #expect(
        try appended.rows(
          "SELECT count(*) FROM poikit_run WHERE state NOT IN ('finished', 'abandoned')")
          == ["0"])
    }
  }

  @Test func `related rows stay, whoever inserted them`() throws {
    let text = [
      #"{"id":1,"at":1,"zone":"old"}"#, #"{"id":1,"at":2,"zone":"new"}"#,
      #"{"id":2,"at":2,"zone":"new"}"#, #"{"id":2,"at":1,"zone":"stale"}"#,
    ].joined(separator: "\n")
    var options = ImportOptions()
    options.mergePolicy = .newest
    options.batchSize = 1
    let feed = try FeedStore(Model(parsing: MergeFixture.document))
    #expect(try feed.take(text, options: options) { _ in .stop }.ending == .stopped)
    try feed.execute("INSERT INTO zone (name) VALUES ('of the app')")
    options.isResuming = true
    let report = try feed.take(text, options: options)
    #expect(report.counters.inserted == 2)
    #expect(report.counters.updated == 1 && report.counters.stale == 1)
    #expect(
      try feed.rows("SELECT name FROM zone ORDER BY name") == ["new", "of the app", "old", "stale"])
  }

  @Test(
    arguments: [
      ("", true), ("CREATE UNIQUE INDEX one ON note (text)", false),
      ("CREATE TRIGGER t AFTER INSERT ON note BEGIN SELECT 1; END", false),
      ("INSERT INTO note (id) VALUES (1)", nil),
    ] as [(SQL, Bool?)])
  func `records are appended only if nothing of the app can refuse or change a row`(
    change: SQL, appends: Bool?
  ) throws {
    let feed = try FeedStore(Model(parsing: Self.plain))
    try Store(feed.path).prepareTables(for: feed.model)
    if !change.text.isEmpty { try feed.execute(change) }
    var options = ImportOptions()
    options.mergePolicy = .newest
    options.batchSize = 1
    options.jobCount = 1
    let text = (0..<6).map { #"{"id":\#($0 % 2),"text":"\#($0)","at":\#($0)}"# }
      .joined(separator: "\n")
    var counts: Set<String> = []
    guard let appends else {
      let error = #expect(throws: StoreError.self) { try feed.take(text, options: options) }
      #expect(error?.message.contains("is not enforced") == true)
      return
    }
    let report = try feed.take(text, options: options) { _ in
      counts.formUnion((try? feed.rows("SELECT count(*) FROM note")) ?? [])
      return .proceed
    }
    #expect(report.counters.inserted == 2 && report.counters.updated == 4)
    #expect(counts.contains("6") == appends)
    #expect(try feed.rows("SELECT text FROM note ORDER BY text") == ["4", "5"])
  }

  @Test func `another import waits for the end of a first one`() throws {
    let feed = try FeedStore(Model(parsing: Self.plain))
    var options = ImportOptions()
    options.mergePolicy = .newest
    options.batchSize = 1
    let text = #"{"id":1,"at":1}{"id":1,"at":2}{"id":2,"at":2}"#
    #expect(try feed.take(text, options: options) { _ in .stop }.ending == .stopped)
    var refusal: StoreError?
    do throws(StoreError) {
      _ = try ImportSession(into: Store(feed.path), model: feed.model, options: options)
    } catch { refusal = error }
    #expect(refusal?.code == .unfinishedRun)
    #expect(refusal?.message.contains("removes its duplicates at its end") == true)
    options.isResuming = true
    let report = try feed.take(text, options: options)
    #expect(report.counters.inserted == 2 && report.counters.updated == 1)
  }

  @Test func `a first import without records enforces the key`() throws {
    let feed = try FeedStore(Model(parsing: Self.plain))
    var options = ImportOptions()
    options.mergePolicy = .newest
    #expect(try feed.take("", options: options).counters.read == 0)
    #expect(
      try feed.rows("SELECT enforced_key FROM poikit_table WHERE name = 'note'") == [#"["id"]"#])
  }

  @Test func `a first snapshot appends, and removes nothing`() throws {
    let feed = try FeedStore(Model(parsing: Self.plain))
    var options = ImportOptions()
    options.isSnapshot = true
    options.batchSize = 2
    let text = (0..<9).map { #"{"id":\#($0 % 4),"at":\#($0)}"# }.joined(separator: "\n")
    let report = try feed.take(text, options: options)
    #expect(report.counters.inserted == 4 && report.counters.removed == 0)
    options.removalLimit = .percent(50)
    let second = try feed.take(#"{"id":1,"at":9}{"id":2,"at":9}{"id":3,"at":9}"#, options: options)
    #expect(second.counters.removed == 1)
  }
}
