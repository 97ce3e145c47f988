import POISQLite
import POITestSupport
import StoreFaults
import Testing

@testable import POIKit
@testable import POIRecords

/// Budgets for the syncs of SQLite, independent of machine and clock. Syncs of names in the folder
/// come on top, at most three.
@Suite struct SyncCountTests {
  private static func count(_ body: () throws -> Void) rethrows -> Int {
    // Each of them "fails" without an error.
    store_faults_arm(STORE_FAULT_SYNC, 1, 0, true)
    defer { _ = store_faults_disarm() }
    try body()
    return store_faults_disarm()
  }

  /// Imports records, a fourth of them with the key of another one.
  private static func importRecords(
    _ count: Int, into path: String, elapsed: @escaping @Sendable () -> Duration
  ) throws {
    var options = ImportOptions()
    options.jobCount = 1
    options.elapsed = elapsed
    options.inputNames = ["records"]
    var session = try ImportSession(into: Store(path), model: model(), options: options)
    try session.beginInput(named: "records")
    for start in stride(from: 0, to: count, by: 50) {
      let records = (start..<min(start + 50, count)).map {
        #"{"id":"\#($0 % (count / 4 * 3))","at":\#($0)}"# + "\n"
      }
      try session.append(Array(records.joined().utf8).span)
    }
    let report = try session.finish()
    #expect(report.counters.inserted == count)
  }

  private static func deduplicate(
    _ path: String, elapsed: @escaping @Sendable () -> Duration
  ) throws {
    var options = DeduplicationOptions()
    options.enforcement = .index
    var deduplicator = Deduplicator(layout: try TableLayout(model()), options: options)
    deduplicator.elapsed = elapsed
    let report = try Store(path, for: .existing).deduplicate(deduplicator)
    #expect(report.isFinished && report.createdIndex)
  }

  private static func model() throws -> Model {
    try Model(
      parsing: #"""
        {"x-table":"note","x-key":"id","x-timestamp":"at",
         "properties":{"id":{"type":"string"},"at":{"type":"integer","x-unit":"seconds"}}}
        """#)
  }

  @Test func `a new store syncs five times, mostly for its first page and its end`() async {
    await #expect(processExitsWith: .success) {
      try #require(store_faults_install())
      let folder = try ScratchFolder()
      // The journal and the first page, the beginning of the log, and log and store at the end.
      #expect(try Self.count { _ = try Store(folder.file("new.sqlite")) } == 5)
      #expect(try Self.count { _ = try Store(folder.file("new.sqlite")) } == 0)
    }
  }

  /// One sync per batch of 5,000, one for the end of the input, and five for the store as above.
  @Test(arguments: [10_000, 100_000])
  func `an import syncs once per 5,000 records if no time passes`(count: Int) async {
    await #expect(processExitsWith: .success) { [count] in
      try #require(store_faults_install())
      let folder = try ScratchFolder()
      let syncs = try Self.count {
        try Self.importRecords(count, into: folder.file("s.sqlite")) { .zero }
      }
      #expect(syncs == count / 5_000 + 6, "\(syncs)")
    }
  }

  @Test func `an import syncs once per 500 records if each is slow`() async {
    await #expect(processExitsWith: .success) {
      try #require(store_faults_install())
      let folder = try ScratchFolder()
      let clock = PassingClock(.milliseconds(100))
      let syncs = try Self.count {
        try Self.importRecords(10_000, into: folder.file("s.sqlite"), elapsed: clock.now)
      }
      #expect(syncs == 10_000 / 500 + 6, "\(syncs)")
    }
  }

  /// The beginning of the log, each batch, and log and store at the end.
  @Test(arguments: [(10_000, 4), (30_000, 5)])
  func `a deduplication syncs once per 5,000 losers if no time passes`(
    count: Int, expected: Int
  ) async {
    await #expect(processExitsWith: .success) { [count, expected] in
      try #require(store_faults_install())
      let folder = try ScratchFolder()
      let path = folder.file("s.sqlite")
      try Self.importRecords(count, into: path) { .zero }
      let syncs = try Self.count { try Self.deduplicate(path) { .zero } }
      #expect(syncs == expected, "\(syncs)")
    }
  }

  @Test func `commits that did not wait reach the disk, also with a reader`() async {
    await #expect(processExitsWith: .success) {
      try #require(store_faults_install())
      let folder = try ScratchFolder()
      let writer = try Connection(path: folder.file("t.sqlite"))
      try writer.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (n)")
      let reader = try Connection(path: folder.file("t.sqlite"), access: .readOnly)
      for isRead in [false, true] {
        if isRead {
          try reader.begin(.deferred)
          #expect(try reader.integer("SELECT count(*) FROM t") == 1)
        }
        #expect(
          try Self.count {
            try writer.withoutWaitingForDisk {
              try writer.execute("INSERT INTO t VALUES (1)")
            }
          } <= 1, "the beginning of the log at most")
        // Log and database; only the log if the reader blocks the copy.
        #expect(try Self.count { try writer.syncToDisk() } == (isRead ? 1 : 2))
      }
      #expect(try reader.integer("SELECT count(*) FROM t") == 1)
    }
  }

  @Test func `import, deduplication and enforcing of 10,000 records sync twelve times`() async {
    await #expect(processExitsWith: .success) {
      try #require(store_faults_install())
      let folder = try ScratchFolder()
      let path = folder.file("s.sqlite")
      let syncs = try Self.count {
        try Self.importRecords(10_000, into: path) { .zero }
        try Self.deduplicate(path) { .zero }
      }
      #expect(syncs == 12, "\(syncs)")
    }
  }
}
