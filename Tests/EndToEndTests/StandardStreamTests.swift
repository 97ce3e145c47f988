import POITestSupport
import Testing

@Suite struct StandardStreamTests {
  private static let model =
    #"{"x-table":"t","x-key":"id","required":["id"],"properties":{"id":{"type":"integer"}}}"#

  /// Runs a shell command, with `import` and `dedup` for the tools and `m.json` for a model.
  private func run(_ script: String, in folder: borrowing ScratchFolder) throws -> Tool.Outcome {
    try folder.write(Self.model, to: "m.json")
    return try Tool(path: "/bin/sh").run(
      [
        "-c",
        "import() { \"\(Tool("poi-import").path)\" \"$@\"; }; "
          + "dedup() { \"\(Tool("poi-dedup").path)\" \"$@\"; }; " + script,
      ], in: folder.path)
  }

  @Test func `a closed standard input is an error and not an empty one`() throws {
    let folder = try ScratchFolder()
    let outcome = try run("import -m m.json - <&-", in: folder)
    #expect(outcome.exitCode == 74, "\(outcome.messages)")
    #expect(outcome.messages.contains("standard input: cannot be read"), "\(outcome.messages)")
  }

  @Test func `a model and records do not both come from standard input`() throws {
    let folder = try ScratchFolder()
    let outcome = try run("import -m - - < m.json", in: folder)
    #expect(outcome.exitCode == 64)
    #expect(outcome.messages.contains("only once"), "\(outcome.messages)")
  }

  @Test(arguments: [">&-", "> /dev/full"])
  func `an import whose report cannot be written says that it is done`(redirection: String) throws {
    let folder = try ScratchFolder()
    let outcome = try run("echo '{\"id\":1}' | import -m m.json - \(redirection)", in: folder)
    #expect(outcome.exitCode == 74)
    #expect(
      outcome.messages.contains("cannot write to standard output")
        && outcome.messages.contains("; everything else is done"), "\(outcome.messages)")
    let report = try run("dedup --digest -q", in: folder)
    #expect(report.output.hasSuffix(" of 1 row\n"))
  }

  @Test func `with --quiet answers are printed, reports are not`() throws {
    let folder = try ScratchFolder()
    let script = "echo '{\"id\":1}' | import -q -m m.json - && dedup -q"
    let quiet = try run(script, in: folder)
    #expect(quiet.exitCode == 0 && quiet.output.isEmpty, "\(quiet)")
    for question in ["--digest", "--dry-run"] {
      let answer = try run("dedup -q \(question)", in: folder)
      #expect(try answer.output == run("dedup \(question)", in: folder).output)
      #expect(!answer.output.isEmpty)
    }
  }

  @Test func `rejects go to a file that is named, not to one called by a dash`() throws {
    let folder = try ScratchFolder()
    let outcome = try run("echo '{\"id\":\"x\"}' | import -m m.json --rejects - -", in: folder)
    #expect(outcome.exitCode == 64)
    #expect(outcome.messages.contains("./- for a file called -"), "\(outcome.messages)")
    let written = try run(
      "echo '{\"id\":\"x\"}' | import -q -m m.json --rejects /dev/stdout - | cat", in: folder)
    #expect(written.output.hasPrefix("{\"poikit_reject\":1,"), "\(written)")
  }

  @Test(arguments: [
    ("true", "no record was read"), ("printf '\\n\\n'", "no record was read"),
    ("echo '{} {}'", "no record fits the model of "),
  ])
  func `an import without records says why`(input: String, note: String) throws {
    let folder = try ScratchFolder()
    let outcome = try run("\(input) | import -m m.json -", in: folder)
    #expect(outcome.messages.contains("note: \(note)"), "\(outcome)")
  }

  @Test func `rejects to a closed pipe end the import`() throws {
    let folder = try ScratchFolder()
    let outcome = try run(
      "seq 1 20000 | sed 's/.*/{\"id\":[]}/' > bad; "
        + "{ import -m m.json -q --rejects /dev/stdout bad; echo $? > code; } | head -n 1",
      in: folder)
    #expect(outcome.output.split(separator: "\n").count == 1)
    #expect(
      outcome.messages.contains("the reject file cannot be written: Broken pipe"), "\(outcome)")
    #expect(try String(decoding: folder.bytes("code"), as: UTF8.self) == "74\n")
  }

  @Test func `a pipe for rejects needs no reader if there are no rejects`() throws {
    let folder = try ScratchFolder()
    let outcome = try run(
      "mkfifo pipe; echo '{\"id\":1}' | import -q -m m.json --rejects pipe -", in: folder)
    #expect(outcome.exitCode == 0, "\(outcome)")
  }
}
