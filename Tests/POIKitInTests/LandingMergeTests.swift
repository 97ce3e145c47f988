import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct LandingMergeTests {
  private static let policies = [
    MergePolicy.newest, .objectTrump, .storeTrump, .overwrite, .rollback, .newestByProperty,
  ]

  private static func options(
    _ policy: MergePolicy, lands: Bool, batchSize: Int = 7
  ) -> ImportOptions {
    var options = ImportOptions()
    options.mergePolicy = policy
    options.batchSize = batchSize
    options.directRecordLimit = lands ? 0 : .max
    options.clock = { Instant(microseconds: 0) }
    return options
  }

  @Test(arguments: policies, [MergeFixture.document, MergeFixture.documentWithDefaults])
  func `landed records give the same rows and counters as directly merged ones`(
    policy: MergePolicy, document: String
  ) throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    for _ in 0..<TestLength.count(2, long: 10) {
      let first = MergeFixture.records(60, using: &generator)
      let second = MergeFixture.records(90, using: &generator)
      var contents: Set<[String]> = []
      var counters: Set<ImportReport.Counters> = []
      for lands in [false, true] {
        let store = try MergeStore(document)
        _ = try store.run(first, Self.options(.newest, lands: false))
        try store.execute("UPDATE note SET at = NULL WHERE poikit_id % 5 = 0")
        let report = try store.run(second, Self.options(policy, lands: lands))
        #expect(try store.digest() == report.digest, "seed \(seed)")
        #expect(
          try store.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'poikit_landing%'")
            .isEmpty)
        contents.insert(try store.content(times: policy == .newestByProperty))
        counters.insert(report.counters)
      }
      #expect(counters.count == 1, "seed \(seed)")
      let areSame = contents.count == 1
      #expect(areSame, "seed \(seed)")
    }
  }

  /// A model with a key of several columns, one of them a text.
  private static let textKeys = #"""
    {"x-table":"note","x-key":["place","id"],"x-timestamp":"at","required":["id","place"],
     "properties":{
      "id":{"type":["integer","number","string"]},
      "place":{"type":"string"},
      "at":{"type":"integer","x-unit":"seconds"}}}
    """#

  @Test(arguments: [DeduplicationOptions.KeyEnforcement.index, .hash])
  func `keys of any kind find their rows`(enforcement: DeduplicationOptions.KeyEnforcement) throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    func records(_ count: Int) -> [String] {
      (0..<count).map { _ in
        let place = [
          "a", "", "a text that is longer than sixteen bytes, first",
          "a text that is longer than sixteen bytes, second", "Ä", "東京",
        ].randomElement(using: &generator)!
        let id = ["1", "2", "1.0", "2.5", "-1", "-2.5", "\"1\"", "\"x\"", "9e18", "-9e18"]
          .randomElement(using: &generator)!
        return
          #"{"id":\#(id),"place":"\#(place)","at":\#(Int.random(in: 0...3, using: &generator))}"#
      }
    }
    for _ in 0..<TestLength.count(2, long: 10) {
      let (first, second) = (records(60), records(120))
      var contents: Set<[String]> = []
      var counters: Set<ImportReport.Counters> = []
      for lands in [false, true] {
        let store = try MergeStore(Self.textKeys)
        _ = try store.run(first, .append)
        _ = try store.deduplicate(enforcement)
        let report = try store.run(second, Self.options(.newest, lands: lands))
        #expect(report.counters.rejected == 0, "seed \(seed)")
        #expect(try store.digest() == report.digest, "seed \(seed)")
        contents.insert(try store.content())
        counters.insert(report.counters)
      }
      #expect(counters.count == 1 && contents.count == 1, "seed \(seed)")
    }
  }

  @Test(arguments: policies)
  func `a run stopped after any batch resumes to the same file content`(
    policy: MergePolicy
  ) throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    let first = MergeFixture.records(40, using: &generator)
    let second = MergeFixture.records(50, using: &generator)
    let whole = try MergeStore()
    _ = try whole.run(first, .newest)
    var batchCount = 0
    let expected = try whole.run(second, Self.options(policy, lands: true)) { _ in
      batchCount += 1
      return .proceed
    }
    for stop in TestLength.some(1..<batchCount, 3) {
      let store = try MergeStore()
      _ = try store.run(first, .newest)
      var seen = 0
      let stopped = try store.run(second, Self.options(policy, lands: true)) { _ in
        seen += 1
        return seen == stop ? .stop : .proceed
      }
      #expect(stopped.ending == .stopped)
      #expect(stopped.counters.areBalanced)
      var options = Self.options(policy, lands: true)
      options.isResuming = true
      options.mergePolicy = nil
      let report = try store.run(second, options)
      #expect(report.counters == expected.counters, "seed \(seed), stop \(stop)")
      #expect(report.digest == expected.digest, "seed \(seed), stop \(stop)")
      let isSame = try store.dump() == whole.dump()
      #expect(isSame, "seed \(seed), stop \(stop)")
    }
  }

  /// Notes whose removals delete rows, or mark them if the policy keeps times.
  private static func removable(_ policy: MergePolicy) -> String {
    #"""
    {"x-table":"note","x-key":"id","x-timestamp":"at",
     "x-tombstone":{"attribute":"gone","removal":"\#(policy == .newestByProperty ? "mark" : "delete")"},
     "required":["id"],
     "properties":{
      "id":{"type":"integer"},
      "gone":{"type":["boolean","null"]},
      "at":{"type":["integer","null"],"x-unit":"seconds"}}}
    """#
  }

  @Test(arguments: [MergePolicy.newest, .overwrite, .objectTrump, .newestByProperty])
  func `a run stopped between removals of stored rows resumes to the same content`(
    policy: MergePolicy
  ) throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    let first = (0..<8).map { #"{"id":\#($0),"at":\#($0 % 3)}"# }
    let second = (0..<40).map { _ in
      let isGone = Bool.random(using: &generator)
      return #"{"id":\#(Int.random(in: 0..<12, using: &generator)),"gone":\#(isGone),"#
        + #""at":\#(Int.random(in: 0..<4, using: &generator))}"#
    }
    let whole = try MergeStore(Self.removable(policy))
    _ = try whole.run(first, .newest)
    let options = Self.options(policy, lands: true, batchSize: 3)
    var batchCount = 0
    let expected = try whole.run(second, options) { _ in
      batchCount += 1
      return .proceed
    }
    #expect((expected.counters.removals > 0) == (policy != .newestByProperty), "seed \(seed)")
    #expect(expected.counters.areBalanced, "seed \(seed)")
    for stop in TestLength.some(1..<batchCount, 3) {
      let store = try MergeStore(Self.removable(policy))
      _ = try store.run(first, .newest)
      var seen = 0
      _ = try store.run(second, options) { _ in
        seen += 1
        return seen == stop ? .stop : .proceed
      }
      var resuming = options
      resuming.isResuming = true
      let report = try store.run(second, resuming)
      #expect(report.counters == expected.counters, "seed \(seed), stop \(stop)")
      #expect(report.digest == expected.digest, "seed \(seed), stop \(stop)")
      #expect(try store.digest() == report.digest, "seed \(seed), stop \(stop)")
    }
  }

  @Test(arguments: [1, 7, 500])
  func `records of any size land`(batchSize: Int) throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    // Around the sizes of a page, of the greatest size in a place, and of a batch.
    let sizes = [0, 1, 300, 7_900, 8_050, 8_200, 65_400, 65_540, 70_000, 200_000]
    let records = (0..<60).map { index in
      let text = String(repeating: "x", count: sizes.randomElement(using: &generator)!)
      return #"{"id":\#(index % 40),"text":"\#(text)","at":\#(index)}"#
    }
    var contents: Set<[String]> = []
    for lands in [false, true] {
      let store = try MergeStore()
      _ = try store.run(records.prefix(20), Self.options(.newest, lands: false))
      let report = try store.run(
        records, Self.options(.newest, lands: lands, batchSize: batchSize))
      #expect(try store.digest() == report.digest, "seed \(seed)")
      contents.insert(try store.content(times: false))
    }
    let areSame = contents.count == 1
    #expect(areSame, "seed \(seed)")
  }

  @Test func `an abandoned run leaves no landing table`() throws {
    let store = try MergeStore()
    var options = Self.options(.overwrite, lands: true)
    let records = (0..<30).map { #"{"id":\#($0)}"# }
    _ = try store.run(records, options) { _ in .stop }
    #expect(try store.rows("SELECT sum(length(directory)) / 24 FROM poikit_landing_1") == ["7"])
    options.isRestarting = true
    let report = try store.run(records, options)
    #expect(report.counters.inserted == 30)
    #expect(
      try store.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'poikit_landing%'").isEmpty)
  }

  @Test func `a run is resumed only with the policy that it began with`() throws {
    let store = try MergeStore()
    let records = (0..<30).map { #"{"id":\#($0)}"# }
    _ = try store.run(records, Self.options(.rollback, lands: false)) { _ in .stop }
    var options = Self.options(.overwrite, lands: false)
    options.isResuming = true
    do {
      _ = try store.run(records, options)
      Issue.record("nothing was thrown")
    } catch let error as StoreError {
      #expect(error.code == .cannotResume)
      #expect(error.advice == [.use(.rollback), .restart])
    }
  }

  @Test func `refused landed records are rejected with their position and bytes`() throws {
    let store = try MergeStore()
    _ = try store.run([#"{"id":1,"text":"a"}"#, #"{"id":2,"text":"b"}"#], .newest)
    try store.execute("CREATE UNIQUE INDEX app ON note (text)")
    let records = [
      #"{"id":1,"text":"b","at":1}"#, #"{"id":3,"text":"c"}"#, #"{"id":"x"}"#,
      #"{"id":4,"text":"c"}"#,
    ]
    let report = try store.run(records, Self.options(.newest, lands: true))
    #expect(report.counters.rejected == 3 && report.counters.inserted == 1)
    #expect(
      try store.rows(
        "SELECT input, record, line, rule, CAST(raw AS TEXT) FROM poikit_reject ORDER BY record")
        == [
          "bytes|1|1|unique|\(records[0])", "bytes|3|3|type|\(records[2])",
          "bytes|4|4|unique|\(records[3])",
        ])
    #expect(try store.digest() == report.digest)
  }

  @Test func `one thread and two write the same store byte for byte`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    let (first, second) = (
      MergeFixture.records(100, using: &generator), MergeFixture.records(300, using: &generator)
    )
    let folder = try ScratchFolder()
    var files: [[UInt8]] = []
    for jobCount in [1, 2] {
      let name = "store\(jobCount)"
      do {
        let store = try MergeStore(store: Store(folder.file(name)))
        var options = Self.options(.newest, lands: true)
        options.jobCount = jobCount
        _ = try store.run(first, options)
        _ = try store.run(second, options)
      }
      files.append(try folder.bytes(name))
    }
    let areSame = files[0] == files[1]
    #expect(areSame, "seed \(seed)")
  }

  @Test(arguments: policies)
  func `arrays of records land and are merged with them`(policy: MergePolicy) throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    let records = IssueTracker.records(80, using: &generator)
    var digests: Set<Digest> = []
    for lands in [false, true] {
      for order in [records, policy == .newest ? records.shuffled(using: &generator) : records] {
        let store = try MergeStore(IssueTracker.document)
        _ = try store.run(records.prefix(20), Self.options(.newest, lands: false))
        let report = try store.run(order, Self.options(policy, lands: lands))
        #expect(report.counters.rejected == 0, "seed \(seed)")
        #expect(try store.digest() == report.digest, "seed \(seed)")
        digests.insert(report.digest)
      }
    }
    #expect(digests.count == 1, "seed \(seed)")
  }

  @Test func `a merged batch counts even if its rejects cannot be written to their file`() throws {
    let store = try MergeStore(MergeFixture.document)
    _ = try store.run([#"{"id":1,"text":"a"}"#], Self.options(.newest, lands: false))
    try store.execute("CREATE UNIQUE INDEX u ON note (text)")
    var options = Self.options(.newest, lands: true)
    options.rejectFile = "/dev/full"
    var session = try ImportSession(into: store.store, model: store.model, options: options)
    let records = (2..<30).map { #"{"id":\#($0),"text":"a"}"# }.joined()
    try session.append(Array(records.utf8).span)
    let error = #expect(throws: StoreError.self) { _ = try session.finish() }
    #expect(error?.advice == [.resume], "\(String(describing: error))")
    let counters = session.failedReport()?.counters
    #expect(counters?.rejected == 7 && counters?.landed == 21 && counters?.areBalanced == true)
    #expect(try store.rows("SELECT count(*) FROM poikit_reject") == ["7"])
    #expect(
      try store.rows("SELECT state FROM poikit_run ORDER BY id DESC LIMIT 1") == ["failed"])
  }

  @Test(arguments: [0, Int.max])
  func `keys with a NULL meet if the model groups them`(directRecordLimit: Int) throws {
    let document = #"""
      {"x-table":"t","x-key":["a","b"],"x-null-key":"group","properties":{
       "a":{"type":["integer","null"]},"b":{"type":["string","null"]},"n":{"type":"integer"}}}
      """#
    let store = try MergeStore(document)
    var options = ImportOptions()
    options.mergePolicy = .overwrite
    options.directRecordLimit = directRecordLimit
    for n in 1...3 {
      let keys = [#""a":1"#, #""a":1,"b":"x""#, #""b":"x""#, #""a":2,"b":null"#]
      let records = keys.map { #"{\#($0),"n":\#(n)}"# } + [#"{"n":\#(n)}"#]
      let report = try store.run(records.shuffled(), options)
      #expect(report.counters.inserted == (n == 1 ? 5 : 0))
      #expect(report.digest == (try store.digest()))
    }
    #expect(
      try store.rows("SELECT quote(a), quote(b), n FROM t ORDER BY a, b") == [
        "NULL|NULL|3", "NULL|'x'|3", "1|NULL|3", "1|'x'|3", "2|NULL|3",
      ])
    options.isSnapshot = true
    #expect(throws: StoreError.self) { try store.run([#"{"n":1}"#], options) }
  }
}
