import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIFiles
@testable import POIKit

/// Sessions with several inputs, mainly resumed ones.
@Suite struct ImportSessionInputTests {
  static func bytes(_ range: Range<Int>) -> [UInt8] {
    Array(range.map { ImportFixture.poi($0) }.joined().utf8)
  }

  /// Gives a session an input whose bytes it may skip.
  ///
  /// - Parameter name: the name of the input, or nil to let the session choose.
  private static func give(
    _ bytes: [UInt8], named name: String?, to session: inout ImportSession
  ) throws {
    if let name { try session.beginInput(named: name) }
    for start in stride(from: 0, to: bytes.count, by: 100) {
      try session.append(bytes[start..<min(start + 100, bytes.count)].span)
    }
    try session.endInput()
  }

  @Test(arguments: [nil, "feed"], [false, true])
  func `the bytes of an input that a resumed run had finished are skipped`(
    name: String?, isLanding: Bool
  ) throws {
    for jobCount in [1, 2] {
      let feed = try FeedStore(.poi)
      var options = ImportOptions()
      options.batchSize = 10
      options.jobCount = jobCount
      if isLanding {
        options.mergePolicy = .overwrite
        options.directRecordLimit = 0
      }
      var stopped = try ImportSession(
        into: Store(feed.path), model: .poi, options: options
      ) { progress in
        let isMerging = progress.counters.landed < progress.counters.read
        return progress.counters.read == 15 && isMerging ? .stop : .proceed
      }
      try Self.give(Self.bytes(0..<15), named: name, to: &stopped)
      let first = try stopped.finish()
      #expect(first.ending == .stopped && first.counters.read == 15)
      #expect(first.counters.landed == (isLanding ? 5 : 0))
      _ = consume stopped

      options.isResuming = true
      var resumed = try ImportSession(into: Store(feed.path), model: .poi, options: options)
      try Self.give(Self.bytes(0..<15), named: name, to: &resumed)
      try Self.give(Self.bytes(15..<20), named: "other", to: &resumed)
      let report = try resumed.finish()
      #expect(report.counters.read == 20 && report.counters.inserted == 20)
      #expect(report.inputs.map(\.name) == [name ?? "bytes", "other"])
      #expect(try feed.rows("SELECT count(*) FROM poi") == ["20"])
    }
  }

  @Test func `an input whose bytes are not wanted need not be ended`() throws {
    let feed = try FeedStore(.poi)
    var options = ImportOptions()
    var stopped = try ImportSession(
      into: Store(feed.path), model: .poi, onProgress: { _ in .stop })
    try Self.give(Self.bytes(0..<3), named: "a", to: &stopped)
    _ = try stopped.finish()
    _ = consume stopped
    options.isResuming = true
    var resumed = try ImportSession(into: Store(feed.path), model: .poi, options: options)
    #expect(try !resumed.beginInput(named: "a", byteCount: nil))
    #expect(try resumed.beginInput(named: "b"))
    try resumed.append(Self.bytes(3..<5).span)
    #expect(try resumed.finish().counters.inserted == 5)
  }

  /// A store with an import of two inputs, `a` and `b`, that stopped in the second one.
  private static func stoppedInSecond() throws -> FeedStore {
    let feed = try FeedStore(.poi)
    var options = ImportOptions()
    options.batchSize = 2
    var session = try ImportSession(
      into: Store(feed.path), model: .poi, options: options
    ) { $0.counters.read >= 6 ? .stop : .proceed }
    try give(bytes(0..<4), named: "a", to: &session)
    try give(bytes(4..<8), named: "b", to: &session)
    #expect(try session.finish().counters.read == 6)
    return feed
  }

  /// The runs and records of the store.
  private static func content(_ feed: borrowing FeedStore) throws -> [String] {
    try feed.rows("SELECT count(*) FROM poi")
      + feed.rows("SELECT id, state, counters, ended FROM poikit_run")
      + feed.rows("SELECT run, generation, state FROM poikit_checkpoint")
      + feed.rows("SELECT run, number, name FROM poikit_input")
  }

