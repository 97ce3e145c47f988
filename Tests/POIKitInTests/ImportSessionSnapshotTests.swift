import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIFiles
@testable import POIKit
@testable import POIRecords

@Suite struct ImportSessionSnapshotTests {
  static func model(_ more: String = "") throws -> Model {
    try Model(
      parsing: #"""
        {"x-table":"note","x-key":["id","part"],"x-timestamp":"at"\#(more),
         "properties":{
          "id":{"type":["string","null"]},
          "part":{"type":["integer","null"]},
          "name":{"type":["string","null"]},
          "at":{"type":["integer","null"],"x-unit":"seconds"},
          "gone":{"type":["boolean","null"]},
          "left":{"type":["integer","null"],"x-unit":"seconds"}}}
        """#)
  }

  static func records(_ numbers: some Sequence<Int>, name: String = "n") -> String {
    numbers.map { #"{"id":"\#($0 / 2)","part":\#($0 % 2),"name":"\#(name)","at":5}"# }
      .joined(separator: "\n")
  }

  static func options(_ limit: ImportOptions.Limit? = nil) -> ImportOptions {
    var options = ImportOptions()
    options.isSnapshot = true
    options.removalLimit = limit
    options.mergePolicy = .newest
    options.batchSize = 3
    options.clock = someInstant
    return options
  }

  static func refusal(
    _ feed: borrowing FeedStore, _ text: String, _ options: ImportOptions, isFirst: Bool = false
  ) throws -> String {
    let before = isFirst ? [] : try feed.rows("SELECT * FROM note ORDER BY 1")
    let error = #expect(throws: StoreError.self) { try feed.take(text, options: options) }
    #expect(error?.code == .snapshotRefused)
    if !isFirst { #expect(try feed.rows("SELECT * FROM note ORDER BY 1") == before) }
    #expect(try feed.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'poikit_snap%'") == [])
    #expect(
      try feed.rows("SELECT state FROM poikit_run ORDER BY id DESC LIMIT 1") == ["finished"])
    return error?.message ?? ""
  }

  @Test(arguments: [
    "", #"{"x-table":"note","x-key":["id","part"],"properties":{"id":{},"part":{},"name":{}}}"#,
  ])
  func `a snapshot of one source is refused in a table of several`(timeless: String) throws {
    let feed = try FeedStore(timeless.isEmpty ? Self.model() : Model(parsing: timeless))
    var options = Self.options()
    if !timeless.isEmpty { options.mergePolicy = .overwrite }
    for source in ["one", "two"] {
      options.isSnapshot = false
      options.source = source
      try feed.take(Self.records(0..<4, name: source), options: options)
    }
    options.isSnapshot = true
    let error = #expect(throws: StoreError.self) {
      try feed.take(Self.records(0..<3), options: options)
    }
    #expect(error?.code == .invalidOptions)
    #expect(
      error?.message.contains("of the source \"one\", too") == true, "\(error?.message ?? "")")
    options.source = ""
    options.removalLimit = .percent(50)
    #expect(try feed.take(Self.records(0..<3), options: options).counters.removed == 1)
  }

  @Test(arguments: [1, 2])
  func `rows that a snapshot lacks are removed, and undo restores them`(
    jobCount: Int
  ) throws {
    let feed = try FeedStore(Self.model())
    var options = Self.options()
    options.jobCount = jobCount
    #expect(try feed.take(Self.records(0..<20), options: options).counters.removed == 0)
    let before = try feed.rows("SELECT * FROM note ORDER BY 1")
    let digest = try feed.digest()
    let report = try feed.take(Self.records(3..<20), options: options)
    #expect(report.counters.removed == 3)
    #expect(report.counters.unchanged == 17)
    #expect(report.counters.areBalanced)
    #expect(try feed.digest() == report.digest)
    #expect(try feed.rows("SELECT id, part FROM note ORDER BY poikit_id").first == "1|1")
    #expect(try feed.rows("SELECT count(*) FROM poikit_archive_note") == ["3"])
    let archived = try feed.rows("SELECT counters ->> 'archived' FROM poikit_run ORDER BY id DESC")
    #expect(archived.first == "3")
    let undone = try Store(feed.path).undo(clock: someInstant)
    #expect(undone.run == report.runID)
    #expect(undone.restoredRowCount == 3)
    #expect(try feed.rows("SELECT * FROM note ORDER BY 1") == before)
    #expect(try feed.digest() == digest)
  }

  @Test func `several inputs are one snapshot, and it includes stale records`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.records(0..<10), options: Self.options())
    let older = Self.records(4..<10).replacing("\"at\":5", with: "\"at\":4")
    let report = try feed.take(Self.records(0..<4), older, options: Self.options())
    #expect(report.counters.stale == 6)
    #expect(report.counters.removed == 0)
  }

  @Test func `rows without a key are not removed`() throws {
    let feed = try FeedStore(Self.model())
    let options = Self.options(.count(4))
    let keyless = "{\"id\":\"1\"}\n{\"name\":\"x\"}\n{\"part\":1}\n"
    try feed.take(keyless + Self.records(0..<10), options: options)
    let report = try feed.take(Self.records(4..<10), options: options)
    #expect(report.counters.removed == 4)
    #expect(try feed.rows("SELECT count(*) FROM note WHERE id IS NULL OR part IS NULL") == ["3"])
    #expect(try feed.rows("SELECT count(*) FROM note") == ["9"])
  }

  @Test func `without a policy a snapshot merges by the newest`() throws {
    let feed = try FeedStore(Self.model())
    var options = Self.options()
    options.mergePolicy = nil
    #expect(try feed.take(Self.records(0..<10), options: options).counters.inserted == 10)
    let report = try feed.take(Self.records(1..<10), options: options)
    #expect(report.mergePolicy == .newest)
    #expect(report.counters.unchanged == 9)
    #expect(report.counters.removed == 1)
    #expect(try feed.rows("SELECT count(*) FROM note") == ["9"])
  }

  @Test func `a snapshot is not appended`() throws {
    func refusal(
      _ feed: borrowing FeedStore, _ change: (inout ImportOptions) -> Void
    ) -> String? {
      var options = Self.options()
      change(&options)
      let error = #expect(throws: StoreError.self) {
        try feed.take(Self.records(0..<10), options: options)
      }
      #expect(error?.code == .invalidOptions)
      return error?.message
    }
    let feed = try FeedStore(Self.model())
    #expect(refusal(feed) { $0.mergePolicy = .append }?.contains("append adds each record") == true)
    // Nor may it match several rows with one key.
    try feed.take(Self.records(0..<10), Self.records(0..<10))
    let message = refusal(feed) { $0.mergePolicy = nil }
    #expect(message?.contains("several rows with one key") == true, "\(message ?? "")")
    #expect(try feed.rows("SELECT count(*) FROM note") == ["20"])
  }

  @Test(arguments: [
    (#","x-tombstone":"gone""#, "gone", "1"),
    (#","x-tombstone":"left""#, "left", "1700000000000000"),
  ])
  func `rows are marked if the model marks removals`(
    tombstone: String, column: String, mark: String
  ) throws {
    let feed = try FeedStore(Self.model(tombstone))
    try feed.take(Self.records(0..<20), options: Self.options())
    let digest = try feed.digest()
    let report = try feed.take(Self.records(2..<20), options: Self.options())
    #expect(report.counters.removed == 2)
    #expect(try feed.digest() == report.digest)
    let marked: SQL = """
      SELECT id, part, \(name: column) FROM note WHERE \(name: column) IS NOT NULL
      """
    #expect(try feed.rows(marked) == ["0|0|\(mark)", "0|1|\(mark)"])
    // A marked row is not removed again.
    #expect(try feed.take(Self.records(2..<20), options: Self.options()).counters.removed == 0)
    let undone = try Store(feed.path).undo(
      run: report.runID, clock: someInstant)
    #expect((undone.restoredRowCount, undone.restoredReferenceCount) == (0, 0))
    #expect(undone.restoredMarkCount == 2)
    #expect(try feed.rows(marked) == [])
    #expect(try feed.digest() == digest)
  }

  /// Imports a row with a time for each attribute, which a snapshot marks then. It says since 1 that it
  /// exists, and has the timestamp 5.
  ///
  /// - Returns: the rows before they were marked.
  private static func mark(_ feed: borrowing FeedStore) throws -> [String] {
    var options = Self.options(.percent(100))
    options.mergePolicy = .newestByProperty
    let other = #"{"id":"1","part":0,"at":1}"#
    let record = #"{"id":"0","part":0,"gone":false,"at":1,"name":"a"}"#
    let newer = #"{"id":"0","part":0,"name":"b","at":5}"#
    try feed.take(record, newer, other, options: options)
    let before = try feed.rows("SELECT * FROM note ORDER BY poikit_id")
    let report = try feed.take(other, options: options)
    #expect(report.counters.removed == 1)
    #expect(try feed.digest() == report.digest)
    return before
  }

  /// Imports attributes of the marked row, and returns its values.
  private static func change(_ feed: borrowing FeedStore, _ attributes: String) throws -> String {
    var options = ImportOptions()
    options.mergePolicy = .newestByProperty
    let report = try feed.take(#"{"id":"0","part":0,\#(attributes)}"#, options: options)
    #expect(try feed.digest() == report.digest)
    return try feed.rows("SELECT gone, name FROM note WHERE id = '0'")[0]
  }

  @Test func `a newer record unmarks a row only if each attribute has its time`() throws {
    let feed = try FeedStore(Self.model(#","x-tombstone":"gone""#))
    _ = try Self.mark(feed)
    for time in [3, 5] {
      #expect(try Self.change(feed, #""gone":false,"at":\#(time)"#) == "1|b")
    }
    #expect(try Self.change(feed, #""gone":false,"at":6"#) == "0|b")
  }

  @Test func `undoing a snapshot restores the times of its marks`() throws {
    let feed = try FeedStore(Self.model(#","x-tombstone":"gone""#))
    let before = try Self.mark(feed)
    let undone = try Store(feed.path).undo(clock: someInstant)
    #expect((undone.restoredMarkCount, undone.restoredValueCount) == (1, 0))
    #expect((undone.restoredRowCount, undone.restoredReferenceCount) == (0, 0))
    #expect(try feed.rows("SELECT * FROM note ORDER BY poikit_id") == before)
    #expect(try Self.change(feed, #""gone":true,"at":3"#) == "1|b")
  }

  @Test func `undoing a snapshot leaves a marked row that was changed since`() throws {
    let feed = try FeedStore(Self.model(#","x-tombstone":"gone""#))
    _ = try Self.mark(feed)
    #expect(try Self.change(feed, #""left":1,"at":9"#) == "1|b")
    let undone = try Store(feed.path).undo(clock: someInstant)
    #expect((undone.restoredMarkCount, undone.changedRowCount) == (0, 1))
    #expect(try Self.change(feed, #""name":"c","at":7"#) == "1|c")
    #expect(try Self.change(feed, #""gone":false,"at":8"#) == "0|c")
  }

  @Test func `removals in a snapshot do not count as missing rows`() throws {
    let feed = try FeedStore(
      Self.model(#","x-tombstone":{"attribute":"gone","removal":"delete"}"#))
    try feed.take(Self.records(0..<10), options: Self.options())
    let removal = #"{"id":"0","part":0,"gone":true,"at":9}"#
    let report = try feed.take(removal + "\n" + Self.records(1..<9), options: Self.options())
    #expect(report.counters.removals == 1)
    #expect(report.counters.removed == 1)
    #expect(try feed.rows("SELECT count(*) FROM note") == ["8"])
    #expect(try feed.digest() == report.digest)
  }

  // MARK: Refusals

  @Test(arguments: ["", "[]", "\n"])
  func `an empty snapshot removes nothing, whatever the limit`(text: String) throws {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.records(0..<10), options: Self.options())
    let message = try Self.refusal(feed, text, Self.options(.percent(100)))
    #expect(message.contains("holds no record"))
  }

  @Test func `a refused snapshot whose end cannot be written is refused again when it is resumed`()
    throws
  {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.records(0..<10), options: Self.options())
    try feed.execute(
      """
      CREATE TRIGGER no BEFORE UPDATE ON poikit_run WHEN new.state = 'finished'
      BEGIN SELECT raise(ABORT, 'no space'); END
      """)
    var options = Self.options(.count(0))
    let error = #expect(throws: StoreError.self) {
      try feed.take(Self.records(1..<10), options: options)
    }
    #expect(error?.message.contains("no space") == true)
    try feed.execute("DROP TRIGGER no")
    options.isResuming = true
    let message = try Self.refusal(feed, Self.records(1..<10), options)
    #expect(message.contains("lacks 1 of 10 rows"))
  }

  @Test func `a snapshot with rejects removes nothing`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.records(0..<10), options: Self.options())
    let message = try Self.refusal(
      feed, Self.records(1..<9) + "\n{\"id\":9}", Self.options(.percent(100)))
    #expect(message.contains("1 records were rejected"))
  }

  @Test func `a snapshot that lacks too many rows removes nothing`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.records(0..<10), options: Self.options())
    for limit in [ImportOptions.Limit.count(2), .percent(29.9), .percent(0), .count(0)] {
      let message = try Self.refusal(feed, Self.records(3..<10), Self.options(limit))
      #expect(message.contains("lacks 3 of 10 rows"))
    }
    let report = try feed.take(Self.records(3..<10), options: Self.options(.percent(30)))
    #expect(report.counters.removed == 3)
  }

  @Test func `rows that a snapshot adds do not count among the earlier rows`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.records(0..<10), options: Self.options())
    var options = Self.options()
    let other = Self.records(100..<300)
    try feed.take(other, options: options) { $0.counters.read >= 60 ? .stop : .proceed }
    options.isResuming = true
    let error = #expect(throws: StoreError.self) { try feed.take(other, options: options) }
    #expect(error?.code == .snapshotRefused)
    #expect(error?.message.contains("lacks 10 of 10 rows") == true, "\(error?.message ?? "")")
    #expect(try feed.rows("SELECT count(*) FROM note") == ["210"])
  }

  @Test(
    arguments: [
      // Another file by mistake: complete, with a reject, and abandoned in the middle.
      "", "\n{\"id\":9}", "stop",
    ], [nil, .percent(20)] as [ImportOptions.Limit?])
  func `the same wrong file twice removes nothing, until another limit is named`(
    end: String, limit: ImportOptions.Limit?
  ) throws {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.records(0..<10), options: Self.options())
    let other = Self.records(100..<300)
    var options = Self.options(limit)
    if end == "stop" {
      try feed.take(other, options: options) { $0.counters.read >= 60 ? .stop : .proceed }
      options.isRestarting = true
    } else {
      let error = #expect(throws: StoreError.self) {
        try feed.take(other + end, options: options)
      }
      #expect(error?.code == .snapshotRefused)
    }
    let before = try feed.rows("SELECT * FROM note ORDER BY 1")
    #expect(before.count > 50)
    for _ in 0..<3 {
      let error = #expect(throws: StoreError.self) { try feed.take(other, options: options) }
      #expect(error?.code == .snapshotRefused && error?.advice == [.nameRemovalLimit])
      #expect(
        error?.message.contains("the snapshot of run 2 was refused, undone or did not end") == true,
        "\(error?.message ?? "")")
      #expect(error?.message.contains("another limit than that run") == (limit != nil))
      #expect(try feed.rows("SELECT * FROM note ORDER BY 1") == before)
      #expect(try feed.rows("SELECT count(*) FROM poikit_run") == ["2"])
    }
    // The right one lacks one of the earlier rows.
    options.removalLimit = .percent(96)
    let report = try feed.take(Self.records(1..<10), options: options)
    #expect(report.counters.removed == before.count - 9)
    // From then on the limit need not be named.
    let message = try Self.refusal(feed, Self.records(4..<10), Self.options())
    #expect(message.contains("lacks 3 of 9 rows"))
  }

  @Test func `a snapshot that did not end is resumed or restarted before its limit counts`() throws
  {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.records(0..<10), options: Self.options())
    var options = Self.options()
    options.inputNames = ["input 0"]
    try feed.take(Self.records(1..<30), options: options) {
      $0.counters.read >= 20 ? .stop : .proceed
    }
    let error = #expect(throws: StoreError.self) {
      try feed.take(Self.records(1..<30), options: options)
    }
    #expect(error?.code == .unfinishedRun && error?.advice == [.resume, .restart])
    options.isResuming = true
    #expect(try feed.take(Self.records(1..<30), options: options).counters.removed == 1)
  }

  @Test func `a resumed snapshot after a refused one names its limit again`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.records(0..<10), options: Self.options())
    _ = try Self.refusal(feed, Self.records(5..<10), Self.options())
    var options = Self.options(.count(5))
    let records = Self.records(5..<10)
    try feed.take(records, options: options) { $0.counters.read >= 3 ? .stop : .proceed }
    options.isResuming = true
    options.removalLimit = nil
    let error = #expect(throws: StoreError.self) { try feed.take(records, options: options) }
    #expect(error?.code == .snapshotRefused)
    let message = error?.message ?? ""
    #expect(message.contains("the snapshot of run 2 was refused"))
    #expect(message.contains("so nothing more was imported"))
    options.removalLimit = .count(5)
    #expect(try feed.take(records, options: options).counters.removed == 5)
  }

  @Test func `an empty snapshot adds no rows, so the next one need not name a limit`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.records(0..<10), options: Self.options())
    _ = try Self.refusal(feed, "[]", Self.options())
    #expect(try feed.take(Self.records(1..<10), options: Self.options()).counters.removed == 1)
  }

  @Test func `a snapshot that removed nothing does not block newer records`() throws {
    let feed = try FeedStore(Self.model())
    // The very first one has a reject; the next one lacks some of its rows.
    let message = try Self.refusal(
      feed, "{\"id\":9}\n" + Self.records(0..<20), Self.options(), isFirst: true)
    #expect(message.contains("1 records were rejected"))
    #expect(try feed.take(Self.records(2..<20), options: Self.options()).counters.removed == 2)
  }

  @Test func `an undone snapshot does not let the next one remove the earlier rows`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.records(0..<10), options: Self.options())
    try feed.take(Self.records(100..<300), options: Self.options(.percent(100)))
    _ = try Store(feed.path).undo(clock: someInstant)
    let before = try feed.rows("SELECT * FROM note ORDER BY 1")
    for limit in [nil, ImportOptions.Limit.percent(100)] {
      let error = #expect(throws: StoreError.self) {
        try feed.take(Self.records(100..<300), options: Self.options(limit))
      }
      #expect(error?.message.contains("the snapshot of run 2 was refused, undone") == true)
      #expect(try feed.rows("SELECT * FROM note ORDER BY 1") == before)
    }
  }

  @Test func `restored rows do not let the next snapshot remove the earlier rows`() throws {
    let feed = try FeedStore(Self.model(#","x-tombstone":"gone""#))
    try feed.take(Self.records(0..<10), options: Self.options())
    try feed.take(Self.records(8..<10), options: Self.options(.percent(100)))
    let newer = Self.records(0..<8).replacing("\"at\":5", with: "\"at\":6")
    let error = #expect(throws: StoreError.self) { try feed.take(newer, options: Self.options()) }
    #expect(error?.message.contains("lacks 2 of 2 rows") == true, "\(error?.message ?? "")")
  }

  @Test func `a snapshot needs a store, a key and the whole input`() throws {
    var options = Self.options()
    #expect(throws: StoreError.self) {
      _ = try ImportSession(checking: Self.model(), options: options)
    }
    let unkeyed = try Model(parsing: #"{"x-table":"t","properties":{"id":{}}}"#)
    options.mergePolicy = nil
    #expect(throws: StoreError.self) {
      _ = try ImportSession(into: .inMemory(), model: unkeyed, options: options)
    }
    options.recordLimit = 1
    #expect(throws: StoreError.self) {
      _ = try ImportSession(into: .inMemory(), model: Self.model(), options: options)
    }
  }

  // MARK: Resumption

  @Test func `a resumed snapshot keeps its rows`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.records(0..<20), options: Self.options())
    var options = Self.options()
    let input = Self.records((3..<20).reversed())
    let stopped = try feed.take(input, options: options) { progress in
      progress.counters.read >= 6 ? .stop : .proceed
    }
    #expect(stopped.ending == .stopped)
    #expect(stopped.counters.removed == 0)
    options.isResuming = true
    var plain = options
    plain.isSnapshot = false
    let error = #expect(throws: StoreError.self) { try feed.take(input, options: plain) }
    #expect(error?.code == .cannotResume)
    let report = try feed.take(input, options: options)
    #expect(report.resumedAt == 6)
    #expect(report.counters.removed == 3)
    #expect(try feed.rows("SELECT count(*) FROM note") == ["17"])
    #expect(try feed.digest() == report.digest)
  }

  @Test func `two snapshots that stopped keep their rows apart`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.records(0..<20), options: Self.options())
    let input = Self.records(3..<20)
    try feed.take(input, options: Self.options()) { $0.counters.read >= 9 ? .stop : .proceed }
    // Another input of the same table, imported in between.
    var session = try ImportSession(
      into: Store(feed.path), model: feed.model, options: Self.options(.percent(20)))
    var other = BytesSource(Array(Self.records(0..<20).utf8), name: "other")
    try session.importAll(from: &other)
    #expect(try session.finish().counters.removed == 0)
    _ = consume session
    var options = Self.options()
    options.isResuming = true
    #expect(try feed.take(input, options: options).counters.removed == 3)
    // An abandoned one leaves nothing behind.
    try feed.take(input, options: Self.options()) { $0.counters.read >= 9 ? .stop : .proceed }
    options.isResuming = false
    options.isRestarting = true
    options.removalLimit = .percent(20)
    #expect(try feed.take(input, options: options).counters.removed == 0)
    #expect(try feed.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'poikit_snap%'") == [])
  }

  @Test func `a snapshot that was killed during the removal resumes without a difference`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.records(0..<20), options: Self.options())
    try feed.execute(
      """
      CREATE TRIGGER t BEFORE UPDATE ON poikit_run WHEN NEW.state = 'finished'
      BEGIN SELECT RAISE(ABORT, 'as if killed'); END
      """)
    var options = Self.options()
    #expect(throws: StoreError.self) {
      try feed.take(Self.records(3..<20), options: options)
    }
    #expect(try feed.rows("SELECT count(*) FROM note") == ["20"])
    try feed.execute("DROP TRIGGER t")
    options.isResuming = true
    let report = try feed.take(Self.records(3..<20), options: options)
    #expect(report.resumedAt == 17)
    #expect(report.counters.removed == 3)
    #expect(try feed.digest() == report.digest)
  }
}
