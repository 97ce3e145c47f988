import Foundation
import JSONStreaming
import POIRecords
import POISQLite
import POISync
import POITestSupport
import Synchronization
import Testing

/// The server of `Samples/sync/postgres.py`, over a PostgreSQL that runs as long as the suite.
///
/// Its tests run one after the other, because a transaction of one holds back the pages of the others.
@Suite(
  .serialized, .enabled(if: PostgreSQL.isThere, "needs PostgreSQL 13 and psycopg2"),
  .runningPostgreSQL)
struct PostgreSQLTests {
  private let database: PostgreSQL

  init() throws { database = try #require(PostgreSQL.current) }

  @Test func `devices and server agree after random behaviours`() throws {
    let first = UInt64.random(in: 0..<1 << 32)
    print("seeds from \(first)")
    for seed in first..<first + SyncBehaviourTests.count(2, share: 0.005) {
      let schema = try database.schema()
      let server = try schema.server()
      defer { withExtendedLifetime(server) {} }
      let rounds = try SyncBehaviourTests.run(
        seed: seed, over: HTTPServer(address: server.address)
      ) {
        try schema.run("DELETE FROM record; UPDATE epoch SET name = name || '+'")
      }
      #expect(1...2 ~= rounds, "seed \(seed)")
    }
  }

  /// Changes records that the other device changes, too, and adds some of its own, between and in cycles.
  private static func change(_ device: SyncDevice, number: Int, seed: UInt64) throws -> Int {
    var generator = SplitMix64(seed: seed &+ UInt64(number))
    var moment = 0
    func write() {
      moment += 1
      let id: SQL = "'\(["p", "q", "r"].randomElement(using: &generator)!)'"
      let name: SQL = "'\(number).\(moment)'"
      let statements: [SQL] = [
        "INSERT OR REPLACE INTO poi (id, name) VALUES (\(id), \(name))",
        "UPDATE poi SET tag = coalesce(tag, 0) + 1 WHERE id = \(id)",
        "UPDATE poi SET name = \(name) WHERE id IN ('p', 'q', 'r')",
        "DELETE FROM poi WHERE id = \(id)",
      ]
      try? device.app.execute(statements.randomElement(using: &generator)!)
    }
    // A request with several records keeps other requests waiting.
    (device.options.pageSize, device.options.pushSize) = (3, 100)
    device.link.meanwhile = { if Bool.random(using: &generator) { write() } }
    defer { device.link.meanwhile = {} }
    var conflictCount = 0
    for round in 0..<TestLength.count(4, long: 100) {
      try device.app.execute("INSERT INTO poi (id, name) VALUES ('\(number)-\(round)', 'own')")
      for _ in 0..<4 { write() }
      conflictCount += try device.cycle().pushed.conflictCount
    }
    return conflictCount
  }

  @Test func `two devices that are changed and synchronised at once agree in the end`() throws {
    let seed = UInt64.random(in: 0..<1 << 32)
    print("seed \(seed)")
    let folder = try ScratchFolder()
    let server = try database.schema().server()
    defer { withExtendedLifetime(server) {} }
    let (address, paths) = (server.address, [folder.file("0"), folder.file("1")])
    @Sendable func device(_ number: Int) throws -> SyncDevice {
      try SyncDevice(paths[number], Link(to: HTTPServer(address: address)))
    }
    let conflictCounts = try Self.atOnce { number in
      try Self.change(device(number), number: number, seed: seed)
    }
    print("conflicts: \(conflictCounts)")
    let devices = try [device(0), device(1)]
    for _ in 0..<2 { for device in devices { try device.cycle() } }
    let records = try devices[0].link.live()
    for device in devices {
      #expect(try device.records() == records, "seed \(seed)")
      #expect(try device.localCount() == 0, "seed \(seed)")
    }
    let own = records.compactMap { $0["id"]?.string }.filter { $0.contains("-") }
    #expect(own.count == 2 * TestLength.count(4, long: 100), "seed \(seed): \(own)")
  }

  @Test func `a check of the server finds nothing`() throws {
    let server = try database.schema().server()
    defer { withExtendedLifetime(server) {} }
    var check = try ServerCheck(
      HTTPServer(address: server.address), model: Model(parsing: SyncDevice.model))
    try check.read()
    try check.write()
    #expect(check.findings == [])
  }

  @Test func `of two pushes at once one is taken`() throws {
    let schema = try database.schema()
    let server = try schema.server()
    defer { withExtendedLifetime(server) {} }
    let address = server.address
    let keys = (0..<8).map { "\($0)" }
    var versions: [String: JSONValue] = [:]
    // The first pushes meet no record, the others a version.
    for _ in 0..<TestLength.count(2, long: 20) {
      // Both wait, whatever order they write in.
      let slow = try schema.hold(
        """
        INSERT INTO record (key, document) VALUES ('"4"', '{}')
        ON CONFLICT (key) DO UPDATE SET document = excluded.document
        """, end: "ROLLBACK")
      let bases = versions
      let push: @Sendable (Int) throws -> [String: JSONValue] = { number in
        let order = number == 0 ? keys : keys.reversed()
        let documents = order.map { key in
          JSONValue.object(
            [.init(name: "id", value: .string(key)), .init(name: "name", value: .number(number))]
              + (bases[key].map { [.init(name: "_version", value: $0)] } ?? []))
        }
        let request = JSONValue.object([.init(name: "documents", value: .array(documents))])
        let answer = try HTTPServer(address: address).push(Array(request.description.utf8))
        let outcomes = try JSONValue(parsing: answer.span)["outcomes"]?.elements ?? []
        return Dictionary(uniqueKeysWithValues: zip(order, outcomes))
      }
      let outcomes = try Self.atOnce(push) {
        defer { slow.end() }
        let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
        for _ in 0..<100 { if try schema.run(waiting) == "2\n" { break } }
      }
      for key in keys {
        let both = outcomes.compactMap { $0[key] }
        let taken = try #require(both.compactMap { $0["version"] }.first)
        #expect(both.compactMap { $0["conflict"]?["_version"] } == [taken], "\(both)")
        #expect(bases[key] != taken)
        versions[key] = taken
      }
    }
  }

  @Test func `a checkpoint passes no transaction that is not over`() throws {
    let schema = try database.schema()
    let server = try schema.server()
    defer { withExtendedLifetime(server) {} }
    let link = try HTTPServer(address: server.address)
    var checkpoint: String?
    func pull() throws -> [String] {
      var keys: [String] = []
      while true {
        let answer = try link.pull(after: checkpoint, limit: 1)
        let page = try JSONValue(parsing: answer.span)
        guard let document = page["documents"]?.elements?.first else { return keys }
        checkpoint = page["checkpoint"]?.string
        keys.append(document["id"]?.string ?? "")
      }
    }
    func insertion(_ key: String) -> String {
      """
      INSERT INTO record (key, document) VALUES ('"\(key)"', '{"id": "\(key)"}');
      """
    }
    try schema.run(insertion("known"))
    #expect(try pull() == ["known"])
    let slow = try schema.hold(insertion("b") + insertion("a"))
    try schema.run(insertion("fast"))
    #expect(try pull() == [])
    slow.end()
    #expect(try pull() == ["a", "b", "fast"])
  }

  /// Runs work in two threads, and returns what both return.
  private static func atOnce<Value: Sendable>(
    _ work: @escaping @Sendable (Int) throws -> Value, meanwhile: () throws -> Void = {}
  ) throws -> [Value] {
    let outcomes = (0..<2).map { _ in Outcome<Value>() }
    let threads = try outcomes.indices.map { number in
      let outcome = outcomes[number]
      return try SystemThread {
        let result = Result { try work(number) }
        outcome.value.withLock { $0 = result }
      }
    }
    let end = Result { try meanwhile() }
    for thread in threads { thread.join() }
    try end.get()
    return try outcomes.map { try #require($0.value.withLock { $0 }).get() }
  }

  private final class Outcome<Value: Sendable>: Sendable {
    let value = Mutex<Result<Value, any Error>?>(nil)
  }
}

/// A PostgreSQL in a folder of its own. It listens on a socket there, and on no port.
private struct PostgreSQL: Sendable {
  /// The one of the suite.
  @TaskLocal static var current: PostgreSQL?

  let folder: String

  /// Debian does not have all programs in the path, and PostgreSQL does not run as root.
  private static let start = """
    there=$(ls -dv /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
    PATH=${there:+$there:}$PATH
    user=
    if [ "$(id -u)" = 0 ]; then user='setpriv --reuid=postgres --regid=postgres --clear-groups'; fi

    """

  static let isThere: Bool = {
    let needs = """
      major=$(postgres --version | sed 's/[^0-9]*\\([0-9]*\\).*/\\1/')
      [ "$major" -ge 13 ] && initdb --version && psql --version && python3 -c 'import psycopg2' &&
        chmod a+rwx . && $user touch file
      """
    guard let folder = try? ScratchFolder() else { return false }
    return (try? run(needs, in: folder.path).exitCode) == 0
  }()

  static func run(_ lines: String, in folder: String) throws -> Tool.Outcome {
    try Tool.shell(start + lines, in: folder)
  }

  /// One that ends, and is removed, with the object.
  final class Running {
    private let folder: ScratchFolder
    private let process: RunningTool

    var database: PostgreSQL { PostgreSQL(folder: folder.path) }

    init() throws {
      folder = try ScratchFolder()
      let preparation = """
        mkdir -m 700 data && if [ "$user" ]; then chown postgres: data; fi &&
          $user initdb --no-sync --auth trust --username postgres -E UTF8 --locale C -D data
        """
      let prepared = try PostgreSQL.run(preparation, in: folder.path)
      try #require(prepared.exitCode == 0, "\(prepared.messages)")
      let line = """
        exec $user postgres -D data -c listen_addresses= -c unix_socket_directories="$PWD/data" \
          -c fsync=off -c autovacuum=off
        """
      process = try Tool(path: "/bin/sh").start(["-c", PostgreSQL.start + line], in: folder.path)
      let wait = #"timeout 60 sh -c 'until pg_isready -qh "$PWD/data"; do sleep 0.05; done'"#
      let isReady = try PostgreSQL.run(wait, in: folder.path).exitCode == 0
      try #require(isReady)
    }

    deinit {
      process.signal(SIGQUIT)
      _ = try? process.wait()
    }
  }

  /// A new schema.
  func schema() throws -> Schema {
    let schema = Schema(folder: folder, name: "s\(UInt64.random(in: 0...(.max)))")
    try schema.run("CREATE SCHEMA \(schema.name)")
    return schema
  }

  /// A schema, in which nothing is at first.
  struct Schema {
    let folder: String
    let name: String

    private var place: String {
      "host='\(folder)/data' user=postgres dbname=postgres options='-c search_path=\(name)'"
    }

    func server() throws -> PythonServer {
      try PythonServer(
        PythonServer.projectFile("Samples/sync/postgres.py"), [place, "id"], in: folder)
    }

    private func start(_ options: [String]) throws -> RunningTool {
      let line = PostgreSQL.start + #"exec psql -XqAt -v ON_ERROR_STOP=1 -d "$@""#
      return try Tool(path: "/bin/sh").start(["-c", line, "sh", place] + options, in: folder)
    }

    /// Runs a transaction, and returns its output.
    @discardableResult
    func run(_ statements: String) throws -> String {
      let outcome = try start(["-c", statements]).wait()
      try #require(outcome.exitCode == 0, "\(outcome.messages)")
      return outcome.output
    }

    /// Starts a transaction, and returns as soon as it has run the statements.
    func hold(_ statements: String, end: String = "COMMIT") throws -> SlowTransaction {
      let (held, wanted) = (UUID().uuidString, UUID().uuidString)
      let wait = "for i in $(seq 3000); do [ -e \(wanted) ] && break; sleep 0.01; done"
      let process = try start([
        "-c", "BEGIN", "-c", statements, "-c", "\\! touch \(held); \(wait)", "-c", end,
      ])
      let place = "\(folder)/\(held)"
      for _ in 0..<3_000 where !FileManager.default.fileExists(atPath: place) { usleep(10_000) }
      return SlowTransaction(process: process, wanted: "\(folder)/\(wanted)")
    }
  }

  /// A transaction that is under way until it is ended.
  struct SlowTransaction {
    let process: RunningTool
    /// The file that ends it.
    let wanted: String

    func end() {
      #expect(FileManager.default.createFile(atPath: wanted, contents: nil))
      #expect((try? process.wait().exitCode) == 0)
    }
  }
}

/// Runs a suite while a PostgreSQL is there.
private struct RunningPostgreSQL: SuiteTrait, TestScoping {
  @concurrent func provideScope(
    for test: Test, testCase: Test.Case?,
    performing body: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let running = try PostgreSQL.Running()
    defer { withExtendedLifetime(running) {} }
    try await PostgreSQL.$current.withValue(running.database) { try await body() }
  }
}

extension Trait where Self == RunningPostgreSQL {
  fileprivate static var runningPostgreSQL: Self { Self() }
}
