import Foundation
import POIRecords
import POISync
import POITestSupport
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
}
