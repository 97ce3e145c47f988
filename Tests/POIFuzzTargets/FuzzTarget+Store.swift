import Glibc
import POIKit
import POISQLite
import POITestSupport

extension FuzzTarget {
  /// The bytes of a store with records, duplicates, rejects and an archive.
  static let sound: [UInt8] = {
    do { return try soundStore() } catch { preconditionFailure("\(error)") }
  }()

  static let records = Array(
    (0..<40).map { index in
      #"{"identifier":"1975DB51-5A45-4FD6-AC54-46CA6042C7\#(10 + index % 30)","name":"a\#(index)","#
        + #""latitude":\#(index),"longitude":5.5,"updatedAt":"2026-01-01T00:00:\#(10 + index)Z","#
        + #""category":{"name":"c\#(index % 3)"}}"#
    }.joined(separator: "\n").utf8)

  private static func soundStore() throws -> [UInt8] {
    let folder = try ScratchFolder()
    let path = folder.file("sound.sqlite")
    let store = try Store(path)
    var session = try ImportSession(
      into: store, model: .poi, options: importOptions())
    try session.append(records.span)
    try session.append(Array("\n{\"name\":1}\n".utf8).span)
    _ = try session.finish()
    _ = try store.deduplicate(Deduplicator(layout: store.layout()))
    try store.save(to: folder.file("saved.sqlite"))
    return try folder.bytes("saved.sqlite")
  }

  static func importOptions() -> ImportOptions {
    var options = ImportOptions()
    options.jobCount = 1
    options.batchSize = 7
    return options
  }

  /// A store with changed bytes, or on which foreign statements ran, is refused unchanged, or used.
  /// Every use ends, at worst with an error that explains why.
  static func useStore(_ input: inout FuzzInput) throws { try withStore(from: &input, use) }

  /// Makes a store as the input says and uses it for one of eight tasks.
  static func withStore(
    from input: inout FuzzInput, _ body: (_ path: String, _ task: Int) throws -> Void
  ) throws {
    let path = newPath()
    defer { remove(path) }
    let task = input.choice(8)
    if input.choice(2) == 0 {
      var bytes = sound
      for _ in 0..<24 where !input.isAtEnd { damage(&bytes, by: &input) }
      try write(bytes, to: path)
    } else {
      try write(sound, to: path)
      prepare(path, with: input.text())
    }
    try expectingExplanation { try body(path, task) }
  }

  /// Uses a store with one damage of the kinds that a disk or a copy makes, which depends on the seed.
  static func withStore(
    damagedBySeed seed: UInt64, _ body: (_ path: String, _ task: Int) throws -> Void
  ) throws {
    let path = newPath()
    defer { remove(path) }
    var generator = SplitMix64(seed: seed)
    var bytes = sound
    let damage = FileDamage.change(&bytes, using: &generator)
    try write(bytes, to: path)
    let task = Int.random(in: 0..<8, using: &generator)
    do {
      try expectingExplanation { try body(path, task) }
    } catch {
      throw FuzzFinding(message: "\(damage), task \(task): \(error)")
    }
  }

  /// Errors of the libraries are no findings, except failed checks of their own.
  static func expectingExplanation(_ body: () throws -> Void) throws(FuzzFinding) {
    do {
      try body()
    } catch let error as FuzzFinding {
      throw error
    } catch let error as StoreError {
      try expect(error.code != .internalCheck, "\(error)")
    } catch is SQLiteError {
    } catch {
      throw FuzzFinding(message: "\(type(of: error)): \(error)")
    }
  }

  /// Changes a byte, some of them in places that matter to the file format.
  private static func damage(_ bytes: inout [UInt8], by input: inout FuzzInput) {
    let kind = input.choice(4)
    let offset: Int
    switch kind {
    case 0: offset = input.choice(100)
    case 1: offset = (input.choice(bytes.count / 8192) * 8192 + input.word() % 64) % bytes.count
    default: offset = (input.choice(256) << 16 | input.word()) % bytes.count
    }
    bytes[offset] = kind == 3 ? bytes[offset] ^ input.byte() : input.byte()
  }

  /// Runs foreign statements; failures are ignored.
  private static func prepare(_ path: String, with sql: String) {
    let lowered = sql.lowercased()
    // Statements that never end, use all memory or open other files are not findings.
    for word in ["recursive", "attach", "vacuum", "zeroblob", "randomblob", "replace", "printf"]
    where lowered.contains(word) { return }
    guard let connection = try? Connection(path: path, access: .readWrite) else { return }
    for statement in sql.split(separator: ";") {
      try? connection.execute(SQL(verbatim: String(statement)))
    }
    try? connection.execute("PRAGMA journal_mode = DELETE")
  }

  /// Opens the store; refusing it must not change its bytes.
  static func open(_ path: String, for opening: Store.Opening) throws -> Store {
    let before = try Files.bytes(of: path)
    do throws(StoreError) {
      return try Store(path, for: opening)
    } catch {
      try expect(!error.message.isEmpty, "an error without a message")
      if error.code == .notAStore || error.code == .newerFormat {
        try expect(try Files.bytes(of: path) == before, "the refused store was changed: \(error)")
      }
      throw error
    }
  }

  static func use(_ path: String, _ task: Int) throws {
    switch task {
    case 0:
      let store = try open(path, for: .readOnly)
      for table in try store.tables() {
        let model = try store.model(ofTable: table)
        _ = try store.token(of: model, source: "")
        _ = try store.digest(of: model)
      }
    case 1, 2:
      var options = importOptions()
      options.isRestarting = true
      options.mergePolicy = task == 1 ? nil : .newest
      var session = try ImportSession(into: open(path, for: .create), model: .poi, options: options)
      try session.append(records.span)
      _ = try session.finish()
    case 3, 4:
      let store = try open(path, for: .existing)
      var options = DeduplicationOptions()
      options.batchSize = 3
      options.enforcement = .index
      options.mergesLosers = task == 4
      let deduplicator = try Deduplicator(layout: store.layout(), options: options)
      _ = try store.plan(deduplicator)
      _ = try store.deduplicate(deduplicator)
    case 5:
      _ = try open(path, for: .existing).undo()
    case 6:
      let store = try open(path, for: .existing)
      _ = try store.purgeTombstones(of: store.model(), olderThan: .seconds(1))
    default:
      let connection = try Connection(path: path, access: .readWrite)
      let layout = try TableLayout(describing: "poi", in: connection, key: ["identifier"])
      _ = try Deduplicator(layout: layout).run(on: connection, clock: SystemClock.now)
    }
  }

  // MARK: Files

  /// A folder in memory if there is one.
  static let folder = unsafe access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"

  private static func newPath() -> String {
    "\(folder)/poi-fuzz-\(getpid())-\(UInt64.random(in: 0...(.max))).sqlite"
  }

  static func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { unsafe unlink(path + suffix) }
  }

  static func write(_ bytes: [UInt8], to path: String) throws(FuzzFinding) {
    remove(path)
    guard let file = unsafe fopen(path, "wbx") else {
      throw FuzzFinding(message: "cannot make \(path)")
    }
    let count = unsafe fwrite(bytes, 1, bytes.count, file)
    unsafe fclose(file)
    try expect(count == bytes.count, "cannot write \(path)")
  }
}
