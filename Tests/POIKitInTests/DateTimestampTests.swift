import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// A date as the timestamp: it counts as its midnight in UTC.
@Suite struct DateTimestampTests {
  private static func model(_ root: String = "") throws -> Model {
    try Model(
      parsing: #"""
        {"x-table":"note","x-key":"id","x-timestamp":"day"\#(root),"properties":{
          "id":{"type":"integer"},
          "name":{"type":["string","null"]},
          "place":{"type":["string","null"]},
          "day":{"type":["string","null"],"format":"date"},
          "gone":{"type":["boolean","null"]}}}
        """#)
  }

  private static let removal = #","x-tombstone":{"attribute":"gone","removal":"delete"}"#

  private static func record(_ name: String, _ day: String?) -> String {
    #"{"id":1,"name":"\#(name)","day":\#(day.map { "\"\($0)\"" } ?? "null")}"#
  }

  private static func options(_ policy: MergePolicy) -> ImportOptions {
    var options = ImportOptions()
    options.mergePolicy = policy
    return options
  }

  private static let versions = [
    record("a", "2024-02-29"), record("b", "2024-03-01"), record("c", "1969-12-31"),
    record("d", nil),
  ]

  @Test(arguments: [MergePolicy.append, .newest])
  func `the latest date wins in any order`(policy: MergePolicy) throws {
    for order in TestLength.some(permutations(of: Self.versions), 6) {
      let feed = try FeedStore(Self.model())
      for line in order { try feed.take(line, options: Self.options(policy)) }
      if policy == .append { try feed.deduplicate() }
      #expect(try feed.rows("SELECT name, day FROM note") == ["b|2024-03-01"], "\(order)")
    }
  }

  @Test func `another date can be the timestamp of a deduplication, and differences have a unit`()
    throws
  {
    let feed = try FeedStore(Self.model())
    for line in Self.versions { try feed.take(line) }
    let store = try Store(feed.path)
    let plan = try #require(try store.plan(by: ["id"], timestamp: "day"))
    #expect(plan.samples.first?.explanation == "newer by 1 d")
    #expect(plan.unreadableTimestampCount == 0)
  }

  @Test(arguments: [
    ("2024-03-01", []), ("2024-03-02", ["n|2024-03-02"]), ("2024-02-29", []),
  ])
  func `a removal deletes what is not newer, and is remembered`(
    day: String, rows: [String]
  ) throws {
    let removal = #"{"id":1,"gone":true,"day":"2024-03-01"}"#
    for policy in [MergePolicy.append, .newest] {
      for order in permutations(of: [Self.record("n", day), removal]) {
        let feed = try FeedStore(Self.model(Self.removal))
        for line in order { try feed.take(line, options: Self.options(policy)) }
        if policy == .append { try feed.deduplicate() }
        #expect(try feed.rows("SELECT name, day FROM note") == rows, "\(policy) \(order)")
      }
    }
  }

  @Test(arguments: ["foo", "now", "2024-02-31", "2024-02-29T25:00", ""])
  func `a text of an app that is no date is older than every removal`(text: String) throws {
    let removal = #"{"id":1,"gone":true,"day":"2024-02-29"}"#
    for policy in [MergePolicy.append, .newest] {
      let feed = try FeedStore(Self.model(Self.removal))
      try feed.take(Self.record("n", "2024-03-01"), options: Self.options(policy))
      try Connection(path: feed.path).execute("UPDATE note SET day = \(literal: text)")
      try feed.take(removal, options: Self.options(policy))
      if policy == .append { try feed.deduplicate() }
      #expect(try feed.rows("SELECT name, day FROM note").isEmpty, "\(policy)")
    }
  }

  @Test func `old removals are purged by their date`() throws {
    let feed = try FeedStore(Self.model(Self.removal))
    for (id, day) in [(1, "2024-03-01"), (2, "2024-03-03")] {
      try feed.take(
        #"{"id":\#(id),"gone":true,"day":"\#(day)"}"#, options: Self.options(.newest))
    }
    // 2024-03-04T00:00:00Z.
    let now = Instant(microseconds: 1_709_510_400_000_000)
    let report = try Store(feed.path).purgeTombstones(
      of: Self.model(Self.removal), olderThan: .seconds(2 * 86_400), clock: { now })
    #expect(report.deletedTombstoneCount == 1)
    let marking = try Self.model(#","x-tombstone":"gone""#)
    let marked = try FeedStore(marking)
    for (id, day) in [(1, "2024-03-01"), (2, "2024-03-03")] {
      try marked.take(#"{"id":\#(id),"gone":true,"day":"\#(day)"}"#)
    }
    let purged = try Store(marked.path).purgeTombstones(
      of: marking, olderThan: .seconds(2 * 86_400), clock: { now })
    #expect(purged.rowCount == 1)
    #expect(try marked.rows("SELECT id FROM note") == ["2"])
  }

  @Test func `each attribute takes the value of the later date`() throws {
    let lines = [
      #"{"id":1,"name":"old","place":"old","day":"2024-01-01"}"#,
      #"{"id":1,"name":"new","day":"2024-01-03"}"#,
      #"{"id":1,"place":"between","day":"2024-01-02"}"#,
    ]
    for order in permutations(of: lines) {
      let feed = try FeedStore(Self.model())
      for line in order { try feed.take(line, options: Self.options(.newestByProperty)) }
      #expect(try feed.rows("SELECT name, place FROM note") == ["new|between"], "\(order)")
    }
  }

  @Test func `a value keeps the date at which its loser had it`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take(
      #"{"id":1,"place":"x","day":"2024-01-10"}{"id":2,"place":"x","day":"2024-01-05","name":"old"}"#
        + #"{"id":3,"place":"y","name":"undated"}{"id":4,"place":"y","day":"2024-01-05"}"#,
      options: Self.options(.newestByProperty))
    var options = DeduplicationOptions()
    options.mergesLosers = true
    let store = try Store(feed.path)
    let report = try store.deduplicate(
      Deduplicator(layout: store.layout(key: ["place"]), options: options), clock: someInstant)
    #expect(report.changes.filledValueCount == 2)
    #expect(try feed.rows("SELECT name FROM note WHERE id = 4") == ["undated"])
    for (day, name, expected) in [
      ("2024-01-03", "older", "old"), ("2024-01-07", "newer", "newer"),
    ] {
      try feed.take(
        #"{"id":1,"day":"\#(day)","name":"\#(name)"}"#, options: Self.options(.newestByProperty))
      #expect(try feed.rows("SELECT name FROM note WHERE id = 1") == [expected])
    }
  }

  @Test func `the token is the date, followed by the key`() throws {
    let feed = try FeedStore(Self.model())
    for line in Self.versions { try feed.take(line) }
    try feed.take(#"{"id":2,"day":"2024-02-01"}"#)
    #expect(try feed.token() == "2024-03-01\t1")
  }

  @Test func `a date in the future is rejected if the skew is limited`() throws {
    var options = ImportOptions()
    options.maximumSkew = .seconds(86_400)
    // 2024-02-29T12:00:00Z.
    options.clock = { Instant(microseconds: 1_709_208_000_000_000) }
    var session = try ImportSession(checking: Self.model(), options: options)
    let lines = [Self.record("a", "2024-03-01"), Self.record("b", "2024-03-02")]
    try session.append(Array(lines.joined(separator: "\n").utf8).span)
    let report = try session.finish()
    #expect(report.rejectsByRule.map(\.rule) == ["skew"])
    #expect(report.counters.inserted == 1)
  }
}
