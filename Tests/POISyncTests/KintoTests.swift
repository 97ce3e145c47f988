import Foundation
import JSONStreaming
import POIKit
import POISync
import POITestSupport
import Testing

@testable import kinto_sync

/// Kinto, a server of others, by the sample `kinto-sync`.
@Suite(.enabled(if: Kinto.program != nil, "needs Kinto: pip install kinto"), Kinto())
struct KintoTests {
  @Test func `devices and Kinto agree after random behaviours`() throws {
    let first = UInt64.random(in: 0..<1 << 32)
    print("seeds from \(first)")
    for seed in first..<first + SyncBehaviourTests.count(2, share: 0.01) {
      let collection = try Collection("c\(seed)")
      let rounds = try SyncBehaviourTests.run(seed: seed, over: InOrder(collection.server())) {
        try collection.send("DELETE")
        try collection.send("PUT")
      }
      #expect(1...2 ~= rounds)
    }
  }

  @Test func `what another client deletes is removed, unless it is newer here`() throws {
    let folder = try ScratchFolder()
    let collection = try Collection("deleted")
    let link = Link(to: try collection.server())
    let device = try SyncDevice(folder.file("a.sqlite"), link)
    let other = try SyncDevice(folder.file("b.sqlite"), link)
    // None of them can be an id of Kinto.
    let keys = ["", "_x", "a:b/ü?", "\u{1}"]
    for key in keys { try device.app.execute("INSERT INTO poi (id) VALUES (\(literal: key))") }
    try device.cycle()
    try other.cycle()
    #expect(try other.records() == device.records())
    try other.app.execute("UPDATE poi SET name = 'n', changed = 9e15 WHERE id = '_x'")
    try collection.send("DELETE", to: "/records")
    #expect(try device.cycle().pulled.removedCount == 4)
    #expect(try device.records().isEmpty)
    // A deletion cannot be replaced by its version: the row is sent again as a new one.
    let report = try other.cycle()
    #expect(report.pulled.removedCount == 3)
    #expect(report.pushed.unknownCount == 1)
    try device.cycle()
    #expect(try device.records().map { $0["id"]?.string } == ["_x"])
    #expect(try device.records() == other.records())
    #expect(try link.live().count == 1)
    #expect(try device.localCount() + other.localCount() == 0)
  }

