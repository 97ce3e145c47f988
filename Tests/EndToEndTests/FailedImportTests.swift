import Foundation
import SQLiteKit
import TestSupport
import Testing

/// Imports of several inputs that end early, after something of them is committed.
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

  /// What the report says of the ending and of the records read.
  private static func ending(_ outcome: Tool.Outcome) throws -> (String?, Int?) {
    let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    let report = try #require(object as? [String: Any], "\(outcome)")
    let counters = report["counters"] as? [String: Any]
    return (report["ending"] as? String, counters?["read"] as? Int)
  }

  @Test func `a snapshot whose rows others refer to is reported, and goes on`() throws {
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
}
