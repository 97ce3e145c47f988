import Glibc
import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIFiles
@testable import POIKit
@testable import POIRecords

/// Imports whose table another program changes while they run.
@Suite struct ImportInterferenceTests {
  /// A change by another program to the table of `poi`.
  enum Interference: CaseIterable {
    case enforcesKey, givesKeyUp, changesModel, keepsTimes, tracks, refusesRecords

    /// The message of the import about it.
    var message: String {
      switch self {
      case .enforcesKey, .givesKeyUp: "changed which key is enforced"
      case .changesModel: "changed the model"
      case .keepsTimes: "keep the times"
      case .tracks: "began or ended the tracking"
      case .refusesRecords: "refuse records"
      }
    }

    /// Whether the import can be resumed after it.
    var allowsResumption: Bool { [.keepsTimes, .tracks, .refusesRecords].contains(self) }

    /// Creates what the interference changes.
    func prepare(_ feed: borrowing FeedStore) throws {
      try feed.take(ImportFixture.poi(100))
      guard [.givesKeyUp, .keepsTimes, .tracks].contains(self) else { return }
      try feed.deduplicate(ImportInterferenceTests.enforcing)
    }

    func happen(to feed: borrowing FeedStore) throws {
      switch self {
      case .enforcesKey:
        try feed.deduplicate(ImportInterferenceTests.enforcing)
      case .givesKeyUp:
        _ = try Store(feed.path).undo()
      case .changesModel:
        try Store(feed.path).prepareTables(for: ImportInterferenceTests.changedModel())
      case .keepsTimes:
        let store = try Store(feed.path)
        try store.withConnection { try PropertyTimes.keep(in: "poi", of: $0) }
      case .tracks: try Store(feed.path).track()
      case .refusesRecords:
        try feed.execute("CREATE UNIQUE INDEX place ON poi (name, identifier)")
      }
    }
  }

  static var enforcing: DeduplicationOptions {
    var options = DeduplicationOptions()
    options.enforcement = .index
    return options
  }

  /// The model `poi` with one more attribute.
  static func changedModel() throws -> Model {
    guard case .object(var members) = try JSONValue(parsing: Model.poi.document),
      let index = members.firstIndex(where: { $0.name == "properties" }),
      case .object(var properties) = members[index].value
    else { preconditionFailure("a model is an object") }
    properties.append(JSONValue.Member(name: "phone", value: .object(["type": .string("string")])))
    members[index] = JSONValue.Member(name: "properties", value: .object(properties))
    return try Model(parsing: JSONValue.object(members).description)
  }

  static let text = (0..<6).map { ImportFixture.poi($0) }.joined()

