import POIKit
import POIRecords
import POISQLite
import POISync
import POITestSupport
import Testing

/// Pulls from servers that exist, with other routes than the sync protocol.
@Suite struct PullTests {
  /// Twelve records, the last one of day 13, in pages of five, by several kinds of routes.
  private static let script = """
    import http.server, json, sys, time, urllib.parse
    records = [{"id": i, "name": f"n{i}", "updated": f"2026-03-{i + 1:02d}T00:00:00Z"} for i in range(1, 13)]
    class Server(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            place = urllib.parse.urlsplit(self.path)
            query = dict(urllib.parse.parse_qsl(place.query))
            kind, since = place.path.strip("/"), query.get("since", "")
            if kind in ("links", "whole", "query", "foreign", "broken", "pages"):
                page = int(query.get("page", "1"))
                found = [record for record in records if record["updated"] >= since]
                next = None
                if len(found) > page * 5:
                    rest = f"page={page + 1}&since={urllib.parse.quote(since)}"
                    next = f"/{kind}?{rest}" if kind != "foreign" else f"http://127.0.0.1:1/links?{rest}"
                    if kind == "whole":
                        next = f"http://{self.headers['Host']}{next}"
                    if kind == "query":
                        next = f"?{rest}"
                    if kind == "pages":
                        next = page + 1
                    if kind == "broken" and page == 2:
                        next = "/nothing"
                answer = {"now": f"2026-03-2{page}", "items": found[page * 5 - 5:page * 5], "next": next}
            elif kind == "tokens":
                found = [record for record in records if record["id"] > int(since or "0")][:5]
                answer = {"items": found, "cursor": found[-1]["id"] if found else since}
            elif kind == "moments":
                unit = int(query["unit"])
                found = [record for record in records if (1_700_000_000 + record["id"]) * unit >= int(since or 0)]
                answer = {"items": found, "now": 1_700_000_012 * unit}
            elif kind == "latest":
                after = int(query.get("after", "0"))
                answer = [record for record in records if (record["updated"][:10], record["id"]) > (since[:10], after)][:5]
            elif kind == "ids":
                answer = [record["id"] for record in records if record["id"] not in (3, 4)]
            elif kind == "objects":
                answer = {"count": 11, "keys": [{"id": record["id"]} for record in records[1:]]}
            elif kind == "few":
                answer = [1]
            elif kind == "circle":
                answer = {"items": records[:1], "next": "/circle"}
            elif kind == "now":
                answer = {"items": records, "now": f"2026-{time.time():.6f}"}
            elif kind == "text":
                answer = None
            elif kind == "words":
                answer = ["one", "two"]
            elif kind == "empty":
                answer = []
            else:
                return self.send_error(404)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>" if answer is None else json.dumps(answer).encode())
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    open(sys.argv[1], "w").write(f"http://127.0.0.1:{server.server_port}")
    server.serve_forever()
    """

  private static let model = """
    {"x-table": "poi", "x-key": "id", "x-timestamp": "updated", "required": ["id"], "properties": {
      "id": {"type": "integer"}, "name": {"type": "string"}, "updated": {"type": "string", "format": "date-time"}}}
    """

  private final class Fixture {
    let folder: String
    let server: PythonServer
    let store: Store
    let model: Model

    init(_ folder: borrowing ScratchFolder) throws {
      self.folder = folder.path
      server = try PythonServer(folder.write(script, to: "server.py"), in: folder.path)
      store = try Store(folder.file("poi.sqlite"))
      model = try Model(parsing: PullTests.model)
    }

    /// - Parameter change: says what the server offers beside the address.
    func pull(_ route: String, _ change: (inout PullSource) -> Void = { _ in }) throws -> SyncReport
    {
      var source = PullSource(address: server.address + route)
      change(&source)
      return try Puller(store, model: model, source: source).pull()
    }

    /// Pulls with what the store keeps.
    func pullAgain() throws -> SyncReport { try Puller(store).pull() }

