import Foundation
import POISQLite
import POITestSupport
import Testing

/// Inputs on a web server.
@Suite struct AddressInputTests {
  private let importer = Tool("poi-import")

  /// Routes by the last part of the path; each request is written to the file `log`.
  private static let script = #"""
    import gzip, http.server, os, sys
    lines = "".join('{"id":%d,"name":"n%d"}\n' % (n, n) for n in range(2000)).encode()
    counts = {}
    class Server(http.server.BaseHTTPRequestHandler):
        def answer(self, status, body=b"", length=None, **headers):
            self.send_response(status)
            for name, value in headers.items(): self.send_header(name, value)
            self.send_header("Content-Length", str(len(body) if length is None else length))
            self.end_headers()
            if self.command == "GET": self.wfile.write(body)
        def do_GET(self):
            name = self.path.split("?")[0].split("/")[-1]
            counts[name] = counts.get(name, 0) + (self.command == "GET")
            tag = '"%s"' % open(os.path.dirname(sys.argv[1]) + "/tag").read() if name == "tagged.ndjson" else ""
            if tag and self.headers.get("If-None-Match") == tag: return self.answer(304)
            if name == "dated.ndjson" and self.headers.get("If-Modified-Since"): return self.answer(304)
            open(os.path.dirname(sys.argv[1]) + "/log", "a").write("%s %s %s\n" % (self.command, self.path, self.headers.get("Authorization", "")))
            if name == "cut.ndjson": self.answer(200, lines[:len(lines) // 2 + 5], len(lines))
            elif name == "late.ndjson" and counts[name] < 3: self.answer(503)
            elif name == "twice.ndjson" and counts[name] == 1: self.answer(200, lines[:len(lines) // 2 + 5], len(lines))
            elif name == "moved.ndjson": self.answer(302, Location="/late.ndjson")
            elif name == "gone.ndjson": self.answer(404, b"<html>")
            elif name == "never.ndjson": self.answer(500)
            elif name == "packed.ndjson.gz": self.answer(200, gzip.compress(lines))
            elif name == "half.ndjson.gz": self.answer(200, gzip.compress(lines)[:900], 9000)
            elif name == "page.csv": self.answer(200, b"id,name\n1,a\n2,b\n")
            elif name == "bad.ndjson.gz":
                packed = bytearray(gzip.compress(os.urandom(3_000_000)))
                packed[2000:2010] = b"\0" * 10
                self.answer(200, bytes(packed))
            elif name == "latin.csv": self.answer(200, "id,name\n1,é\n2,b\n".encode("latin1"), ETag='"l"')
            elif name == "tagged.ndjson": self.answer(200, lines, ETag=tag)
            elif name == "dated.ndjson": self.answer(200, lines, **{"Last-Modified": "Sat, 28 Nov 2026 10:00:00 GMT"})
            elif name == "empty.ndjson": self.answer(200)
            else: self.answer(200, lines)
        do_HEAD = do_GET
        def log_message(self, *arguments): pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    open(sys.argv[1], "w").write(f"http://127.0.0.1:{server.server_port}")
    server.serve_forever()
    """#

  private static let model =
    #"{"x-table":"t","x-key":"id","type":"object","required":["id"],"properties":{"id":{"type":"integer"},"name":{"type":"string"}}}"#

  private func fixture() throws -> (folder: String, scratch: ScratchFolderBox, server: PythonServer)
  {
    let scratch = ScratchFolderBox(try ScratchFolder())
    let folder = scratch.folder.path
    try scratch.folder.write(Self.model, to: "m.json")
    let place = try scratch.folder.write(Self.script, to: "server.py")
    return (folder, scratch, try PythonServer(place, in: folder))
  }

  /// Keeps a folder as long as its users.
  final class ScratchFolderBox {
    let folder: ScratchFolder
    init(_ folder: consuming ScratchFolder) { self.folder = folder }
  }

  private func rowCount(_ folder: String, _ store: String = "poi.sqlite") throws -> Int64? {
    try Connection(path: "\(folder)/\(store)", access: .readOnly).integer("SELECT count(*) FROM t")
  }

  @Test func `an address is read like a file, after a redirect and failures before the first byte`()
    throws
  {
    let (folder, scratch, server) = try fixture()
    defer { withExtendedLifetime(scratch) {} }
    for (number, name) in ["all.ndjson", "moved.ndjson", "packed.ndjson.gz"].enumerated() {
      let outcome = try importer.run(
        ["-m", "m.json", "-s", "\(number).sqlite", "\(server.address)/\(name)"], in: folder)
      #expect(outcome.exitCode == 0 && outcome.output.contains("inserted  2,000"), "\(outcome)")
    }
    let table = try importer.run(
      ["--infer", "-s", "i.sqlite", "\(server.address)/page.csv"], in: folder)
    #expect(table.exitCode == 0 && table.output.contains("inserted  2  into page"), "\(table)")
    let damaged = try importer.run(
      ["-m", "m.json", "-s", "g.sqlite", "\(server.address)/bad.ndjson.gz"], in: folder)
    #expect(damaged.exitCode == 74 && damaged.messages.contains("gzip failed"), "\(damaged)")
    #expect(damaged.messages.contains("/bad.ndjson.gz: "), "\(damaged)")
    let empty = try importer.run(
      ["-m", "m.json", "-s", "e.sqlite", "\(server.address)/empty.ndjson"], in: folder)
    #expect(empty.exitCode == 0 && empty.output.contains("read      0"), "\(empty)")
  }

  @Test func `a transfer that is cut is an unfinished run, and removes nothing`() throws {
    let (folder, scratch, server) = try fixture()
    defer { withExtendedLifetime(scratch) {} }
    let whole = ["-m", "m.json", "--merge", "newest", "--snapshot", "--max-removals", "100%"]
    // In one store a slow machine may commit a batch of the first cut snapshot, and the second is refused then.
    for name in ["cut.ndjson", "half.ndjson.gz"] {
      let snapshot = whole + ["-s", "\(name).sqlite"]
      let first = try importer.run(snapshot + ["\(server.address)/all.ndjson"], in: folder)
      #expect(first.exitCode == 0, "\(first)")
      let cut = try importer.run(
        snapshot + ["--restart", "\(server.address)/\(name)"], in: folder)
      #expect(
        cut.exitCode == 74 && cut.messages.contains("curl failed with exit code 18"), "\(cut)")
      #expect(try rowCount(folder, "\(name).sqlite") == 2_000)
    }
    let arguments = [
      "-m", "m.json", "-s", "r.sqlite", "--batch", "100", "\(server.address)/twice.ndjson",
    ]
    let cut = try importer.run(arguments, in: folder)
    #expect(cut.exitCode == 74 && cut.messages.contains("--resume continues"), "\(cut)")
    #expect(try rowCount(folder, "r.sqlite") == 1_000)
    let resumed = try importer.run(arguments + ["--resume"], in: folder)
    #expect(resumed.exitCode == 0, "\(resumed)")
    #expect(try rowCount(folder, "r.sqlite") == 2_000)
  }

  @Test func `a version that was imported is not fetched again`() throws {
    let (folder, scratch, server) = try fixture()
    defer { withExtendedLifetime(scratch) {} }
    try scratch.folder.write("1", to: "tag")
    let address = "\(server.address)/tagged.ndjson?key=s3cret"
    for (name, arguments) in [
      ("a", ["-m", "m.json"]), ("b", ["-m", "m.json", "--snapshot"]), ("c", ["--infer"]),
    ] {
      let all = arguments + ["-s", "\(name).sqlite", address]
      func isRead(_ more: String...) throws -> Bool {
        let outcome = try importer.run(all + more, in: folder)
        #expect(outcome.exitCode == 0, "\(outcome)")
        #expect(!outcome.messages.contains("s3cret"))
        #expect(
          outcome.output.isEmpty == outcome.messages.contains("no other version"), "\(outcome)")
        return !outcome.output.isEmpty
      }
      // A run with a limit has not read all.
      if name != "b" { #expect(try isRead("--limit", "5")) }
      #expect(try isRead())
      #expect(try !isRead())
      #expect(try isRead("--restart"))
      #expect(try !isRead())
      try scratch.folder.write("2\(name)", to: "tag")
      #expect(try isRead())
      #expect(try !isRead())
      try scratch.folder.write("1", to: "tag")
    }
    // With other options other records are read.
    let latin = ["-m", "m.json", "-s", "l.sqlite", "\(server.address)/latin.csv"]
    #expect(try importer.run(latin, in: folder).exitCode == 1)
    #expect(try importer.run(latin, in: folder).output.contains("rejected  1"))
    let named = try importer.run(latin + ["--encoding", "latin1"], in: folder)
    #expect(named.output.contains("inserted  2"), "\(named)")
    let tagged = ["-m", "m.json", "-s", "s.sqlite", "-k", "id", address]
    #expect(try importer.run(tagged + ["--limit", "7"], in: folder).output.contains("read      7"))
    #expect(try importer.run(tagged, in: folder).output.contains("2,000"))
    // Another table, and another model, have not got it.
    let other = try importer.run(
      ["-m", "m.json", "-s", "a.sqlite", "-t", "u", address], in: folder)
    #expect(other.output.contains("inserted  2,000"), "\(other)")
    for (number, inserted) in [true, false].enumerated() {
      let dated = try importer.run(
        ["-m", "m.json", "-s", "d.sqlite", "\(server.address)/dated.ndjson"], in: folder)
      #expect(dated.exitCode == 0 && dated.output.isEmpty != inserted, "\(number): \(dated)")
    }
  }

  @Test func `an error of the server is shown, and nothing secret`() throws {
    let (folder, scratch, server) = try fixture()
    defer { withExtendedLifetime(scratch) {} }
    let secret = server.address.replacing("://", with: "://me:s3cret@")
    for (name, said) in [("gone.ndjson", "error: 404"), ("never.ndjson", "error: 500")] {
      let outcome = try importer.run(
        ["-m", "m.json", "-s", "\(name).sqlite", "\(secret)/\(name)?key=s3cret&x"], in: folder)
      #expect(outcome.exitCode == 74 && outcome.messages.contains(said), "\(outcome)")
      #expect(outcome.messages.contains("…@127.0.0.1"), "\(outcome)")
      #expect(outcome.messages.contains("/\(name)?key=…&…"), "\(outcome)")
      #expect(!outcome.messages.contains("s3cret"), "\(outcome)")
    }
    for report in ["text", "json"] {
      let outcome = try importer.run(
        [
          "--infer", "--report", report, "--html", "page.html",
          "-s", "\(report).sqlite",
          "\(secret)/page.csv?key=s3cret",
        ], in: folder)
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(!(outcome.output + outcome.messages).contains("s3cret"), "\(outcome)")
      for file in ["\(report).sqlite", "page.html"] {
        let text = String(decoding: try Files.bytes(of: "\(folder)/\(file)"), as: UTF8.self)
        #expect(text.contains("key=…") && !text.contains("s3cret"), "\(file)")
      }
    }
    let log = try String(contentsOfFile: "\(folder)/log", encoding: .utf8)
    #expect(log.contains("GET /page.csv?key=s3cret Basic "))
    let spaces = try importer.run(["-m", "m.json", "\(server.address)/a b"], in: folder)
    #expect(spaces.exitCode == 66 && spaces.messages.contains("no spaces"), "\(spaces)")
    let missing = try importer.run(
      ["-m", "m.json", "\(server.address)/all.ndjson"], in: folder, environment: ["PATH": folder])
    #expect(
      missing.exitCode == 66 && missing.messages.contains("curl is not installed"), "\(missing)")
  }
}
