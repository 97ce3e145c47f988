import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIFiles
@testable import POIKit

/// How stopped imports continue, and what happens if other programs use the store meanwhile.
@Suite struct ImportSessionResumptionTests {
  @Test func `the progress closure stops a run at a batch boundary and it resumes`() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(
      (0..<20).map { ImportFixture.poi($0) }.joined(), to: "data.ndjson")
    let whole = try ImportFixture.importText(
      (0..<20).map { ImportFixture.poi($0) }.joined(), model: .poi)
    var options = ImportOptions()
    options.batchSize = 3
    var session = try ImportSession(
      into: Store(folder.file("s.sqlite")), model: .poi, options: options
    ) { $0.counters.read >= 6 ? .stop : .proceed }
    var source = try FileSource(path: path)
    try session.importAll(from: &source)
    let stopped = try session.finish()
    #expect(stopped.ending == .stopped && stopped.counters.read == 6)
    _ = consume session

    var again = try ImportSession(
      into: Store(folder.file("s.sqlite")), model: .poi, options: options)
    var second = try FileSource(path: path)
    let refusal = #expect(throws: StoreError.self) { try again.importAll(from: &second) }
    #expect(refusal?.code == .unfinishedRun)
    _ = consume again

    options.isResuming = true
    let store = try Store(folder.file("s.sqlite"))
    var resumed = try ImportSession(
      into: store, model: .poi, options: options)
    var third = try FileSource(path: path)
    try resumed.importAll(from: &third)
    let report = try resumed.finish()
    #expect(report.resumedAt == 6 && report.counters.read == 20)
    #expect(report.digest == whole.report.digest)
    #expect(try ImportFixture.rows(of: store, model: .poi) == whole.rows)
  }

  @Test func `a resumed run names all inputs that it had begun`() throws {
    let folder = try ScratchFolder()
    let first = try folder.write((0..<10).map { ImportFixture.poi($0) }.joined(), to: "a")
    let second = try folder.write(
      (10..<20).map { ImportFixture.poi($0) }.joined() + "{}\n{}", to: "b")
    var options = ImportOptions()
    options.batchSize = 4
    options.rejectLimit = .count(0)
    var session = try ImportSession(
      into: Store(folder.file("s")), model: .poi, options: options)
    var whole = try FileSource(path: first)
    var damaged = try FileSource(path: second)
    try session.importAll(from: &whole)
    #expect(throws: StoreError.self) { try session.importAll(from: &damaged) }
    _ = consume session

    options.rejectLimit = nil
    options.isResuming = true
    var short = try ImportSession(
      into: Store(folder.file("s")), model: .poi, options: options)
    var again = try FileSource(path: first)
    try short.importAll(from: &again)
    let error = #expect(throws: StoreError.self) { _ = try short.finish() }
    #expect(error?.code == .cannotResume && error?.message.contains(second) == true)
    _ = consume short

    let other = try folder.write((0..<11).map { ImportFixture.poi($0) }.joined(), to: "a")
    var changed = try ImportSession(
      into: Store(folder.file("s")), model: .poi, options: options)
    var longer = try FileSource(path: other)
    let refusal = #expect(throws: StoreError.self) { try changed.importAll(from: &longer) }
    #expect(refusal?.message.contains("it has changed") == true)
    _ = consume changed
    _ = try folder.write((0..<10).map { ImportFixture.poi($0) }.joined(), to: "a")

    var full = try ImportSession(
      into: Store(folder.file("s")), model: .poi, options: options)
    var one = try FileSource(path: first)
    var two = try FileSource(path: second)
    try full.importAll(from: &one)
    try full.importAll(from: &two)
    #expect(try full.finish().counters.inserted == 20)
  }

  @Test func `a run that failed before its first record is abandoned for the next one`() throws {
    let feed = try FeedStore(.poi)
    var options = ImportOptions()
    options.pointer = "/nowhere"
    let record = ImportFixture.poi(1)
    #expect(throws: StoreError.self) {
      try feed.take("{\"all\":[\(record)]}", options: options)
    }
    options.pointer = "/all"
    #expect(try feed.take("{\"all\":[\(record)]}", options: options).counters.inserted == 1)
    #expect(try feed.rows("SELECT count(*) FROM poikit_checkpoint") == ["0"])
  }

  @Test func `the end of an input is ignored if it comes with a stop`() throws {
    let folder = try ScratchFolder()
    let text = (0..<10).map { ImportFixture.poi($0) }.joined()
    var session = try ImportSession(
      into: Store(folder.file("s")), model: .poi, onProgress: { _ in .stop })
    var cut = ImportFixture.Pipe(text.utf8.prefix(text.utf8.count / 2 + 10))
    try session.importAll(from: &cut)
    let stopped = try session.finish()
    #expect(stopped.ending == .stopped && stopped.counters.inserted == 5)
    #expect(stopped.counters.rejected == 0)
    _ = consume session
    var options = ImportOptions()
    options.isResuming = true
    var resumed = try ImportSession(
      into: Store(folder.file("s")), model: .poi, options: options)
    var whole = ImportFixture.Pipe(text.utf8)
    try resumed.importAll(from: &whole)
    #expect(try resumed.finish().counters.inserted == 10)
  }

  @Test func `two sessions cannot drive one run`() throws {
    let folder = try ScratchFolder()
    var options = ImportOptions()
    options.batchSize = 1
    options.jobCount = 1
    var first = try ImportSession(
      into: Store(folder.file("s")), model: .poi, options: options)
    try first.append(Array((ImportFixture.poi(1) + ImportFixture.poi(2)).utf8).span)
    options.isResuming = true
    let store = try Store(folder.file("s"))
    var second = try ImportSession(
      into: store, model: .poi, options: options)
    try second.append(Array((0..<4).map { ImportFixture.poi($0 + 1) }.joined().utf8).span)
    let error = #expect(throws: StoreError.self) {
      try first.append(Array((0..<3).map { ImportFixture.poi($0 + 3) }.joined().utf8).span)
    }
    #expect(error?.message.contains("another process") == true)
    _ = try second.finish()
    #expect(try store.integer("SELECT count(*) FROM poi") == 4)
  }

  @Test(arguments: [true, false])
  func `a session that another one ended or began again writes nothing more`(
    isResumed: Bool
  ) throws {
    let folder = try ScratchFolder()
    let records = (0..<6).map { ImportFixture.poi($0) }
    var options = ImportOptions()
    options.batchSize = 1
    options.jobCount = 1
    var first = try ImportSession(
      into: Store(folder.file("s")), model: .poi, options: options)
    try first.append(Array((records[0] + records[1]).utf8).span)
    (options.isResuming, options.isRestarting) = (isResumed, !isResumed)
    let store = try Store(folder.file("s"))
    var second = try ImportSession(
      into: store, model: .poi, options: options)
    try second.append(Array(records[..<4].joined().utf8).span)
    _ = try second.finish()
    let error = #expect(throws: StoreError.self) {
      try first.append(Array(records[2...].joined().utf8).span)
    }
    #expect(error?.message.contains("another process") == true)
    #expect(try store.integer("SELECT count(*) FROM poi") == (isResumed ? 4 : 6))
    #expect(
      try store.text("SELECT group_concat(state) FROM poikit_run")
        == (isResumed ? "finished" : "abandoned,finished"))
  }

  @Test func `an input that is named twice is resumed in its first place`() throws {
    let folder = try ScratchFolder()
    let path = try folder.write((0..<10).map { ImportFixture.poi($0) }.joined(), to: "a")
    var options = ImportOptions()
    options.batchSize = 4
    var stopped = try ImportSession(
      into: Store(folder.file("s")), model: .poi, options: options, onProgress: { _ in .stop }
    )
    var once = try FileSource(path: path)
    try stopped.importAll(from: &once)
    _ = try stopped.finish()
    _ = consume stopped
    options.isResuming = true
    var resumed = try ImportSession(
      into: Store(folder.file("s")), model: .poi, options: options)
    for _ in 0..<2 {
      var source = try FileSource(path: path)
      try resumed.importAll(from: &source)
    }
    #expect(try resumed.finish().counters.inserted == 20)
  }

  @Test(arguments: [DeduplicationOptions.KeyEnforcement.index, .hash])
  func `an import stops if another program enforces the key meanwhile`(
    enforcement: DeduplicationOptions.KeyEnforcement
  ) throws {
    let feed = try FeedStore(.poi)
    let path = feed.path
    var options = ImportOptions()
    options.batchSize = 2
    options.jobCount = 1
    var enforcing = DeduplicationOptions()
    enforcing.enforcement = enforcement
    let text = (0..<6).map { ImportFixture.poi($0 / 2) }.joined()
    let error = #expect(throws: StoreError.self) {
      try feed.take(text, options: options) { progress in
        guard progress.counters.read == 2, let store = try? Store(path) else {
          return .proceed
        }
        _ = try? store.deduplicate(Deduplicator(layout: store.layout(), options: enforcing))
        return .proceed
      }
    }
    #expect(error?.message.contains("which key is enforced") == true)
    #expect(try feed.rows("SELECT count(*) FROM poi") == ["1"])
    options.isResuming = true
    let refusal = #expect(throws: StoreError.self) { try feed.take(text, options: options) }
    #expect(
      refusal?.message.contains(
        "began with the merge policy append, and this import with the merge policy newest") == true)
    options.isResuming = false
    options.isRestarting = true
    #expect(try feed.take(text, options: options).counters.inserted == 2)
  }

  /// A store with a stopped import whose checkpoint was changed.
  private static func stopped(_ change: SQL) throws -> FeedStore {
    let feed = try FeedStore(.poi)
    var options = ImportOptions()
    options.batchSize = 2
    let text = (0..<6).map { ImportFixture.poi($0) }.joined()
    _ = try feed.take(text, options: options) { _ in .stop }
    try feed.execute(change)
    return feed
  }

  @Test(arguments: [
    "UPDATE poikit_checkpoint SET state = json_set(state, '$.counters.landed', -1)",
    "UPDATE poikit_checkpoint SET generation = -1",
    "UPDATE poikit_checkpoint SET state = 'none'",
    "INSERT INTO poikit_input SELECT run, 2, name, NULL, 0, NULL, NULL FROM poikit_input",
  ])
  func `an unreadable checkpoint blocks its own inputs until a restart`(
    change: SQL
  ) throws {
    let feed = try Self.stopped(change)
    let text = (0..<6).map { ImportFixture.poi($0) }.joined()
    var options = ImportOptions()
    let refusal = #expect(throws: StoreError.self) { try feed.take(text, options: options) }
    #expect(refusal?.code == .unfinishedRun)
    #expect(refusal?.message.contains("run 1 cannot be read") == true)
    #expect(refusal?.advice == [.restart])
    options.isResuming = true
    let second = #expect(throws: StoreError.self) { try feed.take(text, options: options) }
    #expect(second?.code == .cannotResume)
    #expect(second?.message.contains("run 1 cannot be read") == true)
    #expect(second?.advice == [.restart])
    options.isResuming = false
    var session = try ImportSession(into: Store(feed.path), model: .poi, options: options)
    var other = BytesSource(Array(ImportFixture.poi(7).utf8), name: "other")
    try session.importAll(from: &other)
    #expect(try session.finish().counters.inserted == 1)
    _ = consume session
    options.isRestarting = true
    #expect(try feed.take(text, options: options).counters.inserted == 6)
    #expect(
      try feed.rows("SELECT state FROM poikit_run") == ["abandoned", "finished", "finished"])
    #expect(try feed.rows("SELECT count(*) FROM poikit_checkpoint") == ["0"])
  }

  @Test func `a checkpoint without inputs blocks no input and goes with the next restart`() throws {
    let feed = try Self.stopped("DELETE FROM poikit_input")
    var options = ImportOptions()
    #expect(try feed.take(ImportFixture.poi(1), options: options).counters.inserted == 1)
    options.isResuming = true
    let refusal = #expect(throws: StoreError.self) {
      try feed.take(ImportFixture.poi(2), options: options)
    }
    #expect(refusal?.message.contains("run 1 cannot be read") == true)
    #expect(refusal?.advice == [.restart])
    options.isResuming = false
    options.isRestarting = true
    #expect(try feed.take(ImportFixture.poi(2), options: options).counters.inserted == 1)
    #expect(try feed.rows("SELECT count(*) FROM poikit_checkpoint") == ["0"])
  }

  @Test func `inputs whose names differ only in normal form are different`() throws {
    let feed = try FeedStore(.poi)
    let text = (0..<4).map { ImportFixture.poi($0) }.joined()
    var options = ImportOptions()
    options.batchSize = 2
    var counts: [Int] = []
    for (name, isStopped) in [("caf\u{E9}", true), ("cafe\u{301}", false)] {
      var session = try ImportSession(
        into: Store(feed.path), model: .poi, options: options
      ) { _ in isStopped ? .stop : .proceed }
      var source = BytesSource(Array(text.utf8), name: name)
      try session.importAll(from: &source)
      counts.append(try session.finish().counters.inserted)
    }
    #expect(counts == [2, 4])
    options.isResuming = true
    var session = try ImportSession(into: Store(feed.path), model: .poi, options: options)
    var other = BytesSource(Array(text.utf8), name: "cafe\u{301}")
    let error = #expect(throws: StoreError.self) { try session.importAll(from: &other) }
    #expect(error?.code == .cannotResume)
  }

  @Test func `the bytes that a batch writes about inputs do not grow with their number`() throws {
    var sizes: [Int] = []
    for count in [2, 300] {
      let feed = try FeedStore(.poi)
      var options = ImportOptions()
      for isResuming in [false, true] {
        options.isResuming = isResuming
        var session = try ImportSession(
          into: Store(feed.path), model: .poi, options: options
        ) { isResuming || $0.counters.read < count ? .proceed : .stop }
        for number in 0..<count + 1 {
          var source = BytesSource(
            Array(ImportFixture.poi(number).utf8), name: "tile \(number)")
          try session.importAll(from: &source)
        }
        let report = try session.finish()
        _ = consume session
        if isResuming {
          #expect(report.inputs.map(\.name) == (0...count).map { "tile \($0)" })
          #expect(report.counters.inserted == count + 1)
          #expect(try feed.rows("SELECT count(*) FROM poikit_input") == ["0"])
        } else {
          #expect(try feed.rows("SELECT count(*) FROM poikit_input") == ["\(count)"])
          sizes += try feed.rows("SELECT length(state) FROM poikit_checkpoint").compactMap {
            Int($0)
          }
        }
      }
    }
    // The difference is the digits of some numbers.
    #expect(sizes[1] < sizes[0] + 32, "\(sizes) bytes")
  }
}
