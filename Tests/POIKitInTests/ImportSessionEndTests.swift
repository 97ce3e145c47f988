import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIFiles
@testable import POIKit

/// Imports that end before the end of their input, on one thread and on more.
@Suite struct ImportSessionEndTests {
  /// The state that a source and the progress closure of a session share.
  final class Wish {
    var isStop = false
  }

  /// Some bytes, and then the stop or an error.
  struct BrokenSource: ByteSource {
    var bytes: BytesSource
    var wish: Wish?
    let name = "broken"
    var totalByteCount: Int? { 10_000 }
    var consumedByteCount: Int { bytes.consumedByteCount }

    init(_ text: String, wish: Wish? = nil) {
      bytes = BytesSource(Array(text.utf8), name: "broken")
      self.wish = wish
    }

    mutating func read(into output: inout OutputSpan<UInt8>) throws(InputError) {
      bytes.read(into: &output)
      guard output.isEmpty else { return }
      guard let wish else {
        throw InputError(code: .readFailed(errno: 5), path: name, message: "cannot be read")
      }
      wish.isStop = true
    }

    mutating func restart() throws(InputError) -> Bool { false }
  }

  @Test(arguments: [1, 2])
  func `a run stopped before the batch that reaches its limit is not finished`(
    jobCount: Int
  ) throws {
    var options = ImportFixture.options(batchSize: 10, jobCount: jobCount)
    options.recordLimit = 20
    let store = try Store.inMemory()
    var session = try ImportSession(into: store, model: .poi, options: options) { progress in
      progress.counters.read == 10 ? .stop : .proceed
    }
    try session.append(Array(ImportFixture.pois(0..<30).utf8).span)
    let report = try session.finish()
    #expect(report.ending == .stopped && report.counters.read == 10)
    _ = consume session
    #expect(try store.integer("SELECT count(*) FROM poi") == 10)
    #expect(try store.integer("SELECT count(*) FROM poikit_checkpoint") == 1)
  }

  @Test(arguments: [1, 2, 3])
  func `bytes read before the stop are kept`(jobCount: Int) throws {
    let wish = Wish()
    let store = try Store.inMemory()
    var session = try ImportSession(
      into: store, model: .poi, options: ImportFixture.options(batchSize: 4, jobCount: jobCount)
    ) { _ in wish.isStop ? .stop : .proceed }
    var source = BrokenSource(ImportFixture.pois(0..<6), wish: wish)
    try session.importAll(from: &source)
    let report = try session.finish()
    #expect(report.ending == .stopped && report.counters.read == 6)
    _ = consume session
    #expect(try store.integer("SELECT count(*) FROM poi") == 6)
  }

