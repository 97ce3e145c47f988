import Foundation
import POISQLite
import POITestSupport
import Testing

@Suite struct SyncToolTests {
  private static let model = """
    {"x-table":"note","x-key":"id","x-timestamp":"at","required":["id"],"properties":{
     "id":{"type":"integer"},"text":{"type":["string","null"]},"at":{"type":["string","null"],"format":"date-time"}}}
    """

  /// A server of the sample, and two stores that were synchronised with it, with the records 1 to 5.
  private final class Fixture {
    let folder: ScratchFolder
    let server: PythonServer
    private let tool = Tool("poi-sync")

    init() throws {
      folder = try ScratchFolder()
      try folder.write(SyncToolTests.model, to: "model.json")
      server = try .reference(
        database: folder.file("server.sqlite"), key: "id", in: folder.path)
      for name in ["one", "two"] {
        try sync(name, ["--model", "model.json", "--server", server.address])
        if name == "one" {
          try app(name).execute(
            "INSERT INTO note (id, text) VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e')")
          try sync(name)
        }
      }
    }

    @discardableResult
    func sync(_ store: String, _ arguments: [String] = []) throws -> Tool.Outcome {
      try tool.run(["--store", store + ".sqlite"] + arguments, in: folder.path)
    }

    func start(_ store: String, _ arguments: [String]) throws -> RunningTool {
      try tool.start(["--store", store + ".sqlite"] + arguments, in: folder.path)
    }

    func app(_ store: String) throws -> Connection {
      try Connection(path: folder.file(store + ".sqlite"), access: .readWrite)
    }

    func texts(_ store: String) throws -> [String] {
      try app(store).rows("SELECT text FROM note ORDER BY id") { $0.text(0) }
    }
  }

  private static func wait(until isDone: () throws -> Bool) rethrows -> Bool {
    for _ in 0..<400 {
      if try isDone() { return true }
      usleep(50_000)
    }
    return false
  }

