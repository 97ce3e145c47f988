import Glibc
import JSONStreaming
import POIKitTestSupport
import POISQLite
import POITestSupport
import Synchronization
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct StoreTests {
  /// A killed process or a power cut leaves any prefix of the write-ahead log of a new store.
  @Test func `a store that was left before its first batch can be imported into`() throws {
    let folder = try ScratchFolder()
    let store = try Store(folder.file("new.sqlite"))
    try store.prepareTables(for: .poi)
    _ = try store.withConnection {
      try RunRecord.begin(
        tool: RunRecord.importTool, table: Model.poi.table, started: Instant(microseconds: 0),
        options: .object([]), in: $0)
    }
    let file = try folder.bytes("new.sqlite")
    let log = try folder.bytes("new.sqlite-wal")
    let frameSize = Store.pageSize + 24
    #expect(file.count == Store.pageSize)
    #expect(log.count > 10 * frameSize)

    var lengths = Array(stride(from: 32, through: log.count, by: frameSize))
    lengths += [0, 31, 32 + 100, 32 + frameSize * 5 / 2, log.count - 1]
    for (index, length) in lengths.enumerated() {
      let name = "left-\(index).sqlite"
      try folder.write(file, to: name)
      try folder.write(Array(log.prefix(length)), to: name + "-wal")
      try Self.expectImport(into: folder.file(name), "\(length) bytes of the log")
    }
  }

  @Test(arguments: [Store.Opening.create, .existing, .readOnly])
  func `an empty file becomes a store unless it is only to be read`(opening: Store.Opening) throws {
    let folder = try ScratchFolder()
    let path = try folder.write("", to: "new.sqlite")
    guard opening == .readOnly else {
      #expect(try Store(path, for: opening).tables().isEmpty)
      return
    }
    let error = #expect(throws: StoreError.self) { _ = try Store(path, for: opening) }
    #expect(error?.code == .notAStore)
    #expect(error?.message == "\(path): the file is empty, not a store yet; import into it first")
    #expect(try folder.bytes("new.sqlite").isEmpty)
  }

  @Test func `a model whose table was never created is reported`() throws {
    let model = try Model(
      parsing: #"""
        {"x-table":"t","x-key":"id","x-timestamp":"at","x-tombstone":{"attribute":"gone",
         "removal":"delete"},"properties":{"id":{"type":"string"},"at":{"type":"integer","x-unit":"seconds"},
         "gone":{"type":"boolean"}}}
        """#)
    let store = try Store.inMemory()
    let digest = #expect(throws: StoreError.self) { _ = try store.digest(of: model) }
    #expect(digest?.code == .noSuchTable)
    #expect(
      digest?.message
        == "store in memory: the store has no table of records \"t\"; it has none")
    let purge = #expect(throws: StoreError.self) {
      _ = try store.purgeTombstones(of: model, olderThan: .seconds(Int64.max))
    }
    #expect(purge?.code == .noSuchTable)
    #expect(try store.integer("SELECT count(*) FROM poikit_run") == 0)
  }

  @Test func `a run is in the store with its first batch, or not at all`() throws {
    let folder = try ScratchFolder()
    var options = ImportOptions()
    options.batchSize = 1
    var session = try ImportSession(
      into: Store(folder.file("new.sqlite")), model: .poi, options: options)
    try session.append(
      Array(#"[{"identifier":"1975DB51-5A45-4FD6-AC54-46CA6042C710"},{}]"#.utf8).span)
    let file = try folder.bytes("new.sqlite")
    let log = try folder.bytes("new.sqlite-wal")
    _ = consume session

    var runCounts: Set<Int64> = []
    for length in stride(from: 32, through: log.count, by: Store.pageSize + 24) {
      try folder.write(file, to: "left.sqlite")
      try folder.write(Array(log.prefix(length)), to: "left.sqlite-wal")
      let left = try Store(folder.file("left.sqlite"))
      runCounts.insert(try left.integer("SELECT count(*) FROM poikit_run") ?? -1)
      #expect(
        try left.integer(
          "SELECT count(*) FROM poikit_run WHERE id NOT IN (SELECT run FROM poikit_checkpoint)")
          == 0)
    }
    #expect(runCounts == [0, 1])
  }

  @Test(arguments: [0, 4_096, Store.pageSize])
  func `a store of which only the first page was begun can be imported into`(
    byteCount: Int
  ) throws {
    let folder = try ScratchFolder()
    let store = try Store(folder.file("new.sqlite"))
    let file = try folder.bytes("new.sqlite")
    try folder.write(Array(file.prefix(byteCount)), to: "left.sqlite")
    try Self.expectImport(into: folder.file("left.sqlite"), "\(byteCount) bytes of \(store.path)")
  }

  @Test func `a new store has a write-ahead log and waits for the disk at every commit`() throws {
    let folder = try ScratchFolder()
    for _ in 0..<2 {
      let store = try Store(folder.file("a.sqlite"))
      try store.prepareTables(for: .poi)
      #expect(try store.text("PRAGMA journal_mode") == "wal")
      #expect(try store.integer("PRAGMA synchronous") == 2)
      #expect(try store.integer("PRAGMA page_size") == Int64(Store.pageSize))
      #expect(try store.text("PRAGMA integrity_check") == "ok")
    }
  }

  @Test func `two programs that make one store at once both have it`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    // Both have found an empty file before the other began.
    let first = try Connection(path: path)
    let second = try Connection(path: path)
    #expect(try second.integer("SELECT count(*) FROM sqlite_schema") == 0)
    let one = try Store(first, path: path, for: .create)
    let other = try Store(second, path: path, for: .create)
    try one.prepareTables(for: .poi)
    try other.prepareTables(for: .poi)
    #expect(try other.tables() == ["poi"])
    #expect(try other.text("PRAGMA journal_mode") == "wal")
  }

  @Test func `a new file that another program holds is waited for`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    let holder = try Connection(path: path)
    try holder.begin(.immediate)
    let opening = try SystemThread { _ = try? Store(path) }
    usleep(100_000)
    holder.rollback()
    opening.join()
    #expect(try holder.integer("PRAGMA application_id") == Store.applicationID)
  }

  @Test func `threads that make one store at once all have it`() throws {
    final class Failures: Sendable {
      let messages = Mutex<[String]>([])
    }
    let folder = try ScratchFolder()
    let failures = Failures()
    for round in 0..<40 {
      let path = folder.file("\(round).sqlite")
      let work: @Sendable () -> Void = {
        do {
          let store = try Store(path)
          try store.prepareTables(for: .poi)
        } catch {
          failures.messages.withLock { $0.append("\(error)") }
        }
      }
      let other = try SystemThread(work)
      work()
      other.join()
    }
    #expect(failures.messages.withLock { $0 } == [])
  }

  @Test func `a store is distinguished from another program's database`() throws {
    let folder = try ScratchFolder()
    try Connection(path: folder.file("app.db")).execute("CREATE TABLE t (a)")
    guard
      case .foreign(let connection) = try Store.Database(
        path: folder.file("app.db"), for: .existing)
    else {
      Issue.record("it is taken for a store")
      return
    }
    #expect(try connection.integer("PRAGMA synchronous") == 3)
    #expect(throws: StoreError.self) { _ = try Store(folder.file("app.db"), for: .existing) }
    try Store(folder.file("a.sqlite")).prepareTables(for: .poi)
    guard
      case .store(let store) = try Store.Database(
        path: folder.file("a.sqlite"), for: .existing)
    else {
      Issue.record("it is not taken for a store")
      return
    }
    #expect(store.path == folder.file("a.sqlite"))
    #expect(try store.integer("SELECT count(*) FROM poi") == 0)
  }

  /// The statements that another program ran.
  @Test(
    arguments: [
      "CREATE TABLE t (a)", "PRAGMA application_id = 7", "PRAGMA user_version = 5",
      "PRAGMA journal_mode = WAL; PRAGMA user_version = 5; CREATE TABLE t (a)",
    ] as [SQL])
  func `another program's database becomes a store if it is opened as a shared one`(
    content: SQL
  ) throws {
    let folder = try ScratchFolder()
    let path = folder.file("app.db")
    let app = try Connection(path: path)
    try app.execute(content)
    func settings() throws -> [String?] {
      try [
        "PRAGMA application_id", "PRAGMA user_version", "PRAGMA journal_mode", "PRAGMA page_size",
        "SELECT group_concat(name) FROM sqlite_schema WHERE name NOT GLOB '*poi*' AND name <> 'category' AND name NOT GLOB 'sqlite_*'",
      ].map { try app.text($0) }
    }
    func isStore() throws -> Bool {
      if case .store = try Store.Database(path: path, for: .readOnly) { return true }
      return false
    }
    let before = try settings()
    for opening in [Store.Opening.create, .existing, .readOnly] {
      let error = #expect(throws: StoreError.self) { _ = try Store(path, for: opening) }
      #expect(error?.code == .notAStore)
    }
    guard case .foreign = try Store.Database(path: path, for: .shared) else {
      Issue.record("it is taken for a store")
      return
    }
    #expect(try app.integer("SELECT count(*) FROM sqlite_schema WHERE name GLOB 'poi*'") == 0)
    let store = try Store(path, for: .shared)
    #expect(try store.tables().isEmpty)
    // The bookkeeping alone, which an archive has, too, does not make a store.
    #expect(try !isStore())
    try store.prepareTables(for: .poi)
    #expect(try isStore())
    for opening in [Store.Opening.create, .existing, .shared, .readOnly] {
      let store = try Store(path, for: opening)
      #expect(try store.tables() == ["poi"])
      // A commit waits for the disk also without a write-ahead log.
      if opening != .readOnly { #expect(try store.integer("PRAGMA synchronous") == 3) }
    }
    #expect(try settings() == before)
    try app.execute("DROP TABLE poikit_journal")
    #expect(try !isStore())
  }

  @Test func `an empty file becomes a store of its own, shared or not`() throws {
    let folder = try ScratchFolder()
    let store = try Store(folder.file("new.sqlite"), for: .shared)
    #expect(try store.integer("PRAGMA application_id") == Store.applicationID)
    #expect(try store.text("PRAGMA journal_mode") == "wal")
  }

  @Test
  func `an unnamed table is the only one, and a missing or damaged model is reported`() throws {
    func message(_ store: Store, _ table: String? = nil) -> String? {
      do {
        _ = try store.model(ofTable: table)
        return nil
      } catch { return error.message }
    }
    let store = try Store.inMemory()
    #expect(message(store)?.contains("holds no records") == true)
    #expect(message(store, "poi")?.contains("it has none") == true)
    try store.prepareTables(for: .poi)
    #expect(message(store) == nil)
    try store.prepareTables(for: Model(parsing: #"{"x-table":"t","properties":{"a":{}}}"#))
    #expect(message(store)?.contains("several tables, poi, t") == true)
    #expect(message(store, "u")?.contains("it has poi, t") == true)
    try store.execute("UPDATE poikit_table SET model = '{' WHERE name = 't'")
    #expect(message(store, "t")?.contains("the model of the table \"t\"") == true)
  }

  private static func expectImport(into path: String, _ comment: Comment) throws {
    let store = try Store(path)
    var session = try ImportSession(into: store, model: .poi)
    try session.append(Array(ImportFixture.pois(0..<3).utf8).span)
    #expect(try session.finish().counters.inserted == 3, comment)
    #expect(try store.integer("SELECT count(*) FROM poi") == 3, comment)
    #expect(
      try store.integer("SELECT count(*) FROM poikit_run WHERE state = 'finished'") == 1,
      comment)
    #expect(try store.text("PRAGMA integrity_check") == "ok", comment)
  }

  @Test func `a store is not saved over a file that is there`() throws {
    let folder = try ScratchFolder()
    let store = try Store(folder.file("a.sqlite"))
    try store.prepareTables(for: .poi)
    try store.save(to: folder.file("b.sqlite"))
    let before = try folder.bytes("b.sqlite")
    let error = #expect(throws: StoreError.self) { try store.save(to: folder.file("b.sqlite")) }
    #expect(error?.code == .database)
    #expect(try folder.bytes("b.sqlite") == before)
    #expect(throws: StoreError.self) { try store.save(to: folder.file("none/c.sqlite")) }
    let empty = try folder.write("", to: "empty")
    #expect(throws: StoreError.self) { try store.save(to: empty) }
    #expect(try folder.bytes("empty").isEmpty)
  }

  @Test func `a store is saved at the path, even if the name is special to SQLite`() async {
    await #expect(processExitsWith: .success) {
      let folder = try ScratchFolder()
      #expect(unsafe chdir(folder.path) == 0)
      let store = try Store(folder.file("a.sqlite"))
      try store.prepareTables(for: .poi)
      for name in [":memory:", "file:x.sqlite", "file:y.sqlite?mode=memory", ":"] {
        try store.save(to: name)
        let saved = try Store(folder.file(name), for: .readOnly)
        #expect(try saved.tables() == ["poi"])
      }
      #expect(!Files.names(in: folder.path).contains("x.sqlite"))
      for name in ["", "a\0b"] {
        #expect(throws: StoreError.self) { try store.save(to: name) }
      }
    }
  }

  @Test func `a table keeps another version of its model, unless an import is unfinished`() throws {
    let store = try MergeStore()
    #expect(try store.run([#"{"id":1}"#], .newest).counters.inserted == 1)
    func model(_ ties: TieRule) throws -> Model {
      var overrides = Model.Overrides()
      overrides.ties = ties
      return try store.model.with(overrides)
    }
    try store.store.keep(model(.later))
    #expect(try store.store.model(ofTable: "note").ties == .later)
    let later = try MergeStore(model(.later).document, store: store.store)
    var options = ImportOptions()
    (options.batchSize, options.jobCount) = (1, 1)
    let stopped = try later.run((2...4).map { #"{"id":\#($0)}"# }, options) { _ in .stop }
    #expect(stopped.canBeResumed)
    let error = #expect(throws: StoreError.self) { try store.store.keep(model(.digest)) }
    #expect(error?.code == .modelDiffers)
    #expect(try store.store.model(ofTable: "note").ties == .later)
  }
}
