import Foundation
import POISQLite
import POITestSupport
import Testing

@Suite struct FailedImportTests {
  private let tool = Tool("poi-import")

  private static func lines(_ range: Range<Int>) -> String {
    ImportToolTests.records(range).map { $0 + "\n" }.joined()
  }

  private static func value(_ sql: SQL, _ folder: borrowing ScratchFolder) throws -> String? {
    try Connection(path: folder.file("poi.sqlite"), access: .readOnly).text(sql)
  }

  private static let states: SQL =
    "SELECT group_concat(state, ' ') FROM (SELECT state FROM poikit_run ORDER BY id)"

  private static func ending(_ outcome: Tool.Outcome) throws -> (String?, Int?) {
    let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    let report = try #require(object as? [String: Any], "\(outcome)")
    let counters = report["counters"] as? [String: Any]
    return (report["ending"] as? String, counters?["read"] as? Int)
  }

  @Test(arguments: [("second.json", "<page/>"), ("second.html", "<!DOCTYPE html>")])
  func `if a later input cannot be read, the report says what is committed`(
    name: String, text: String
  ) throws {
    let folder = try ScratchFolder()
    try folder.write(Self.lines(0..<10), to: "first")
    try folder.write(text, to: name)
    let arguments = ["--report", "json", "first", name]
    let failed = try tool.run(arguments, in: folder.path)
    #expect(failed.exitCode == 65)
    #expect(try Self.ending(failed) == ("failed", 10))
    #expect(failed.messages.contains("error: \(name): "), "\(failed.messages)")
    #expect(failed.messages.contains("--resume continues"), "\(failed.messages)")
    #expect(try Self.value(Self.states, folder) == "failed")
    // It fails again at the same place, and the report stays complete.
    let again = try tool.run(arguments + ["--resume"], in: folder.path)
    #expect(again.exitCode == 65)
    #expect(try Self.ending(again) == ("failed", 10))
    #expect(try Self.value("SELECT counters ->> 'read' FROM poikit_run", folder) == "10")
    try FileManager.default.removeItem(atPath: folder.file(name))
    guard name.hasSuffix(".json") else { return }
    try folder.write(Self.lines(10..<15), to: name)
    let resumed = try tool.run(arguments + ["--resume"], in: folder.path)
    #expect(resumed.exitCode == 0, "\(resumed.messages)")
    #expect(try Self.ending(resumed) == ("finished", 15))
    #expect(try Self.value(Self.states, folder) == "finished")
  }

  @Test func `an input that was gone before anything was committed leaves no report`() throws {
    let folder = try ScratchFolder()
    try folder.write("<page/>", to: "data.zip")
    let outcome = try tool.run(["--report", "json", "data.zip"], in: folder.path)
    #expect(outcome.exitCode == 65 && outcome.output.isEmpty, "\(outcome)")
  }