  @Test(arguments: [1, 2, 3])
  func `a run whose input cannot be read further fails`(jobCount: Int) throws {
    let store = try Store.inMemory()
    var session = try ImportSession(
      into: store, model: .poi, options: ImportFixture.options(batchSize: 4, jobCount: jobCount))
    var source = BrokenSource(ImportFixture.pois(0..<6))
    #expect(throws: StoreError.self) { try session.importAll(from: &source) }
    // The input has not ended, so the run cannot be finished.
    #expect(throws: StoreError.self) { _ = try session.finish() }
    _ = consume session
    #expect(
      try store.integer("SELECT count(*) FROM poikit_run WHERE state = 'failed'") == 1)
    #expect(try store.integer("SELECT count(*) FROM poi") == 4)
    #expect(try store.integer("SELECT count(*) FROM poikit_checkpoint") == 1)
  }

  @Test(arguments: [1, 2])
  func `a session that failed to commit a batch commits no other`(jobCount: Int) throws {
    var options = ImportFixture.options(batchSize: 4, jobCount: jobCount)
    // A device that is always full accepts no rejects.
    options.rejectFile = "/dev/full"
    let store = try Store.inMemory()
    var session = try ImportSession(into: store, model: .poi, options: options)
    #expect(throws: StoreError.self) {
      try session.append(Array(("{}\n" + ImportFixture.pois(0..<20)).utf8).span)
    }
    #expect(throws: StoreError.self) {
      try session.append(Array(ImportFixture.pois(20..<40).utf8).span)
    }
    for _ in 0..<2 { #expect(throws: StoreError.self) { _ = try session.finish() } }
    _ = consume session
    #expect(try store.integer("SELECT count(*) FROM poi") == 3)
    #expect(try store.integer("SELECT count(*) FROM poikit_checkpoint") == 1)
    #expect(
      try store.integer("SELECT count(*) FROM poikit_run WHERE state = 'finished'") == 0)
  }

  @Test(arguments: [1, 2])
  func `a run that failed at its last batch is not finished`(jobCount: Int) throws {
    var options = ImportFixture.options(batchSize: 4, jobCount: jobCount)
    options.rejectFile = "/dev/full"
    let store = try Store.inMemory()
    var session = try ImportSession(into: store, model: .poi, options: options)
    try session.append(Array((ImportFixture.pois(0..<2) + "{}\n").utf8).span)
    for _ in 0..<2 { #expect(throws: StoreError.self) { _ = try session.finish() } }
    _ = consume session
    #expect(
      try store.integer("SELECT count(*) FROM poikit_run WHERE state = 'finished'") == 0)
  }

  @Test func `a session that is dropped ends its thread`() throws {
    let text = ImportFixture.pois(0..<3_000)
    for _ in 0..<TestLength.count(15, long: 50) {
      var session = try ImportSession(
        into: .inMemory(), model: .poi,
        options: ImportFixture.options(batchSize: 1_000, jobCount: 2))
      try session.beginInput(named: "bytes", byteCount: text.utf8.count)
      try session.append(text.utf8Span.span)
    }
  }

  @Test(arguments: [false, true])
  func `a session that is ended twice returns the same report twice`(isSnapshot: Bool) throws {
    var options = ImportOptions()
    options.isSnapshot = isSnapshot
    var session = try ImportSession(into: .inMemory(), model: .poi, options: options)
    try session.append(Array(ImportFixture.pois(0..<3).utf8).span)
    let first = try session.finish()
    let second = try session.finish()
    #expect(first.counters.inserted == 3)
    #expect("\(first)" == "\(second)")
  }

  @Test(arguments: [-1, .nan] as [Double])
  func `a limit of rejects, removals or records is a number and not negative`(value: Double) throws
  {
    for limit in [\ImportOptions.rejectLimit, \.removalLimit] {
      var options = ImportOptions()
      options[keyPath: limit] = .percent(value)
      let error = #expect(throws: StoreError.self) {
        _ = try ImportSession(checking: .poi, options: options)
      }
      #expect(error?.code == .invalidOptions)
    }
    var options = ImportOptions()
    options.recordLimit = -1
    #expect(throws: StoreError.self) { _ = try ImportSession(checking: .poi, options: options) }
    options = ImportOptions()
    options.rejectLimit = .count(-1)
    #expect(throws: StoreError.self) { _ = try ImportSession(checking: .poi, options: options) }
    for shard in [ImportOptions.Shard(-1, of: 2), .init(2, of: 2), .init(0, of: 0)] {
      options = ImportOptions()
      options.shard = shard
      #expect(throws: StoreError.self) { _ = try ImportSession(checking: .poi, options: options) }
    }
    options = ImportOptions()
    options.shard = .init(0, of: 2)
    options.isSnapshot = true
    let store = try Store.inMemory()
    #expect(throws: StoreError.self) {
      _ = try ImportSession(into: store, model: .poi, options: options)
    }
  }

  @Test(arguments: [1, 2])
  func `a session that has failed throws the same again`(jobCount: Int) throws {
    var options = ImportOptions()
    options.jobCount = jobCount
    for text in ["[{\"name\":\"a\"}}}}} {", "["] {
      var session = try ImportSession(into: .inMemory(), model: .poi, options: options)
      var messages: Set<String> = []
      for _ in 0..<2 {
        var source = BytesSource(Array(text.utf8), name: "bad")
        do { try session.importAll(from: &source) } catch { messages.insert(error.message) }
      }
      do throws(StoreError) { try session.append(Array("[".utf8).span) } catch {
        messages.insert(error.message)
      }
      do throws(StoreError) { try session.endInput() } catch { messages.insert(error.message) }
      do throws(StoreError) { try session.beginInput(named: "x") } catch {
        messages.insert(error.message)
      }
      do throws(StoreError) { _ = try session.finish() } catch { messages.insert(error.message) }
      #expect(messages.count == 1 && messages.first?.hasPrefix("bad:") == true, "\(messages)")
    }
  }

  @Test func `the search for records in an input can be stopped`() throws {
    let member = #""n":"\#(String(repeating: "x", count: 1 << 20))","#
    let text = "{\(String(repeating: member, count: 4))\"pois\":[{\"name\":\"a\"}]}"
    var source = BytesSource(Array(text.utf8), name: "large")
    var askedAt: [Int] = []
    var session = try ImportSession(into: .inMemory(), model: .poi) { progress in
      askedAt.append(progress.completedCount)
      return askedAt.count == 2 ? .stop : .proceed
    }
    try session.importAll(from: &source)
    let report = try session.finish()
    #expect(report.ending == .stopped && report.counters.read == 0)
    #expect(askedAt.count == 2 && askedAt[1] < 3 << 20, "\(askedAt)")
  }
}