  @Test func `what Kinto refuses keeps its words, and what is not ours is rejected`() throws {
    let folder = try ScratchFolder()
    let schema = #"{"properties": {"document": {"properties": {"name": {"maxLength": 3}}}}}"#
    let collection = try Collection("refused", #"{"data": {"schema": \#(schema)}}"#)
    try collection.send("POST", to: "/records", #"{"data": {"document": {"id": "x"}}}"#)
    let device = try SyncDevice(folder.file("a.sqlite"), Link(to: collection.server()))
    device.options.pushSize = 1_000
    for number in 0..<60 {
      try device.app.execute("INSERT INTO poi (id, name) VALUES ('\(number)', 'n\(number * 4)')")
    }
    let report = try device.cycle()
    #expect(report.pulled.rejectedCount == 1)
    #expect(report.pushed.acceptedCount == 25)
    #expect(report.pushed.refusedCount == 35)
    let words = try device.store.syncedTables().first?.refusals.first?.words
    #expect(words?.contains("name") == true)
  }

  @Test func `another client may push first, and a new collection gets all records again`() throws {
    let folder = try ScratchFolder()
    let collection = try Collection("new")
    let link = Link(to: try collection.server())
    let device = try SyncDevice(folder.file("a.sqlite"), link)
    let other = try SyncDevice(folder.file("b.sqlite"), Link(to: collection.server()))
    try device.app.execute("INSERT INTO poi (id) VALUES ('p'), ('q')")
    for each in [device, other, device] { try each.cycle() }
    try device.app.execute("UPDATE poi SET name = 'device'")
    // Between the pull, which is empty, and the push:
    link.meanwhile = {
      link.meanwhile = {}
      try? other.app.execute("UPDATE poi SET name = 'later', changed = 9e15 WHERE id = 'p'")
      try? other.app.execute("DELETE FROM poi WHERE id = 'q'")
      #expect(throws: Never.self) { try other.cycle() }
    }
    #expect(try device.cycle().pushed.conflictCount == 2)
    #expect(try device.records() == other.records())
    #expect(try device.records().map { $0["name"]?.string } == ["later"])
    try collection.send("DELETE")
    #expect(throws: SyncError.self) { try device.cycle() }
    try collection.send("PUT")
    let report = try device.cycle()
    #expect(report.isRestarted)
    // The removal is offered, too.
    #expect(report.pushed.acceptedCount == 2)
    #expect(try link.live().count == 1)
  }

  @Test func `the check of a server finds nothing`() throws {
    let collection = try Collection("checked")
    var check = try ServerCheck(collection.server(), model: Model(parsing: SyncDevice.model))
    try check.read()
    try check.write()
    #expect(check.findings.isEmpty)
  }
}

/// Kinto gives the members of a record in any order, which here is the model's again.
private struct InOrder: SyncServer {
  private let server: KintoServer

  init(_ server: KintoServer) { self.server = server }

  func pull(after checkpoint: String?, limit: Int) throws(SyncError) -> [UInt8] {
    let bytes = try server.pull(after: checkpoint, limit: limit)
    guard let page = try? JSONValue(parsing: bytes.span), let members = page.members else {
      return bytes
    }
    let ordered = JSONValue.object(
      members.map { member in
        guard let documents = member.value.elements else { return member }
        return .init(name: member.name, value: .array(documents.map(Self.ordered)))
      })
    return Array(ordered.description.utf8)
  }

  private static func ordered(_ document: JSONValue) -> JSONValue {
    let names = ["id", "name", "tag", "changed"]
    func place(_ name: String) -> Int { names.firstIndex(of: name) ?? names.count }
    return .object((document.members ?? []).sorted { place($0.name) < place($1.name) })
  }

  func push(_ request: [UInt8]) throws(SyncError) -> [UInt8] { try server.push(request) }
}

/// A collection, as another client uses it.
private struct Collection {
  private let address: String
  private let client: HTTPClient

  /// Creates it.
  init(_ name: String, _ body: String = "{}") throws {
    address = "\(Kinto.bucket)/collections/\(name)"
    client = try HTTPClient()
    try send("PUT", body)
  }

  func send(_ method: String, to part: String = "", _ body: String = "{}") throws {
    let answer = try client.answer(
      to: address + part, method: method, sending: Array(body.utf8))
    #expect(200...201 ~= answer.status, "\(method) \(part)")
  }

  func server() throws -> KintoServer {
    try KintoServer(address, key: ["id"], timestamp: "changed", client: client)
  }
}

/// Starts Kinto before the tests of a suite, with its records in memory, and ends it after them.
private struct Kinto: SuiteTrait, TestScoping {
  /// The address of the bucket in which tests create collections.
  @TaskLocal static var bucket = ""

  /// The program: on the PATH, or in a virtual environment in the build folder.
  static let program: String? = {
    let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardized.path
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return (folders.map(String.init) + ["\(root)/.build/kinto/bin"]).map { "\($0)/kinto" }
      .first(where: FileManager.default.isExecutableFile)
  }()

  /// With one thread, as in memory Kinto compares a version and replaces it in two steps.
  private static let settings = """
    [app:main]
    use = egg:kinto
    kinto.storage_backend = kinto.core.storage.memory
    kinto.cache_backend = kinto.core.cache.memory
    kinto.permission_backend = kinto.core.permission.memory
    kinto.bucket_create_principals = system.Everyone
    kinto.experimental_collection_schema_validation = true
    [server:main]
    use = egg:waitress#main
    host = 127.0.0.1
    port = 0
    threads = 1
    """

  @concurrent func provideScope(
    for test: Test, testCase: Test.Case?,
    performing tests: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let folder = try ScratchFolder()
    let log = try folder.write("", to: "kinto.log")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.program ?? "")
    process.arguments = ["start", "--ini", try folder.write(Self.settings, to: "kinto.ini")]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle(forWritingAtPath: log)
    try process.run()
    defer {
      // SIGTERM is blocked in threads of the test runner, and so in what they start.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    var port: Substring?
    while port == nil, process.isRunning {
      usleep(10_000)
      port = try String(contentsOfFile: log, encoding: .utf8)
        .firstMatch(of: /Serving on http:\/\/127\.0\.0\.1:(\d+)\n/)?.1
    }
    let bucket = "http://127.0.0.1:\(port ?? "")/v1/buckets/b"
    let permissions = #"{"permissions": {"write": ["system.Everyone"]}}"#
    _ = try HTTPClient().answer(to: bucket, method: "PUT", sending: Array(permissions.utf8))
    try await Self.$bucket.withValue(bucket) { try await tests() }
  }
}