  @Test func `a local change begins the next cycle at once`() throws {
    let fixture = try Fixture()
    let running = try fixture.start("two", ["--every", "3600"])
    #expect(try Self.wait { try fixture.texts("two").count == 5 })
    try fixture.app("two").execute("UPDATE note SET text = 'changed' WHERE id = 3")
    #expect(
      try Self.wait {
        try fixture.sync("one")
        return try fixture.texts("one")[2] == "changed"
      })
    running.signal(SIGINT)
    #expect(try running.wait().exitCode == 128 + SIGINT)
  }

  @Test func `a server that asks to wait is not asked before`() throws {
    let folder = try ScratchFolder()
    let script = """
      import http.server, sys
      class Server(http.server.BaseHTTPRequestHandler):
          def do_GET(self):
              self.send_response(503)
              self.send_header("Retry-After", "3600")
              self.end_headers()
      server = http.server.HTTPServer(("127.0.0.1", 0), Server)
      open(sys.argv[1], "w").write(f"http://127.0.0.1:{server.server_port}")
      server.serve_forever()
      """
    try folder.write(Self.model, to: "model.json")
    let place = try folder.write(script, to: "server.py")
    let server = try PythonServer(place, in: folder.path)
    let running = try Tool("poi-sync").start(
      ["--model", "model.json", "--server", server.address, "--every", "1"], in: folder.path)
    let store = folder.file("poi.sqlite")
    #expect(
      Self.wait {
        (try? Connection(path: store, access: .readWrite).text("SELECT error FROM poikit_server"))
          != nil
      })
    try Connection(path: store, access: .readWrite).execute("INSERT INTO note (id) VALUES (1)")
    usleep(1_500_000)
    running.signal(SIGINT)
    let outcome = try running.wait()
    #expect(outcome.exitCode == 128 + SIGINT)
    #expect(
      outcome.messages.contains("the next cycle begins in 3600 s"), "\(outcome.messages)")
    #expect(outcome.messages.components(separatedBy: "the next cycle begins").count == 2)
  }

  @Test func `a dry run changes neither side`() throws {
    let fixture = try Fixture()
    try fixture.app("one").execute("INSERT INTO note (id, text) VALUES (8, 'there')")
    try fixture.sync("one")
    try fixture.app("two").execute("INSERT INTO note (id, text) VALUES (9, 'here')")
    let trial = try fixture.sync("two", ["--dry-run"])
    #expect(trial.exitCode == 0)
    #expect(trial.output.contains("inserted  1"), "\(trial)")
    #expect(trial.output.contains("sent      1"), "\(trial)")
    #expect(try fixture.texts("two") == ["a", "b", "c", "d", "e", "here"])
    try fixture.sync("one")
    #expect(try fixture.texts("one").count == 6)
    let files = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
    #expect(!files.contains { $0.contains("dry-run") })
    #expect(try fixture.sync("two").output == trial.output)
  }

  @Test func `a server that removes too much is not followed`() throws {
    let fixture = try Fixture()
    try fixture.sync("two")
    try fixture.app("one").execute("DELETE FROM note WHERE id > 2")
    try fixture.sync("one")
    let refused = try fixture.sync("two", ["--max-removals", "50%", "--page", "1"])
    #expect(refused.exitCode == 65)
    #expect(refused.messages.contains("removed more rows than the limit allows"), "\(refused)")
    // Each page with a removal within the limit is taken.
    #expect(try fixture.texts("two").count == 3)
    #expect(try fixture.sync("two", ["--max-removals", "1"]).exitCode == 0)
    #expect(try fixture.texts("two") == ["a", "b"])
  }

  @Test func `a check of a server prints what it finds`() throws {
    let fixture = try Fixture()
    let check = ["--check-server", fixture.server.address, "--write"]
    let sound = try fixture.sync("one", check)
    #expect(sound.exitCode == 0)
    #expect(sound.output.isEmpty)
    #expect(sound.messages.contains("records with these keys were made"), "\(sound)")
    var script = try String(
      contentsOfFile: PythonServer.projectFile("Samples/sync/server.py"), encoding: .utf8)
    script = script.replacingOccurrences(of: "[last, limit]", with: "[last, 10_000]")
    let wrong = try PythonServer(
      fixture.folder.write(script, to: "server.py"), [fixture.folder.file("wrong.sqlite"), "id"],
      in: fixture.folder.path)
    let found = try fixture.sync("one", ["--check-server", wrong.address, "--write", "--quiet"])
    #expect(found.exitCode == 65)
    #expect(found.output.hasPrefix("A page of 1 has more records"), "\(found)")
    #expect(found.messages.isEmpty)
    // The table keeps its own server.
    #expect(try fixture.sync("one").exitCode == 0)
  }

  @Test func `a cycle needs curl, and a folder for temporary files`() throws {
    let fixture = try Fixture()
    try fixture.app("one").execute("UPDATE note SET text = 'new' WHERE id = 1")
    let folder = fixture.folder.file("bin")
    let program = folder + "/curl"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    func failure(_ environment: [String: String]) throws -> String {
      let outcome = try Tool("poi-sync").run(
        ["--store", "one.sqlite"], in: fixture.folder.path, environment: environment)
      #expect(outcome.exitCode == 65, "\(outcome)")
      return outcome.messages
    }
    #expect(try failure(["PATH": folder]).contains("curl is not installed"))
    try fixture.folder.write("#!/bin/sh\ncat > /dev/null\necho hello\n", to: "bin/curl")
    #expect(try failure(["PATH": folder]).contains("curl cannot be run"))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    #expect(
      try failure(["PATH": folder + ":/usr/bin:/bin"]).contains("the answer is not HTTP"))
    let lacking = try failure(["TMPDIR": "/none"])
    #expect(lacking.contains("TMPDIR") && !lacking.contains("curl"), "\(lacking)")
    #expect(try fixture.sync("one").exitCode == 0)
    try fixture.sync("two")
    #expect(try fixture.texts("two")[0] == "new")
  }

  @Test func `a signal ends a request that gets no answer`() throws {
    let folder = try ScratchFolder()
    let script = """
      import http.server, sys, time
      class Server(http.server.BaseHTTPRequestHandler):
          def do_GET(self):
              open(sys.argv[2], "w").close()
              time.sleep(3600)
      server = http.server.HTTPServer(("127.0.0.1", 0), Server)
      open(sys.argv[1], "w").write(f"http://127.0.0.1:{server.server_port}")
      server.serve_forever()
      """
    try folder.write(Self.model, to: "model.json")
    let asked = folder.file("asked")
    let place = try folder.write(script, to: "server.py")
    let server = try PythonServer(place, [asked], in: folder.path)
    let running = try Tool("poi-sync").start(
      ["--model", "model.json", "--server", server.address], in: folder.path)
    #expect(Self.wait { FileManager.default.fileExists(atPath: asked) })
    running.signal(SIGINT)
    let outcome = try running.wait()
    #expect(outcome.exitCode == 128 + SIGINT)
    #expect(outcome.messages.contains("interrupted; the next cycle goes on"), "\(outcome)")
  }

  @Test func `a pull is kept, and its settings are not mixed with a server`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.model, to: "model.json")
    let tool = Tool("poi-sync")
    for (arguments, words) in [
      (["--pull", "http://localhost/a", "--server", "http://localhost"], "--server"),
      (["--at", "/items"], "--pull"), (["--pull", "example.org"], "no address"),
      (["--check-server", "example.org"], "no address"),
      (["--pull", "http://localhost/a", "--overlap", "later"], "span of time"),
      (["--dry-run", "--every", "5"], "--every"), (["--write"], "--check-server"),
    ] {
      let outcome = try tool.run(["--model", "model.json"] + arguments, in: folder.path)
      #expect(outcome.exitCode == 64, "\(arguments): \(outcome)")
      #expect(outcome.messages.contains(words), "\(outcome.messages)")
    }
  }
}
