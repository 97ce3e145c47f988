import Foundation
import POITestSupport
import Testing

/// Compares the members of the JSON reports with the reference.
@Suite struct ReportTests {
  private let importer = Tool("poi-import")
  private let deduplicator = Tool("poi-dedup")

  /// The members in the reference's table for a tool, by task; the key "all" is for every task.
  private static func table(of tool: String) throws -> [String: Set<String>] {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Sources/POIKit/POIKit.docc/Reference/Reports.md")
    let page = try String(contentsOf: path, encoding: .utf8)
    let start = try #require(page.range(of: "\n| member of `\(tool)` | "))
    var members: [String: Set<String>] = [:]
    let lines = page[start.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
    for line in lines.dropFirst(2).prefix(while: { $0.hasPrefix("|") }) {
      let cells = line.split(separator: "|").map { cell in
        cell.matches(of: /`([^`]+)`/).map { String($0.output.1) }
      }
      let tasks = cells.count == 3 && !line.contains("| all |") ? cells[1] : ["all"]
      for task in tasks {
        for member in cells[0] {
          #expect(members[task, default: []].insert(member).inserted, "\(member) occurs twice")
        }
      }
    }
    return members
  }

  /// The members of a report. Nested ones carry the names of their parents; the members of
  /// `rejects`, `rejectsByAttribute`, `unmapped` and `kept` depend on the input.
  private static func members(_ value: Any, at path: String = "") -> Set<String> {
    switch value {
    case let object as [String: Any]
    where !["rejects", "rejectsByAttribute", "unmapped", "kept"].contains(path):
      object.reduce(into: []) { members, member in
        members.formUnion(
          Self.members(member.value, at: (path.isEmpty ? "" : path + ".") + member.key))
      }
    case let array as [[String: Any]]:
      array.reduce(into: []) { $0.formUnion(members($1, at: path + "[]")) }
    default: [path]
    }
  }

  private static func report(_ outcome: Tool.Outcome) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    return try #require(object as? [String: Any], "\(outcome)")
  }

  private static let model = #"""
    {"x-table":"note","x-key":"id","x-timestamp":"at","required":["id"],
     "x-tombstone":{"attribute":"gone","removal":"delete"},
     "properties":{"id":{"type":"integer"},"text":{"type":"string"},"gone":{"type":"boolean"},
      "at":{"type":"integer","x-unit":"seconds"}}}
    """#

  @Test func `the reference names the members of the report of an import`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.model, to: "model")
    try folder.write(#"[{"id":1,"at":1,"other":2},{"id":1,"at":2},{"id":"x"}]"#, to: "data")
    try folder.write(#"{"next":"t","notes":[{"id":1,"at":3}]}"#, to: "all")
    let expected = try Self.table(of: "poi-import")
    for (arguments, ending, code) in [
      (["-n", "data"], "finished", 1), (["data"], "finished", 1),
      (["--snapshot", "--token-at", "/next", "-s", "new", "all"], "finished", 0),
      (["--max-rejects", "0", "data"], "failed", 65),
    ] as [([String], String, Int32)] {
      let outcome = try importer.run(
        ["-m", "model", "-q", "--report", "json"] + arguments, in: folder.path)
      let report = try Self.report(outcome)
      #expect(outcome.exitCode == code && report["ending"] as? String == ending, "\(outcome)")
      #expect(["all": Self.members(report)] == expected, "\(arguments)")
    }
    let missing = try importer.run(["--report", "json", "none"], in: folder.path)
    #expect(missing.output.isEmpty && missing.messages.contains("error: none"), "\(missing)")
  }

  @Test func `the reference names the members of the reports of a deduplication`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.model, to: "model")
    try folder.write(
      #"[{"id":1,"at":1,"text":"a"},{"id":1,"at":2},{"id":2,"at":1}]"#, to: "data")
    for store in ["poi.sqlite", "other"] {
      let outcome = try importer.run(["-q", "-m", "model", "-s", store, "data"], in: folder.path)
      #expect(outcome.exitCode == 0)
    }
    var expected = try Self.table(of: "poi-dedup")
    let common = expected.removeValue(forKey: "all") ?? []
    var found: [String: Set<String>] = [:]
    for arguments in [
      ["--dry-run"], ["--merge-losers"], ["--undo"], ["--enforce"],
      ["--digest", "-s", "poi.sqlite", "-s", "other"], ["--purge-tombstones", "1d"],
      ["--dangling", "--references", "note.at=note.id"],
    ] {
      let outcome = try deduplicator.run(["--report", "json"] + arguments, in: folder.path)
      let report = try Self.report(outcome)
      let task = try #require(report["task"] as? String, "\(outcome)")
      found[task, default: []].formUnion(Self.members(report).subtracting(common))
      #expect(Self.members(report).isSuperset(of: common))
    }
    #expect(found == expected)
    let missing = try deduplicator.run(["-s", "none", "--report", "json"], in: folder.path)
    #expect(missing.output.isEmpty && missing.messages.contains("error: none"), "\(missing)")
  }

  @Test func `the reference names the members of the report of a synchronisation`() throws {
    let synchroniser = Tool("poi-sync")
    let folder = try ScratchFolder()
    try folder.write(
      """
      import http.server, json, sys
      class Server(http.server.BaseHTTPRequestHandler):
          def do_GET(self):
              self.answer({"documents": [], "checkpoint": "0", "epoch": "e"})
          def do_POST(self):
              request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
              self.answer({"outcomes": [{"refused": "no"} for _ in request["documents"]]})
          def answer(self, value):
              self.send_response(200)
              self.end_headers()
              self.wfile.write(json.dumps(value).encode())
      server = http.server.HTTPServer(("127.0.0.1", 0), Server)
      print(f"http://127.0.0.1:{server.server_port}", file=open("address", "w"), flush=True)
      server.serve_forever()
      """, to: "server.py")
    try folder.write(Self.model, to: "model.json")
    let outcome = try Tool.shell(
      """
      python3 server.py 2> server.log & server=$!
      until [ -s address ]; do sleep 0.05; done
      "$1" --server "$(cat address)" --model model.json
      sqlite3 poi.sqlite "INSERT INTO note (id, text) VALUES (1, 'n')"
      "$1" --report json > cycle; code=$?
      "$1" --status --report json > status
      kill $server
      exit $code
      """, [synchroniser.path], in: folder.path)
    #expect(outcome.exitCode == 1, "\(outcome)")
    let table = try Self.table(of: "poi-sync")
    for (file, task) in [("cycle", "cycle"), ("status", "status")] {
      let report = try JSONSerialization.jsonObject(with: Data(folder.bytes(file)))
      #expect(Self.members(report) == table["all", default: []].union(table[task, default: []]))
    }
  }
}
