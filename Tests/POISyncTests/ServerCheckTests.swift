import Foundation
import JSONStreaming
import POIKit
import POIRecords
import POISQLite
import POISync
import POITestSupport
import Synchronization
import Testing

/// Servers that do not keep one duty each: the sample, with something replaced.
@Suite struct ServerCheckTests {
  struct WrongServer: CustomTestStringConvertible {
    let testDescription: String
    /// Texts of the sample, and what replaces them.
    let changes: [(String, String)]
    /// The beginning of the finding.
    let finding: String

    init(_ description: String, _ finding: String, _ changes: [(String, String)]) {
      (testDescription, self.finding, self.changes) = (description, finding, changes)
    }
  }

  /// Answers several requests at once, without a transaction around each.
  private static let atOnce = [
    ("isolation_level=None", "isolation_level=None, check_same_thread=False"),
    ("http.server.HTTPServer(", "http.server.ThreadingHTTPServer("),
    (#"db.execute("BEGIN IMMEDIATE")"#, "pass"), (#"db.execute("COMMIT")"#, "pass"),
    ("import json", "import json, time, random, itertools\nnumbers = itertools.count(1000)"),
  ]

  static let wrongServers = [
    WrongServer(
      "creates over a record", "It takes a creation over a record",
      [("if there and base != there[0]", "if there and base is not None and base != there[0]")]),
    WrongServer(
      "cuts times off", "It gives changed back with another value",
      [
        (
          "json.dumps(document)]",
          "json.dumps(document | {'changed': document['changed'][:19] + 'Z'})]"
        )
      ]),
    WrongServer(
      "creates over a removal", "It takes a creation over a removal",
      [
        (
          "if there and base != there[0]",
          "if there and base != there[0] and not (base is None and '_removed' in there[1])"
        )
      ]),
    WrongServer(
      "compares no versions", "It takes a change of a version that it no longer has",
      [("if there and base != there[0]", "if there and base is None")]),
    WrongServer(
      "uses versions again", "A changed record has the same version", [(" AUTOINCREMENT", "")]),
    WrongServer(
      "has no limit", "A page of 1 has more records", [("[last, limit]", "[last, 10_000]")]),
    WrongServer(
      "names its newest version after each page", "A page that ends inside of what came with one",
      [
        (
          #""checkpoint": str(last)"#,
          #""checkpoint": str(db.execute("SELECT coalesce(max(version), 0) FROM record").fetchone()[0])"#
        )
      ]),
    WrongServer(
      "forgets removals", "A removal is no version of the record",
      [
        (
          "    row = [document[KEY]",
          """
              if document.get("_removed"):
                  return {"version": 10_000}
              row = [document[KEY]
          """
        )
      ]),
    WrongServer(
      "forgets when records were removed", "A removal has no time",
      [
        (
          "    row = [document[KEY]",
          "    document = {'id': document['id'], '_removed': True} if '_removed' in document else document\n"
            + "    row = [document[KEY]"
        )
      ]),
    WrongServer(
      "answers in another order", "The outcomes of a request are not in the order",
      [(#"{"outcomes": outcomes}"#, #"{"outcomes": outcomes[::-1]}"#)]),
    WrongServer(
      "has another epoch each time", "The epoch changes",
      [(#""epoch": epoch"#, #""epoch": epoch + str(__import__("time").time())"#)]),
    WrongServer(
      "does not know what it does not have", "It does not say \"unknown\"",
      [(#"return {"unknown": True}"#, #"return {"conflict": document}"#)]),
    WrongServer(
      "compares and swaps in two steps", "Of changes that come at once it takes",
      atOnce + [
        ("INSERT INTO record (", "INSERT OR REPLACE INTO record ("),
        (
          "    db.execute(\"DELETE FROM record",
          "    time.sleep(0.05)\n    db.execute(\"DELETE FROM record"
        ),
      ]),
    WrongServer(
      "numbers before it commits", "A checkpoint passes records",
      atOnce + [
        (
          "    row = [document[KEY]",
          """
              version = next(numbers)
              time.sleep(random.random() / 10 if base is None else 0)
              db.execute("INSERT OR REPLACE INTO record VALUES (?, ?, ?)", [version, document[KEY], json.dumps(document)])
              return {"version": version}
              row = [document[KEY]
          """
        )
      ]),
  ]

  private static func findings(
    of script: String, in folder: borrowing ScratchFolder
  ) throws -> [String] {
    let server = try PythonServer(
      folder.write(script, to: "server.py"), [folder.file("server.sqlite"), "id"], in: folder.path)
    var check = try ServerCheck(
      HTTPServer(address: server.address), model: Model(parsing: SyncDevice.model))
    try check.read()
    try check.write()
    return check.findings
  }

  private static func sample() throws -> String {
    try String(contentsOfFile: PythonServer.projectFile("Samples/sync/server.py"), encoding: .utf8)
  }

  @Test func `nothing is found at the sample`() throws {
    let folder = try ScratchFolder()
    #expect(try Self.findings(of: Self.sample(), in: folder) == [])
  }

  @Test(arguments: wrongServers) func `a duty that is not kept is named`(server: WrongServer) throws
  {
    let folder = try ScratchFolder()
    var script = try Self.sample()
    for (old, new) in server.changes {
      #expect(script.contains(old))
      script = script.replacingOccurrences(of: old, with: new)
    }
    let findings = try Self.findings(of: script, in: folder)
    #expect(findings.contains { $0.hasPrefix(server.finding) }, "\(findings)")
  }

  @Test(arguments: [
    #"{"type":"integer","x-unit":"milliseconds"}"#, #"{"type":"integer","x-unit":"seconds"}"#,
    #"{"type":"string","format":"date-time","x-date-pattern":"dd.MM.yyyy HH:mm","x-zone":"+05:00"}"#,
    #"{"type":"string","format":"date-time","x-date-pattern":"rfc2822"}"#,
  ])
  func `records of its own have a key and a time as the model has them`(time: String) throws {
    let folder = try ScratchFolder()
    let script = try folder.write(Self.sample(), to: "server.py")
    let server = try PythonServer(script, [folder.file("server.sqlite"), "code"], in: folder.path)
    let model = try Model(
      parsing: #"""
        {"x-table":"poi","x-key":"code","x-timestamp":"at","required":["code","at"],"properties":{
          "code":{"type":"string","format":"uuid"},"at":\#(time)}}
        """#)
    let client = try HTTPServer(address: server.address)
    var check = try ServerCheck(client, model: model)
    let start = SystemClock.now().microseconds
    try check.read()
    try check.write()
    #expect(check.findings == [])
    // The last one was pushed as a change.
    let page = try client.pull(after: nil, limit: 1_000)
    let store = try Store.inMemory()
    var options = ImportOptions()
    options.pointer = "/documents"
    let report = try store.importRecords(
      from: .bytes(page, named: "page"), model: model, options: options)
    #expect(report.counters.inserted == check.madeKeys.count - 1)
    #expect(report.counters.rejected == 0, "\(report.rejectsByRule)")
    let times = try store.withConnection { connection in
      try connection.rows("SELECT at FROM poi") { $0.integer(0) }
    }
    let end = SystemClock.now().microseconds
    #expect(times.allSatisfy { start - 60_000_000...end ~= $0 }, "\(times)")
  }

  @Test(arguments: [
    #"{"x-table":"poi","x-key":["id","name"],"x-timestamp":"changed","properties":{"id":{"type":"string"},"name":{"type":"string"},"changed":{"type":"string","format":"date-time"}}}"#,
    #"{"x-table":"poi","x-key":"id","properties":{"id":{"type":"string"}}}"#,
    #"{"x-table":"poi","x-key":"id","x-timestamp":"changed","properties":{"id":{"type":"string","x-source":"/a/b"},"changed":{"type":"string","format":"date-time"}}}"#,
    #"{"x-table":"poi","x-key":"id","x-timestamp":"changed","properties":{"id":{"type":"string"},"changed":{"type":"string","format":"date"}}}"#,
  ])
  func `a model without one member as key and one as timestamp is refused`(document: String) throws
  {
    let error = #expect(throws: SyncError.self) {
      try ServerCheck(FixedServer(), model: Model(parsing: document))
    }
    #expect(error?.code == .unusable)
  }

  private static func check(_ server: FixedServer) throws -> ServerCheck<FixedServer> {
    try ServerCheck(server, model: Model(parsing: SyncDevice.model))
  }

  @Test(arguments: [
    "{}", "[]", "no JSON", #"{"documents":[],"checkpoint":1,"epoch":"e"}"#,
    #"{"documents":[],"checkpoint":"1","epoch":""}"#,
    #"{"documents":{},"checkpoint":"1","epoch":"e"}"#,
  ])
  func `a page of another form ends the check`(page: String) throws {
    var check = try Self.check(FixedServer(page: page))
    let error = #expect(throws: SyncError.self) { try check.read() }
    #expect(error?.code == .unusable)
    #expect(error?.message.hasPrefix("a page is no object with") == true)
  }

  @Test(arguments: [
    #"{"id":"p"}"#, #"{"id":"p","_version":null}"#, #"{"id":"p","_version":{}}"#,
    #"{"_version":1}"#,
  ])
  func `records without a version or a key are found`(document: String) throws {
    var check = try Self.check(
      FixedServer(page: #"{"documents":[\#(document)],"checkpoint":"1","epoch":"e"}"#))
    try check.read()
    #expect(
      check.findings.contains { $0.hasPrefix("A record lacks \"_version\"") }, "\(check.findings)")
    #expect(check.findings.contains { $0.hasPrefix("A page with records ends where it began") })
  }

  @Test(arguments: [
    (#"{"outcomes":[]}"#, "the answer to a push has not one"),
    (#"{"outcomes":[{"version":1},{"version":2}]}"#, "the answer to a push has not one"),
    ("no JSON", "the answer to a push has not one"),
    (#"{"outcomes":[{"refused":"no"}]}"#, "the server does not take the record"),
    (#"{"outcomes":[{"version":null}]}"#, "the server does not take the record"),
  ])
  func `a server that takes no record cannot be checked`(answer: String, words: String) throws {
    var check = try Self.check(FixedServer(answer: answer))
    try check.read()
    let error = #expect(throws: SyncError.self) { try check.write() }
    #expect(error?.code == .unusable)
    #expect(error?.message.hasPrefix(words) == true, "\(error?.message ?? "")")
    #expect(check.madeKeys.count == 1)
  }

  /// Gives no page while it takes two records.
  private final class BusyServer: SyncServer, Sendable {
    private let server: HTTPServer
    private let isBusy = Mutex(false)
    private let hasFailed = Mutex(false)

    init(_ server: HTTPServer) { self.server = server }

    func pull(after checkpoint: String?, limit: Int) throws(SyncError) -> [UInt8] {
      if isBusy.withLock({ $0 }) {
        hasFailed.withLock { $0 = true }
        throw SyncError(.unreachable, "busy")
      }
      return try server.pull(after: checkpoint, limit: limit)
    }

    func push(_ request: [UInt8]) throws(SyncError) -> [UInt8] {
      if (try? JSONValue(parsing: request.span))?["documents"]?.elements?.count == 2 {
        isBusy.withLock { $0 = true }
        while !hasFailed.withLock({ $0 }) { usleep(1_000) }
      }
      return try server.push(request)
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a server that fails while others push ends the check`() throws {
    let folder = try ScratchFolder()
    let script = try folder.write(Self.sample(), to: "server.py")
    let server = try PythonServer(script, [folder.file("server.sqlite"), "id"], in: folder.path)
    var check = try ServerCheck(
      BusyServer(HTTPServer(address: server.address)), model: Model(parsing: SyncDevice.model))
    try check.read()
    #expect(throws: SyncError(.unreachable, "busy")) { try check.write() }
  }
}