    func ids() throws -> [Int64] {
      try store.withConnection { connection in
        try connection.rows("SELECT id FROM poi ORDER BY id") { $0.integer(0) }
      }
    }
  }

  @Test func `pages follow each other by links, and the first token is kept`() throws {
    let folder = try ScratchFolder()
    let fixture = try Fixture(folder)
    let report = try fixture.pull("/links?since={token}") { source in
      (source.recordPointer, source.nextPointer, source.tokenPointer) = ("/items", "/next", "/now")
    }
    #expect(report.pulled.insertedCount == 12)
    #expect(report.requestCount == 3)
    #expect(try fixture.store.token(of: fixture.model) == "2026-03-21")
    #expect(try fixture.pullAgain().requestCount == 1)
    #expect(try fixture.ids() == Array(1...12))
  }

  @Test func `no token is kept before the last page`() throws {
    let folder = try ScratchFolder()
    let fixture = try Fixture(folder)
    #expect(throws: SyncError.self) {
      try fixture.pull("/broken?since={token}") { source in
        (source.nextPointer, source.tokenPointer) = ("/next", "/now")
      }
    }
    #expect(try fixture.store.token(of: fixture.model) == nil)
    let status = try fixture.store.syncedTables()
    #expect(status.first?.error?.contains("404") == true)
    // Another source takes the whole.
    let report = try fixture.pull("/pages?page={page}") { $0.nextPointer = "/next" }
    #expect(report.requestCount == 3)
    #expect(try fixture.ids() == Array(1...12))
  }

  @Test func `pages follow each other by tokens`() throws {
    let folder = try ScratchFolder()
    let fixture = try Fixture(folder)
    let report = try fixture.pull("/tokens?since={token}") { $0.tokenPointer = "/cursor" }
    #expect(report.pulled.insertedCount == 12)
    #expect(report.requestCount == 4)
    #expect(try fixture.pullAgain().requestCount == 1)
    let latest = try fixture.pull("/latest?since={token}&after={key}")
    #expect(latest.pulled.unchangedCount == 12)
    #expect(try fixture.pullAgain().requestCount == 1)
  }

  @Test func `an overlap asks for earlier records again`() throws {
    let folder = try ScratchFolder()
    let fixture = try Fixture(folder)
    _ = try fixture.pull("/links?since={token}") { source in
      (source.nextPointer, source.overlap) = ("/next", .seconds(2 * 86_400))
    }
    #expect(try fixture.pullAgain().pulled.unchangedCount == 3)
    #expect(throws: SyncError.self) {
      for _ in 0..<2 {
        _ = try fixture.pull("/tokens?since={token}") { source in
          (source.tokenPointer, source.overlap) = ("/cursor", .seconds(60))
        }
      }
    }
  }

  @Test func `an overlap with a day asks for earlier days again`() throws {
    let folder = try ScratchFolder()
    let fixture = try Fixture(folder)
    // The token is 2026-03-21.
    _ = try fixture.pull("/links?since={token}") { source in
      (source.recordPointer, source.nextPointer, source.tokenPointer) = ("/items", "/next", "/now")
      source.overlap = .seconds(10 * 86_400)
    }
    #expect(try fixture.pullAgain().pulled.unchangedCount == 3)
  }

  @Test(arguments: [1, 1_000, 1_000_000])
  func `an overlap with a count since 1970 has its unit`(unit: Int) throws {
    let folder = try ScratchFolder()
    let fixture = try Fixture(folder)
    let first = try fixture.pull("/moments?unit=\(unit)&since={token}") { source in
      (source.tokenPointer, source.overlap) = ("/now", .seconds(3))
    }
    #expect(first.pulled.insertedCount == 12)
    #expect(try fixture.store.token(of: fixture.model) == "\(1_700_000_012 * unit)")
    #expect(try fixture.pullAgain().pulled.unchangedCount == 4)
  }

  @Test func `rows that a list of keys lacks are removed, within the limit`() throws {
    let folder = try ScratchFolder()
    let fixture = try Fixture(folder)
    func pull(_ list: String) throws -> SyncReport {
      try fixture.pull("/links") { source in
        (source.nextPointer, source.idsAddress) = ("/next", fixture.server.address + list)
      }
    }
    #expect(try pull("/ids").pulled.removedCount == 2)
    #expect(try fixture.ids() == [1, 2] + Array(5...12))
    #expect(try pull("/objects").pulled.removedCount == 1)
    #expect(try fixture.ids() == Array(2...12))
    for list in ["/few", "/words", "/empty", "/text", "/nothing"] {
      #expect(throws: (any Error).self, "\(list)") { try pull(list) }
      #expect(try fixture.ids() == Array(1...12), "\(list)")
    }
    // What a killed list leaves holds off no other one.
    #expect(try pull("/ids").pulled.removedCount == 2)
    try fixture.store.withConnection { connection in
      try connection.execute(
        """
        UPDATE poikit_run SET state = 'running', counters = '{}'
        WHERE id = (SELECT max(id) FROM poikit_run)
        """)
    }
    // Whoever undoes the removal gets the rows back.
    #expect(try pull("/ids").pulled.removedCount == 2)
    let run = try fixture.store.withConnection { connection in
      try connection.integer("SELECT max(id) FROM poikit_run") ?? 0
    }
    try fixture.store.undo(run: run)
    #expect(try fixture.ids() == Array(1...12))
  }

  @Test func `a pull ends, whatever the server says`() throws {
    let folder = try ScratchFolder()
    let fixture = try Fixture(folder)
    let error = #expect(throws: SyncError.self) {
      try fixture.pull("/circle") { $0.nextPointer = "/next" }
    }
    #expect(error?.message.contains("lead back to it") == true)
    let report = try fixture.pull("/now?since={token}") { $0.tokenPointer = "/now" }
    #expect(report.pulled.insertedCount == 11)
    #expect(report.requestCount == 2)
  }

  @Test(arguments: ["/whole", "/query"])
  func `a page names the next one by its whole address, or its query`(route: String) throws {
    let folder = try ScratchFolder()
    let fixture = try Fixture(folder)
    let report = try fixture.pull(route) { $0.nextPointer = "/next" }
    #expect(report.requestCount == 3)
    #expect(try fixture.ids() == Array(1...12))
  }

  @Test func `what cannot be pulled is refused with the reason`() throws {
    let folder = try ScratchFolder()
    let fixture = try Fixture(folder)
    let keyless = try Model(
      parsing: #"{"x-table":"poi","properties":{"id":{"type":"integer"}}}"#)
    let source = PullSource(address: fixture.server.address + "/links")
    var error = #expect(throws: StoreError.self) {
      try Puller(fixture.store, model: keyless, source: source)
    }
    #expect(error?.code == .invalidOptions)
    #expect(error?.message.contains("names no key") == true)
    error = #expect(throws: StoreError.self) { try Puller(fixture.store, model: fixture.model) }
    #expect(error?.code == .invalidOptions)
    #expect(error?.message.contains("is not pulled; name an address") == true)
    #expect(try fixture.store.syncedTables().isEmpty)
  }

  @Test func `headers do not go to another server`() throws {
    let folder = try ScratchFolder()
    let fixture = try Fixture(folder)
    let error = #expect(throws: SyncError.self) {
      try fixture.pull("/foreign") { $0.nextPointer = "/next" }
    }
    #expect(error?.message.contains("is no page of this server") == true)
  }

  @Test func `a table is pulled or synchronised, not both`() throws {
    let folder = try ScratchFolder()
    let fixture = try Fixture(folder)
    _ = try fixture.pull("/latest")
    #expect(throws: StoreError.self) {
      try Synchronizer(fixture.store, server: MemoryServer(), address: "memory")
    }
    let device = try SyncDevice(folder.file("synced.sqlite"), Link(to: MemoryServer()))
    try device.cycle()
    #expect(throws: StoreError.self) {
      try Puller(device.store, source: PullSource(address: fixture.server.address))
    }
    #expect(throws: StoreError.self) { try Puller(device.store) }
  }
}