  @Test func `an input after the last requested record is not opened`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.lines(0..<10), to: "first")
    try folder.write("<page/>", to: "data.zip")
    let outcome = try tool.run(["--limit", "10", "first", "data.zip"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
    #expect(try Self.value(Self.states, folder) == "finished")
  }

  @Test func `an interrupt that ends the wait for a later input is reported`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.lines(0..<10), to: "first")
    let lines = """
      mkfifo pipe
      '\(tool.path)' --report json first pipe $1 &
      wait_until_idle $!
      kill -TERM $!
      wait $!
      """
    func interrupt(_ option: String) throws -> Tool.Outcome {
      try Tool.shell(lines, [option], in: folder.path)
    }
    let stopped = try interrupt("--quiet")
    #expect(stopped.exitCode == 130)
    #expect(try Self.ending(stopped) == ("stopped", 10))
    #expect(try Self.value("SELECT count(*) FROM poikit_checkpoint", folder) == "1")
    let again = try interrupt("--resume")
    #expect(again.exitCode == 130)
    #expect(try Self.ending(again) == ("stopped", 10))
    #expect(again.messages.contains("--resume continues"), "\(again.messages)")
    let resumed = try Tool(path: "/bin/sh").run(
      ["-c", "printf '' >pipe & '\(tool.path)' --resume first pipe"], in: folder.path)
    #expect(resumed.exitCode == 0, "\(resumed.messages)")
    #expect(try Self.value(Self.states, folder) == "finished")
  }

  @Test func `a snapshot whose rows are referred to is reported, and continues`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.lines(0..<10), to: "whole")
    try folder.write(Self.lines(1..<10), to: "part")
    #expect(try tool.run(["-q", "--snapshot", "whole"], in: folder.path).exitCode == 0)
    try Connection(path: folder.file("poi.sqlite"), access: .readWrite).execute(
      "CREATE TABLE app (p REFERENCES poi (poikit_id)); INSERT INTO app VALUES (1)")
    let arguments = ["--report", "json", "--snapshot", "part"]
    let failed = try tool.run(arguments, in: folder.path)
    #expect(failed.exitCode == 65)
    #expect(try Self.ending(failed) == ("failed", 9))
    #expect(failed.messages.contains("refer to rows of 'poi'"), "\(failed.messages)")
    #expect(failed.messages.contains("--resume"), "\(failed.messages)")
    #expect(try Self.value(Self.states, folder) == "finished failed")
    try Connection(path: folder.file("poi.sqlite"), access: .readWrite).execute("DELETE FROM app")
    let resumed = try tool.run(arguments + ["--resume"], in: folder.path)
    #expect(resumed.exitCode == 0, "\(resumed.messages)")
    #expect(resumed.output.contains("\"removed\": 1"), "\(resumed.output)")
    #expect(try Self.value(Self.states, folder) == "finished finished")
  }

  @Test func `an input of an unfinished import is refused before the first is read`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.lines(0..<10), to: "first")
    try folder.write(Self.lines(10..<14) + "{}\n", to: "second")
    let begun = try tool.run(["--batch", "2", "--max-rejects", "0", "second"], in: folder.path)
    #expect(begun.exitCode == 65)
    let refused = try tool.run(["--report", "json", "first", "second"], in: folder.path)
    #expect(refused.exitCode == 64 && refused.output.isEmpty, "\(refused)")
    #expect(
      refused.messages.contains("second: an earlier import of it has not ended"),
      "\(refused.messages)")
    #expect(try Self.value("SELECT count(*) FROM poi", folder) == "4")
    #expect(try Self.value(Self.states, folder) == "failed")
    let alone = try tool.run(["first"], in: folder.path)
    #expect(alone.exitCode == 0, "\(alone.messages)")
    let restarted = try tool.run(["-q", "--restart", "first", "second"], in: folder.path)
    #expect(restarted.exitCode == 1, "\(restarted.messages)")
    #expect(try Self.value(Self.states, folder) == "abandoned finished finished")
  }

  @Test func `standard input is refused too, also with another resumed run`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.lines(0..<4) + "{}\n", to: "first")
    let options = ["--batch", "2", "--max-rejects", "0"]
    #expect(try tool.run(options + ["first"], in: folder.path).exitCode == 65)
    let input = Array((Self.lines(4..<6) + "{}\n").utf8)
    #expect(try tool.run(options + ["-"], in: folder.path, input: input).exitCode == 65)
    let refused = try tool.run(["--resume", "first", "-"], in: folder.path, input: input)
    #expect(refused.exitCode == 64)
    #expect(
      refused.messages.contains("standard input: an earlier import of it has not ended"),
      "\(refused.messages)")
    #expect(try Self.value("SELECT count(*) FROM poi", folder) == "6")
    #expect(try Self.value(Self.states, folder) == "failed failed")
    let resumed = try tool.run(["-q", "--resume", "first"], in: folder.path)
    #expect(resumed.exitCode == 1, "\(resumed.messages)")
  }

  @Test func `records before damage in an envelope are kept, and the message has advice`() throws {
    let folder = try ScratchFolder()
    let records = ImportToolTests.records(0..<4).joined(separator: ",")
    func envelope(_ comment: String) -> String {
      "{\"records\":[\(records)],\n \(comment) \"count\":4}"
    }
    try folder.write(envelope("/* all */"), to: "data.json")
    let failed = try tool.run(["data.json"], in: folder.path)
    #expect(failed.exitCode == 65)
    #expect(
      failed.messages.contains(
        "data.json:2:2: the text around the elements is not valid json: json allows no comment or "
          + "slash here: remove it"), "\(failed.messages)")
    #expect(failed.messages.contains("has another size by then, --restart"))
    #expect(try Self.value("SELECT count(*) FROM poi", folder) == "4")
    // With blanks instead, the input keeps its size.
    try folder.write(envelope("         "), to: "data.json")
    let resumed = try tool.run(["--resume", "data.json"], in: folder.path)
    #expect(resumed.exitCode == 0, "\(resumed.messages)")
    #expect(try Self.value("SELECT count(*) FROM poi", folder) == "4")
  }
}