  @Test(arguments: Interference.allCases, [0, Int.max])
  func `an import stores nothing if the table changes before the first batch`(
    interference: Interference, directRecordLimit: Int
  ) throws {
    let feed = try FeedStore(.poi)
    try interference.prepare(feed)
    var options = ImportOptions()
    options.directRecordLimit = directRecordLimit
    var session = try ImportSession(into: Store(feed.path), model: .poi, options: options)
    try interference.happen(to: feed)
    let error = #expect(throws: StoreError.self) {
      try session.append(Array(Self.text.utf8).span)
      _ = try session.finish()
    }
    #expect(error?.message.contains(interference.message) == true)
    #expect(error?.message.contains("import again") == true)
    _ = consume session
    #expect(try feed.rows("SELECT count(*) FROM poi") == ["1"])
    #expect(try feed.rows("SELECT count(*) FROM poikit_reject") == ["0"])
    guard interference != .changesModel else { return }
    #expect(try feed.take(Self.text, options: options).counters.inserted == 6)
  }

  @Test(arguments: Interference.allCases)
  func `an import keeps its batches and stops if the table changes between two`(
    interference: Interference
  ) throws {
    let feed = try FeedStore(.poi)
    try interference.prepare(feed)
    var options = ImportOptions()
    options.batchSize = 2
    options.jobCount = 1
    var session = try ImportSession(into: Store(feed.path), model: .poi, options: options)
    let half = Self.text.utf8.count / 2
    try session.append(Array(Self.text.utf8.prefix(half)).span)
    #expect(try feed.rows("SELECT count(*) FROM poi") == ["3"])
    try interference.happen(to: feed)
    let error = #expect(throws: StoreError.self) {
      try session.append(Array(Self.text.utf8.dropFirst(half)).span)
      _ = try session.finish()
    }
    let advice: Advice = interference.allowsResumption ? .resume : .restart
    #expect(error?.message.contains(interference.message) == true)
    #expect(error?.advice == [advice])
    _ = consume session
    #expect(try feed.rows("SELECT count(*) FROM poi") == ["3"])
    guard interference.allowsResumption else { return }
    options.isResuming = true
    var resumed = try ImportSession(into: Store(feed.path), model: .poi, options: options)
    try resumed.append(Array(Self.text.utf8).span)
    #expect(try resumed.finish().counters.inserted == 6)
  }

  @Test func `a landing import reports that another process restarted it`() throws {
    let feed = try FeedStore(.poi)
    try feed.take(ImportFixture.poi(0))
    try feed.deduplicate(Self.enforcing)
    let text = (0..<20).map { ImportFixture.poi($0) }.joined()
    var options = ImportOptions()
    options.batchSize = 5
    options.directRecordLimit = 0
    options.jobCount = 1
    var session = try ImportSession(into: Store(feed.path), model: .poi, options: options)
    let half = text.utf8.count / 2
    try session.append(Array(text.utf8.prefix(half)).span)
    var again = options
    again.isRestarting = true
    var second = try ImportSession(into: Store(feed.path), model: .poi, options: again)
    try second.append(Array(text.utf8).span)
    #expect(try second.finish().counters.inserted == 19)
    let error = #expect(throws: StoreError.self) {
      try session.append(Array(text.utf8.dropFirst(half)).span)
      _ = try session.finish()
    }
    #expect(
      error?.message.contains("another process continued this import or began it again") == true,
      "\(error?.message ?? "")")
    #expect(try feed.rows("SELECT count(*) FROM poi") == ["20"])
  }

  @Test(arguments: [4, 7])
  func `of two processes that resume one import the second stops`(count: Int) throws {
    let feed = try FeedStore(.poi)
    let text = (0..<6).map { ImportFixture.poi($0) }.joined()
    var options = ImportOptions()
    options.batchSize = 2
    options.jobCount = 1
    try feed.take(text, options: options) { _ in .stop }
    options.isResuming = true
    var second = try ImportSession(into: Store(feed.path), model: .poi, options: options)
    let first = try feed.take(text, options: options) { progress in
      progress.counters.read < count ? .proceed : .stop
    }
    #expect(first.counters.inserted == min(count, 6))
    let run: SQL = "SELECT state, ended, counters FROM poikit_run"
    let before = try feed.rows(run)
    let error = #expect(throws: StoreError.self) {
      var source = BytesSource(Array(text.utf8), name: "input 0")
      try second.importAll(from: &source)
    }
    #expect(
      error?.message.contains("another process continued this import or began it again") == true,
      "\(error?.message ?? "")")
    #expect(try feed.rows("SELECT count(*) FROM poi") == ["\(min(count, 6))"])
    // The run belongs to the process that drives it.
    #expect(try feed.rows(run) == before)
  }

  @Test(arguments: [1, 2])
  func `an import stops if its store is moved away, and resumes when it is back`(
    jobs: Int
  ) throws {
    let feed = try FeedStore(.poi)
    var options = ImportOptions()
    options.batchSize = 2
    options.jobCount = jobs
    let away = feed.path + ".away"
    let error = #expect(throws: StoreError.self) {
      try feed.take(Self.text, options: options) { progress in
        if progress.counters.read == 2 { #expect(unsafe rename(feed.path, away) == 0) }
        return .proceed
      }
    }
    #expect(error?.code == .database)
    #expect(error?.message.contains("was moved, removed or replaced") == true)
    #expect(error?.advice == [.resume])
    #expect(unsafe rename(away, feed.path) == 0)
    let committed = try feed.rows("SELECT count(*) FROM poi")
    // The second batch may be read already when the first one is reported.
    #expect(committed == ["2"] || committed == ["4"] && jobs == 2)
    options.isResuming = true
    #expect(try feed.take(Self.text, options: options).counters.read == 6)
    #expect(try feed.rows("SELECT count(*) FROM poi") == ["6"])
  }

  @Test func `the digest of another model is not remembered`() throws {
    let feed = try FeedStore(.poi)
    try feed.take(Self.text)
    let changed = try Self.changedModel()
    let store = try Store(feed.path)
    try Store(feed.path).prepareTables(for: changed)
    let sum = try store.digest(of: .poi).digest
    let version = try store.dataVersion()
    let lease = try store.lease()
    _ = try lease.digestAfterImport(countedAs: sum, of: .poi, since: version)
    let remembered = RememberedDigest(TableLayout(contentOf: changed), in: lease.connection)
    let digest = try remembered.read()
    #expect(digest == nil)
  }
}
