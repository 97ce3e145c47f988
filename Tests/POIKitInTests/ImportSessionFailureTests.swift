import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit

/// Imports that fail after their last batch is committed.
@Suite struct ImportSessionFailureTests {
  private static let state: SQL = "SELECT state FROM poikit_run ORDER BY id DESC LIMIT 1"

  /// A session that has committed all of its input and must be finished.
  private static func session(
    _ feed: borrowing FeedStore, _ text: String, _ options: ImportOptions = ImportOptions()
  ) throws -> ImportSession {
    let store = try Store(feed.path)
    try store.execute("PRAGMA busy_timeout = 50")
    var session = try ImportSession(into: store, model: feed.model, options: options)
    try session.beginInput(named: "input 0")
    try session.append(Array(text.utf8).span)
    try session.endInput()
    return session
  }

  @Test(arguments: [false, true])
  func `a store that is locked when the run ends is reported with advice to resume`(
    isSnapshot: Bool
  ) throws {
    let feed = try FeedStore(.poi)
    let text = (0..<3).map { ImportFixture.poi($0) }.joined()
    var options = ImportOptions()
    options.isSnapshot = isSnapshot
    var session = try Self.session(feed, text, options)
    let holder = try Connection(path: feed.path)
    try holder.begin(.immediate)
    let error = #expect(throws: StoreError.self) { _ = try session.finish() }
    #expect(error?.code == .database)
    #expect(error?.message.hasSuffix("let it finish") == true, "\(error?.message ?? "")")
    #expect(error?.advice == [.resume])
    #expect(error?.cause?.isBusy == true)
    let report = session.failedReport()
    #expect(report?.ending == .failed && report?.counters.inserted == 3)
    holder.rollback()
    _ = consume session
    options.isResuming = true
    #expect(try feed.take(text, options: options).counters.inserted == 3)
    #expect(try feed.rows(Self.state) == ["finished"])
  }

  @Test func `a run whose end the store refuses has failed`() throws {
    let feed = try FeedStore(.poi)
    let text = ImportFixture.poi(0)
    var session = try Self.session(feed, text)
    try feed.execute(
      """
      CREATE TRIGGER guard BEFORE UPDATE OF state ON poikit_run WHEN new.state = 'finished'
      BEGIN SELECT raise(ABORT, 'not yet'); END
      """)
    let error = #expect(throws: StoreError.self) { _ = try session.finish() }
    #expect(error?.message.contains("not yet") == true)
    #expect(session.failedReport()?.counters.inserted == 1)
    let again = #expect(throws: StoreError.self) { try session.beginInput(named: "input 1") }
    #expect(again?.message == error?.message)
    #expect(try feed.rows(Self.state) == ["failed"])
  }

  @Test func `a run fails at an input that another run has begun`() throws {
    let feed = try FeedStore(.poi)
    var options = ImportOptions()
    options.rejectLimit = .count(0)
    #expect(throws: StoreError.self) {
      var session = try ImportSession(into: Store(feed.path), model: .poi, options: options)
      try session.beginInput(named: "other")
      try session.append(Array("{}\n".utf8).span)
      try session.endInput()
    }
    var session = try Self.session(feed, ImportFixture.poi(0))
    let error = #expect(throws: StoreError.self) { try session.beginInput(named: "other") }
    #expect(error?.code == .unfinishedRun)
    #expect(session.failedReport()?.counters.inserted == 1)
    #expect(try feed.rows(Self.state) == ["failed"])
  }

  @Test func `files are imported by their paths, and one that is missing ends the run`() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(ImportFixture.poi(1), to: "one.json")
    let store = try Store(folder.file("store.sqlite"))
    var session = try ImportSession(into: store, model: .poi)
    try session.importAll(ofFile: path)
    let error = #expect(throws: StoreError.self) {
      try session.importAll(ofFile: folder.file("two.json"))
    }
    #expect(error?.message.contains("two.json: no such file") == true)
    let again = #expect(throws: StoreError.self) { try session.importAll(ofFile: path) }
    #expect(again?.message == error?.message)
    #expect(session.failedReport()?.counters.inserted == 1)
  }

  @Test(arguments: [1, 2])
  func `an error distinguishes a full disk and a locked store by the cause`(jobCount: Int) throws {
    let folder = try ScratchFolder()
    var options = ImportOptions()
    options.jobCount = jobCount
    let store = try Store(folder.file("full"))
    try store.execute("PRAGMA max_page_count = 40")
    var session = try ImportSession(into: store, model: .poi, options: options)
    let full = #expect(throws: StoreError.self) {
      try session.append(ImportSessionInputTests.bytes(0..<5_000).span)
      try session.endInput()
    }
    #expect(full?.code == .database)
    #expect(full?.cause?.isFull == true && full?.cause?.isBusy == false, "\(full?.message ?? "")")

    let other = try Store(folder.file("held"))
    try other.execute("PRAGMA busy_timeout = 50")
    let holder = try Connection(path: folder.file("held"))
    try holder.begin(.immediate)
    var held: StoreError?
    do throws(StoreError) {
      _ = try ImportSession(into: other, model: .poi, options: options)
    } catch {
      held = error
    }
    #expect(held?.cause?.isBusy == true && held?.cause?.isFull == false)
    #expect(StoreError(.invalidOptions, "x").cause == nil)
  }

  @Test func `rejects of an attribute count to the end, however many attributes there are`() throws
  {
    let names = (0..<130).map { "a\($0)" }
    let properties = names.map { #""\#($0)":{"type":["integer","null"]}"# }.joined(separator: ",")
    var session = try ImportSession(
      checking: Model(parsing: #"{"x-table":"t","properties":{\#(properties)}}"#))
    for name in names + Array(repeating: "a0", count: 50) {
      try session.append(Array(#"{"\#(name)":"x"}"#.utf8).span)
    }
    let report = try session.finish()
    #expect(report.counters.rejected == 180)
    #expect(report.rejectsByAttribute["type"]?["a0"] == 51)
  }
}