  @Test(arguments: [["x", "b"], ["a", "x", "b"], ["a", "b"]])
  func `a session that cannot resume throws the same error again and changes nothing`(
    names: [String]
  ) throws {
    let feed = try Self.stoppedInSecond()
    let before = try Self.content(feed)
    var options = ImportOptions()
    options.isResuming = true
    // The pointer differs from the pointer of the last input.
    if names == ["a", "b"] { options.pointer = "/pois" }
    var session = try ImportSession(into: Store(feed.path), model: .poi, options: options)
    var messages: [String] = []
    for name in names {
      do throws(StoreError) { try session.beginInput(named: name) } catch {
        #expect(error.code == .cannotResume)
        messages.append(error.message)
      }
    }
    do throws(StoreError) { try session.append(Self.bytes(0..<50).span) } catch {
      messages.append(error.message)
    }
    var source = BytesSource(Self.bytes(0..<4), name: "a")
    do throws(StoreError) { try session.importAll(from: &source) } catch {
      messages.append(error.message)
    }
    do throws(StoreError) { try session.endInput() } catch { messages.append(error.message) }
    do throws(StoreError) { _ = try session.finish() } catch { messages.append(error.message) }
    #expect(messages.count >= 5 && Set(messages).count == 1, "\(messages)")
    #expect(session.failedReport()?.counters.read == nil)
    _ = consume session
    #expect(try Self.content(feed) == before)
  }

  @Test func `files after one that cannot be resumed are not read`() throws {
    let folder = try ScratchFolder()
    let paths = try ["a", "b"].map { try folder.write(ImportFixture.poi(1), to: $0) }
    var options = ImportOptions()
    var stopped = try ImportSession(
      into: Store(folder.file("s")), model: .poi, onProgress: { _ in .stop })
    try stopped.importAll(ofFile: paths[0])
    _ = try stopped.finish()
    _ = consume stopped
    _ = try folder.write(ImportFixture.poi(1) + ImportFixture.poi(2), to: "a")
    options.isResuming = true
    var session = try ImportSession(
      into: Store(folder.file("s")), model: .poi, options: options)
    var messages: [String] = []
    for path in paths {
      do throws(StoreError) { try session.importAll(ofFile: path) } catch {
        messages.append(error.message)
      }
    }
    #expect(messages.count == 2 && Set(messages).count == 1, "\(messages)")
    #expect(messages.first?.contains("it has changed") == true)
  }

  @Test func `a session that is finished without its input throws the same error again`() throws {
    let feed = try Self.stoppedInSecond()
    var options = ImportOptions()
    options.isResuming = true
    var session = try ImportSession(into: Store(feed.path), model: .poi, options: options)
    try Self.give(Self.bytes(0..<4), named: "a", to: &session)
    let error = #expect(throws: StoreError.self) { _ = try session.finish() }
    #expect(error?.message.contains("was reading b") == true)
    let again = #expect(throws: StoreError.self) { try session.beginInput(named: "b") }
    #expect(again?.message == error?.message)
  }

  @Test func `a session that resumes and is given no input is not finished`() throws {
    let feed = try Self.stoppedInSecond()
    let before = try Self.content(feed)
    var options = ImportOptions()
    options.isResuming = true
    var session = try ImportSession(into: Store(feed.path), model: .poi, options: options)
    for _ in 0..<2 {
      let error = #expect(throws: StoreError.self) { _ = try session.finish() }
      #expect(error?.code == .cannotResume)
      #expect(error?.message.hasSuffix("the run to resume began with a") == true)
    }
    _ = consume session
    #expect(try Self.content(feed) == before)
  }

  @Test(arguments: [0, 3, 4, 5, 7, 8])
  func `a limit of records counts what earlier passes read`(limit: Int) throws {
    // The last batch of an input has its fourth record.
    for stop in [3, 4, 7] {
      let feed = try FeedStore(.poi)
      var options = ImportOptions()
      options.batchSize = 3
      var stopped = try ImportSession(
        into: Store(feed.path), model: .poi, options: options
      ) { $0.counters.read >= stop ? .stop : .proceed }
      try Self.give(Self.bytes(0..<4), named: "a", to: &stopped)
      try Self.give(Self.bytes(4..<8), named: "b", to: &stopped)
      _ = try stopped.finish()
      _ = consume stopped
      options.isResuming = true
      options.recordLimit = limit
      var resumed = try ImportSession(into: Store(feed.path), model: .poi, options: options)
      try Self.give(Self.bytes(0..<4), named: "a", to: &resumed)
      try Self.give(Self.bytes(4..<8), named: "b", to: &resumed)
      let report = try resumed.finish()
      #expect(report.ending == .finished && report.counters.read == max(limit, stop))
      #expect(try feed.rows("SELECT state FROM poikit_run") == ["finished"])
    }
  }

  @Test(arguments: [nil, ""])
  func `a source that was read before is read from its first byte`(pointer: String?) throws {
    let text = "[" + (0..<5).map { ImportFixture.poi($0) }.joined(separator: ",") + "]"
    var source = BytesSource(Array(text.utf8))
    var options = ImportOptions()
    options.pointer = pointer
    for _ in 0..<2 {
      var session = try ImportSession(checking: .poi, options: options)
      try session.importAll(from: &source)
      #expect(try session.finish().counters.read == 5)
    }
  }
}
