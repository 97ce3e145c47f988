import Foundation
import POISQLite
import POITestSupport
import Testing

/// The first import of a file that the user knows nothing about, and what follows it.
@Suite struct FirstImportTests {
  let tool = Tool("poi-import")

  private static let shelters = #"""
    {"meta":{"page":1},"data":{"shelters":[
    {"id":1,"name":"A","latitude":null,"open":true},
    {"id":2,"name":"B","latitude":60.1,"open":false}]}}
    """#

  func rows(_ query: SQL, in folder: borrowing ScratchFolder) throws -> [String] {
    try DedupToolTests.dump(folder.file("poi.sqlite"), query)
  }

  /// The command that a note of the tool names after `text`.
  func command(after text: String, in outcome: Tool.Outcome) throws -> String {
    let line = try #require(
      outcome.messages.split(separator: "\n").first { $0.contains(text) }, "\(outcome)")
    let start = try #require(line.range(of: ": poi-import "))
    return String(line[start.upperBound...])
  }

  func run(command: String, in folder: borrowing ScratchFolder) throws -> Tool.Outcome {
    try Tool(path: "/bin/sh").run(["-c", "exec \"$0\" \(command)", tool.path], in: folder.path)
  }

  @Test(arguments: ["shelters.json", "my shelters.json", "-"])
  func `a file of another kind is described and not stored`(name: String) throws {
    let folder = try ScratchFolder()
    try folder.write(Self.shelters, to: name)
    let outcome = try tool.run(
      [name], in: folder.path, input: name == "-" ? Array(Self.shelters.utf8) : [])
    #expect(outcome.exitCode == 65)
    #expect(
      outcome.messages.contains(
        "none of the 2 records fits the model poi, so nothing was stored: required 1 (identifier 1), type 1"
      ),
      "\(outcome)")
    #expect(
      outcome.output.contains("records at /data/shelters with these members:\n  /id "), "\(outcome)"
    )
    #expect(outcome.output.contains("/latitude  number\n  /open      boolean"), "\(outcome)")
    #expect(Files.names(in: folder.path) == [name])
    guard name != "-" else { return }
    let next = try run(command: command(after: "a table of their own", in: outcome), in: folder)
    #expect(next.exitCode == 0, "\(next)")
    #expect(
      try rows(
        "SELECT count(*) FROM \(name == "shelters.json" ? "shelters" : "my_shelters")", in: folder)
        == ["2"])
    let kept = try run(command: command(after: "as rejects", in: outcome) + " -s other", in: folder)
    #expect(kept.exitCode == 1, "\(kept)")
  }

  @Test func `lines of arrays are imported with a header`() throws {
    let folder = try ScratchFolder()
    try folder.write("[\"id\",\"name\"]\n[1,\"x\"]\n[2,\"y\"]\n", to: "rows.ndjson")
    let refused = try tool.run(["rows.ndjson"], in: folder.path)
    #expect(
      refused.exitCode == 65
        && refused.messages.contains("use --header if they are arrays below a header"), "\(refused)"
    )
    let outcome = try tool.run(["--infer", "--header", "rows.ndjson"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try rows("SELECT id, name FROM rows", in: folder) == ["1|x", "2|y"])
  }

  @Test func `text without rows or JSON is not stored`() throws {
    let folder = try ScratchFolder()
    try folder.write("id name\n1 A\n", to: "a.csv")
    let outcome = try tool.run(["a.csv"], in: folder.path)
    #expect(
      outcome.exitCode == 65 && outcome.messages.contains("is this JSON?; name the delimiter"),
      "\(outcome)")
    #expect(Files.names(in: folder.path) == ["a.csv"])
  }

  @Test(arguments: [true, false])
  func `an input is read in full if one of its first records fits`(isPipe: Bool) throws {
    let folder = try ScratchFolder()
    let good = (0..<30_000).map { number in
      let hexadecimal = String(number, radix: 16)
      let digits = String(repeating: "0", count: 12 - hexadecimal.count) + hexadecimal
      return #"{"identifier":"00000000-0000-4000-8000-\#(digits)","name":"n","#
        + #""latitude":1,"longitude":1}"#
    }
    let text = (["{}", "[1]", #"{"id":3}"#] + good).joined(separator: "\n")
    try folder.write(text, to: "data")
    let outcome =
      isPipe
      ? try Tool(path: "/bin/sh").run(["-c", "cat data | \"$0\" -", tool.path], in: folder.path)
      : try tool.run(["data"], in: folder.path)
    #expect(outcome.exitCode == 1, "\(outcome)")
    #expect(try rows("SELECT count(*) FROM poi", in: folder) == ["30000"])
    #expect(try rows("SELECT count(*) FROM poikit_reject", in: folder) == ["3"])
  }

  @Test(arguments: [
    "[{\"id\":1,\"n\":2},\n// {\"id\":7},\n{\"id\":2,\"n\":NaN} /* two */,\n]\n",
    "{\"id\":1,\"n\":2},\n{\"id\":2,\"n\":-Infinity}\n\u{FEFF}// end\n",
  ])
  func `commas, comments and NaN do not refuse a snapshot`(text: String) throws {
    let folder = try ScratchFolder()
    try folder.write(text, to: "feed.json")
    let arguments = ["feed.json", "--key", "id", "--snapshot"]
    let strict = try tool.run(["feed.json", "--infer", "-n"], in: folder.path)
    #expect(strict.exitCode == 1 && strict.output.contains("nan 1"), "\(strict)")
    #expect(strict.messages.contains("--nan null reads NaN and Infinity as null"), "\(strict)")
    for more in [["--infer"], []] {
      let outcome = try tool.run(arguments + more + ["--nan", "null"], in: folder.path)
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(outcome.messages.contains("skipped 3 texts between records: comments,"))
    }
    #expect(try rows("SELECT id, n FROM feed ORDER BY id", in: folder) == ["1|2", "2|NULL"])
  }

  @Test func `an interrupt while the first records are tried stops the import`() throws {
    let folder = try ScratchFolder()
    let outcome = try Tool.shell(
      """
      mkfifo pipe
      (printf '{"id":1}\\n'; exec sleep 60) >pipe & writer=$!
      "$1" pipe & tool=$!
      wait_until_idle $tool; kill -TERM $tool; wait $tool; code=$?
      kill $writer; exit $code
      """, [tool.path], in: folder.path)
    #expect(outcome.exitCode == 130, "\(outcome)")
  }

  @Test func `table, key and timestamp are set on the command line`() throws {
    let folder = try ScratchFolder()
    try folder.write(
      #"[{"id":1,"code":"a","at":"2025-01-01T00:00:00Z","seen":"2025-01-02T00:00:00Z"}]"#,
      to: "a.json")
    let options = ["--table", "place", "--key", "code,id", "--timestamp", "seen"]
    let outcome = try tool.run(["--infer"] + options + ["a.json"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(
      outcome.messages.contains("the model of place was inferred: key code, id, timestamp seen"),
      "\(outcome)")
    // The next file goes there without the options, and with the same ones.
    for arguments in [["a.json"], options + ["a.json"], ["--table", "PLACE", "a.json"]] {
      let next = try tool.run(arguments, in: folder.path)
      #expect(next.exitCode == 0, "\(next)")
    }
    #expect(try rows("SELECT count(*) FROM place", in: folder) == ["4"])
    #expect(try rows("SELECT name FROM poikit_table", in: folder) == ["place"])
    let printed = try tool.run(["--infer=print", "--key", "code", "a.json"], in: folder.path)
    #expect(printed.output.contains(#""x-key": ["code"]"#), "\(printed)")
    let wrong = try tool.run(["--infer", "-s", "new", "--key", "none", "a.json"], in: folder.path)
    #expect(
      wrong.exitCode == 64 && wrong.messages.contains("the attributes are id, code, at, seen"),
      "\(wrong)")
    #expect(!Files.names(in: folder.path).contains("new"))
  }

  @Test func `the same input again is announced`() throws {
    let folder = try ScratchFolder()
    try folder.write(#"[{"id":1,"n":1},{"id":2,"n":2}]"#, to: "a.json")
    let warning =
      "a.json: imported before by run 1, by its name and size; its records are added again"
    #expect(try tool.run(["--infer", "a.json"], in: folder.path).exitCode == 0)
    let again = try tool.run(["a.json"], in: folder.path)
    #expect(again.messages.contains(warning), "\(again)")
    let chosen = try tool.run(["--merge", "append", "a.json"], in: folder.path)
    #expect(!chosen.messages.contains("imported before"), "\(chosen)")
    try folder.write(#"[{"id":1,"n":1},{"id":2,"n":2},{"id":3}]"#, to: "a.json")
    let other = try tool.run(["a.json"], in: folder.path)
    #expect(!other.messages.contains("imported before"), "\(other)")
    #expect(try Tool("poi-dedup").run(["--enforce"], in: folder.path).exitCode == 0)
    let merged = try tool.run(["a.json"], in: folder.path)
    #expect(!merged.messages.contains("imported before"), "\(merged)")
  }

  @Test(arguments: ["append", "newest"])
  func `records without a key are counted`(policy: String) throws {
    let folder = try ScratchFolder()
    try folder.write(
      #"{"x-table":"t","x-key":["a","b"],"properties":{"a":{"type":["string","null"]},"b":{"type":"integer"}}}"#,
      to: "model")
    try folder.write(#"[{"a":"x","b":1},{"a":null,"b":2},{"b":3},{"a":"x"},{}]"#, to: "data")
    for batch in ["1", "2", "500"] {
      let store = "\(batch).sqlite"
      let outcome = try tool.run(
        ["-m", "model", "--merge", policy, "-s", store, "-b", batch, "data"], in: folder.path)
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(outcome.output.contains("without key  4  no a, b: not compared"), "\(outcome)")
    }
  }

  @Test func `another file goes into the only table if its model reads all of it`() throws {
    let folder = try ScratchFolder()
    try folder.write(#"[{"id":1,"a":"x","b":1},{"id":2,"a":"y"}]"#, to: "north.json")
    try folder.write(#"[{"id":3,"a":"z","b":2}]"#, to: "south.json")
    try folder.write(#"[{"id":4,"a":"z","c":2}]"#, to: "other.json")
    #expect(try tool.run(["--infer", "north.json"], in: folder.path).exitCode == 0)
    let south = try tool.run(["--infer", "south.json"], in: folder.path)
    #expect(south.output.contains("inserted  1  into north of"), "\(south)")
    let other = try tool.run(["--infer", "other.json"], in: folder.path)
    #expect(other.output.contains("inserted  1  into other of"), "\(other)")
    let piped = try tool.run(
      ["--infer", "-", "-s", "piped"], in: folder.path, input: Array(#"[{"id":4}]"#.utf8))
    #expect(piped.output.contains("inserted  1  into record of"), "\(piped)")
  }

  @Test func `changes that are as new as the stored record are announced`() throws {
    let folder = try ScratchFolder()
    try folder.write(
      #"[{"id":1,"n":"a","updated":"2025-01-01"},{"id":2,"n":"a","updated":"2025-01-01"}]"#,
      to: "day1.json")
    try folder.write(
      #"[{"id":1,"n":"b","updated":"2025-01-01"},{"id":2,"n":"c","updated":"2025-01-02"}]"#,
      to: "day2.json")
    #expect(
      try tool.run(["--infer", "--merge", "newest", "day1.json"], in: folder.path).exitCode == 0)
    try FileManager.default.copyItem(
      atPath: folder.file("poi.sqlite"), toPath: folder.file("later.sqlite"))
    let outcome = try tool.run(["day2.json"], in: folder.path)
    #expect(
      outcome.messages.contains(
        "1 record differs from the stored one and is as new, so their digests decided; --ties later"
      ),
      "\(outcome)")
    #expect(outcome.output.contains("tied      1  of the updated and stale ones"), "\(outcome)")
    let later = try tool.run(
      ["-s", "later.sqlite", "--ties", "later", "day2.json"], in: folder.path)
    #expect(
      later.output.contains("updated   2\n") && !later.messages.contains("digests"), "\(later)")
    let other = try tool.run(
      ["--ties", "later", "--merge", "rollback", "day2.json"], in: folder.path)
    #expect(other.exitCode == 64 && other.messages.contains("use --merge newest"), "\(other)")
  }

  @Test(arguments: [["--merge", "newest"], ["--snapshot", "--key", "id"]])
  func `a merge does not choose the only table for a file of another name`(
    options: [String]
  ) throws {
    let folder = try ScratchFolder()
    try folder.write(#"[{"id":1,"name":"stop one"},{"id":2,"name":"stop two"}]"#, to: "stops.json")
    try folder.write(#"[{"id":1,"name":"line one"},{"id":3,"name":"x"}]"#, to: "lines.json")
    #expect(
      try tool.run(["--infer", "--merge", "newest", "stops.json"], in: folder.path).exitCode == 0)
    let outcome = try tool.run(["--infer", "lines.json"] + options, in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try rows("SELECT name FROM stops ORDER BY id", in: folder) == ["stop one", "stop two"])
    #expect(try rows("SELECT name FROM lines", in: folder) == ["line one", "x"])
  }

  @Test func `records behind the bytes that are tried are imported`() throws {
    let folder = try ScratchFolder()
    let record =
      #"{"identifier":"00000000-0000-4000-8000-000000000000","name":"n","latitude":1,"longitude":1}"#
    let space = String(repeating: " ", count: 17 << 20)
    let text = String(repeating: "x", count: 17 << 20)
    for (name, content) in [
      ("spaces", "[\(space)\(record)]"), ("envelope", #"{"meta":"\#(text)","data":[\#(record)]}"#),
    ] {
      try folder.write(content, to: name)
      let outcome = try tool.run(
        ["--max-record-bytes", "64M", "--max-string-bytes", "64M", "-s", "s", name], in: folder.path
      )
      #expect(outcome.output.contains("inserted  1"), "\(outcome)")
    }
    let large = (0..<20).map {
      #"{"id":\#($0),"text":"\#(String(repeating: "x", count: 1 << 20))"}"#
    }
    try folder.write(large.joined(separator: "\n"), to: "large")
    let outcome = try tool.run(["large"], in: folder.path)
    #expect(
      outcome.messages.contains("none of the first 15 records fits")
        || outcome.messages.contains("none of the first 16 records fits"), "\(outcome)")
    #expect(outcome.messages.contains("poi-import --infer large\n"), "\(outcome)")
  }

  @Test func `the commands of a refusal can be used`() throws {
    let folder = try ScratchFolder()
    try folder.write(#"{"data":[{"a":1,"b":"x"},{"a":2,"b":"y"}]}"#, to: "s.json")
    let outcome = try tool.run(["--table", "t", "s.json"], in: folder.path)
    #expect(outcome.messages.contains("the model poi, so nothing"), "\(outcome)")
    let rejects = try run(
      command: command(after: "as rejects", in: outcome) + " -s other", in: folder)
    #expect(rejects.exitCode == 1 && rejects.output.contains("into t of other"), "\(rejects)")
    let inferred = try run(command: command(after: "a table of their own", in: outcome), in: folder)
    #expect(inferred.exitCode == 0 && inferred.output.contains("into t of"), "\(inferred)")
    // The key of another model is no reason to refuse before the records are described.
    let keyed = try tool.run(["--key", "a", "-s", "new", "s.json"], in: folder.path)
    #expect(
      keyed.messages.contains("poi-import --infer --at /data --key a -s new s.json"), "\(keyed)")
    // Nothing can be inferred from records without members, or from damaged ones.
    for text in ["{}\n{}", "{\nx\n{y\n"] {
      try folder.write(text, to: "none")
      let none = try tool.run(["-s", "new", "none"], in: folder.path)
      #expect(none.exitCode == 65 && !none.messages.contains("--infer"), "\(none)")
      #expect(none.messages.count { $0 == "\n" } == none.messages.split(separator: "\n").count)
      #expect(none.messages.components(separatedBy: "error:").count == 2, "\(none)")
    }
    #expect(!Files.names(in: folder.path).contains("new"))
  }

  @Test func `a doubtful key removes only identical rows until it is named once`() throws {
    let folder = try ScratchFolder()
    let deduplicator = Tool("poi-dedup")
    // Each student has two grades, and one record is there twice.
    let grades = (0..<20).map { #"{"id":\#($0 / 2),"grade":\#($0)}"# } + [#"{"id":9,"grade":19}"#]
    try folder.write(grades.joined(separator: "\n"), to: "grades.ndjson")
    let imported = try tool.run(["--infer", "grades.ndjson"], in: folder.path)
    #expect(imported.messages.contains("key id (doubtful)"), "\(imported)")
    let doubt: SQL = "SELECT json_extract(model, '$.\"x-key-doubtful\"') FROM poikit_table"
    #expect(try rows(doubt, in: folder) == ["1"])
    for option in ["--dry-run", "--no-archive"] {
      let removed = try deduplicator.run([option], in: folder.path)
      #expect(removed.exitCode == 0, "\(removed)")
      #expect(removed.messages.contains("warning: 10 groups differ: --key id"), "\(removed)")
      #expect(removed.output.contains("1  1 identical"), "\(removed)")
    }
    #expect(try rows("SELECT count(*) FROM grades", in: folder) == ["20"])
    let enforced = try deduplicator.run(["--enforce"], in: folder.path)
    #expect(enforced.exitCode == 64, "\(enforced)")
    #expect(enforced.messages.contains("run poi-dedup --key id --enforce"), "\(enforced)")
    #expect(try rows("SELECT count(*) FROM grades", in: folder) == ["20"])
    #expect(try rows(doubt, in: folder) == ["1"])
    let named = try deduplicator.run(["--key", "id"], in: folder.path)
    #expect(named.exitCode == 0, "\(named)")
    #expect(try rows("SELECT count(*) FROM grades", in: folder) == ["10"])
    // The key is named once, in either tool.
    #expect(try rows(doubt, in: folder) == ["NULL"])
    #expect(try tool.run(["--infer", "grades.ndjson"], in: folder.path).exitCode == 0)
    #expect(try deduplicator.run([], in: folder.path).exitCode == 0)
    #expect(try rows("SELECT count(*) FROM grades", in: folder) == ["10"])
  }

  @Test(arguments: [
    ("{a:1}", "is this JSON5?"), ("[{'a':1}]", "is this JSON5?"),
    (#"cb({"a":[{"id":1}]});"#, "this is JSONP: remove the call"),
  ])
  func `a format that looks like JSON is called by its name`(text: String, name: String) throws {
    let folder = try ScratchFolder()
    try folder.write(text, to: "a.json")
    let outcome = try tool.run(["--infer", "a.json"], in: folder.path)
    #expect(outcome.exitCode == 65 && outcome.messages.contains(name), "\(outcome)")
  }

  @Test func `merging by a doubtful key is refused before anything changes`() throws {
    let folder = try ScratchFolder()
    try folder.write(
      #"{"x-table":"t","x-key":"id","x-key-doubtful":true,"required":["id"],"#
        + #""x-tombstone":{"attribute":"gone","removal":"delete"},"#
        + #""properties":{"id":{"type":"integer"},"v":{"type":["string","null"]},"#
        + #""gone":{"type":["boolean","null"]}}}"#, to: "model")
    try folder.write(
      #"{"id":9,"v":"a"}{"id":1,"v":"a"}{"id":1,"v":"b"}{"id":2,"v":"c"}{"id":9,"gone":true}"#,
      to: "data")
    for option in ["--merge=newest", "--snapshot"] {
      let refused = try tool.run(["-m", "model", option, "data"], in: folder.path)
      #expect(refused.exitCode == 64, "\(refused)")
      #expect(refused.messages.contains("poi-import --key id"), "\(refused)")
      #expect(!Files.names(in: folder.path).contains("poi.sqlite"))
    }
    #expect(try tool.run(["-m", "model", "data"], in: folder.path).exitCode == 0)
    let rows: SQL = "SELECT id, v FROM t ORDER BY 1, 2"
    let before = try self.rows(rows, in: folder)
    #expect(try Tool("poi-dedup").run([], in: folder.path).exitCode == 0)
    #expect(try self.rows(rows, in: folder) == before)
    // A key that was named before is certain, whatever the file of the model says.
    let named = ["-m", "model", "--key", "id", "-s", "new", "--merge=newest", "data"]
    #expect(try tool.run(named, in: folder.path).exitCode == 0)
    let again = try tool.run(named.filter { !["--key", "id"].contains($0) }, in: folder.path)
    #expect(again.exitCode == 0, "\(again)")
  }

  @Test func `an inference without a FILE reads a pipe`() throws {
    let folder = try ScratchFolder()
    let outcome = try Tool("poi-import").run(
      ["--infer"], in: folder.path, input: Array(#"[{"id":1,"name":"a"}]"#.utf8))
    #expect(outcome.exitCode == 0 && outcome.output.contains("into record"), "\(outcome)")
  }

  @Test func `anything that is not an input is called by its name, and nothing is stored`() throws {
    let folder = try ScratchFolder()
    try folder.write("[]", to: "a.json")
    try folder.write("[]", to: "a.tar.gz")
    try folder.write("version https://git-lfs.github.com/spec/v1\noid sha256:1\n", to: "lfs.json")
    let cases: [([String], Int32, String)] = [
      (["a.json", "out.db"], 64, "--store out.db"), (["a.tar.gz"], 65, "is a tar archive"),
      (["lfs.json"], 65, "is a pointer of Git LFS"),
    ]
    for (arguments, code, message) in cases {
      let outcome = try Tool("poi-import").run(arguments, in: folder.path)
      #expect(outcome.exitCode == code && outcome.messages.contains(message), "\(outcome)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file("poi.sqlite")))
  }

  @Test func `without an import to resume one begins, and a finished one is refused`() throws {
    let folder = try ScratchFolder()
    for name in ["select.json", "b.json"] {
      try folder.write(#"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#, to: name)
      let arguments = ["--infer", "--resume", "--table", "t", name]
      let first = try Tool("poi-import").run(arguments, in: folder.path)
      #expect(first.exitCode == 0 && first.output.contains("inserted  2"), "\(first)")
      let second = try Tool("poi-import").run(arguments, in: folder.path)
      #expect(second.exitCode == 64 && second.messages.contains("is finished"), "\(second)")
    }
    let named = try Tool("poi-import").run(
      ["--infer", "select.json", "--store", "s"], in: folder.path)
    #expect(named.output.contains("into select_record of s"), "\(named)")
  }

  @Test func `an inferred model without a key merges nothing and leaves no store`() throws {
    let folder = try ScratchFolder()
    try folder.write(#"[{"name":"a"},{"name":"a"}]"#, to: "a.json")
    let outcome = try Tool("poi-import").run(
      ["--infer", "--merge", "newest", "a.json"], in: folder.path)
    #expect(outcome.exitCode == 64 && outcome.messages.contains("names no key"), "\(outcome)")
    #expect(!FileManager.default.fileExists(atPath: folder.file("poi.sqlite")))
  }

  @Test func `a table that a program dropped is forgotten with its token`() throws {
    let folder = try ScratchFolder()
    let model = #"""
      {"x-table":"t","x-key":"id","x-timestamp":"at","properties":{"id":{"type":"integer"},
       "at":{"type":"string","format":"date-time"}}}
      """#
    try folder.write(model, to: "m.json")
    try folder.write(#"[{"id":1,"at":"2026-01-01T00:00:00Z"}]"#, to: "a.json")
    func run(_ arguments: String...) throws -> Tool.Outcome {
      try Tool("poi-import").run(["--model", "m.json"] + arguments, in: folder.path)
    }
    for source in ["A", "B"] { _ = try run("--source", source, "a.json") }
    #expect(try run("--print-token", "--source", "A").output.hasPrefix("2026"))
    #expect(try run("--forget", "--source", "A").exitCode == 0)
    #expect(try run("--print-token", "--source", "A").output.isEmpty)
    #expect(try run("--print-token", "--source", "B").output.hasPrefix("2026"))
    do {
      let app = try Connection(path: folder.file("poi.sqlite"))
      try app.execute("DELETE FROM t")
    }
    #expect(try run("--print-token", "--source", "B").messages.contains("its token is kept"))
    do {
      let app = try Connection(path: folder.file("poi.sqlite"))
      try app.execute("DROP TABLE t")
    }
    let again = try run("--source", "A", "a.json")
    #expect(again.exitCode == 0 && again.output.contains("inserted  1"), "\(again)")
    #expect(try run("--print-token", "--source", "B").output.isEmpty)
  }
}
