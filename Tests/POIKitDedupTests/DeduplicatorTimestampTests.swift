import POIKitTestSupport
import POISQLite
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct DeduplicatorTimestampTests {
  /// The remaining value of `v` among rows with one key, and the plan.
  private func winner(
    _ values: SQL, type: SQL = "", keep: DeduplicationOptions.KeepRule = .newest
  ) throws -> (value: String?, plan: DeduplicationPlan) {
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE t (v, at \(type)); INSERT INTO t VALUES \(values)")
    try connection.execute("ALTER TABLE t ADD COLUMN k DEFAULT 1")
    var options = DeduplicationOptions()
    options.keep = keep
    let report = try Deduplicator(
      layout: try TableLayout(describing: "t", in: connection, key: ["k"], timestamp: "at"),
      options: options
    ).run(on: connection, clock: someInstant)
    return (try connection.text("SELECT v FROM t"), report.plan)
  }

  @Test(arguments: [
    ("('a', 1), ('b', 2)", "b", "a"), ("('a', 2.5), ('b', 2), ('c', 2.25)", "a", "b"),
    ("('a', -1), ('b', -2), ('c', NULL)", "a", "b"),
    ("('a', -1.5), ('b', -2), ('c', -1.25)", "c", "b"),
    ("('a', 9007199254740993), ('b', 9007199254740992.0)", "a", "b"),
    ("('a', 9e999), ('b', 9223372036854775807), ('c', -9e999)", "a", "c"),
    ("('a', -9223372036854775808), ('b', NULL)", "a", "a"),
    ("('a', 1e19), ('b', 2e19), ('c', 9223372036854775807)", "b", "c"),
    ("('a', 1e300), ('b', 9e999), ('c', 1e299)", "b", "c"),
    ("('a', -1e19), ('b', -2e19), ('c', -9223372036854775808)", "c", "b"),
    ("('a', -1e300), ('b', -9e999), ('c', -1e299)", "c", "b"),
    ("('a', 9223372036854775807), ('b', 9223372036854775808.0)", "b", "a"),
    ("('a', 1764686336.123456), ('b', 1764686336.123457)", "b", "a"),
    ("('a', '2025-12-02T14:38:56Z'), ('b', '2025-12-02T15:38:56+01:30')", "a", "b"),
    (
      "('a', '2025-12-02 14:38:56.1'), ('b', '2025-12-02 14:38:56.15'), ('c', '2025-12-02')", "b",
      "c"
    ),
    ("('a', '02.11.2017 17:27'), ('b', '2017/11/02 17:28'), ('c', '20171102T172659Z')", "b", "c"),
    ("('a', '2025-12-02T14:38:56'), ('b', '2025-12-02T14:38:57.000Z')", "b", "a"),
  ])
  func `timestamps of every kind order in time`(
    values: SQL, newest: String, oldest: String
  ) throws {
    #expect(try winner(values).value == newest)
    #expect(try winner(values, keep: .oldest).value == oldest)
  }

  @Test func `the least integer and the real that equals it are one timestamp`() {
    #expect(RowTimestamp(Int64.min) == RowTimestamp(-0x1p63))
  }

  @Test func `a value that is not a timestamp counts as missing and is counted`() throws {
    let found = try winner(
      "('a', 'yesterday'), ('b', '2020-01-01'), ('c', x'00'), ('d', ''), ('e', NULL)")
    #expect(found.value == "b")
    #expect(found.plan.unreadableTimestampCount == 3)
    #expect(found.plan.firstUnreadableTimestamp?.row == 1)
    #expect(found.plan.firstUnreadableTimestamp?.value == "\"yesterday\"")
    #expect(found.plan.reasons.timestampPresent == 4)
  }

  @Test func `texts and numbers in one column are refused, and rows of both are named`() throws {
    let error = #expect(throws: StoreError.self) {
      try winner("('a', '2020-01-01'), ('b', NULL), ('c', 5)")
    }
    #expect(error?.code == .mixedTimestamps)
    #expect(error?.message.contains("a number in row 3 and a text in row 1") == true)
  }

  @Test func `seconds and milliseconds in one column are refused with both examples`() throws {
    let error = #expect(throws: StoreError.self) {
      try winner("('a', 1509643620), ('b', 0), ('c', 1509643620000)")
    }
    #expect(error?.code == .mixedTimestamps)
    #expect(
      error?.message.contains(
        "holds seconds, 1509643620 in row 1, and milliseconds, 1509643620000 in row 3") == true)
  }

  @Test func `differences are reported if the unit is known`() throws {
    #expect(
      try winner("('a', '2020-01-01'), ('b', '2020-01-01T00:00:00.25Z')").plan.samples[0]
        .explanation
        == "newer by 250 ms")
    #expect(try winner("('a', 1), ('b', 2)").plan.samples[0].explanation == "newer")
    #expect(try winner("('a', 1), ('b', 2)", keep: .oldest).plan.samples[0].explanation == "older")
  }

  @Test func `only an attribute that is an instant has a unit`() throws {
    let model = Model.poi
    #expect(try TableLayout(model).isTimestampInstant)
    #expect(try TableLayout(model, timestamp: "updatedAt").isTimestampInstant)
    #expect(try !TableLayout(model, timestamp: "latitude").isTimestampInstant)
    let connection = try Connection.inMemory()
    try connection.execute(
      "CREATE TABLE t (k, at); INSERT INTO t VALUES (1, 1000), (1, 2000)")
    for isInstant in [true, false] {
      let layout = TableLayout(
        Model(ofTable: "t", [Attribute(column: "k"), Attribute(column: "at")]),
        isToolkitTable: true, keyColumns: ["k"], timestampColumn: "at",
        isTimestampInstant: isInstant)
      let plan = try #require(try Deduplicator(layout: layout).plan(on: connection))
      #expect(plan.samples[0].explanation == (isInstant ? "newer by 1 ms" : "newer"))
    }
  }

  @Test(
    arguments: [
      (0, "0 s"), (1, "1 µs"), (1_001, "1 ms 1 µs"), (1_000_000, "1 s"), (61_500_000, "1 min 1 s"),
      (3_600_000_000, "1 h"), (183_600_000_000, "2 d 3 h"), (86_460_000_000, "1 d"),
    ] as [(UInt64, String)])
  func `a duration is written in its two largest units`(microseconds: UInt64, text: String) {
    #expect(DeduplicationPlan.Decision.duration(microseconds) == text)
  }
}
