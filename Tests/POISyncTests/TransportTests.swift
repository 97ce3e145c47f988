import JSONStreaming
import POIKit
import POIRecords
import POISync
import POITestSupport
import Testing

/// Answers that a network and a server in trouble give.
@Suite struct TransportTests {
  /// Answers each request as the first part of its path says.
  private static let script = """
    import http.server, sys, time
    class Server(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.do_GET()
        def do_GET(self):
            kind = self.path.split("/")[1]
            body = b'{"documents":[],"checkpoint":"1","epoch":"e"}'
            if kind == "headers":
                wanted = self.headers["Authorization"] == r'Bearer "a\\b'
                kind = "200" if wanted else "401"
            if kind.isdigit():
                self.send_response(int(kind))
                self.send_header("Retry-After", "7")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            elif kind == "cut":
                self.send_response(200)
                self.send_header("Content-Length", str(2 * len(body)))
                self.end_headers()
                self.wfile.write(body)
            elif kind == "garbage":
                self.wfile.write(b"no HTTP at all")
            elif kind == "page":
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"<html>")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    open(sys.argv[1], "w").write(f"http://127.0.0.1:{server.server_port}")
    server.serve_forever()
    """

  private static func server(in folder: borrowing ScratchFolder) throws -> PythonServer {
    try PythonServer(folder.write(script, to: "server.py"), in: folder.path)
  }

  @Test func `each answer says what is wrong`() throws {
    let folder = try ScratchFolder()
    let server = try Self.server(in: folder)
    func failure(_ kind: String, isPush: Bool) -> SyncError? {
      do {
        let server = try HTTPServer(address: "\(server.address)/\(kind)")
        _ = try isPush ? server.push(Array("{}".utf8)) : server.pull(after: "a&b é", limit: 5)
        return nil
      } catch {
        return error
      }
    }
    let expected: [(String, SyncError.Code, SyncError.Code)] = [
      ("400", .unusable, .refused), ("401", .credentials, .credentials),
      ("403", .credentials, .credentials), ("404", .unusable, .unusable),
      ("409", .unusable, .refused), ("412", .unusable, .refused), ("413", .unusable, .refused),
      ("422", .unusable, .refused), ("429", .unreachable, .unreachable),
      ("500", .unreachable, .unreachable), ("503", .unreachable, .unreachable),
      ("302", .unusable, .unusable), ("cut", .unreachable, .unreachable),
      ("garbage", .unreachable, .unreachable),
    ]
    for (kind, pull, push) in expected {
      let pulled = failure(kind, isPush: false)
      #expect(pulled?.code == pull, "\(kind)")
      #expect(failure(kind, isPush: true)?.code == push, "\(kind)")
      if ["429", "503"].contains(kind) { #expect(pulled?.retryAfter == .seconds(7)) }
    }
  }

  @Test func `headers are sent, whatever is in them`() throws {
    let folder = try ScratchFolder()
    let server = try Self.server(in: folder)
    let address = "\(server.address)/headers"
    let known = try HTTPServer(
      address: address, client: HTTPClient(headers: [#"Authorization: Bearer "a\b"#]))
    #expect(try known.pull(after: nil, limit: 1).count > 10)
    let unknown = try HTTPServer(address: address)
    #expect(throws: SyncError.self) { try unknown.pull(after: nil, limit: 1) }
  }

  @Test func `an answer that is no page changes nothing`() throws {
    let folder = try ScratchFolder()
    let server = try Self.server(in: folder)
    let link = Link(to: try HTTPServer(address: "\(server.address)/page"))
    let device = try SyncDevice(folder.file("a.sqlite"), link)
    try device.app.execute("INSERT INTO poi (id, name) VALUES ('p', '1')")
    #expect(throws: StoreError.self) { try device.cycle() }
    #expect(try device.localCount() == 1)
    #expect(try device.records().count == 1)
  }

  @Test func `an address must be safe`() throws {
    for address in [
      "example.org", "ftp://example.org", "http://example.org", "https://me:secret@example.org",
      "https://a b", "http://localhost.example.org", "https://example.org/?key=1", "https://a#b",
    ] {
      #expect(throws: SyncError.self, "\(address)") { try HTTPServer(address: address) }
    }
    for address in ["https://example.org/pois/", "http://localhost:80", "http://[::1]:8080/a"] {
      _ = try HTTPServer(address: address)
    }
    _ = try HTTPServer(
      address: "http://example.org", client: HTTPClient(allowsPlainHTTP: true))
    for header in ["@/etc/hosts", "no colon", ": value", "A: 1\nB: 2", "A: 1\r\nB: 2"] {
      #expect(throws: SyncError.self, "\(header)") {
        try HTTPClient(headers: [header])
      }
    }
  }
}
