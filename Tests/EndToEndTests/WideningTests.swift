import Foundation
import POISQLite
import POITestSupport
import Testing

/// Deliveries that do not fit the table that the first one made.
@Suite struct WideningTests {
  private let tool = Tool("poi-import")

  private static let first = #"[{"id":1,"level":3,"open":true},{"id":2,"level":4,"open":false}]"#
  private static let second =
    #"[{"id":1,"level":3.5,"open":"?","note":{"by":"x"}},{"id":3,"level":null},{"level":9}]"#

  private func dump(_ query: SQL, in folder: borrowing ScratchFolder) throws -> [String] {
    try DedupToolTests.dump(folder.file("poi.sqlite"), query)
  }

  /// A folder with the two deliveries, and a store with the first one.
  private func makeStore(_ arguments: String...) throws -> ScratchFolder {
    let folder = try ScratchFolder()
    try folder.write(Self.first, to: "first.json")
    try folder.write(Self.second, to: "second.json")
    let outcome = try tool.run(arguments + ["first.json"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    return folder
  }

  @Test(arguments: [["second.json"], ["-"], ["--infer", "--table", "first", "second.json"]])
  func `an inferred table keeps what does not fit, and widens if asked`(arguments: [String]) throws
  {
    let folder = try makeStore("--infer")
    let input = arguments == ["-"] ? Array(Self.second.utf8) : []
    let kept = try tool.run(arguments, in: folder.path, input: input)
    #expect(kept.exitCode == 1, "\(kept)")
    #expect(kept.output.contains("rejected  1  required 1 (id 1)"), "\(kept)")
    #expect(
      kept.output.contains(#"kept beside their columns: /level 1 (3.5), /open 1 ("?")"#), "\(kept)")
    #expect(kept.messages.contains("at /level, /open do not fit: --widen makes"), "\(kept)")
    #expect(
      try dump("SELECT id, level, open FROM first", in: folder)
        == ["1|3|1", "2|4|0", "1|NULL|NULL", "3|NULL|NULL"])
    let outcome = try tool.run(["--widen"] + arguments, in: folder.path, input: input)
    #expect(
      outcome.messages.contains(
        "the model first is widened: level from integer or null to number or null; open from boolean or "
          + "null to boolean or string or null"), "\(outcome)")
    #expect(
      try dump("SELECT id, level, open FROM first", in: folder)
        == ["1|3.0|1", "2|4.0|0", "1|3.5|?", "3|NULL|NULL", "1|3.5|?", "3|NULL|NULL"])
    // The next one fits.
    let next = try tool.run(["second.json"], in: folder.path)
    #expect(!next.output.contains("beside"), "\(next)")
  }

