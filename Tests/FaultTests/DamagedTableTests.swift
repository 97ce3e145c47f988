import Glibc
import POISQLite
import POITestSupport
import Testing

/// Stores in which a byte has changed that SQLite does not check.
@Suite struct DamagedTableTests {
  private let importer = Tool("poi-import")
  private let deduplicator = Tool("poi-dedup")
  private let exporter = Tool("poi-export")

  /// A folder with a store of places, in which the text `needle` of one row has another byte.
  private func makeStore(changing needle: String) throws -> ScratchFolder {
    let folder = try ScratchFolder()
    let records = (0..<500).map { id in
      #"{"id":\#(id),"name":"place \#(id) \#(id == 77 ? "needle" : "hay")","at":\#(1_700_000_000 + id)}"#
    }
    try folder.write(records.joined(separator: "\n"), to: "places.ndjson")
    let outcome = try importer.run(["--infer", "-q", "places.ndjson"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    try Connection(path: folder.file("poi.sqlite")).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    var bytes = try folder.bytes("poi.sqlite")
    let wanted = Array(needle.utf8)
    let place = try #require(
      bytes.indices.first { bytes[$0...].starts(with: wanted) })
    bytes[place] ^= 1
    try folder.write(bytes, to: "poi.sqlite")
    return folder
  }

  @Test func `a changed byte of a record is found by every command that reads the whole table`()
    throws
  {
    let folder = try makeStore(changing: "needle")
    let commands: [(Tool, [String])] = [
      (deduplicator, ["--digest"]), (deduplicator, []), (deduplicator, ["--enforce"]),
      (exporter, ["-f", "ndjson", "-q"]), (exporter, ["-o", "out.json"]),
      (exporter, ["--ship", "app.sqlite"]),
    ]
    for (tool, arguments) in commands {
      let outcome = try tool.run(arguments, in: folder.path)
      #expect(outcome.exitCode == 74, "\(arguments): \(outcome)")
      #expect(outcome.messages.contains("damaged"), "\(arguments): \(outcome)")
      for name in ["out.json", "app.sqlite"] {
        #expect(unsafe access(folder.file(name), F_OK) != 0)
      }
    }
  }

  @Test func `after an edit of an app the digest is computed anew`() throws {
    let folder = try makeStore(changing: "needle")
    try Connection(path: folder.file("poi.sqlite"), access: .readWrite).execute(
      "UPDATE places SET name = name WHERE id = 1")
    for (tool, arguments) in [(deduplicator, ["--digest"]), (exporter, ["-o", "out.json"])] {
      let outcome = try tool.run(arguments, in: folder.path)
      #expect(outcome.exitCode == 0, "\(arguments): \(outcome)")
    }
  }

  @Test func `a pipe is no store`() throws {
    let folder = try ScratchFolder()
    #expect(unsafe mkfifo(folder.file("poi.sqlite"), 0o600) == 0)
    try folder.write(#"{"id":1}"#, to: "a.json")
    let commands: [(Tool, [String])] = [
      (importer, ["--infer", "a.json"]), (deduplicator, []), (exporter, []),
    ]
    for (tool, arguments) in commands {
      let outcome = try tool.run(arguments, in: folder.path)
      #expect(outcome.exitCode == 74, "\(arguments): \(outcome)")
      #expect(outcome.messages.contains("a pipe or device is no database"), "\(outcome)")
    }
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `a trigger that loops ends soon after a signal, and nothing of its batch is stored`(
    signal: Int32
  ) throws {
    let folder = try ScratchFolder()
    try folder.write(#"{"id":1}"#, to: "a.json")
    try folder.write(#"{"id":2}"#, to: "b.json")
    #expect(
      try importer.run(["--infer", "--table", "t", "-q", "a.json"], in: folder.path).exitCode == 0)
    try Connection(path: folder.file("poi.sqlite"), access: .readWrite).execute(
      """
      CREATE TABLE log (n);
      CREATE TRIGGER endless AFTER INSERT ON t BEGIN
        INSERT INTO log WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)
          SELECT n FROM c WHERE n < 0;
      END
      """)
    let running = try importer.start(["--table", "t", "b.json"], in: folder.path)
    usleep(500_000)
    running.signal(signal)
    let outcome = try running.wait()
    #expect(outcome.exitCode == 130, "\(outcome)")
    #expect(outcome.messages.contains("interrupted"), "\(outcome)")
    #expect(try DedupToolTestsRows.count(in: folder.file("poi.sqlite")) == 1)
  }
}

private enum DedupToolTestsRows {
  static func count(in path: String) throws -> Int64? {
    try Connection(path: path, access: .readOnly).integer("SELECT count(*) FROM t")
  }
}
