import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct ImportSessionTokenTests {
  private static func model(
    key: String = #""id":{"type":["integer","string","number","null"]}"#,
    timestamp: String = #"{"type":["integer","null"],"x-unit":"milliseconds"}"#
  ) throws -> Model {
    try Model(
      parsing:
        #"{"x-table":"t","x-key":"id","x-timestamp":"at","properties":{\#(key),"at":\#(timestamp)}}"#
    )
  }

  private static func token(
    after text: String, model: Model, options: ImportOptions = ImportOptions()
  ) throws -> String? {
    let feed = try FeedStore(model)
    try feed.take(text, options: options)
    return try feed.token(source: options.source)
  }

  // MARK: The latest record

  @Test func `nothing is known before the first import and without timestamps`() throws {
    let model = try Self.model()
    #expect(try FeedStore(model).token() == nil)
    #expect(try Self.token(after: #"[{"id":1,"at":null},{"id":2}]"#, model: model) == nil)
    let untimed = try Model(parsing: #"{"x-table":"t","properties":{"id":{}}}"#)
    #expect(try Self.token(after: #"[{"id":1}]"#, model: untimed) == nil)
  }

  @Test(arguments: [
    ("milliseconds", "-1", "-1"), ("milliseconds", "1668039187001", "1668039187001"),
    ("milliseconds", "1668039187001.25", "1668039187001.25"), ("seconds", "-1.5", "-1.5"),
    ("seconds", "1668039187.000001", "1668039187.000001"), ("microseconds", "7", "7"),
  ])
  func `a number stays a number in the model's unit`(
    unit: String, timestamp: String, text: String
  ) throws {
    let model = try Self.model(timestamp: #"{"type":"number","x-unit":"\#(unit)"}"#)
    #expect(
      try Self.token(after: #"[{"id":5,"at":\#(timestamp)}]"#, model: model) == "\(text)\t5")
  }

  @Test(arguments: [
    ("2024-02-29T12:30:00Z", "2024-02-29T12:30:00.000000Z"),
    ("2024-02-29T12:30:00.125+02:00", "2024-02-29T10:30:00.125000Z"),
    ("1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"),
    ("2024-02-29T12:30:00.0000019Z", "2024-02-29T12:30:00.000001Z"),
  ])
  func `a date has six digits of fraction`(timestamp: String, text: String) throws {
    let model = try Self.model(timestamp: #"{"type":"string","format":"date-time"}"#)
    #expect(
      try Self.token(after: #"[{"id":"a b","at":"\#(timestamp)"}]"#, model: model)
        == "\(text)\ta b")
  }

  /// The type of a key, its value, and its form in the token.
  @Test(arguments: [
    (
      #"{"type":"string","format":"date-time"}"#, #""2024-01-01T00:00:00Z""#,
      "2024-01-01T00:00:00.000000Z"
    ),
    (#"{"type":"number","x-unit":"milliseconds"}"#, "1704067200000.5", "1704067200000.5"),
    (#"{"type":"integer","x-unit":"seconds"}"#, "-1", "-1"),
    (#"{"type":"boolean"}"#, "true", "true"), (#"{"type":"boolean"}"#, "false", "false"),
    (#"{"type":["boolean","null"]}"#, "null", "null"),
    (#"{"type":["boolean","integer"]}"#, "true", "1"), (#"{"type":"integer"}"#, "1", "1"),
  ])
  func `the token has the key in the form of the records`(
    type: String, value: String, text: String
  ) throws {
    let model = try Self.model(key: #""id":\#(type)"#)
    #expect(
      try Self.token(after: #"[{"id":\#(value),"at":20}]"#, model: model) == "20\t\(text)")
  }

  @Test func `of equal timestamps the greatest key counts, in any order and any batches`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    let model = try Self.model()
    // The last two are equal by Unicode, but have different bytes.
    let keys = [
      "null", "-3", "9", "10", "10.5", #""1""#, #""a""#, #""ab""#, #""b""#, "\"e\u{301}\"",
      "\"\u{E9}\"",
    ]
    for _ in 0..<30 {
      var records = (0..<40).map { _ in
        (
          key: Int.random(in: keys.indices, using: &generator),
          at: Int.random(in: 0..<4, using: &generator)
        )
      }
      records.shuffle(using: &generator)
      let last = records.max { ($0.at, $0.key) < ($1.at, $1.key) }
      var options = ImportOptions()
      options.batchSize = Int.random(in: 1...9, using: &generator)
      let texts = records.map { "{\"id\":\(keys[$0.key]),\"at\":\($0.at)}" }
      let feed = try FeedStore(model)
      try feed.take(
        texts.prefix(15).joined(separator: "\n"), texts.dropFirst(15).joined(separator: "\n"),
        options: options)
      let key = keys[last?.key ?? 0].replacing("\"", with: "")
      let token = "\(last?.at ?? 0)\t\(key)"
      #expect(try feed.token().map { Array($0.utf8) } == Array(token.utf8), "seed \(seed)")
    }
  }

  @Test func `an older input does not change the token, and another source has its own`() throws {
    let model = try Self.model()
    let feed = try FeedStore(model)
    try feed.take(#"[{"id":1,"at":20}]"#)
    try feed.take(#"[{"id":2,"at":10}]"#)
    #expect(try feed.token() == "20\t1")
    var options = ImportOptions()
    options.source = "mirror"
    #expect(try feed.token(source: "mirror") == nil)
    try feed.take(#"[{"id":2,"at":10}]"#, options: options)
    #expect(try feed.token(source: "mirror") == "10\t2")
    #expect(try feed.token() == "20\t1")
  }

  @Test func `a rejected record does not change the token`() throws {
    let model = try Self.model()
    #expect(
      try Self.token(after: #"[{"id":1,"at":20},{"id":[],"at":30}]"#, model: model) == "20\t1")
  }

  @Test(arguments: [1, 100], [false, true])
  func `a run that its rejects end stores no token before it is resumed`(
    batchSize: Int, lands: Bool
  ) throws {
    let feed = try FeedStore(try Self.model())
    var options = ImportOptions()
    options.batchSize = batchSize
    options.tokenPointer = "/next"
    options.rejectLimit = .count(0)
    options.mergePolicy = .overwrite
    options.directRecordLimit = lands ? 0 : .max
    let first = Self.envelope(#""next":"a","#, "")
    let second = #"{"next":"b","items":[{"id":8,"at":8},{"id":[],"at":9}]}"#
    let error = #expect(throws: StoreError.self) {
      try feed.take(first, second, options: options)
    }
    #expect(error?.code == .tooManyRejects)
    #expect(try feed.token() == (lands ? nil : "a"))
    options.rejectLimit = nil
    options.isResuming = true
    #expect(try feed.take(first, second, options: options).counters.inserted == 4)
    #expect(try feed.token() == "b")
  }

  @Test func `a resumed run that has nothing left to read has as many rejects as before`() throws {
    let feed = try FeedStore(try Self.model())
    var options = ImportOptions()
    options.batchSize = 1
    options.mergePolicy = .newest
    options.rejectLimit = .count(0)
    let input = #"{"id":1,"at":5}{"id":[],"at":6}"#
    for _ in 0..<3 {
      let error = #expect(throws: StoreError.self) { try feed.take(input, options: options) }
      #expect(error?.code == .tooManyRejects)
      #expect(try feed.token() == nil)
      options.isResuming = true
    }
    options.rejectLimit = .count(1)
    #expect(try feed.take(input, options: options).counters.rejected == 1)
    #expect(try feed.token() == "5\t1")
  }

  @Test(arguments: [false, true])
  func `a snapshot that removes nothing stores no token`(lands: Bool) throws {
    let feed = try FeedStore(try Self.model())
    var options = ImportOptions()
    options.tokenPointer = "/next"
    options.isSnapshot = true
    options.directRecordLimit = lands ? 0 : .max
    try feed.take(Self.envelope(#""next":"a","#, "", count: 10), options: options)
    #expect(try feed.token() == "a")
    let few = Self.envelope(#""next":"b","#, "", count: 3)
    let error = #expect(throws: StoreError.self) { try feed.take(few, options: options) }
    #expect(error?.code == .snapshotRefused)
    #expect(try feed.token() == "a")
    options.removalLimit = .percent(100)
    #expect(try feed.take(few, options: options).counters.removed == 7)
    #expect(try feed.token() == "b")
  }

  // MARK: The source's own token

  private static func envelope(_ before: String, _ after: String, count: Int = 3) -> String {
    let records = (0..<count).map { "{\"id\":\($0),\"at\":\($0)}" }.joined(separator: ",")
    return "{\(before)\"items\":[\(records)]\(after)}"
  }

  @Test(arguments: [
    (#""meta":{"next":"n"},"#, "", "n"), ("", #","meta":{"next":"n"}"#, "n"),
    ("", #","meta":{"next":17}"#, "17"), ("", #","meta":{"next":null}"#, nil),
    ("", #","meta":{}"#, nil), (#""meta":{"next":"a"},"#, #","meta":{"next":"b"}"#, "b"),
  ])
  func `a token may be before or after the records`(
    before: String, after: String, token: String?
  ) throws {
    let model = try Self.model()
    var options = ImportOptions()
    options.tokenPointer = "/meta/next"
    options.batchSize = 2
    let feed = try FeedStore(model)
    let report = try feed.take(Self.envelope(before, after), options: options)
    #expect(report.counters.inserted == 3)
    #expect(report.inputs[0].token == token)
    #expect(try feed.token() == token ?? "2\t2")
  }

  @Test(arguments: [false, true])
  func `the last input with a token counts, also if records land`(lands: Bool) throws {
    let model = try Self.model()
    var options = ImportOptions()
    options.tokenPointer = "/next"
    options.mergePolicy = .newest
    options.directRecordLimit = lands ? 0 : .max
    let feed = try FeedStore(model)
    try feed.take(
      Self.envelope(#""next":"a","#, ""), Self.envelope(#""next":"b","#, ""),
      Self.envelope(#""next":null,"#, ""), options: options)
    #expect(try feed.token() == "b")
  }

  @Test(arguments: ["/items/0/next", "/items"])
  func `a token inside the records is refused`(pointer: String) throws {
    let model = try Self.model()
    var options = ImportOptions()
    options.tokenPointer = pointer
    let error = #expect(throws: StoreError.self) {
      try Self.token(after: Self.envelope("", ""), model: model, options: options)
    }
    #expect(error?.code == .invalidOptions)
  }

  @Test func `a token beside records outside of an object is refused`() throws {
    var options = ImportOptions()
    options.tokenPointer = "/next"
    for text in ["{\"id\":1}\n{\"id\":2}", "[{\"id\":1}]"] {
      let error = #expect(throws: StoreError.self) {
        try Self.token(after: text, model: Self.model(), options: options)
      }
      #expect(error?.code == .invalidOptions)
    }
  }

  // MARK: Transactions

  @Test(arguments: [1, 2])
  func `a run that stops keeps the old token, and its resumption the new one`(jobCount: Int) throws
  {
    let model = try Self.model()
    var options = ImportOptions()
    options.tokenPointer = "/next"
    options.batchSize = 2
    options.jobCount = jobCount
    let feed = try FeedStore(model)
    try feed.take(Self.envelope(#""next":"old","#, ""), options: options)
    let input = Self.envelope(#""next":"new","#, "", count: 9)
    let stopped = try feed.take(input, options: options) { progress in
      progress.counters.read >= 4 ? .stop : .proceed
    }
    #expect(stopped.ending == .stopped)
    #expect(try feed.token() == "old")
    options.isResuming = true
    let resumed = try feed.take(input, options: options)
    #expect(resumed.resumedAt == 4)
    #expect(resumed.counters.read == 9)
    #expect(try feed.token() == "new")
  }

  @Test func `a token is committed with the last records of its input or not at all`() throws {
    let model = try Self.model()
    let feed = try FeedStore(model)
    try feed.take(#"[{"id":1,"at":5}]"#)
    try feed.execute(
      """
      CREATE TRIGGER t BEFORE UPDATE ON poikit_checkpoint WHEN NEW.generation = 3
      BEGIN SELECT RAISE(ABORT, 'as if killed'); END
      """)
    var options = ImportOptions()
    options.batchSize = 2
    let input =
      #"[{"id":2,"at":9},{"id":3,"at":8},{"id":4,"at":7},{"id":5,"at":6},{"id":6,"at":6}]"#
    let error = #expect(throws: StoreError.self) { try feed.take(input, options: options) }
    #expect(error?.message.contains("as if killed") == true)
    #expect(try feed.rows("SELECT count(*) FROM t") == ["5"])
    #expect(try feed.token() == "5\t1")
    try feed.execute("DROP TRIGGER t")
    options.isResuming = true
    #expect(try feed.take(input, options: options).resumedAt == 4)
    #expect(try feed.token() == "9\t2")
  }

  @Test(arguments: [Int.min, Int(Instant.range.upperBound) + 1])
  func `a stored instant that is impossible is not reported`(microseconds: Int) throws {
    let model = try Self.model()
    let feed = try FeedStore(model)
    try feed.take(#"{"id":1,"at":5}"#)
    #expect(try feed.token() != nil)
    try feed.execute(
      """
      UPDATE poikit_token
      SET highest = json_object('timestamp', \(microseconds), 'key', json_array(1))
      """)
    #expect(try feed.token() == nil)
  }

  @Test func `a run is resumed only with its source`() throws {
    let feed = try FeedStore(Self.model())
    let text = (0..<4).map { #"{"id":\#($0),"at":\#($0)}"# }.joined(separator: "\n")
    var options = ImportOptions()
    options.source = "A"
    options.batchSize = 1
    try feed.take(text, options: options) { _ in .stop }
    options.isResuming = true
    for source in ["", "B"] {
      options.source = source
      let error = #expect(throws: StoreError.self) { try feed.take(text, options: options) }
      #expect(error?.code == .cannotResume)
      #expect(
        error?.message.contains(#"began with the source "A","#) == true, "\(error?.message ?? "")")
      #expect(error?.advice == [.nameSource(true), .restart])
    }
    options.source = "A"
    #expect(try feed.take(text, options: options).counters.inserted == 4)
    #expect(try feed.token(source: "A") == "3\t3")
    #expect(try feed.token() == nil)
  }
}
