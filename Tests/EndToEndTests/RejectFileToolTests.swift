import POISQLite
import POITestSupport
import Testing

@Suite struct RejectFileToolTests {
  private let tool = Tool("poi-import")

  @Test(arguments: [
    "poi.sqlite", "poi.sqlite-wal", "poi.sqlite-shm", "poi.sqlite-journal", "./poi.sqlite-wal",
    "link",
  ])
  func `rejects never overwrite the store or SQLite's files beside it`(path: String) throws {
    let folder = try ScratchFolder()
    try folder.write(ImportToolTests.array(0..<100), to: "data.json")
    #expect(try tool.run(["--quiet", "data.json"], in: folder.path).exitCode == 0)
    _ = try Tool(path: "/bin/ln").run(["-s", "poi.sqlite-wal", "link"], in: folder.path)
    try folder.write(
      ImportToolTests.records(100..<200).joined(separator: "\n") + "\n{}\n", to: "more.ndjson")
    let outcome = try tool.run(
      ["--batch", "10", "--rejects", path, "more.ndjson"], in: folder.path)
    #expect(outcome.exitCode == 64)
    #expect(
      outcome.messages.contains("would overwrite the store; name another file with --rejects"),
      "\(outcome.messages)")
    #expect(try ImportToolTests.content(of: folder.file("poi.sqlite")).count == 100)
  }

  /// The reject file, the store, and the target of the first if it is a link.
  @Test(arguments: [
    ("x", "x", nil), ("./x", "x", nil), ("sub/../x", "x", nil), ("sub/x", "here/x", nil),
    ("x-wal", "x", nil), ("sub/x-journal", "here/x", nil), ("link", "x", "x"),
    ("link", "sub/x", "here/../sub/x-shm"), ("x", "link", nil), ("x-wal", "link", nil),
  ])
  func `rejects that would overwrite the store are refused before it is created`(
    path: String, store: String, target: String?
  ) throws {
    let folder = try ScratchFolder()
    try folder.write("[{}]", to: "data.json")
    let shell = "mkdir sub && ln -s sub here && ln -s \"$0\" link"
    _ = try Tool(path: "/bin/sh").run(["-c", shell, target ?? "x"], in: folder.path)
    let names = Files.names(in: folder.path)
    let outcome = try tool.run(["--rejects", path, "-s", store, "data.json"], in: folder.path)
    #expect(outcome.exitCode == 64, "\(outcome)")
    #expect(
      outcome.messages.contains("\(path): the rejects would overwrite the store"), "\(outcome)")
    #expect(Files.names(in: folder.path) == names)
    #expect(Files.names(in: folder.file("sub")).isEmpty)
  }

  @Test func `a missing folder is not mistaken for the store`() throws {
    let folder = try ScratchFolder()
    try folder.write("[{}]", to: "data.json")
    let outcome = try tool.run(
      ["-m", "poi", "--rejects", "no/bad", "-s", "no/poi.sqlite", "data.json"], in: folder.path)
    #expect(outcome.exitCode == 74, "\(outcome)")
    #expect(outcome.messages.contains("cannot open"), "\(outcome)")
    #expect(Files.names(in: folder.path) == ["data.json"])
  }

  @Test func `a corrected reject file that is read as standard input is not overwritten`() throws {
    let folder = try ScratchFolder()
    try folder.write("{\"name\":1}\n{\"name\":2}\n", to: "data.ndjson")
    let first = try tool.run(["-m", "poi", "--rejects", "bad", "data.ndjson"], in: folder.path)
    #expect(first.exitCode == 1)
    let rejects = try folder.bytes("bad")
    let outcome = try Tool(path: "/bin/sh").run(
      ["-c", "exec \"$0\" --rejects bad - < bad", tool.path], in: folder.path)
    #expect(outcome.exitCode == 64)
    #expect(outcome.messages.contains("would overwrite the input"), "\(outcome.messages)")
    #expect(try folder.bytes("bad") == rejects)
  }

  @Test func `a dry run with too many rejects does not mention batches`() throws {
    let folder = try ScratchFolder()
    try folder.write("{\"name\":1}\n{\"name\":2}\n", to: "data.ndjson")
    let outcome = try tool.run(["-n", "--max-rejects", "1", "data.ndjson"], in: folder.path)
    #expect(outcome.exitCode == 65)
    #expect(outcome.messages.contains("2 of 2 records were rejected"))
    #expect(!outcome.messages.contains("--resume"), "\(outcome.messages)")
  }

  @Test(arguments: ["1", "2"])
  func `the report says what is committed if only the reject file fails`(
    jobs: String
  ) throws {
    let folder = try ScratchFolder()
    var records = ImportToolTests.records(0..<10)
    records[3] = "{}"
    try folder.write(records.joined(separator: "\n"), to: "data.ndjson")
    let outcome = try tool.run(
      [
        "--jobs", jobs, "--batch", "5", "--rejects", "/dev/full", "--report", "json",
        "data.ndjson",
      ], in: folder.path)
    #expect(outcome.exitCode == 74)
    #expect(
      outcome.messages.contains("the reject file cannot be written: No space left on device")
        && outcome.messages.contains("; continue with --resume\n")
        && outcome.messages.contains("the store holds the outcome of 5 records"),
      "\(outcome.messages)")
    for member in [#""ending": "failed""#, #""read": 5"#, #""inserted": 4"#, #""rejected": 1"#] {
      #expect(outcome.output.contains(member), "\(outcome.output)")
    }
    let run: SQL = "SELECT state, counters FROM poikit_run"
    let failed = try DedupToolTests.dump(folder.file("poi.sqlite"), run)[0]
    #expect(failed.hasPrefix("failed|") && failed.contains(#""read":5"#), "\(failed)")
    let again = try tool.run(
      ["--resume", "--rejects", "bad", "data.ndjson"], in: folder.path)
    #expect(again.exitCode == 1, "\(again)")
    #expect(try ImportToolTests.content(of: folder.file("poi.sqlite")).count == 10)
    #expect(try String(decoding: folder.bytes("bad"), as: UTF8.self).contains(#""record":4,"#))
  }

  @Test func `a dry run whose reject file cannot be written does not mention a store`() throws {
    let folder = try ScratchFolder()
    try folder.write("{}", to: "data.ndjson")
    let outcome = try tool.run(["-n", "--rejects", "/dev/full", "data.ndjson"], in: folder.path)
    #expect(outcome.exitCode == 74)
    #expect(outcome.output.isEmpty)
    #expect(
      outcome.messages == "poi-import: error: /dev/full: the reject file cannot be written: No "
        + "space left on device; run again\n", "\(outcome.messages)")
  }

  @Test func `reordered reject lines behind other records are reported with advice`() throws {
    let folder = try ScratchFolder()
    let record = ImportToolTests.records(0..<1)[0]
    let line = #"{"file":"a","poikit_reject":1,"raw":"{}","rule":"required"}"#
    try folder.write(record + "\n" + line + "\n", to: "mixed.ndjson")
    let outcome = try tool.run(["mixed.ndjson"], in: folder.path)
    #expect(outcome.exitCode == 1)
    #expect(
      outcome.messages.contains("import those lines as an input"), "\(outcome.messages)")
  }
}
