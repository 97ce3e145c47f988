import POIKitTestSupport
import POISQLite
import POITestSupport
import Synchronization
import Testing

@testable import POIFiles
@testable import POIKit
@testable import POIRecords

@Suite struct ImportSessionTests {
  /// A model with every kind of storage, a relation, and a column for unmapped members.
  static let everything = #"""
    {"x-table":"place","x-key":"id","x-timestamp":"seen","x-unmapped-column":"more","required":["id"],
     "properties":{
      "id":{"type":"integer","x-lenient":true},
      "uuid":{"type":["string","null"],"format":"uuid"},
      "name":{"type":["string","null"],"x-source":"/properties/name"},
      "height":{"type":["number","null"],"x-source":"/properties/height"},
      "open":{"type":["boolean","integer","null"]},
      "seen":{"type":["integer","null"],"x-unit":"seconds"},
      "x":{"type":"number","x-source":"/geometry/coordinates/0"},
      "geometry":{"type":["object","null"]},
      "tags":{"type":["array","null"]},
      "mixed":{"type":["string","number","object","null"]},
      "kind":{"type":["object","null"],"x-relation":{"table":"kind","unique":["name","level"]},
       "required":["name","level"],
       "properties":{"name":{"type":"string"},"level":{"type":"integer"}}}}}
    """#

  /// Random records for `everything`; one in ten is wrong.
  static func records(_ count: Int, seed: UInt64) -> [String] {
    var generator = SplitMix64(seed: seed)
    return (0..<count).map { index in
      func pick(_ choices: String...) -> String { choices.randomElement(using: &generator)! }
      var members = [
        #""id":\#(Int.random(in: 0...count / 2, using: &generator))"#,
        #""seen":\#(pick("1668039187", "1668039188", "null"))"#,
        #""open":\#(pick("true", "false", "1", "0", "null"))"#,
        #""properties":{"name":"\#(pick("Dom", "Café \\u00e9", "東京", "a\\nb"))","height":\#(pick("1", "2.5", "1e-3", "null"))}"#,
        #""mixed":\#(pick("1", "\"1\"", "1.5", "{\"b\":[1,{}]}", "null"))"#,
        #""kind":\#(pick("{\"name\":\"a\",\"level\":1}", "{\"name\":\"a\",\"level\":2}", "null"))"#,
        #""geometry":{"type":"Point","coordinates":[\#(index).5,2,3]}"#,
        #""other":\#(index % 7)"#,
      ].filter { _ in Int.random(in: 0..<8, using: &generator) > 0 }
      if Int.random(in: 0..<10, using: &generator) == 0 {
        members.append(
          pick(#""id":"x""#, #""uuid":"nope""#, #""open":{}"#, #""tags":nul"#, #""tags":"\ud800""#))
      }
      members.shuffle(using: &generator)
      return "{\(members.joined(separator: ","))}"
    }
  }

  /// Imports `text` into a store in a file and returns the bytes of the file and the reject file.
  private static func files(
    of text: String, model: Model, options: ImportOptions
  ) throws -> (store: [UInt8], rejects: [UInt8]) {
    let folder = try ScratchFolder()
    var options = options
    options.clock = someInstant
    options.rejectFile = folder.file("rejects")
    do {
      var session = try ImportSession(
        into: Store(folder.file("store")), model: model, options: options)
      var source = BytesSource(Array(text.utf8), name: "bytes")
      try session.importAll(from: &source)
      _ = try session.finish()
    }
    // The last connection is closed, so everything is in the store's own file.
    return (try folder.bytes("store"), try folder.bytes("rejects"))
  }

  @Test(arguments: [1, 7, 500])
  func `one thread and two write the same files byte for byte`(batchSize: Int) throws {
    let seed = UInt64.random(in: .min ... .max)
    let model = try Model(parsing: Self.everything)
    // 5,000 records have several pieces.
    let lines = Self.records(batchSize == 1 ? 700 : 5_000, seed: seed).joined(separator: "\n")
    var options = ImportOptions()
    options.batchSize = batchSize
    options.jobCount = 1
    let alone = try Self.files(of: lines, model: model, options: options)
    options.jobCount = 2
    let together = try Self.files(of: lines, model: model, options: options)
    #expect(alone.store == together.store, "seed \(seed)")
    #expect(alone.rejects == together.rejects && !alone.rejects.isEmpty, "seed \(seed)")
  }

  @Test func `a dry run reports the same on one thread and on two`() throws {
    let seed = UInt64.random(in: .min ... .max)
    let model = try Model(parsing: Self.everything)
    // Several pieces, and some damaged records.
    var bytes = Array(Self.records(5_000, seed: seed).joined(separator: "\n").utf8)
    var random = SplitMix64(seed: seed)
    for _ in 0..<50 {
      let place = Int.random(in: bytes.indices, using: &random)
      bytes[place] = UInt8.random(in: 0...255, using: &random)
    }
    let outcomes = try [1, 2].map { jobCount in
      let folder = try ScratchFolder()
      var options = ImportOptions()
      options.jobCount = jobCount
      options.rejectFile = folder.file("rejects")
      // Rejects of future timestamps contain the time, and batches without a set size end by it.
      options.clock = someInstant
      options.batchSize = 500
      var reads: [Int] = []
      var session = try ImportSession(checking: model, options: options) { progress in
        reads.append(progress.counters.read)
        return .proceed
      }
      var source = BytesSource(bytes, name: "bytes")
      try session.importAll(from: &source)
      let report = try session.finish()
      return (reads, report.digest, report.counters, try folder.bytes("rejects"))
    }
    #expect(outcomes[0].0 == outcomes[1].0 && outcomes[0].1 == outcomes[1].1, "seed \(seed)")
    #expect(outcomes[0].2 == outcomes[1].2 && outcomes[0].3 == outcomes[1].3, "seed \(seed)")
    #expect(outcomes[0].2.rejected > 0, "seed \(seed)")
  }

  @Test(arguments: [1, 2])
  func `a stopped run ends with the batch before the stop`(jobCount: Int) throws {
    for stop in 1...5 {
      var options = ImportOptions()
      options.batchSize = 10
      options.jobCount = jobCount
      let store = try Store.inMemory()
      var session = try ImportSession(
        into: store, model: .poi, options: options
      ) { $0.counters.read >= stop * 10 ? .stop : .proceed }
      try session.append(Array((0..<60).map { ImportFixture.poi($0) }.joined().utf8).span)
      let report = try session.finish()
      #expect(report.ending == .stopped)
      #expect(report.counters.read == stop * 10)
      #expect(try store.integer("SELECT count(*) FROM poi") == Int64(stop * 10))
    }
  }

  @Test func `every attribute of the sample is kept`() throws {
    let text = #"""
      {"address":"Address 0","city":"Amsterdam","information":"…","longitude":8.9876003265380859,"country":"The Netherlands","latitude":10.12339973449707,"identifier":"1975DB51-5A45-4FD6-AC54-46CA6042C710","name":"POI 0","category":{"name":"Category name"},"updatedAt":"1969-12-31T23:59:59.5Z"}
      """#
    let (report, rows) = try ImportFixture.importText(text, model: .poi)
    #expect(report.counters.inserted == 1)
    #expect(
      rows == [
        "1|1975DB51-5A45-4FD6-AC54-46CA6042C710|POI 0|Address 0|Amsterdam|The Netherlands|…"
          + "|10.1233997344971|8.98760032653809|1969-12-31T23:59:59.500000Z|Category name"
      ])
  }

  @Test func `any split of the input, any batch size and either way in give the same store`() throws
  {
    let seed = UInt64.random(in: .min ... .max)
    let model = try Model(parsing: Self.everything)
    let lines = Self.records(300, seed: seed).joined(separator: "\n")
    let whole = try ImportFixture.importText(lines, model: model)
    #expect(whole.report.counters.read == 300)
    #expect(whole.report.counters.rejected > 0 && whole.report.counters.inserted > 200)
    var generator = SplitMix64(seed: seed)
    for batchSize in [1, 2, 7, 64, 1000] {
      var options = ImportOptions()
      options.batchSize = batchSize
      let other = try ImportFixture.importText(lines, model: model, options: options) { _ in
        Int.random(in: 1...100, using: &generator)
      }
      #expect(other.rows == whole.rows, "seed \(seed), batch \(batchSize)")
      #expect(other.report.digest == whole.report.digest, "seed \(seed), batch \(batchSize)")
    }
    var options = ImportOptions()
    options.batchByteLimit = 1
    let store = try Store.inMemory()
    var session = try ImportSession(into: store, model: model, options: options)
    var source = BytesSource(Array(lines.utf8), name: "bytes")
    try session.importAll(from: &source)
    let report = try session.finish()
    #expect(report.digest == whole.report.digest, "seed \(seed)")
    #expect(report.batchCount > 200)
    #expect(try ImportFixture.rows(of: store, model: model) == whole.rows, "seed \(seed)")
  }

  /// A record with many attributes, or a reject, with hardly any text.
  @Test(arguments: ["{}", "1"])
  func `a batch of records without text is bounded, too`(record: String) throws {
    let attributes = (0..<100).map { #""a\#($0)":{"type":"string"}"# }.joined(separator: ",")
    let model = try Model(parsing: #"{"x-table":"t","properties":{\#(attributes)}}"#)
    var options = ImportOptions()
    options.batchSize = 10_000
    options.batchByteLimit = 1 << 16
    var session = try ImportSession(checking: model, options: options)
    try session.append(Array(String(repeating: record + "\n", count: 1000).utf8).span)
    let report = try session.finish()
    #expect(report.counters.read == 1000)
    #expect(report.batchCount >= 2)
  }

  @Test func `a dry run reports what an import does`() throws {
    let seed = UInt64.random(in: .min ... .max)
    let model = try Model(parsing: Self.everything)
    let lines = Self.records(200, seed: seed).joined(separator: "\n")
    let (imported, _) = try ImportFixture.importText(lines, model: model)
    var session = try ImportSession(checking: model)
    try session.append(Array(lines.utf8).span)
    let checked = try session.finish()
    #expect(checked.counters == imported.counters, "seed \(seed)")
    #expect(checked.digest == imported.digest, "seed \(seed)")
    #expect(checked.rejectsByRule.map(\.rule) == imported.rejectsByRule.map(\.rule), "seed \(seed)")
    #expect(checked.runID == nil)
  }

  @Test func `the digest does not depend on the order of the records`() throws {
    let seed = UInt64.random(in: .min ... .max)
    let model = try Model(parsing: Self.everything)
    var records = Self.records(100, seed: seed).filter {
      !$0.contains("nul}") && !$0.contains("nul,")
    }
    let (forward, _) = try ImportFixture.importText(records.joined(separator: "\n"), model: model)
    records.reverse()
    let (backward, _) = try ImportFixture.importText(records.joined(separator: "\n"), model: model)
    #expect(forward.digest == backward.digest, "seed \(seed)")
    #expect(forward.digest != .zero)
  }

  @Test func `unmapped members are counted by pointer, or kept if the model says so`() throws {
    let model = try Model(parsing: Self.everything)
    let text =
      #"{"id":1,"b/c":1,"properties":{"name":"n","x":[1, {"y":"\u00e9"}]},"geometry":{"type":"Point","coordinates":[1,2]}}"#
    let (report, rows) = try ImportFixture.importText(text, model: model)
    // The geometry has its own column, so all of its members are mapped.
    #expect(report.unmappedMembers.map(\.pointer) == ["/b~1c", "/properties/x"])
    #expect(
      rows[0].hasSuffix(#"|{"b/c":1,"properties":{"x":[1,{"y":"é"}]}}"#), "\(rows[0])")
  }

  @Test func `an array of which only a part is mapped is kept whole`() throws {
    let model = try Model(
      parsing: #"""
        {"x-table":"t","x-unmapped-column":"more","properties":{
         "x":{"type":"number","x-source":"/at/0"},"y":{"type":"number","x-source":"/at/1"},
         "first":{"type":"string","x-source":"/names/0/text"}}}
        """#)
    let lines = [
      #"{"at":[1,2],"names":[{"text":"a"}]}"#, #"{"at":[1,2,3],"names":[{"text":"a","in":"nl"}]}"#,
    ]
    let (report, rows) = try ImportFixture.importText(lines.joined(separator: "\n"), model: model)
    #expect(report.unmappedMembers.map(\.pointer) == ["/at/2", "/names/0/in"])
    #expect(rows[0] == "1|1.0|2.0|a|NULL")
    #expect(rows[1] == #"2|1.0|2.0|a|{"at":[1,2,3],"names":[{"text":"a","in":"nl"}]}"#)
  }

  @Test func `a related row is created once however many batches name it`() throws {
    var options = ImportOptions()
    options.batchSize = 2
    let store = try Store.inMemory()
    var session = try ImportSession(into: store, model: .poi, options: options)
    for index in 0..<20 {
      try session.append(Array(ImportFixture.poi(index, category: "c\(index % 3)").utf8).span)
    }
    _ = try session.finish()
    #expect(try store.integer("SELECT count(*) FROM category") == 3)
    #expect(
      try store.integer(
        "SELECT count(*) FROM poi JOIN category ON poi.category = category.poikit_id") == 20)
  }

  @Test func `a related row that another program changed is looked up again`() throws {
    let feed = try FeedStore(.poi)
    let path = feed.path
    var options = ImportOptions()
    options.batchSize = 2
    let text = (0..<6).map { ImportFixture.poi($0, category: "c\($0 % 2)") }.joined()
    try feed.take(text, options: options) { progress in
      guard progress.counters.read == 2 else { return .proceed }
      try? Connection(path: path).execute(
        "DELETE FROM poi; DELETE FROM category WHERE name = 'c0'; UPDATE category SET name = 'x'")
      return .proceed
    }
    let names: SQL = "SELECT c.name FROM poi LEFT JOIN category AS c ON c.poikit_id = category"
    #expect(try feed.rows(names) == ["c0", "c1", "c0", "c1"])
    #expect(try feed.rows("SELECT name FROM category ORDER BY 1") == ["c0", "c1", "x"])
  }

  @Test func `a limit of records ends the run in the middle of a batch`() throws {
    var options = ImportOptions()
    options.recordLimit = 7
    options.batchSize = 5
    let (report, rows) = try ImportFixture.importText(
      (0..<20).map { ImportFixture.poi($0) }.joined(), model: .poi, options: options)
    #expect(report.counters.read == 7 && rows.count == 7)
    #expect(report.ending == .finished)
    options.recordLimit = 0
    #expect(
      try ImportFixture.importText(ImportFixture.poi(1), model: .poi, options: options).report
        .counters.read == 0)
  }

  @Test func `too many rejects stop the run after a committed batch`() throws {
    let text = (0..<20).map { $0 % 2 == 0 ? ImportFixture.poi($0) : "{\"name\":\"\($0)\"}\n" }
      .joined()
    for limit in [ImportOptions.Limit.count(2), .percent(20)] {
      var options = ImportOptions()
      options.batchSize = 6
      options.rejectLimit = limit
      let store = try Store.inMemory()
      var session = try ImportSession(into: store, model: .poi, options: options)
      let error = #expect(throws: StoreError.self) {
        try session.append(Array(text.utf8).span)
      }
      #expect(error?.code == .tooManyRejects)
      #expect(try store.integer("SELECT count(*) FROM poi") == 3)
      #expect(try store.integer("SELECT count(*) FROM poikit_reject") == 3)
    }
    var options = ImportOptions()
    options.rejectLimit = .percent(50)
    #expect(
      try ImportFixture.importText(text, model: .poi, options: options).report.counters.rejected
        == 10)
  }

  struct NoNowhere: RecordValidator {
    func issues(in record: borrowing RecordView) -> [POIKit.Issue] {
      guard record.real("latitude") == 0, record.real("longitude") == 0 else { return [] }
      return [
        POIKit.Issue(
          rule: "null-island", attribute: nil,
          message: "\(record.text("name") ?? "") of \(record.text("category.name") ?? "")")
      ]
    }
  }

  @Test func `a validator of the program's own sees the values and rejects`() throws {
    var session = try ImportSession(checking: .poi, validators: [NoNowhere()])
    try session.append(Array(ImportFixture.poi(1).utf8).span)
    let nowhere = ImportFixture.poi(2).replacing(":1,", with: ":0,").replacing(":2,", with: ":0,")
    try session.append(Array(nowhere.utf8).span)
    let report = try session.finish()
    #expect(report.counters.inserted == 1)
    #expect(report.rejectsByRule.map(\.rule) == ["null-island"])
  }

  @Test func `progress says what an import does after the last byte`() throws {
    let store = try Store.inMemory()
    let model = try Model(
      parsing: #"{"x-table":"t","x-key":"id","properties":{"id":{"type":"integer"}}}"#)
    var options = ImportOptions()
    options.mergePolicy = .newest
    options.batchSize = 2
    options.directRecordLimit = 0
    let seen = Mutex<[StoreProgress]>([])
    for ids in [1...1, 1...5] {
      seen.withLock { $0 = [] }
      let records = ids.map { #"{"id":\#($0)}"# }.joined(separator: "\n")
      try store.importRecords(from: .text(records), model: model, options: options) { progress in
        seen.withLock { $0.append(progress) }
        return .proceed
      }
    }
    let merging = seen.withLock(\.self).filter { $0.stage == .merging }
    #expect(merging.map(\.completedCount) == [0, 2, 4, 5])
    #expect(merging.allSatisfy { $0.totalCount == 5 && $0.fraction != nil })
    #expect(seen.withLock(\.last)?.stage == .finishing)
  }

  struct Misspelling: RecordValidator {
    func issues(in record: borrowing RecordView) -> [POIKit.Issue] {
      if record.text("identifier")?.hasSuffix("4") == true { _ = record.text("nam") }
      return []
    }
  }

  @Test func `a misspelt name in a validator ends the run at the first record that asks`() throws {
    let folder = try ScratchFolder()
    let store = try Store(folder.file("s"))
    var options = ImportOptions()
    options.batchSize = 2
    let records = ImportFixture.pois(1..<6)
    let error = storeError {
      try store.importRecords(
        from: .text(records), options: options, validators: [Misspelling()])
    }
    #expect(error?.code == .noSuchColumn)
    #expect(error?.message.contains("\"nam\", but the model poi has no such attribute") == true)
    #expect(try store.count() == 2)
    options.isResuming = true
    try store.importRecords(from: .text(records), options: options)
    #expect(try store.count() == 5)
  }

  @Test func `models may share the table of a relation, if it is the same`() throws {
    func model(_ table: String, _ attribute: String) throws -> Model {
      try Model(
        parsing: #"""
          {"x-table":"\#(table)","properties":{"kind":{"type":"object",
           "x-relation":{"table":"kind","unique":"\#(attribute)"},"required":["\#(attribute)"],
           "properties":{"\#(attribute)":{"type":"string"}}}}}
          """#)
    }
    let folder = try ScratchFolder()
    for table in ["a", "b"] {
      var session = try ImportSession(
        into: Store(folder.file("s")), model: model(table, "name"))
      try session.append(Array(#"{"kind":{"name":"x"}}"#.utf8).span)
      #expect(try session.finish().counters.inserted == 1)
      _ = consume session
    }
    #expect(try Connection(path: folder.file("s")).integer("SELECT count(*) FROM kind") == 1)
    let error = #expect(throws: StoreError.self) {
      _ = try ImportSession(into: Store(folder.file("s")), model: model("c", "title"))
    }
    #expect(error?.code == .modelDiffers && error?.message.contains("\"kind\"") == true)
  }

  @Test func `a record without any value counts in the digest`() throws {
    let model = try Model(parsing: #"{"x-table":"t","properties":{"a":{}}}"#)
    let (one, _) = try ImportFixture.importText("{\"a\":null}", model: model)
    let (two, _) = try ImportFixture.importText("{}\n{}", model: model)
    #expect(one.digest != .zero && two.digest == one.digest + one.digest)
  }

  /// Changes of the tables of places, and the categories that are refused after them.
  @Test func `imported records are merged by a key that is enforced by its hash`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("s.sqlite")
    let store = try Store(path)
    var session = try ImportSession(into: store, model: .poi)
    try session.append(
      Array((ImportFixture.poi(1) + ImportFixture.poi(1, category: "d")).utf8).span)
    _ = try session.finish()
    var options = DeduplicationOptions()
    options.enforcement = .hash
    // The row id of the category is part of the key, so both records stay.
    _ = try store.deduplicate(
      Deduplicator(layout: store.layout(key: ["identifier", "category"]), options: options))
    #expect(try store.integer("SELECT count(DISTINCT poikit_key) FROM poi") == 2)

    var again = try ImportSession(into: store, model: .poi)
    try again.append(
      Array(
        (ImportFixture.poi(1) + ImportFixture.poi(1, category: "e")
          + ImportFixture.poi(1, category: "e")).utf8
      ).span)
    let report = try again.finish()
    #expect(report.counters.inserted == 1)
    #expect(report.counters.unchanged == 2)
    let keyless = store
    #expect(
      try keyless.integer("SELECT count(*) FROM poi WHERE poikit_key IS NULL") == 0)
  }

  @Test func `a table's digest is the sum over what was imported in two runs`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("s.sqlite")
    var last = Digest.zero
    for range in [0..<10, 10..<20] {
      var session = try ImportSession(into: Store(path), model: .poi)
      try session.append(Array(range.map { ImportFixture.poi($0) }.joined().utf8).span)
      last = try session.finish().digest
    }
    let whole = try ImportFixture.importText(
      (0..<20).map { ImportFixture.poi($0) }.joined(), model: .poi)
    #expect(last == whole.report.digest)
  }
}
