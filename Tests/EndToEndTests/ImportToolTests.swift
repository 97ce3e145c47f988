import Foundation
import POISQLite
import POITestSupport
import Testing

@Suite struct ImportToolTests {
  private let tool = Tool("poi-import")

  static func records(_ range: Range<Int>) -> [String] {
    range.map { index in
      let tail = String(format: "%012d", index)
      return
        #"{"identifier":"00000000-0000-0000-0000-\#(tail)","name":"place \#(index)","latitude":1.5,"longitude":2,"category":{"name":"c\#(index % 7)"}}"#
    }
  }

  static func array(_ range: Range<Int>) -> String {
    "[" + records(range).joined(separator: ",\n") + "]"
  }

  /// The content of the store at `path`, without row ids and what differs between two runs.
  static func content(of path: String) throws -> [String] {
    let connection = try Connection(path: path, access: .readOnly)
    var lines: [String] = []
    for sql in [
      "SELECT identifier || name || category FROM poikit_readable_poi ORDER BY 1",
      "SELECT record || rule || byte_offset || hex(raw) FROM poikit_reject ORDER BY 1",
    ] as [SQL] {
      var statement = try connection.prepare(sql)
      while try statement.step() { lines.append(statement.text(0)) }
    }
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
    return lines
  }

  @Test func `an array of records becomes rows`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.array(0..<1200), to: "data.json")
    let outcome = try tool.run(["--batch", "500", "data.json"], in: folder.path)
    #expect(outcome.exitCode == 0)
    #expect(outcome.output.contains("inserted  1,200  into poi of poi.sqlite"))
    #expect(outcome.messages.isEmpty)
    #expect(try Self.content(of: folder.file("poi.sqlite")).count == 1200)
  }

  @Test(
    arguments: [
      (["--model", "keyless.json", "--merge", "newest"], "names no key"),
      (["--at", "foo"], "begin it with a slash"),
      (["--token-at", "foo"], "begin it with a slash"),
      (["--snapshot", "--merge", "append"], "use another --merge policy"),
    ])
  func `a refused command leaves no store`(arguments: [String], message: String) throws {
    let folder = try ScratchFolder()
    try folder.write(Self.array(0..<3), to: "data.json")
    try folder.write(#"{"x-table":"t","properties":{"name":{}}}"#, to: "keyless.json")
    let outcome = try tool.run(["data.json"] + arguments, in: folder.path)
    #expect(outcome.exitCode == 64)
    #expect(outcome.messages.contains(message))
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(files == ["data.json", "keyless.json"])
  }

  @Test func `a run with rejects ends with 1 and keeps them in table and file`() throws {
    let folder = try ScratchFolder()
    try folder.write(
      Self.records(0..<3).joined(separator: "\n") + "\n{\"name\":3}\n{\"name\":\"x\n",
      to: "data.ndjson")
    let outcome = try tool.run(
      ["data.ndjson", "--rejects", "bad.ndjson", "--report", "json"], in: folder.path)
    #expect(outcome.exitCode == 1)
    #expect(outcome.output.contains("\"rejected\": 2"))
    let lines = try String(contentsOfFile: folder.file("bad.ndjson"), encoding: .utf8)
      .split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0].contains(#""file":"data.ndjson","record":4,"#))
    #expect(lines[0].contains(#""line":4,"column":1,"rule":"type","attribute":"name""#))
    #expect(lines[1].contains(#""line":5,"#))
  }

  @Test func `a corrected reject file is imported again`() throws {
    let folder = try ScratchFolder()
    let records = Self.records(0..<4)
    try folder.write(
      [records[0], records[1].replacing("1.5", with: "91"), "{\"name\": nul}"]
        .joined(separator: "\n"), to: "data.ndjson")
    #expect(try tool.run(["data.ndjson", "--rejects", "bad"], in: folder.path).exitCode == 1)
    let bad = try String(contentsOfFile: folder.file("bad"), encoding: .utf8)
    try folder.write(bad.replacing("91", with: "1.5"), to: "good")
    let again = try tool.run(["good", "--rejects", "still-bad"], in: folder.path)
    #expect(again.exitCode == 1)
    #expect(again.output.contains("inserted  1"))
    let stillBad = try String(contentsOfFile: folder.file("still-bad"), encoding: .utf8)
    #expect(stillBad.contains(#""raw":"{\"name\": nul}""#))
    let quoted = records[3].replacing("\"", with: "\\\"")
    // A line holds one record with as many levels as the options allow.
    let lines = [
      #"{"poikit_reject":1,"raw":"\#(quoted)\#(quoted)"}"#,
      #"{"poikit_reject":1,"raw":"{\"x\":[[[1]]]}"}"#,
      #"{"poikit_reject":1,"raw":"\"key\": {\"name\":5}"}"#,
    ]
    try folder.write(lines.joined(separator: "\n"), to: "odd")
    let odd = try tool.run(["odd", "--max-depth", "3", "--rejects", "odder"], in: folder.path)
    #expect(odd.output.contains("rejected  3  depth 1, reject-line 1, type 1"), "\(odd.output)")
    // A single line is a record too, although it has an array of objects.
    try folder.write(stillBad.replacing(" nul", with: "1"), to: "one")
    let one = try tool.run(["one"], in: folder.path)
    #expect(one.output.contains("rejected  1  type 1"), "\(one.output)")
  }

  @Test(arguments: [
    "", "%", "-1", "+1", "2.5", "100.1%", "inf%", "1e1%", ".5%", "5.%", "1.2.3%", "5 %",
  ])
  func `a limit that is neither a count nor a share is refused`(_ text: String) throws {
    let folder = try ScratchFolder()
    let outcome = try tool.run(["-n", "--max-rejects=\(text)", "-"], in: folder.path)
    #expect(outcome.exitCode == 64)
    #expect(outcome.messages.contains("'\(text)' is neither a count such as 10 nor a share"))
  }

  @Test(arguments: [
    ("1", 65), ("2", 1), ("100%", 1), ("99.9%", 65), ("0%", 65), ("0", 65), ("007", 1),
  ])
  func `a limit is a count or a share`(_ text: String, _ code: Int32) throws {
    let folder = try ScratchFolder()
    let arguments = ["-n", "--max-rejects", text, "-"]
    #expect(try tool.run(arguments, in: folder.path, input: Array("[{},{}]".utf8)).exitCode == code)
  }

  @Test(arguments: ["gzip -c", "zstd -qc", "xz -c", "bzip2 -c"])
  func `compressed input is read, and half of it is an error`(_ compressor: String) throws {
    let folder = try ScratchFolder()
    try folder.write(Self.array(0..<2000), to: "data.json")
    let packing = try Tool(path: "/bin/sh").run(
      ["-c", "\(compressor) data.json > packed && head -c 3000 packed > half"], in: folder.path)
    try #require(packing.exitCode == 0, "\(packing.messages)")
    let outcome = try tool.run(["packed"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
    #expect(outcome.output.contains("inserted  2,000"))
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file("packed")))
    let piped = try tool.run(["-", "--store", "pipe.sqlite"], in: folder.path, input: Array(bytes))
    #expect(piped.output.contains("inserted  2,000"), "\(piped.messages)")
    let half = try tool.run(["half", "--store", "half.sqlite"], in: folder.path)
    #expect(half.exitCode == 74)
    #expect(half.messages.contains("half"))
  }

  @Test func `a failed run says what is committed`() throws {
    let folder = try ScratchFolder()
    let text = Self.records(0..<10).joined(separator: "\n") + "\n{}\n[1,"
    try folder.write("[" + Self.records(0..<25).joined(separator: ","), to: "cut")
    try folder.write(text, to: "few")
    let cut = try tool.run(["cut", "--batch", "10"], in: folder.path)
    #expect(cut.exitCode == 65)
    #expect(cut.output.contains("inserted  25"), "\(cut.output)")
    #expect(cut.messages.contains("the store holds the outcome of 25 records"), "\(cut.messages)")
    #expect(cut.messages.hasPrefix("poi-import: error: cut:"), "\(cut.messages)")
    #expect(try Self.content(of: folder.file("poi.sqlite")).count == 25)
    let json = try tool.run(
      ["few", "--batch", "5", "--max-rejects", "0", "--report", "json"], in: folder.path)
    #expect(json.exitCode == 65)
    #expect(
      json.output.contains(#""ending": "failed","#) && json.output.contains(#""rejected": 2"#),
      "\(json.output)")
    // Nothing of it is stored, or it was not begun.
    try folder.write("[", to: "none")
    for arguments in [["none", "--store", "other"], ["cut"], ["cut", "--dry-run"]] {
      let outcome = try tool.run(arguments, in: folder.path)
      #expect(outcome.exitCode >= 64 && outcome.output.isEmpty, "\(outcome.output)")
      #expect(!outcome.messages.contains("the store holds"), "\(outcome.messages)")
    }
  }

  @Test func `a failed decompressor ends the run, though more input comes`() throws {
    let folder = try ScratchFolder()
    // The beginning of a gzip file, and 3 MB that are not gzip.
    let input: [UInt8] =
      [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + Array(repeating: 7, count: 3_000_000)
    try folder.write(input, to: "data")
    let outcome = try Tool(path: "/bin/sh").run(
      ["-c", "cat data | '\(tool.path)' -"], in: folder.path)
    #expect(outcome.exitCode == 74, "\(outcome.messages)")
    #expect(outcome.messages.contains("gzip failed"), "\(outcome.messages)")
  }

  @Test func `standard input and several files go into one store`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.array(0..<10), to: "a.json")
    try folder.write(Self.records(10..<20).joined(separator: "\n"), to: "b.ndjson")
    let outcome = try tool.run(
      ["a.json", "-", "b.ndjson", "--store", "all.sqlite"], in: folder.path,
      input: Array("{\"meta\":{},\"pois\":\(Self.array(20..<30))}".utf8))
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
    #expect(outcome.output.contains("standard input: records at /pois"))
    #expect(try Self.content(of: folder.file("all.sqlite")).count == 30)
  }

  /// Arguments, standard input, exit code and a part of the message.
  @Test(
    arguments: [
      (["missing.json"], "", 66, "missing.json: no such file"),
      (["."], "", 66, "is a directory"),
      ([], "", 64, "FILE"),
      (["-", "-"], "", 64, "only once"),
      (["-", "--bach", "5"], "", 64, "did you mean --batch"),
      (["-", "--batch", "0"], "", 64, "--batch"),
      (["-", "--jobs", "3"], "", 64, "'3' is not a whole number from 1 to 2"),
      (["-", "--model", "none.json"], "", 64, "none.json"),
      (["-", "--at", "data"], "[]", 64, "data"),
      (["-", "--at", "/x"], "{\"y\":[{}]}", 65, "/x"),
      (["-"], "{\"a\":[{\"x\":1}],\"b\":[{\"x\":1},{\"x\":2}]}", 65, "/b (2), /a (1)"),
      (["-"], "[{\"name\":\"a\"} {", 65, "standard input:1:"),
      (["-", "-m", "poi", "--max-rejects", "1"], "[{},{},{}]", 65, "--max-rejects"),
      (["-", "--store", "/nonexistent/poi.sqlite"], "[]", 74, "/nonexistent/poi.sqlite"),
      (["-", "--rejects", "/nonexistent/r"], "[]", 74, "/nonexistent/r"),
    ] as [([String], String, Int32, String)])
  func `an impossible request ends with its message and exit code`(
    _ arguments: [String], _ input: String, _ code: Int32, _ message: String
  ) throws {
    let folder = try ScratchFolder()
    let outcome = try tool.run(arguments, in: folder.path, input: Array(input.utf8))
    #expect(outcome.exitCode == code, "\(outcome.messages)")
    #expect(outcome.messages.hasPrefix("poi-import: error: "))
    #expect(outcome.messages.contains(message), "\(outcome.messages)")
  }

  @Test(arguments: [("missing.json", "no such file"), (".", "is a directory")])
  func `a wrong name is reported before anything is stored`(name: String, message: String) throws {
    let folder = try ScratchFolder()
    try folder.write(Self.array(0..<10), to: "a.json")
    let outcome = try tool.run(["a.json", name], in: folder.path)
    #expect(outcome.exitCode == 66)
    #expect(outcome.messages.contains("\(name): \(message)"), "\(outcome.messages)")
    #expect(Files.names(in: folder.path) == ["a.json"])
  }

  @Test func `an empty input is done and leaves an empty table`() throws {
    for text in ["", " \n", "[]"] {
      let folder = try ScratchFolder()
      let outcome = try tool.run(["-"], in: folder.path, input: Array(text.utf8))
      #expect(outcome.exitCode == 0, "\(outcome.messages)")
      #expect(try Self.content(of: folder.file("poi.sqlite")).isEmpty)
    }
  }

  /// An input and a part of the note on it; empty if there is no note.
  @Test(
    arguments: [
      (
        Array("id name\n1 \"x\"\n2 y\n".utf8), "is a JSON object: is this JSON?; name the delimiter"
      ),
      (Array("name\nDom\nCaf".utf8) + [0xE9, 0x0A], "is this JSON?"),
      (Array("[1,null]".utf8), "none of 2 elements is a JSON object; name where the records are"),
      (Array("x\n{\"id\":tru}\n".utf8), nil), (Array("x\n{}\n".utf8), nil),
      (Array("x\n{\"id\":1}\n".utf8), nil), (Array("[x]".utf8), nil), ([], nil),
    ] as [([UInt8], String?)])
  func `if no element is an object, a note has advice`(
    input: [UInt8], note: String?
  ) throws {
    for arguments in [[], ["-n"], ["--max-rejects", "0"]] {
      let folder = try ScratchFolder()
      let outcome = try tool.run(arguments + ["-"], in: folder.path, input: input)
      if let note {
        #expect(outcome.messages.contains("poi-import: note: "), "\(outcome)")
        #expect(outcome.messages.contains(note), "\(outcome)")
      } else {
        #expect(!outcome.messages.contains("is a JSON object"), "\(outcome)")
      }
    }
  }

  @Test func `a resumed run counts the objects read before`() throws {
    let folder = try ScratchFolder()
    try folder.write("{\nx\ny\n", to: "data")
    let first = try tool.run(
      ["-m", "poi", "-b", "1", "--max-rejects", "0", "data"], in: folder.path)
    #expect(first.exitCode == 65, "\(first)")
    let outcome = try tool.run(["--resume", "data"], in: folder.path)
    #expect(outcome.exitCode == 1 && outcome.output.contains("resumed after 1"), "\(outcome)")
    #expect(!outcome.messages.contains("is a JSON object"), "\(outcome)")
  }

  @Test func `another program's table is refused and not touched`() throws {
    let folder = try ScratchFolder()
    try Connection(path: folder.file("poi.sqlite")).execute("CREATE TABLE poi (a)")
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.file("poi.sqlite")))
    let outcome = try tool.run(["-"], in: folder.path, input: Array("[]".utf8))
    #expect(outcome.exitCode == 64)
    #expect(outcome.messages.contains("another table or view called \"poi\""))
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("poi.sqlite"))) == before)
    try folder.write(
      "this is no database, though it is as long as a header of one is, or longer, "
        + "to be sure of it: here are some more words", to: "text")
    #expect(try tool.run(["-", "--store", "text"], in: folder.path).exitCode == 74)
  }

  @Test func `a store locked by another program is waited for, then reported`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.array(0..<10), to: "data.json")
    #expect(try tool.run(["data.json"], in: folder.path).exitCode == 0)
    let holder = try Connection(path: folder.file("poi.sqlite"))
    try holder.begin(.immediate)
    let outcome = try tool.run(["data.json"], in: folder.path)
    #expect(outcome.exitCode == 74)
    #expect(outcome.messages.contains("another program holds the store"))
    holder.rollback()
    #expect(try Self.content(of: folder.file("poi.sqlite")).count == 10)
  }

  /// The forms of one input; each is killed at random times and resumed.
  @Test(arguments: ["array", "lines", "envelope", "gzip", "stdin"])
  func `a killed run that is resumed ends in the same store`(_ form: String) throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    let folder = try ScratchFolder()
    var records = Self.records(0..<TestLength.count(1500, long: 6000))
    let rejected = Array(stride(from: 50, to: records.count, by: 97))
    for index in rejected {
      records[index] = index % 2 == 0 ? "{\"name\": nul}" : "{\"name\":\"\(index)\"}"
    }
    let text =
      switch form {
      case "lines": records.joined(separator: "\n")
      case "envelope":
        "{\"meta\":[1],\"data\":{\"pois\":[\(records.joined(separator: ", "))]},\"x\":1}"
      default: "[\(records.joined(separator: ",\n"))]"
      }
    try folder.write(text, to: "data")
    if form == "gzip" {
      #expect(try Tool(path: "/bin/sh").run(["-c", "gzip data"], in: folder.path).exitCode == 0)
    }
    let path = form == "stdin" ? "-" : form == "gzip" ? "data.gz" : "data"
    let input = form == "stdin" ? Array(text.utf8) : []
    let whole = try tool.run([path, "--store", "whole.sqlite"], in: folder.path, input: input)
    #expect(whole.exitCode == 1, "\(whole.messages)")
    let expected = try Self.content(of: folder.file("whole.sqlite"))

    var arguments = [path, "--batch", "20", "--rejects", "bad"]
    var killCount = 0
    while true {
      let running = try tool.start(arguments, in: folder.path, input: input)
      // Later kills come later, so that a busy machine reaches the end too.
      usleep(UInt32.random(in: 1000...(40_000 + UInt32(killCount) * 3000), using: &generator))
      running.signal(SIGKILL)
      let outcome = try running.wait()
      if outcome.exitCode != 128 + SIGKILL {
        if outcome.messages.contains("no unfinished import") {
          // The kill came before the first commit, or after the last one.
          let isThere = FileManager.default.fileExists(atPath: folder.file("poi.sqlite"))
          if isThere, try Self.content(of: folder.file("poi.sqlite")).count == expected.count {
            break
          }
          arguments.removeAll { $0 == "--resume" }
          continue
        }
        #expect(outcome.exitCode == 1, "seed \(seed): \(outcome.messages)")
        break
      }
      killCount += 1
      if !arguments.contains("--resume") { arguments.append("--resume") }
      try #require(killCount < 500, "seed \(seed)")
    }
    #expect(try Self.content(of: folder.file("poi.sqlite")) == expected, "seed \(seed)")
    let rejects = try String(contentsOfFile: folder.file("bad"), encoding: .utf8)
    #expect(rejects.split(separator: "\n").count == rejected.count, "seed \(seed)")
  }

  @Test func `rejects never overwrite the input, nor a file that holds something else`() throws {
    let folder = try ScratchFolder()
    try folder.write("{\"name\":\"x\"}", to: "data")
    try folder.write("precious", to: "notes")
    for path in ["data", "./data", "notes", "poi.sqlite"] {
      try Connection(path: folder.file("poi.sqlite")).execute("VACUUM")
      let outcome = try tool.run(["data", "--rejects", path, "-s", "s"], in: folder.path)
      #expect(outcome.exitCode == 64, "\(path): \(outcome.messages)")
    }
    #expect(try String(contentsOfFile: folder.file("notes"), encoding: .utf8) == "precious")
    for _ in 0..<2 {
      let arguments = ["-m", "poi", "data", "--rejects", "bad", "-s", "s"]
      #expect(try tool.run(arguments, in: folder.path).exitCode == 1)
    }
    let lines = try String(contentsOfFile: folder.file("bad"), encoding: .utf8)
    #expect(lines.split(separator: "\n").count == 1)
    #expect(
      try tool.run(["bad", "--rejects", "bad", "-s", "s"], in: folder.path).exitCode == 64)
  }

  @Test func `an unfinished import is detected after another one`() throws {
    let folder = try ScratchFolder()
    for name in ["a", "b"] {
      try folder.write(Self.records(0..<10).joined(separator: "\n") + "\n{}\n{}", to: name)
      let outcome = try tool.run([name, "--batch", "5", "--max-rejects", "1"], in: folder.path)
      #expect(outcome.exitCode == 65)
    }
    for name in ["a", "b"] {
      let outcome = try tool.run([name], in: folder.path)
      #expect(outcome.exitCode == 64 && outcome.messages.contains("--resume"))
    }
    #expect(try tool.run(["a", "--restart"], in: folder.path).exitCode == 1)
    #expect(try tool.run(["b", "--resume"], in: folder.path).exitCode == 1)
    #expect(try Self.content(of: folder.file("poi.sqlite")).count == 30 + 6)
  }

  @Test(arguments: [0, 1])
  func `a resumed run continues with all of its inputs`(damaged: Int) throws {
    let folder = try ScratchFolder()
    for (index, name) in ["a", "b", "c"].enumerated() {
      let tail = index == damaged ? "\n{}\n{}" : ""
      try folder.write(
        Self.records(index * 10..<index * 10 + 10).joined(separator: "\n") + tail, to: name)
    }
    let batch = ["--batch", "5"]
    let stopped = try tool.run(batch + ["--max-rejects", "1", "a", "b", "c"], in: folder.path)
    #expect(stopped.exitCode == 65)
    for named in [["a", "b"], ["a"]] where named.count > damaged {
      let outcome = try tool.run(batch + ["--resume"] + named, in: folder.path)
      #expect(outcome.exitCode == 64)
      #expect(
        outcome.messages.contains("began with 3 inputs, and this import with \(named.count) input"),
        "\(outcome.messages)")
    }
    let outcome = try tool.run(batch + ["--resume", "a", "b", "c"], in: folder.path)
    #expect(outcome.exitCode == 1, "\(outcome.messages)")
    #expect(try Self.content(of: folder.file("poi.sqlite")).count == 30 + 2)
    let again = try tool.run(batch + ["--resume", "a", "b", "c"], in: folder.path)
    #expect(again.exitCode == 64)
    #expect(again.messages.contains("the last one, run 1, is finished"), "\(again.messages)")
  }

  @Test func `a changed input is not resumed`() throws {
    let folder = try ScratchFolder()
    var records = Self.records(0..<100)
    records[55] = "{}"
    try folder.write(records.joined(separator: "\n"), to: "data")
    let first = try tool.run(["data", "--batch", "10", "--max-rejects", "0"], in: folder.path)
    #expect(first.exitCode == 65)
    var shifted = records
    shifted[0] = records[0].replacing("place", with: "plaza")
    for changed in [records + ["{}"], shifted] {
      try folder.write(changed.joined(separator: "\n"), to: "data")
      let outcome = try tool.run(["data", "--resume"], in: folder.path)
      #expect(outcome.exitCode == 64, "\(outcome.messages)")
      #expect(outcome.messages.contains("--restart"), "\(outcome.messages)")
    }
    // A refused resume does not change the run: it continues with the right input.
    try folder.write(records.joined(separator: "\n"), to: "data")
    try FileManager.default.copyItem(
      atPath: folder.file("poi.sqlite"), toPath: folder.file("copy.sqlite"))
    let resumed = try tool.run(["data", "--resume", "-s", "copy.sqlite"], in: folder.path)
    #expect(resumed.exitCode == 1, "\(resumed.messages)")
    #expect(resumed.output.contains("inserted   99"), "\(resumed.output)")
    #expect(try Self.content(of: folder.file("copy.sqlite")).count == 100)
    let restarted = try tool.run(["data", "--restart"], in: folder.path)
    #expect(restarted.exitCode == 1)
    #expect(restarted.output.contains("inserted   99"))
  }

  @Test func `an interrupt ends the wait for a slow pipe`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.records(0..<10).joined(separator: "\n") + "\n", to: "data")
    // If the writer has ended, the tool waited for the end of the pipe, and `kill` fails.
    let outcome = try Tool.shell(
      """
      mkfifo pipe
      (cat data; : >written; exec sleep 300) >pipe & writer=$!
      '\(tool.path)' --batch 100 - <pipe & tool=$!
      until [ -e written ]; do sleep 0.01; done
      wait_until_idle $tool
      kill -TERM $tool
      wait $tool
      code=$?
      kill $writer && exit $code
      """, in: folder.path)
    #expect(outcome.exitCode == 130, "\(outcome.messages)")
    let resumed = try tool.run(
      ["-", "--resume"], in: folder.path,
      input: Array(Self.records(0..<30).joined(separator: "\n").utf8))
    #expect(resumed.exitCode == 0, "\(resumed.messages)")
    #expect(try Self.content(of: folder.file("poi.sqlite")).count == 30)
  }

  /// Shell lines in which the tool, `$1`, waits: for the writer of a pipe, and for more data of a
  /// non-blocking one.
  @Test(arguments: [
    #""$1" pipe"#, #"(dd iflag=nonblock count=0 status=none; exec "$1" -) <>pipe"#,
  ])
  func `an interrupt ends the wait for a pipe of any kind`(line: String) throws {
    let folder = try ScratchFolder()
    let outcome = try Tool.shell(
      "mkfifo pipe; \(line) & wait_until_idle $!; kill -TERM $!; wait $!", [tool.path],
      in: folder.path)
    #expect(outcome.exitCode == 130, "\(outcome.messages)")
  }

  @Test func `a refused start does not change the previous reject file`() throws {
    let folder = try ScratchFolder()
    try folder.write("{}\n{}\n{}", to: "data")
    let arguments = ["-m", "poi", "data", "--batch", "1", "--max-rejects", "1", "--rejects", "bad"]
    #expect(try tool.run(arguments, in: folder.path).exitCode == 65)
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.file("bad")))
    #expect(try tool.run(arguments, in: folder.path).exitCode == 64)
    #expect(try tool.run(["none", "--rejects", "bad"], in: folder.path).exitCode == 66)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("bad"))) == before)
  }

  @Test func `an interrupted run ends at a batch boundary and says how to continue`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.array(0..<40_000), to: "data.json")
    // Some batches are in the log when the signal comes, and most are not. A shell polls for them,
    // because this process is busy with other tests.
    let running = try Tool(path: "/bin/sh").start(
      [
        "-c",
        """
        '\(tool.path)' data.json --batch 5 &
        for turn in $(seq 6000); do
          size=$(stat -c %s poi.sqlite-wal 2>/dev/null || echo 0)
          if [ "$size" -gt 200000 ]; then break; fi
          sleep 0.01
        done
        kill -TERM $!
        wait $!
        """,
      ], in: folder.path)
    let outcome = try running.wait()
    #expect(outcome.exitCode == 130)
    #expect(outcome.messages.contains("--resume"))
    #expect(try Self.content(of: folder.file("poi.sqlite")).count % 5 == 0)
    let resumed = try tool.run(["data.json", "--resume"], in: folder.path)
    #expect(resumed.exitCode == 0)
    #expect(try Self.content(of: folder.file("poi.sqlite")).count == 40_000)
  }
}
