import POISQLite
import POITestSupport
import Testing

/// Merges, folds and deduplications of odd values, through the command line.
@Suite struct OddMergeToolTests {
  private let importer = Tool("poi-import")
  private let deduplicator = Tool("poi-dedup")
  private let exporter = Tool("poi-export")

  private static let model = #"""
    {"x-table":"t","x-key":"id","x-timestamp":"changed","x-unmapped-column":"other",
     "x-keeps-misfits":true,"required":["id"],"properties":{
      "id":{"type":"integer"},"changed":{"type":["string","null"],"format":"date-time"},
      "name":{"type":["string","null"]},"n":{"type":["integer","null"]},
      "street":{"type":["string","null"],"x-source":"/addr/street"},
      "city":{"type":["string","null"],"x-source":"/addr/city"},
      "lon":{"type":["number","null"],"x-source":"/c/0"},
      "lat":{"type":["number","null"],"x-source":"/c/1"}}}
    """#

  private func makeFolder(_ model: String = Self.model) throws -> ScratchFolder {
    let folder = try ScratchFolder()
    try folder.write(model, to: "model.json")
    return folder
  }

  private func take(
    _ records: String, _ arguments: [String] = [], exitCode: Int32 = 0,
    in folder: borrowing ScratchFolder
  ) throws -> Tool.Outcome {
    let outcome = try importer.run(
      ["-m", "model.json"] + arguments + ["-"], in: folder.path, input: Array(records.utf8))
    #expect(outcome.exitCode == exitCode, "\(outcome)")
    return outcome
  }

  private func records(
    _ arguments: [String] = [], in folder: borrowing ScratchFolder
  ) throws -> String {
    try exporter.run(["-q", "-f", "ndjson"] + arguments, in: folder.path).output
  }

  @Test(arguments: [
    (#""addr":"text""#, #""addr":null"#, #""addr":null"#),
    (#""addr":{"street":5}"#, #""addr":null"#, #""addr":null"#),
    (#""c":[1,"x"]"#, #""c":null"#, #""c":null"#),
    (#""addr":"text""#, #""addr":{}"#, #""addr":{}"#),
    (#""addr":{"street":"s","z":1}"#, #""addr":{}"#, #""addr":{"street":"s","z":1}"#),
    (#""c":[1,2]"#, #""c":[3]"#, #""c":[3.0]"#),
  ])
  func `a newer null or empty object replaces what is kept around attributes`(
    former: String, newer: String, merged: String
  ) throws {
    let folder = try makeFolder()
    _ = try take(#"{"id":1,\#(former)}"#, ["--merge", "object-trump"], in: folder)
    _ = try take(#"{"id":1,\#(newer)}"#, ["--merge", "object-trump"], in: folder)
    #expect(try records(in: folder) == #"{"id":1,\#(merged)}"# + "\n")
  }

  @Test func `a winner keeps members with one name twice`() throws {
    let folder = try makeFolder()
    let winner = #"{"id":1,"changed":"2026-01-02T00:00:00Z","phone":"1","phone":"2","web":"w"}"#
    _ = try take(
      #"{"id":1,"name":"A","colour":"red","changed":"2026-01-01T00:00:00Z"}"# + winner, in: folder)
    let outcome = try deduplicator.run(["--merge-losers"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    let found = try records(in: folder)
    #expect(
      found.contains(#""phone":"1","phone":"2","web":"w""#) && found.contains(#""name":"A""#),
      "\(found)")
  }

  @Test func `chosen columns come without what is kept elsewhere`() throws {
    let folder = try makeFolder()
    _ = try take(#"{"id":1,"addr":"text","c":[1,"x"],"n":2}"#, in: folder)
    #expect(try records(["-c", "id", "-c", "n"], in: folder) == #"{"id":1,"n":2}"# + "\n")
    #expect(try records(["-c", "city"], in: folder) == #"{"addr":"text"}"# + "\n")
  }

  @Test func `by a doubtful key --ignore removes nothing that differs`() throws {
    let folder = try makeFolder(
      Self.model.replacing(#""x-key":"id","#, with: #""x-key":"id","x-key-doubtful":true,"#))
    _ = try take(#"{"id":1,"name":"A","n":1}{"id":1,"name":"A","n":2}"#, in: folder)
    let outcome = try deduplicator.run(["--ignore", "n"], in: folder.path)
    #expect(outcome.exitCode == 0 && outcome.output.contains("rows left  2"), "\(outcome)")
  }

  @Test func `keys with a NULL are not grouped by a hash, in a shard or in a snapshot`() throws {
    let folder = try makeFolder(
      Self.model.replacing(#""required":["id"],"#, with: "").replacing(
        #""id":{"type":"integer"}"#, with: #""id":{"type":["integer","null"]}"#))
    _ = try take(#"{"id":1}{"id":null}"#, in: folder)
    #expect(try deduplicator.run(["--enforce", "--hash-key"], in: folder.path).exitCode == 0)
    let outcome = try deduplicator.run(["--null-key", "group"], in: folder.path)
    #expect(outcome.exitCode == 64, "\(outcome)")
    _ = try take(#"{"id":2}"#, in: folder)
    let options = ["-s", "other.sqlite", "--null-key", "group"]
    _ = try take(#"{"id":2}"#, options + ["--shard", "0/2"], exitCode: 64, in: folder)
    _ = try take(#"{"id":2}"#, options + ["--snapshot"], exitCode: 64, in: folder)
  }

  @Test func `a reference to a table that is not there dangles`() throws {
    let folder = try makeFolder(
      #"""
      {"x-table":"visit","x-key":"id","properties":{"id":{"type":"integer"},
       "tag":{"type":["integer","null"],"x-references":{"table":"tag","attribute":"id"}}}}
      """#)
    _ = try take(#"{"id":1,"tag":77}{"id":2,"tag":null}"#, in: folder)
    let outcome = try deduplicator.run(["--dangling"], in: folder.path)
    #expect(
      outcome.exitCode == 1 && outcome.output.contains("without a row of tag: 77"), "\(outcome)")
  }

  @Test func `a fold archives rows only if the deduplication did`() throws {
    let folder = try makeFolder()
    let records = #"{"id":1,"name":"Cafe"}{"id":2,"name":"Cafe"}"#
    _ = try take(records, ["--merge", "newest"], in: folder)
    let outcome = try deduplicator.run(["--key", "name", "--no-archive"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try take(records, in: folder).output.contains("folded     1"))
    let connection = try Connection(path: folder.file("poi.sqlite"), access: .readOnly)
    #expect(
      try connection.integer(
        "SELECT count(*) FROM poikit_run WHERE options ->> 'fold' AND options ->> 'archive'") == 0)
  }

  @Test(arguments: [false, true])
  func `an import ends well if its rows cannot be folded again`(isRefusedByApp: Bool) throws {
    let folder = try makeFolder(
      #"""
      {"x-table":"t","x-key":"id","properties":{"id":{"type":"integer"},
       "title":{"type":"string","x-source":"/name"},"mod":{"type":["string","null"]}}}
      """#)
    let records =
      #"{"id":1,"name":"Cafe","mod":"?"}{"id":2,"name":"Cafe","mod":"n/a"}{"id":3,"name":"Bar","mod":"2026-01-01T00:00:00Z"}"#
    _ = try take(records, ["--merge", "newest"], in: folder)
    let options = ["--key", "title", "--timestamp", "mod"]
    #expect(try deduplicator.run(options, in: folder.path).exitCode == 0)
    if isRefusedByApp {
      try Connection(path: folder.file("poi.sqlite"), access: .readWrite).execute(
        "CREATE TRIGGER keep BEFORE DELETE ON t BEGIN SELECT RAISE(ABORT, 'not that'); END")
    }
    let outcome = try take(records, in: folder)
    #expect(outcome.messages.contains("were not folded again") == isRefusedByApp, "\(outcome)")
    #expect(outcome.output.contains("folded") != isRefusedByApp, "\(outcome)")
    let digest = try deduplicator.run(["--digest"], in: folder.path)
    #expect(digest.output.contains(isRefusedByApp ? "of 3 rows" : "of 2 rows"), "\(digest)")
    _ = try take(#"{"id":9,"name":"Z"}"#, in: folder)
  }
}
