import POISQLite
import POITestSupport
import Testing

/// The tools' output is safe on a terminal, whatever the data holds.
@Suite struct TerminalTests {
  private let importer = Tool("poi-import")
  private let deduplicator = Tool("poi-dedup")

  /// Clears the screen in two ways, rings, reverses the direction of writing, deletes, and breaks
  /// the line.
  private static let hostile = "\u{1b}[2J\u{9b}2J\u{7}\u{202e}\u{7f}\r\u{2028}x"

  /// The same in JSON, verbatim if JSON allows it.
  private static let inJSON = "\\u001b[2J\u{9b}2J\\u0007\u{202e}\u{7f}\\r\u{2028}x"

  private static let model = """
    {"title":"\(inJSON)","x-table":"t\(inJSON)","x-key":"k\(inJSON)",
     "x-unmapped-column":"more\(inJSON)",
     "properties":{"k\(inJSON)":{"type":"string"},
      "n\(inJSON)":{"type":["integer","null"],"maximum":7,"enum":[1,null]}}}
    """

  private static let records = """
    {"k\(inJSON)":"a\(inJSON)","other\(inJSON)":1}
    {"k\(inJSON)":"a\(inJSON)","n\(inJSON)":1}
    {"k\(inJSON)":"a\(inJSON)","n\(inJSON)":"\(inJSON)"}
    {"k\(inJSON)":\(inJSON)}

    """

  private func expectSafe(
    _ outcome: Tool.Outcome, _ comment: Comment, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for text in [outcome.output, outcome.messages] {
      let found = text.unicodeScalars.filter { scalar in
        switch scalar.properties.generalCategory {
        case .control: scalar != "\n" && scalar != "\t"
        case .format: scalar != "\u{200c}" && scalar != "\u{200d}"
        case .lineSeparator, .paragraphSeparator: true
        default: false
        }
      }
      #expect(found.isEmpty, comment, sourceLocation: sourceLocation)
    }
  }

  @Test func `control characters in names and values are shown as numbers`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.model, to: "model.json")
    let input = "data\(Self.hostile).json"
    try folder.write(Self.records, to: input)
    for arguments in [
      ["--model", "model.json", "--rejects", "rejects.ndjson", input],
      ["--model", "model.json", "--report", "json", "--restart", input],
      ["--model", "model.json", "--progress", "always", "--merge", "error", input],
      ["--model", "model.json", "--dry-run", "--at", "/\(Self.hostile)", input],
      ["--model", "model.json", "--max-rejects", "0", input],
      ["--model", "model.json", "--resume", "\(Self.hostile)"],
      ["--model", "\(Self.hostile)", input], ["--\(Self.hostile)"], ["--batch", Self.hostile],
      ["--infer=print", input], ["--print-model", "t\(Self.hostile)"],
      ["--print-model", Self.hostile],
      ["--store", "no/\(Self.hostile)", input], ["--source", Self.hostile, "--print-token"],
    ] {
      let outcome = try importer.run(arguments, in: folder.path)
      expectSafe(outcome, "\(arguments): \(outcome)")
    }
    let lines = String(decoding: try folder.bytes("rejects.ndjson"), as: UTF8.self)
    #expect(!lines.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    for arguments in [
      ["--dry-run"], ["--dry-run", "--report", "json"], ["--key", Self.hostile], ["--digest"],
      ["--timestamp", Self.hostile], ["--table", Self.hostile], ["--purge-tombstones", "1d"],
      ["--progress", "always", "--enforce"], ["--undo"], ["--undo", Self.hostile],
      ["--report", "json"],
    ] {
      let outcome = try deduplicator.run(arguments, in: folder.path)
      expectSafe(outcome, "\(arguments): \(outcome)")
    }
  }

  @Test func `control characters in another program's database are shown as numbers`() throws {
    let folder = try ScratchFolder()
    let name = SQL(name: Self.hostile)
    let text: SQL = "\(literal: Self.hostile)"
    let connection = try Connection(path: folder.file("app.db"))
    try connection.execute(
      """
      CREATE TABLE \(name) (\(name) TEXT, at TEXT);
      INSERT INTO \(name) VALUES (\(text), \(text)), (\(text), '2026-01-01');
      CREATE TABLE u (\(name) TEXT); INSERT INTO u VALUES (1), (1);
      CREATE TRIGGER r BEFORE DELETE ON u BEGIN SELECT RAISE(ABORT, \(text)); END;
      """)
    for arguments in [
      ["--table", Self.hostile, "--key", Self.hostile, "--dry-run"],
      ["--table", Self.hostile, "--key", Self.hostile, "--timestamp", "at"],
      ["--table", "u", "--key", Self.hostile], ["--table", "u", "--key", "\(Self.hostile)2"],
    ] {
      let outcome = try deduplicator.run(["--store", "app.db"] + arguments, in: folder.path)
      expectSafe(outcome, "\(arguments): \(outcome)")
    }
  }

  @Test func `a program reads the token of a source verbatim`() throws {
    let folder = try ScratchFolder()
    try folder.write(
      "{\"next\":\"\(Self.inJSON)\",\"rows\":[{\"id\":1}]}", to: "data.json")
    try folder.write(
      #"{"x-table":"t","x-key":"id","properties":{"id":{"type":"integer"}}}"#, to: "model.json")
    _ = try importer.run(
      ["--model", "model.json", "--at", "/rows", "--token-at", "/next", "data.json"],
      in: folder.path)
    let outcome = try importer.run(["--print-token"], in: folder.path)
    #expect(outcome.output == Self.hostile + "\n")
  }
}
