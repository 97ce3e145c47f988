import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Removals in the records: marked or deleted, remembered, and in any order.
@Suite struct TombstoneTests {
  private static func model(
    _ tombstone: String, required: String = #"["id","name"]"#
  ) throws -> Model {
    try Model(
      parsing: #"""
        {"x-table":"note","x-key":"id","x-timestamp":"at","x-tombstone":\#(tombstone),
         "required":\#(required),"properties":{
          "id":{"type":"string"},
          "name":{"type":"string"},
          "at":{"type":["integer","null"],"x-unit":"seconds"},
          "gone":{"type":["boolean","null"]},
          "left":{"type":["integer","null"],"x-unit":"seconds"}}}
        """#)
  }

  private static let deleting = #"{"attribute":"gone","removal":"delete"}"#

  private static func live(_ at: String, _ name: String = "n") -> String {
    #"{"id":"a","name":"\#(name)","at":\#(at)}"#
  }

  private static func removal(_ at: String) -> String { #"{"id":"a","gone":true,"at":\#(at)}"# }

  /// Imports lines in separate runs, then deduplicates if rows were appended.
  private static func rows(
    _ model: Model, policy: MergePolicy, after lines: [String]
  ) throws -> [String] {
    let feed = try FeedStore(model)
    var options = ImportOptions()
    options.mergePolicy = policy
    for line in lines {
      let report = try feed.take(line, options: options)
      #expect(report.counters.areBalanced)
      #expect(try feed.digest() == report.digest)
    }
    if policy == .append {
      let report = try feed.deduplicate()
      #expect(try feed.digest() == report.digest)
    }
    return try feed.rows("SELECT name, at FROM note ORDER BY 1, 2")
  }

  // MARK: Deleting

  @Test(arguments: [MergePolicy.append, .newest])
  func `the newest of a record and its removal wins in any order`(policy: MergePolicy) throws {
    let model = try Self.model(Self.deleting)
    let second = 1_000_000
    for (lines, expected) in [
      ([Self.live("1"), Self.removal("2")], []),
      ([Self.live("2"), Self.removal("2")], []),
      ([Self.live("3"), Self.removal("2")], ["n|\(3 * second)"]),
      ([Self.live("null"), Self.removal("null")], []),
      ([Self.live("null"), Self.removal("2")], []),
      ([Self.live("1"), Self.removal("null")], ["n|\(second)"]),
      ([Self.live("1"), Self.removal("2"), Self.live("3", "m")], ["m|\(3 * second)"]),
      ([Self.live("1"), Self.removal("5"), Self.removal("2"), Self.live("3")], []),
      ([Self.removal("2")], []),
    ] {
      for order in TestLength.some(permutations(of: lines), 4) {
        #expect(try Self.rows(model, policy: policy, after: order) == expected, "\(order)")
        let joined = order.joined(separator: "\n")
        #expect(try Self.rows(model, policy: policy, after: [joined]) == expected, "\(order)")
      }
    }
  }

  @Test(arguments: [MergePolicy.append, .newest])
  func `a removal older than the row counts once the row is gone, in any order`(
    policy: MergePolicy
  ) throws {
    for lines in permutations(of: [Self.live("5"), Self.removal("3")]) {
      let feed = try FeedStore(Self.model(Self.deleting))
      var options = ImportOptions()
      options.mergePolicy = policy
      for line in lines { try feed.take(line, options: options) }
      if policy == .append { try feed.deduplicate() }
      #expect(try feed.rows("SELECT count(*) FROM note") == ["1"])
      try feed.execute("DELETE FROM note")
      try feed.take(Self.live("2"), options: options)
      if policy == .append { try feed.deduplicate() }
      #expect(try feed.rows("SELECT count(*) FROM note") == ["0"], "\(lines)")
    }
  }

  @Test func `the policy overwrite keeps the last of a record and its removal`() throws {
    let model = try Self.model(Self.deleting)
    for (lines, expected) in [
      ([Self.live("3"), Self.removal("2")], []),
      ([Self.live("3"), Self.removal("null")], []),
      ([Self.removal("2"), Self.live("1")], ["n|1000000"]),
    ] {
      #expect(try Self.rows(model, policy: .overwrite, after: lines) == expected, "\(lines)")
    }
    // A deduplication does not remove a record that came back.
    let feed = try FeedStore(model)
    var options = ImportOptions()
    options.mergePolicy = .overwrite
    try feed.take(Self.removal("2"), Self.live("1"), options: options)
    #expect(try feed.deduplicate().plan.supersededRowCount == 0)
    #expect(try feed.rows("SELECT count(*) FROM note") == ["1"])
  }

  @Test(arguments: [
    (MergePolicy.objectTrump, []), (.storeTrump, ["n|3000000"]), (.rollback, ["n|3000000"]),
  ])
  func `the policy decides between a removal and a newer row`(
    policy: MergePolicy, expected: [String]
  ) throws {
    let model = try Self.model(Self.deleting)
    let lines = [Self.live("3"), Self.removal("2")]
    #expect(try Self.rows(model, policy: policy, after: lines) == expected)
  }

  @Test(arguments: [MergePolicy?.none] + MergePolicy.allCases)
  func `records are merged only by the key of removals that delete`(
    policy: MergePolicy?
  ) throws {
    // By name, b replaces a, and the result of its removal would depend on the order.
    let lines = [
      Self.live("1"), #"{"id":"b","name":"n","at":2}"#, #"{"id":"b","gone":true,"at":3}"#,
    ]
    for order in permutations(of: lines) {
      let feed = try FeedStore(Self.model(Self.deleting))
      try feed.take(#"{"id":"c","name":"m","at":1}"#)
      try feed.enforce(["name"])
      let before = try feed.rows("SELECT * FROM note")
      var options = ImportOptions()
      options.mergePolicy = policy
      let error = #expect(throws: StoreError.self) {
        try feed.take(order.joined(separator: "\n"), options: options)
      }
      #expect(error?.code == .invalidOptions, "\(String(describing: error))")
      if policy != .append { #expect(error?.message.contains("name") == true) }
      #expect(try feed.rows("SELECT * FROM note") == before)
      #expect(try feed.rows("SELECT count(*) FROM poikit_run WHERE tool = 'poi-import'") == ["1"])
    }
  }

  @Test func `removals that mark are merged by any enforced key`() throws {
    let feed = try FeedStore(Self.model(#""gone""#))
    try feed.take(Self.live("1"))
    try feed.enforce(["name"])
    let report = try feed.take(#"{"id":"b","name":"n","gone":true,"at":3}"#)
    #expect(report.counters.updated == 1)
  }

  @Test func `the oldest is kept if removals mark, and refused if they delete`() throws {
    var options = DeduplicationOptions()
    options.keep = .oldest
    let records = [Self.live("3", "old"), Self.removal("5"), Self.live("7", "new")]
      .joined(separator: "\n")
    let marking = try FeedStore(Self.model(#""gone""#, required: #"["id"]"#))
    try marking.take(records)
    try marking.deduplicate(options)
    #expect(try marking.rows("SELECT name FROM note") == ["old"])
    let deleting = try FeedStore(Self.model(Self.deleting))
    try deleting.take(records)
    let error = #expect(throws: StoreError.self) { try deleting.deduplicate(options) }
    #expect(error?.code == .invalidOptions)
    #expect(try deleting.rows("SELECT name FROM note") == ["old", "new"])
  }

  @Test func `a removal conflicts with a stored row under the policy error`() throws {
    let feed = try FeedStore(Self.model(Self.deleting))
    var options = ImportOptions()
    options.mergePolicy = .error
    try feed.take(Self.live("1"), options: options)
    let error = #expect(throws: StoreError.self) {
      try feed.take(Self.removal("2"), options: options)
    }
    #expect(error?.code == .conflict)
  }

  @Test func `random records and removals end in the same rows by every method`() throws {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var generator = SplitMix64(seed: seed)
    let model = try Self.model(Self.deleting)
    for _ in 0..<TestLength.count(5, long: 20) {
      var lines = (0..<60).map { _ in
        let id = Int.random(in: 0..<12, using: &generator)
        let at = ["null", "1", "2", "3"].randomElement(using: &generator) ?? "null"
        let name = Int.random(in: 0..<3, using: &generator)
        return Int.random(in: 0..<3, using: &generator) == 0
          ? #"{"id":"\#(id)","gone":true,"at":\#(at)}"#
          : #"{"id":"\#(id)","name":"\#(name)","at":\#(at)}"#
      }
      var digests: Set<Digest> = []
      for policy in [MergePolicy.append, .newest, .newest] {
        lines.shuffle(using: &generator)
        let feed = try FeedStore(model)
        var options = ImportOptions()
        options.mergePolicy = policy
        options.batchSize = Int.random(in: 1...9, using: &generator)
        // If few records are merged directly, the others land.
        options.directRecordLimit = Int.random(in: 0...60, using: &generator)
        options.windowBlockSize = [0, 4, 16].randomElement(using: &generator)!
        let cut = Int.random(in: 0..<lines.count, using: &generator)
        try feed.take(lines[..<cut].joined(separator: "\n"), options: options)
        let rest = lines[cut...].joined(separator: "\n")
        let steps = Int.random(in: 1...20, using: &generator)
        var report = try Self.take(rest, into: feed, options: options, stoppingAfter: steps)
        if report.ending == .stopped {
          options.isResuming = true
          report = try feed.take(rest, options: options)
        }
        #expect(report.counters.areBalanced, "seed \(seed)")
        #expect(try feed.digest() == report.digest, "seed \(seed)")
        if policy == .append { try feed.deduplicate() }
        digests.insert(try feed.digest())
      }
      #expect(digests.count == 1, "seed \(seed)")
    }
  }

  /// Imports a text, and stops the run at a report of progress.
  private static func take(
    _ text: String, into feed: borrowing FeedStore, options: ImportOptions, stoppingAfter steps: Int
  ) throws -> ImportReport {
    var count = 0
    return try feed.take(text, options: options) { _ in
      count += 1
      return count >= steps ? .stop : .proceed
    }
  }

  @Test func `a row with the id of one removed before landing is matched again after a stop`()
    throws
  {
    func record(_ id: String, _ at: Int) -> String { #"{"id":"\#(id)","name":"n","at":\#(at)}"# }
    // The first three are merged directly, and b gets the row id of a.
    let text = [
      Self.live("1"), Self.removal("2"), record("b", 1), record("b", 2), record("c", 1),
      record("b", 3),
    ].joined(separator: "\n")
    var options = ImportOptions()
    options.mergePolicy = .newest
    options.batchSize = 1
    options.directRecordLimit = 3
    options.windowBlockSize = 0
    var stopCount = 0
    for steps in 1...12 {
      let feed = try FeedStore(Self.model(Self.deleting))
      var report = try Self.take(text, into: feed, options: options, stoppingAfter: steps)
      if report.ending == .stopped {
        stopCount += 1
        var rest = options
        rest.isResuming = true
        report = try feed.take(text, options: rest)
      }
      #expect(report.counters.inserted == 3 && report.counters.updated == 2, "\(steps)")
      #expect(try feed.rows("SELECT id, at / 1000000 FROM note ORDER BY 1") == ["b|3", "c|1"])
    }
    #expect(stopCount > 5)
  }

  @Test func `a removal stays remembered if the record that overwrites it is refused`() throws {
    let feed = try FeedStore(Self.model(Self.deleting))
    var options = ImportOptions()
    options.mergePolicy = .overwrite
    _ = try feed.take(
      Self.removal("5") + "\n" + #"{"id":"b","name":"taken","at":1}"#, options: options)
    try feed.execute("CREATE UNIQUE INDEX app ON note (name)")
    let refused = try feed.take(Self.live("6", "taken"), options: options)
    #expect(refused.counters.rejected == 1)
    options.mergePolicy = .newest
    let late = try feed.take(Self.live("4"), options: options)
    #expect(late.counters.stale == 1)
  }

  @Test func `only the key and the timestamp of a removal are checked`() throws {
    let feed = try FeedStore(Self.model(Self.deleting))
    let report = try feed.take(
      #"{"id":"a","gone":true,"name":7}"#, #"{"gone":true}"#, #"{"id":5,"gone":true}"#,
      #"{"id":"b","gone":true,"at":"now"}"#, #"{"id":"c","gone":false}"#)
    #expect(report.counters.removals == 1)
    #expect(report.rejectsByRule.map(\.rule) == ["required", "type"])
    #expect(report.rejectsByRule.map(\.count) == [2, 2])
    #expect(try feed.rows("SELECT * FROM poikit_tombstone_note") == ["a|"])
  }

  @Test func `a deduplication reports the rows that removals supersede, and undoes it`() throws {
    let feed = try FeedStore(Self.model(Self.deleting))
    try feed.take(Self.live("1"), Self.live("1", "m"), Self.live("5"), Self.removal("3"))
    try feed.take(#"{"id":"b","name":"b","at":1}"#, #"{"id":"b","gone":true,"at":1}"#)
    let before = try feed.rows("SELECT * FROM note ORDER BY 1")
    do {
      let store = try Store(feed.path)
      let plan = try #require(try store.plan(Deduplicator(layout: store.layout())))
      #expect(plan.rowCount == 4)
      #expect(plan.supersededRowCount == 3)
      #expect(plan.loserCount == 0)
    }
    #expect(try feed.rows("SELECT * FROM note ORDER BY 1") == before)
    let report = try feed.deduplicate()
    #expect(report.changes.supersededRowCount == 3)
    #expect(report.changes.archivedRowCount == 3)
    #expect(report.rowsBefore == 4 && report.rowsLeft == 1)
    #expect(try feed.digest() == report.digest)
    let undone = try Store(feed.path).undo(clock: someInstant)
    #expect(undone.restoredRowCount == 3)
    #expect(try feed.rows("SELECT * FROM note ORDER BY 1") == before)
  }

  @Test(arguments: ["", "DEFERRABLE INITIALLY DEFERRED"] as [SQL])
  func `a removal of a referenced row is a reject, and affects no other record`(
    check: SQL
  ) throws {
    let feed = try FeedStore(Self.model(Self.deleting))
    try feed.take((0..<4).map { #"{"id":"\#($0)","name":"n","at":1}"# }.joined())
    try feed.enforce(["id"])
    try feed.execute(
      """
      CREATE TABLE star (note INTEGER NOT NULL REFERENCES note (poikit_id) \(check));
      INSERT INTO star SELECT poikit_id FROM note WHERE id IN ('1', '2')
      """)
    let removals = (0..<4).map { #"{"id":"\#($0)","gone":true,"at":2}"# }
    let report = try feed.take(removals.joined() + #"{"id":"5","name":"n","at":2}"#)
    #expect(report.counters.removals == 2 && report.counters.inserted == 1)
    #expect(report.rejectsByRule.map(\.rule) == ["constraint"])
    #expect(
      try feed.rows("SELECT record, CAST(raw AS TEXT) FROM poikit_reject")
        == ["2|\(removals[1])", "3|\(removals[2])"])
    #expect(try feed.rows("SELECT id FROM note ORDER BY id") == ["1", "2", "5"])
    #expect(try feed.digest() == report.digest)
    try feed.execute("DELETE FROM star")
    #expect(try feed.take(removals.joined()).counters.removals == 4)
    #expect(try feed.rows("SELECT id FROM note") == ["5"])
  }

  @Test(arguments: ["", "DEFERRABLE INITIALLY DEFERRED"] as [SQL])
  func `rows that refer to removed ones follow the action of their foreign key`(check: SQL) throws {
    let feed = try FeedStore(Self.model(Self.deleting))
    try feed.take(Self.live("1"), Self.removal("1"))
    try feed.execute(
      """
      CREATE TABLE page (note INTEGER REFERENCES note (poikit_id) ON DELETE CASCADE);
      INSERT INTO page SELECT poikit_id FROM note;
      CREATE TABLE star (note INTEGER REFERENCES note (poikit_id) \(check));
      INSERT INTO star SELECT poikit_id FROM note
      """)
    let error = #expect(throws: StoreError.self) { try feed.deduplicate() }
    #expect(error?.code == .unmovableReference)
    #expect(try feed.rows("SELECT count(*) FROM note") == ["1"])
    try feed.execute("DELETE FROM star")
    let report = try feed.deduplicate()
    #expect(report.changes.supersededRowCount == 1)
    #expect(report.changes.archivedRowCount == 2)
    #expect(try feed.rows("SELECT (SELECT count(*) FROM note), count(*) FROM page") == ["0|0"])
    let undone = try Store(feed.path).undo(clock: someInstant)
    #expect(undone.restoredRowCount == 2)
    #expect(try feed.rows("SELECT (SELECT count(*) FROM note), count(*) FROM page") == ["1|1"])
  }

  // MARK: Null records

  @Test func `a null record removes the record that its member names`() throws {
    let model = try Model(
      parsing: #"""
        {"x-table":"note","x-key":"id","x-tombstone":{"null":true,"removal":"delete"},
         "required":["id","name"],"properties":{
          "id":{"type":"string","x-source":"0#","minLength":1},"name":{"type":"string"}}}
        """#)
    let feed = try FeedStore(model)
    var options = ImportOptions()
    options.pointer = ""
    options.mergePolicy = .overwrite
    try feed.take(#"{"a":{"name":"A"},"b":{"name":"B"}}"#, options: options)
    let report = try feed.take(#"{"a":null,"c":null,"":null}"#, options: options)
    #expect(report.counters.removals == 2)
    #expect(report.rejectsByRule.map(\.rule) == ["minLength"])
    #expect(try feed.rows("SELECT id FROM note") == ["b"])
    #expect(try feed.digest() == report.digest)
  }

  @Test func `a null record marks if the model marks removals`() throws {
    let model = try Model(
      parsing: #"""
        {"x-table":"note","x-key":"id","x-tombstone":{"null":true,"attribute":"gone"},
         "required":["id"],"properties":{
          "id":{"type":"string","x-source":"0#"},"name":{"type":["string","null"]},
          "gone":{"type":["boolean","null"]}}}
        """#)
    let feed = try FeedStore(model)
    var options = ImportOptions()
    options.pointer = ""
    let report = try feed.take(
      #"{"a":{"name":"A"},"b":{"name":"B"}}"#, #"{"a":null}"#, options: options)
    #expect(report.counters.inserted == 3)
    try feed.deduplicate()
    #expect(try feed.rows("SELECT id, gone FROM note ORDER BY 1") == ["a|1", "b|"])
  }

  @Test func `a null record is not a record unless the model says so`() throws {
    let feed = try FeedStore(Self.model(Self.deleting))
    var options = ImportOptions()
    options.pointer = ""
    let report = try feed.take(#"{"a":null}"#, options: options)
    #expect(report.rejectsByRule.map(\.rule) == ["not-an-object"])
  }

  // MARK: Marking

  @Test(arguments: [MergePolicy.append, .newest])
  func `a marked row stays, and an older record does not unmark it`(policy: MergePolicy) throws {
    for (tombstone, mark) in [(#""gone""#, #""gone":true"#), (#""left""#, #""left":77"#)] {
      let model = try Self.model(tombstone)
      let marked = #"{"id":"a","name":"gone","at":2,\#(mark)}"#
      for (lines, expected) in [
        ([Self.live("1"), marked], "gone|2000000"), ([Self.live("2"), marked], "gone|2000000"),
        ([Self.live("3"), marked], "n|3000000"),
      ] {
        for order in permutations(of: lines) {
          #expect(try Self.rows(model, policy: policy, after: order) == [expected], "\(order)")
        }
      }
    }
  }

  @Test func `with a time for each attribute, marks and values end the same in any order`() throws {
    let model = try Self.model(#""gone""#, required: #"["id"]"#)
    let lines = [
      #"{"id":"a","name":"n","at":1}"#, #"{"id":"a","gone":true,"at":2}"#,
      #"{"id":"a","left":3,"at":3}"#, #"{"id":"a","gone":false,"at":2}"#,
    ]
    for (count, row) in [(3, "n|1|3000000"), (4, "n|1|3000000")] {
      for order in permutations(of: Array(lines.prefix(count))) {
        let feed = try FeedStore(model)
        var options = ImportOptions()
        options.mergePolicy = .newestByProperty
        for line in order {
          let report = try feed.take(line, options: options)
          #expect(try feed.digest() == report.digest, "\(order)")
        }
        #expect(try feed.rows("SELECT name, gone, at FROM note") == [row], "\(order)")
      }
    }
  }

  // MARK: Purging

  @Test func `old removals are purged by their timestamp, and then forgotten`() throws {
    let now = Instant(microseconds: 100 * 86_400_000_000)
    func record(_ id: String, day: String, _ more: String = "") -> String {
      #"{"id":"\#(id)","name":"n","at":\#(day)\#(more)}"#
    }
    let day = 86_400
    for (tombstone, isMarking) in [(#""gone""#, true), (Self.deleting, false)] {
      let model = try Self.model(tombstone)
      let feed = try FeedStore(model)
      var options = ImportOptions()
      options.mergePolicy = .newest
      try feed.take(
        record("live", day: "0"), record("old", day: "\(9 * day)", #","gone":true"#),
        record("edge", day: "\(10 * day)", #","gone":true"#),
        record("undated", day: "null", #","gone":true"#), options: options)
      let report = try Store(feed.path).purgeTombstones(
        of: model, olderThan: .seconds(90 * day), clock: { now })
      #expect(report.rowCount == (isMarking ? 1 : 0))
      #expect(report.deletedTombstoneCount == (isMarking ? 0 : 1))
      #expect(try feed.digest() == report.digest)
      let again = try feed.take(
        record("old", day: "0"), record("edge", day: "0"), options: options)
      #expect(again.counters.inserted == 1)
      #expect(again.counters.stale == 1)
    }
  }

  @Test func `an old row that was removed since is not purged`() throws {
    let day = 86_400
    let now = Instant(microseconds: Int64(100 * day) * 1_000_000)
    for (tombstone, mark) in [("gone", "true"), ("left", "\(50 * day)")] {
      let model = try Self.model("\"\(tombstone)\"")
      let feed = try FeedStore(model)
      func record(_ id: String, _ more: String = "") -> String {
        #"{"id":"\#(id)","name":"n","at":5\#(more)}"#
      }
      var options = ImportOptions()
      options.isSnapshot = true
      options.removalLimit = .percent(100)
      options.clock = { Instant(microseconds: Int64(40 * day) * 1_000_000) }
      let marked = record("marked", #","\#(tombstone)":\#(mark)"#)
      try feed.take(record("a"), record("b"), marked, options: options)
      let snapshot = try feed.take(record("a"), marked, options: options)
      #expect(snapshot.counters.removed == 1)
      // The age in days of purged removals, and the number of rows left.
      let purgings =
        tombstone == "gone" ? [(70, 2), (60, 2), (55, 1)] : [(70, 3), (60, 3), (55, 2)]
      for (age, rowCount) in purgings {
        _ = try Store(feed.path).purgeTombstones(
          of: model, olderThan: .seconds(age * day), clock: { now })
        #expect(
          try feed.rows("SELECT count(*) FROM note") == ["\(rowCount)"], "\(tombstone) \(age)")
      }
    }
  }

  @Test func `nothing is purged if no age is known`() throws {
    let untimed = try Model(
      parsing:
        #"{"x-table":"t","x-key":"id","x-tombstone":"gone","properties":{"id":{"type":"string"},"gone":{"type":"boolean"}}}"#
    )
    for model in [Model.poi, untimed] {
      let feed = try FeedStore(model)
      try feed.take("")
      let error = #expect(throws: StoreError.self) {
        try Store(feed.path).purgeTombstones(of: model, olderThan: .zero)
      }
      #expect(error?.code == .invalidOptions)
    }
  }

  @Test func `a negative age is a mistake of the caller`() async {
    await #expect(processExitsWith: .failure) {
      _ = try? Store.inMemory().purgeTombstones(of: .poi, olderThan: .seconds(Int64.min))
    }
  }
}
