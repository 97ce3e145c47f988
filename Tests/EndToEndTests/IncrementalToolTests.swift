import POISQLite
import POITestSupport
import Testing

@Suite struct IncrementalToolTests {
  private let importTool = Tool("poi-import")
  private let dedupTool = Tool("poi-dedup")

  private static let model = #"""
    {"x-table":"note","x-key":"id","x-timestamp":"at","x-tombstone":{"attribute":"gone","removal":"delete"},
     "required":["id","name"],
     "properties":{"id":{"type":"integer"},"name":{"type":"string"},"gone":{"type":"boolean"},
      "at":{"type":"string","format":"date-time"}}}
    """#

  private static func record(_ id: Int, second: Int) -> String {
    #"{"id":\#(id),"name":"n\#(id)","at":"2024-02-29T12:00:0\#(second)Z"}"#
  }

  /// A server's answer to a request for records that are not older than a moment.
  private static func answer(_ records: [(id: Int, second: Int)], since second: Int) -> String {
    let found = records.filter { $0.second >= second }.map { record($0.id, second: $0.second) }
    return #"{"items":[\#(found.joined(separator: ","))],"meta":{"next":"cursor-\#(second)"}}"#
  }

  @Test func `at the boundary of two requests no record is lost or duplicated`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.model, to: "model.json")
    func take(_ text: String) throws -> Tool.Outcome {
      try importTool.run(
        ["--model", "model.json", "--merge", "newest", "--report", "json", "-"],
        in: folder.path, input: Array(text.utf8))
    }
    func token() throws -> String {
      let outcome = try importTool.run(["--print-token"], in: folder.path)
      #expect(outcome.exitCode == 0)
      return outcome.output
    }
    #expect(try token() == "")
    var records = [(id: 1, second: 1), (id: 3, second: 2)]
    _ = try take(Self.answer(records, since: 0))
    #expect(try token() == "2024-02-29T12:00:02.000000Z\t3\n")
    // The server writes two more at the very moment of the token.
    records += [(id: 2, second: 2), (id: 4, second: 2)]
    let outcome = try take(Self.answer(records, since: 2))
    #expect(outcome.output.contains("\"inserted\": 2"))
    #expect(outcome.output.contains("\"unchanged\": 1"))
    #expect(try token() == "2024-02-29T12:00:02.000000Z\t4\n")
    let connection = try Connection(path: folder.file("poi.sqlite"), access: .readOnly)
    #expect(try connection.integer("SELECT count(*) FROM note") == 4)
  }

  private static let timeless =
    #"{"x-table":"t","x-key":"id","properties":{"id":{"type":"integer"},"a":{}}}"#

  @Test func `without a timestamp the later delivery wins, and the table keeps another rule`()
    throws
  {
    let folder = try ScratchFolder()
    try folder.write(Self.timeless, to: "model.json")
    func merge(_ text: String, _ more: String...) throws -> Tool.Outcome {
      try importTool.run(
        ["--merge", "newest"] + more + ["-"], in: folder.path, input: Array(text.utf8))
    }
    func stored() throws -> Int64? {
      try Connection(path: folder.file("poi.sqlite"), access: .readOnly).integer("SELECT a FROM t")
    }
    var deliveries: [Int64] = []
    for value in 1...6 {
      let outcome = try merge(#"{"id":1,"a":\#(value)}"#, "--model", "model.json")
      #expect(outcome.exitCode == 0 && outcome.messages.isEmpty, "\(outcome.messages)")
      if value > 1 {
        #expect(outcome.output.contains("tied      1  of the updated ones, by the order of import"))
      }
      deliveries.append(try stored() ?? 0)
    }
    #expect(deliveries == [1, 2, 3, 4, 5, 6])
    let outcome = try merge(#"{"id":1,"a":7}"#, "--ties", "digest")
    #expect(
      outcome.messages.contains("and the model names no timestamp, so their digests decided"),
      "\(outcome.messages)")
    let chosen = try stored()
    for values in [[7, 6], [6, 7]] {
      for value in values { _ = try merge(#"{"id":1,"a":\#(value)}"#) }
      #expect(try stored() == chosen)
    }
    let model = try importTool.run(["--print-model", "t"], in: folder.path)
    #expect(model.output.contains(#""x-ties": "digest""#))
  }

  @Test func `a snapshot is right at its time, also about equal timestamps`() throws {
    let folder = try ScratchFolder()
    let model =
      #"{"x-table":"t","x-key":"id","x-timestamp":"at","properties":{"id":{"type":"integer"},"a":{},"#
      + #""at":{"type":"integer","x-unit":"seconds"}}}"#
    try folder.write(model, to: "model.json")
    for value in [3, 1, 2, 4, 0] {
      try folder.write(
        #"[{"id":1,"a":9,"at":5},{"id":1,"a":\#(value),"at":5},{"id":1,"a":8,"at":4}]"#,
        to: "all.json")
      let outcome = try importTool.run(
        ["--model", "model.json", "--snapshot", "all.json"], in: folder.path)
      #expect(outcome.exitCode == 0, "\(outcome.messages)")
      let connection = try Connection(path: folder.file("poi.sqlite"), access: .readOnly)
      #expect(try connection.integer("SELECT a FROM t") == Int64(value))
    }
  }

  @Test func `appending what is there already is said, with the command that mends it`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.timeless, to: "model.json")
    func append(_ range: ClosedRange<Int>, _ value: Int) throws -> String {
      let text = range.map { #"{"id":\#($0),"a":\#(value)}"# }.joined(separator: "\n")
      return try importTool.run(
        ["--model", "model.json", "-"], in: folder.path, input: Array(text.utf8)
      ).messages
    }
    #expect(try append(1...1_200, 1).isEmpty)
    #expect(try append(1_201...1_300, 1).isEmpty)
    let warning = try append(1...1_200, 2)
    #expect(
      warning.contains(
        "warning: 1,000 of the first 1,000 keys were already in t, and their records were added beside "
          + "them: poi-dedup --enforce removes duplicates, and later imports merge"), "\(warning)")
    let outcome = try dedupTool.run(["--enforce"], in: folder.path)
    #expect(outcome.output.contains("1,200 earlier by the order of import"), "\(outcome.output)")
    let connection = try Connection(path: folder.file("poi.sqlite"), access: .readOnly)
    #expect(try connection.integer("SELECT sum(a) FROM t") == 2_500)
  }

  @Test func `the token of an answer is kept and printed, and a missing one is reported`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.model, to: "model.json")
    let arguments = ["--model", "model.json", "--token-at", "/meta/next", "answer.json"]
    try folder.write(Self.answer([(id: 1, second: 1)], since: 0), to: "answer.json")
    #expect(try importTool.run(arguments, in: folder.path).exitCode == 0)
    #expect(try importTool.run(["--print-token"], in: folder.path).output == "cursor-0\n")
    try folder.write(#"{"items":[\#(Self.record(2, second: 2))]}"#, to: "answer.json")
    let outcome = try importTool.run(["--quiet"] + arguments, in: folder.path)
    #expect(outcome.exitCode == 0)
    #expect(outcome.messages.contains(#"warning: answer.json: there is no token at "/meta/next""#))
    for (value, message) in [
      (#"{"x":1}"#, "an object at"), (#"["x"]"#, "an array at"),
      ("null", "null at"),
    ] {
      let next = #"{"meta":{"next":\#(value)},"items":[\#(Self.record(2, second: 2))]}"#
      try folder.write(next, to: "answer.json")
      let outcome = try importTool.run(arguments, in: folder.path)
      #expect(
        outcome.messages.contains(#"warning: answer.json: \#(message) "/meta/next" is not"#),
        "\(outcome.messages)")
    }
    #expect(try importTool.run(["--print-token"], in: folder.path).output == "cursor-0\n")
    #expect(
      try importTool.run(["--print-token", "--source", "other"], in: folder.path).output == "")
  }

  @Test func `without a token the reason is reported`() throws {
    let nothing = "note: no import from this source has finished: ask for everything\n"
    let untimed =
      "note: the table p has no timestamp, since its model names no x-timestamp, and no token was "
      + "kept: there is no starting point\n"
    let without =
      "note: no record of this source has a timestamp, and no token was kept: ask for everything\n"
    for (timestamp, message) in [("", untimed), (#""x-timestamp":"at","#, without)] {
      let folder = try ScratchFolder()
      func note(_ more: String...) throws -> String {
        let outcome = try importTool.run(["--print-token"] + more, in: folder.path)
        #expect(outcome.exitCode == 0 && outcome.output.isEmpty, "\(outcome)")
        return outcome.messages
      }
      try folder.write(
        #"""
        {"x-table":"p","x-key":"id",\#(timestamp)"properties":{"id":{"type":"integer"},
         "at":{"type":"string","format":"date-time"}}}
        """#, to: "model.json")
      try folder.write("{\"id\":1}\n{\"id\":\"x\"}\n{\"id\":2}", to: "data.ndjson")
      let arguments = ["-m", "model.json", "-b", "1", "data.ndjson"]
      #expect(try note() == "poi-import: " + nothing)
      #expect(try importTool.run(arguments + ["--limit", "0"], in: folder.path).exitCode == 0)
      #expect(try note() == "poi-import: " + nothing)
      #expect(try importTool.run(arguments, in: folder.path).exitCode == 1)
      #expect(try note() == "poi-import: " + message)
      #expect(try note("--source", "other") == "poi-import: " + nothing)
    }
  }

  @Test func `if a store has several tables, the model selects the token's table`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.model, to: "model.json")
    try folder.write(Self.record(1, second: 1), to: "data.ndjson")
    for model in ["model.json", "poi"] {
      _ = try importTool.run(["--model", model, "data.ndjson"], in: folder.path)
    }
    let outcome = try importTool.run(["--print-token"], in: folder.path)
    #expect(outcome.exitCode == 64)
    #expect(
      outcome.messages.contains("several tables, note, poi; name the model of one with --model"),
      "\(outcome.messages)")
    let named = try importTool.run(["--print-token", "--model", "model.json"], in: folder.path)
    #expect(named.output == "2024-02-29T12:00:01.000000Z\t1\n")
  }

  @Test func `a token is requested alone, and an import needs a file`() throws {
    let folder = try ScratchFolder()
    let both = try importTool.run(["--print-token", "data.json"], in: folder.path)
    #expect(both.exitCode == 64)
    let neither = try importTool.run([], in: folder.path)
    #expect(neither.exitCode == 64)
    #expect(neither.messages.contains("no FILE given"))
  }

  @Test func `a snapshot that is refused ends with 65 and says what to do`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.model, to: "model.json")
    let arguments = ["--model", "model.json", "--merge", "newest", "--snapshot", "feed.json"]
    func take(_ ids: Range<Int>, _ more: String...) throws -> Tool.Outcome {
      let records = ids.map { Self.record($0, second: 1) }.joined(separator: ",")
      try folder.write("[\(records)]", to: "feed.json")
      return try importTool.run(arguments + more, in: folder.path)
    }
    #expect(try take(0..<10).exitCode == 0)
    let refused = try take(3..<10)
    #expect(refused.exitCode == 65)
    #expect(refused.messages.contains("feed.json: the snapshot lacks 3 of 10 rows"))
    let again = try take(3..<10)
    #expect(again.exitCode == 65)
    #expect(again.messages.contains("the snapshot of run 2 was refused, undone or did not end"))
    #expect(again.messages.contains("; say with --max-removals how many rows may go"))
    #expect(try take(0..<0, "--max-removals", "100%").exitCode == 65)
    let done = try take(3..<10, "--max-removals", "3")
    #expect(done.exitCode == 0)
    #expect(done.output.contains("3  that the snapshot lacks; poi-dedup --undo"))
    let undone = try dedupTool.run(["--undo"], in: folder.path)
    #expect(undone.output.contains("3 rows"))
  }

  @Test func `a snapshot is not undone after a missing record returned`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.model, to: "model.json")
    func take(_ ids: Range<Int>, second: Int, _ more: String...) throws {
      let records = ids.map { Self.record($0, second: second) }.joined(separator: ",")
      let outcome = try importTool.run(
        ["--model", "model.json", "-"] + more, in: folder.path, input: Array("[\(records)]".utf8))
      #expect(outcome.exitCode == 0, "\(outcome.messages)")
    }
    try take(0..<10, second: 1, "--snapshot")
    try take(3..<10, second: 1, "--snapshot", "--max-removals", "3")
    try take(1..<2, second: 5)
    let undone = try dedupTool.run(["--undo"], in: folder.path)
    #expect(undone.exitCode == 64)
    #expect(
      undone.messages == """
        poi-dedup: error: poi.sqlite: run 2 cannot be undone: removed rows of 'note' whose keys came \
        back since: 1; delete the rows that have these keys now, or leave the run as it is

        """)
    let connection = try Connection(path: folder.file("poi.sqlite"), access: .readWrite)
    #expect(try connection.integer("SELECT count(*) FROM note") == 8)
    try connection.execute("DELETE FROM note WHERE id = 1")
    let again = try dedupTool.run(["--undo"], in: folder.path)
    #expect(again.output == "run 2 undone: 3 rows and 0 references put back\n", "\(again.messages)")
  }

  @Test func `removals are counted, shown and purged`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.model, to: "model.json")
    let text =
      Self.record(1, second: 1) + "\n" + #"{"id":1,"gone":true,"at":"2024-02-29T12:00:02Z"}"#
    let outcome = try importTool.run(
      ["--model", "model.json", "-"], in: folder.path, input: Array(text.utf8))
    #expect(outcome.exitCode == 0)
    #expect(outcome.output.contains("removals  1"))
    let plan = try dedupTool.run(["--dry-run"], in: folder.path)
    #expect(plan.output.contains("removed  1"))
    #expect(try dedupTool.run([], in: folder.path).exitCode == 0)
    let purged = try dedupTool.run(["--purge-tombstones", "30d"], in: folder.path)
    #expect(purged.exitCode == 0)
    #expect(purged.output.contains("0 marked rows deleted from note, 1 removals forgotten"))
    #expect(try dedupTool.run(["--purge-tombstones", "soon"], in: folder.path).exitCode == 64)
  }

  /// The options that make the deduplication fail, and its exit code.
  @Test(
    arguments: [
      (["--timestamp", "mixed"], [:], 65), (["--memory", "1MiB"], ["TMPDIR": "/none"], 74),
    ] as [([String], [String: String], Int32)])
  func `a deduplication that fails after removing rows reports them`(
    options: [String], environment: [String: String], code: Int32
  ) throws {
    let folder = try ScratchFolder()
    try folder.write(
      Self.model.replacing(
        #""name":{"type":"string"}"#,
        with: #""name":{"type":"string"},"mixed":{"type":["string","integer"]}"#),
      to: "model.json")
    // More than the memory holds.
    let records = (0..<40_000).map { Self.record($0 / 2, second: $0 % 2) }
    let text =
      Self.record(-1, second: 1).dropLast() + #","mixed":1}"# + "\n"
      + Self.record(-2, second: 1).dropLast() + #","mixed":"2024-02-29T12:00:00Z"}"# + "\n"
      + Self.record(-3, second: 1) + "\n" + Self.record(-3, second: 2) + "\n"
      + #"{"id":-3,"gone":true,"at":"2024-02-29T12:00:03Z"}"# + "\n"
    try folder.write(text + records.joined(separator: "\n"), to: "data")
    let taken = try importTool.run(["-q", "--model", "model.json", "data"], in: folder.path)
    #expect(taken.exitCode == 0, "\(taken.messages)")
    let failed = try dedupTool.run(
      ["--report", "json"] + options, in: folder.path, environment: environment)
    #expect(failed.exitCode == code, "\(failed.messages)")
    for member in [
      #""ending": "failed""#, #""run": 2,"#, #""rowsBefore": 40004"#, #""removed": 2"#,
      #""rowsLeft": 40002"#, #""losers": 0"#, #""archived": 2"#, #""digest": null"#,
    ] {
      #expect(failed.output.contains(member), "\(member): \(failed.output)")
    }
    #expect(failed.messages.contains("the same command continues"), "\(failed.messages)")
    let connection = try Connection(path: folder.file("poi.sqlite"), access: .readOnly)
    #expect(
      try connection.text(
        """
        SELECT format('%s %s %s %s', state, counters ->> 'rowsBefore', counters ->> 'removed',
          counters ->> 'rowsLeft')
        FROM poikit_run WHERE tool = 'poi-dedup'
        """) == "running 40004 2 40002")
    guard code == 74 else { return }
    let done = try dedupTool.run(["--report", "json"] + options, in: folder.path)
    #expect(done.output.contains(#""rowsBefore": 40004"#), "\(done)")
    #expect(done.output.contains(#""rowsLeft": 20002"#), "\(done)")
  }
}
