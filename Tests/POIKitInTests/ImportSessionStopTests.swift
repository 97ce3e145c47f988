import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Sessions that a program stops because an input ends too early.
@Suite struct ImportSessionStopTests {
  private static let texts = [
    (0..<5).map { ImportSessionStopTests.record($0) }.joined(separator: "\n"),
    "{\"all\":[" + (0..<5).map { ImportSessionStopTests.record($0) }.joined(separator: ", ")
      + "],\"next\":7}",
  ]

  /// A small record; one of them is rejected.
  private static func record(_ id: Int) -> String { #"{"id":\#(id == 3 ? "[]" : "\(id)")}"# }

  private static func model() throws -> Model {
    try Model(
      parsing: #"{"x-table":"note","x-key":"id","properties":{"id":{"type":"integer"}}}"#)
  }

  /// The rows and counters of an import.
  private static func outcome(
    _ store: Store, _ report: ImportReport, _ model: Model
  ) throws -> [String] {
    try ImportFixture.rows(of: store, model: model)
      + rows("SELECT state, counters FROM poikit_run", in: store)
      + rows("SELECT count(*) FROM poikit_checkpoint", in: store)
      + ["\(report.counters) \(report.digest) \(report.rejectsByRule)"]
  }

  @Test(arguments: texts, [1, 2])
  func `an import that is stopped at any byte and resumed ends in the same store`(
    text: String, jobCount: Int
  ) throws {
    let model = try Self.model()
    let bytes = Array(text.utf8)
    for batchSize in TestLength.some(1...5, 1) {
      var options = ImportFixture.options(batchSize: batchSize, jobCount: jobCount)
      options.clock = someInstant
      let wholeStore = try Store.inMemory()
      var session = try ImportSession(into: wholeStore, model: model, options: options)
      try session.append(bytes.span)
      let whole = try session.finish()
      let expected = try Self.outcome(wholeStore, whole, model)
      for cut in 0...bytes.count {
        options.isResuming = false
        let store = try Store.inMemory()
        var stopped = try ImportSession(into: store, model: model, options: options)
        try stopped.beginInput(named: "bytes", byteCount: bytes.count)
        try stopped.append(bytes[0..<cut].span)
        let first = try stopped.stop()
        #expect(first.ending == .stopped && first.counters.read <= 5)
        #expect(first.canBeResumed == (first.counters.read > 0))
        #expect(try stopped.finish().ending == .stopped)
        options.isResuming = first.canBeResumed
        var again = try ImportSession(into: store, model: model, options: options)
        try again.append(bytes[0..<(cut * 7 % bytes.count)].span)
        let second = try again.stop()
        #expect(second.counters.read >= first.counters.read)
        options.isResuming = second.canBeResumed
        var resumed = try ImportSession(into: store, model: model, options: options)
        try resumed.append(bytes.span)
        let report = try resumed.finish()
        #expect(
          try Self.outcome(store, report, model) == expected,
          "cut \(cut), batches of \(batchSize)")
        #expect(report.resumedAt == (second.canBeResumed ? second.counters.read : nil))
      }
    }
  }

  @Test func `complete records are committed when a session is stopped`() throws {
    var session = try ImportSession(into: .inMemory(), model: .poi)
    try session.append(ImportSessionInputTests.bytes(0..<3).span)
    try session.append(Array(ImportSessionInputTests.bytes(3..<4).prefix(20)).span)
    let report = try session.stop()
    #expect(report.counters.inserted == 3 && report.canBeResumed)
    try session.append(ImportSessionInputTests.bytes(4..<6).span)
    #expect(try session.stop().counters.inserted == 3)
  }

  @Test(arguments: [12_000, 20_000, 90_000])
  func `a long record that is complete in two pieces is committed`(byteCount: Int) throws {
    let model = try Model(
      parsing: #"{"x-table":"t","properties":{"id":{"type":"integer"}}}"#)
    let start = #"{"id":1,"text":""#
    let record = start + String(repeating: "x", count: byteCount) + "\"}\n"
    let bytes = Array(("{\"id\":2}\n{\"id\":3}\n" + record).utf8)
    var session = try ImportSession(into: .inMemory(), model: model)
    for part in [bytes[..<(bytes.count * 3 / 4)], bytes[(bytes.count * 3 / 4)...]] {
      try session.append(Array(part).span)
    }
    #expect(try session.stop().counters.inserted == 3)
  }

  @Test func `a session that is stopped after its end returns its report`() throws {
    var finished = try ImportSession(into: .inMemory(), model: .poi)
    try finished.append(ImportSessionInputTests.bytes(0..<3).span)
    _ = try finished.finish()
    #expect(try finished.stop().ending == .finished)
    var options = ImportOptions()
    options.recordLimit = 2
    var limited = try ImportSession(into: .inMemory(), model: .poi, options: options)
    try limited.append(ImportSessionInputTests.bytes(0..<3).span)
    #expect(try limited.stop().ending == .finished)
    var failed = try ImportSession(into: .inMemory(), model: .poi)
    try failed.append(Array("[{}".utf8).span)
    #expect(throws: StoreError.self) { try failed.endInput() }
    #expect(throws: StoreError.self) { _ = try failed.stop() }
  }

  @Test func `a session that is stopped before the point of resumption changes nothing`() throws {
    let feed = try FeedStore(.poi)
    var first = try ImportSession(into: Store(feed.path), model: .poi)
    try first.beginInput(named: "a")
    try first.append(ImportSessionInputTests.bytes(0..<2).span)
    try first.endInput()
    try first.beginInput(named: "b")
    try first.append(ImportSessionInputTests.bytes(2..<4).span)
    #expect(try first.stop().counters.read == 4)
    _ = consume first
    var options = ImportOptions()
    options.isResuming = true
    for names in [[], ["a"], ["a", "b"]] {
      var session = try ImportSession(into: Store(feed.path), model: .poi, options: options)
      for name in names {
        guard try session.beginInput(named: name) else { continue }
        try session.append(ImportSessionInputTests.bytes(2..<3).span)
      }
      let report = try session.stop()
      #expect(report.ending == .stopped && report.canBeResumed)
      #expect(report.counters.read == (names.isEmpty ? 0 : 4))
    }
    var session = try ImportSession(into: Store(feed.path), model: .poi, options: options)
    for (name, ids) in [("a", 0..<2), ("b", 2..<6)] {
      try session.beginInput(named: name)
      try session.append(ImportSessionInputTests.bytes(ids).span)
      try session.endInput()
    }
    #expect(try session.finish().counters.inserted == 6)
  }

  @Test func `an unfinished import ends with its table`() throws {
    let feed = try FeedStore(Self.model())
    let options = ImportFixture.options(batchSize: 1, jobCount: 1)
    let text = Self.record(1) + Self.record(2)
    #expect(try feed.take(text, options: options) { _ in .stop }.canBeResumed)
    try feed.execute("DROP VIEW poikit_readable_note; DROP TABLE note")
    #expect(try feed.take(text, options: options).counters.inserted == 2)
    #expect(
      try feed.rows("SELECT state FROM poikit_run ORDER BY id") == ["abandoned", "finished"])
  }
}