  @Test func `a table of a named model widens if asked`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.first, to: "first.json")
    try folder.write(Self.second, to: "second.json")
    let model = try tool.run(["--infer=strict", "first.json"], in: folder.path)
    try folder.write(model.output, to: "model.json")
    #expect(try tool.run(["-m", "model.json", "first.json"], in: folder.path).exitCode == 0)
    let refused = try tool.run(["second.json"], in: folder.path)
    #expect(refused.output.contains("rejected  3"), "\(refused)")
    #expect(
      refused.messages.contains("the model first could be widened with --widen: level from"),
      "\(refused)")
    let rehearsal = try tool.run(["--dry-run", "--widen", "second.json"], in: folder.path)
    #expect(rehearsal.output.contains("valid     2"), "\(rehearsal)")
    let before = try dump("SELECT model FROM poikit_table", in: folder)
    let widened = try tool.run(["--widen", "second.json"], in: folder.path)
    #expect(widened.output.contains("inserted  2"), "\(widened)")
    #expect(try dump("SELECT model FROM poikit_table", in: folder) != before)
    #expect(try dump("SELECT count(*) FROM first WHERE open IS NULL", in: folder) == ["1"])
  }

  @Test func `new members get columns if asked`() throws {
    let folder = try makeStore("--infer")
    let outcome = try tool.run(["--add-columns", "second.json"], in: folder.path)
    #expect(outcome.messages.contains("gets attributes: note_by"), "\(outcome)")
    #expect(!outcome.output.contains("does not map"), "\(outcome)")
    #expect(try dump("SELECT note_by FROM first", in: folder) == ["NULL", "NULL", "x", "NULL"])
  }

  @Test func `a pipe that is read twice is refused, and a broken input is reported once`() throws {
    let folder = try makeStore("--infer")
    _ = try Tool.shell("mkfifo pipe", in: folder.path)
    let refused = try tool.run(["--widen", "pipe"], in: folder.path)
    #expect(refused.exitCode == 64 && refused.messages.contains("pipe: not a regular file"))
    try folder.write(#"[{"id":7,"level":0.5},{"id":8"#, to: "cut.json")
    let cut = try tool.run(["--widen", "cut.json"], in: folder.path)
    #expect(cut.output.contains("truncated 1"), "\(cut)")
    #expect(try dump("SELECT level FROM first WHERE id = 7", in: folder) == ["0.5"])
  }

  @Test func `a change that the store cannot have is left out, and the others are made`() throws {
    let folder = try ScratchFolder()
    try folder.write(
      #"[{"id":1,"big":9007199254740993,"n":3},{"id":2,"big":1,"n":4}]"#, to: "first.json")
    try folder.write(
      #"[{"id":3,"big":1.5,"n":1},{"id":4,"n":2.5},{"id":"5","n":4},{"id":"","n":5},{"id":"x","n":6}]"#,
      to: "second.json")
    #expect(
      try tool.run(
        ["--infer", "-t", "a (b)", "--merge", "overwrite", "first.json"], in: folder.path
      )
      .exitCode == 0)
    for arguments in [["--dry-run"], []] {
      let outcome = try tool.run(
        arguments + ["--widen", "-t", "a (b)", "second.json"], in: folder.path)
      #expect(outcome.messages.contains("big: \"big\" has integers beyond 2^53"), "\(outcome)")
      #expect(outcome.messages.contains("id from integer to integer or string"), "\(outcome)")
      #expect(outcome.output.contains("rejected  0"), "\(outcome)")
    }
    #expect(
      try dump(#"SELECT id, big, n FROM "a (b)""#, in: folder)
        == [
          "1|9007199254740993|3.0", "2|1|4.0", "3|NULL|1.0", "4|NULL|2.5", "5|NULL|4.0",
          "|NULL|5.0", "x|NULL|6.0",
        ])
  }

  @Test func `a key that was a number and is a text or too big is rejected until it is widened`()
    throws
  {
    let folder = try ScratchFolder()
    try folder.write(#"{"id":7,"v":"a"}{"id":8,"v":"b"}"#, to: "first.json")
    for (text, phrase) in [
      (#""007""#, "id from integer to integer or string"),
      ("18446744073709551615", "id with all digits"),
    ] {
      try folder.write(#"{"id":\#(text),"v":"c"}{"id":7,"v":"d"}"#, to: "second.json")
      let arguments = ["-s", phrase, "-t", "t", "--infer", "--merge", "newest"]
      #expect(try tool.run(arguments + ["first.json"], in: folder.path).exitCode == 0)
      let rejected = try tool.run(arguments + ["--dry-run", "second.json"], in: folder.path)
      #expect(rejected.output.contains("rejected  1"), "\(rejected)")
      #expect(rejected.messages.contains("does not fit id: --widen makes"), "\(rejected)")
      let widened = try tool.run(arguments + ["--widen", "second.json"], in: folder.path)
      #expect(widened.exitCode == 0, "\(widened)")
      #expect(widened.messages.contains("the model t is widened: \(phrase)"), "\(widened)")
      let exported = try Tool("poi-export").run(
        ["-q", "-s", phrase, "-f", "ndjson"], in: folder.path)
      #expect(
        Set(exported.output.split(separator: "\n")) == [
          #"{"id":7,"v":"d"}"#, #"{"id":8,"v":"b"}"#, #"{"id":\#(text),"v":"c"}"#,
        ], "\(exported)")
    }
  }

  @Test func `a table that was widened continues with the model file that made it`() throws {
    let folder = try ScratchFolder()
    try folder.write(
      #"{"x-table":"t","x-key":"id","required":["id","n"],"properties":{"id":{"type":"integer"},"n":{"type":"integer"}}}"#,
      to: "model.json")
    for (number, text) in [
      #"{"id":1,"n":1}"#, #"{"id":2,"n":1.5,"s":"x"}"#, #"{"id":3,"n":3}"#, #"{"id":4}"#,
    ]
    .enumerated() {
      try folder.write(text, to: "data.json")
      let options = number == 1 ? ["--widen", "--add-columns"] : ["--widen"]
      let outcome = try tool.run(options + ["-m", "model.json", "data.json"], in: folder.path)
      #expect(outcome.exitCode == 0 && outcome.output.contains("inserted  1"), "\(outcome)")
    }
    #expect(
      try dump("SELECT id, n, s FROM t", in: folder)
        == ["1|1.0|NULL", "2|1.5|x", "3|3.0|NULL", "4|NULL|NULL"])
  }

  @Test func `an unfinished import keeps the table as it is`() throws {
    let folder = try makeStore("--infer")
    try Connection(path: folder.file("poi.sqlite"), access: .readWrite).execute(
      """
      INSERT INTO poikit_run SELECT 9, tool, version, table_name, 'running', started, NULL, options, counters
      FROM poikit_run LIMIT 1;
      INSERT INTO poikit_checkpoint VALUES (9, 1, '{}')
      """)
    let outcome = try tool.run(["--widen", "second.json"], in: folder.path)
    #expect(outcome.messages.contains("an import into the table is unfinished"), "\(outcome)")
    #expect(
      try dump("SELECT type FROM pragma_table_info('first') WHERE name = 'level'", in: folder)
        == ["INTEGER"])
  }
}
