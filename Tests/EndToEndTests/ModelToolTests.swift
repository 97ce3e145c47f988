import Foundation
import POITestSupport
import Testing

@Suite struct ModelToolTests {
  private let tool = Tool("poi-import")

  static let stations = #"""
    {"last_updated":1668039187,"data":{"stations":[
      {"station_id":"7","name":"Dom","lat":52.1,"lon":5.1,"last_reported":1668039187},
      {"station_id":"8","name":"Neude","lat":52.2,"lon":5.2,"last_reported":1668039100}]}}
    """#

  @Test func `a file is imported with the model that was inferred from it`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.stations, to: "stations.json")
    let inferred = try tool.run(["--infer=print", "stations.json"], in: folder.path)
    #expect(inferred.exitCode == 0)
    #expect(inferred.messages.isEmpty)
    #expect(
      inferred.output.contains(
        "Import: poi-import --model FILE --at /data/stations stations.json, where FILE is this one."
      ))
    #expect(inferred.output.contains(#""x-key": "station_id""#))
    #expect(inferred.output.contains(#""x-timestamp": "last_reported""#))
    try folder.write(inferred.output, to: "model.json")
    let imported = try tool.run(
      ["--model", "model.json", "--at", "/data/stations", "stations.json"], in: folder.path)
    #expect(imported.exitCode == 0)
    #expect(imported.output.contains("inserted  2  into stations of poi.sqlite"))
  }

  @Test func `a strict model is printed, and the note of an import says what is doubtful`() throws {
    let folder = try ScratchFolder()
    try folder.write(#"[{"id":1,"a":"x"},{"id":1,"a":"y"},{"id":2,"a":"z"}]"#, to: "list.json")
    let strict = try tool.run(["--infer=strict", "--limit", "9", "list.json"], in: folder.path)
    #expect(strict.exitCode == 0, "\(strict.messages)")
    #expect(strict.output.contains(#""required": ["id", "a"]"#), "\(strict.output)")
    let loose = try tool.run(["--infer=print", "list.json"], in: folder.path)
    #expect(!loose.output.contains("required"), "\(loose.output)")
    for (text, phrase) in [
      (#"{"id":1,"a":"x"}{"id":1}{"id":2}"#, ": key id (doubtful)"),
      (#"{"id":1,"a":"x"}{"id":2}"#, ": key id"),
      (#"{"b_id":1}{"b_id":1}{"b_id":2}"#, ", without a key (b_id repeats, in 1 of 3)"),
    ] {
      try folder.write(text, to: "list.json")
      let outcome = try tool.run(["--infer", "--dry-run", "list.json"], in: folder.path)
      #expect(
        outcome.messages.contains("the model of list was inferred" + phrase),
        "\(outcome.messages)")
    }
  }

  @Test(arguments: [
    "2017/11/02 17:27:00", "02.11.2017 17:27", "2024-09-17 9:36:53 +02:00", "/Date(1509643620000)/",
  ])
  func `a timestamp of another form is read, and comes out as it came`(text: String) throws {
    let folder = try ScratchFolder()
    try folder.write(
      "{\"id\":1,\"c\":\"\(text)\",\"v\":1}\n{\"id\":1,\"c\":\"1.1.2000\",\"v\":2}\n",
      to: "list.json")
    let outcome = try tool.run(
      ["-q", "--infer", "--timestamp", "c", "--key", "id", "--merge", "newest", "list.json"],
      in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    let exported = try Tool("poi-export").run(["-q"], in: folder.path)
    #expect(exported.output == "{\"id\":1,\"c\":\"\(text)\",\"v\":1}\n", "\(exported)")
    let token = try tool.run(["--print-token"], in: folder.path).output
    #expect(token.hasPrefix("20") && token.hasSuffix("Z\t1\n"), "\(token)")
  }

  @Test func `texts that are no times cannot be named as the timestamp`() throws {
    let folder = try ScratchFolder()
    for text in [#""1509643620""#, #""x""#] {
      try folder.write(
        #"[{"id":1,"c":"02.11.2017 17:27"},{"id":2,"c":\#(text)}]"#, to: "list.json")
      let outcome = try tool.run(["--infer", "--timestamp", "c", "list.json"], in: folder.path)
      #expect(outcome.exitCode == 64, "\(outcome)")
      #expect(
        outcome.messages.contains("list.json: 1 of 2 texts of c cannot be read as times"),
        "\(outcome)")
      #expect(Files.names(in: folder.path) == ["list.json"])
    }
    // A few stay in their records.
    let records = (1...40).map {
      #"{"id":\#($0),"c":"\#($0 == 7 ? "N/A" : $0 == 8 ? "" : "2.11.2017")"}"# + "\n"
    }
    try folder.write(records.joined(), to: "list.ndjson")
    let outcome = try tool.run(["--infer", "--timestamp", "c", "list.ndjson"], in: folder.path)
    #expect(outcome.exitCode == 0 && outcome.output.contains("/c 2 (\"N/A\")"), "\(outcome)")
    let exported = try Tool("poi-export").run(["-q"], in: folder.path)
    #expect(exported.output == records.joined(), "\(exported)")
  }

  @Test func `a column of seconds and milliseconds is no timestamp`() throws {
    let folder = try ScratchFolder()
    try folder.write(
      #"[{"id":1,"updated":1509643620},{"id":2,"updated":1509643620000}]"#, to: "list.json")
    let refused = try tool.run(["--infer", "--timestamp", "updated", "list.json"], in: folder.path)
    #expect(refused.exitCode != 0)
    #expect(
      refused.messages.contains("holds seconds (1509643620) and milliseconds (1509643620000)"),
      "\(refused)")
    #expect(try tool.run(["-q", "--infer", "list.json"], in: folder.path).exitCode == 0)
    let exported = try Tool("poi-export").run(["-q", "-c", "updated"], in: folder.path)
    #expect(exported.output == "{\"updated\":1509643620}\n{\"updated\":1509643620000}\n")
  }

  @Test func `times with and without a zone in one column come out as they came`() throws {
    let folder = try ScratchFolder()
    let records = """
      {"id":1,"updated":"2026-03-01T12:00:00"}
      {"id":2,"updated":"2026-03-01T12:00:00Z"}
      {"id":3,"updated":"20171102T172700+01"}
      {"id":4,"updated":"2026-03-01T24:00:00Z"}
      {"id":5,"updated":"2026-03-01T12:00:52,5Z[UTC]"}

      """
    try folder.write(records, to: "list.ndjson")
    let outcome = try tool.run(["--infer", "list.ndjson"], in: folder.path)
    #expect(outcome.messages.contains("key id, timestamp updated"), "\(outcome)")
    #expect(try Tool("poi-export").run(["-q"], in: folder.path).output == records)
  }

  @Test func `a later time without a zone leaves those before it as they are`() throws {
    let folder = try ScratchFolder()
    try folder.write(#"[{"id":1,"at":"2026-03-01T12:00:00Z"}]"#, to: "list.json")
    try folder.write(#"[{"id":2,"at":"20260302T120000"}]"#, to: "more.json")
    #expect(try tool.run(["-q", "--infer", "list.json"], in: folder.path).exitCode == 0)
    let more = try tool.run(["-q", "--widen", "-t", "list", "more.json"], in: folder.path)
    #expect(more.exitCode == 0, "\(more)")
    let exported = try Tool("poi-export").run(["-q"], in: folder.path)
    #expect(
      exported.output
        == #"{"id":1,"at":"2026-03-01T12:00:00Z"}"# + "\n"
        + #"{"id":2,"at":"2026-03-02T12:00:00Z"}"#
        + "\n", "\(exported)")
  }

  @Test(arguments: [
    ("2026-03-01T12:00:00", "2026-03-01T12:00:00"),
    ("2026-03-01 12:00:00.5", "2026-03-01T12:00:00.500"),
    ("20260301T120000", "2026-03-01T12:00:00"),
    ("1 Mar 2026 12:00:00", "Sun, 01 Mar 2026 12:00:00"),
  ])
  func `times without a zone come out without one`(text: String, written: String) throws {
    let folder = try ScratchFolder()
    try folder.write("[{\"id\":1,\"at\":\"\(text)\"},{\"id\":2}]", to: "list.json")
    let outcome = try tool.run(["--infer", "list.json"], in: folder.path)
    #expect(
      outcome.messages.contains("; UTC was assumed for times without a zone: at"), "\(outcome)")
    let exported = try Tool("poi-export").run([], in: folder.path)
    #expect(exported.exitCode == 0, "\(exported)")
    #expect(exported.output == "{\"id\":1,\"at\":\"\(written)\"}\n{\"id\":2}\n")
  }

  @Test func `standard input gives the same model except for its name`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.stations, to: "record.json")
    let file = try tool.run(["--infer=print", "record.json"], in: folder.path)
    let input = try tool.run(
      ["--infer=print", "-"], in: folder.path, input: Array(Self.stations.utf8))
    #expect(input.exitCode == 0)
    #expect(
      input.output
        == file.output.replacing("of record.json.", with: "of standard input.")
        .replacing("stations record.json,", with: "stations -,"))
  }

  @Test func `records of any kind are imported by one command, from a file or a pipe`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.stations, to: "stations-2024-05-01.json")
    let file = try tool.run(
      ["--infer", "-s", "a.sqlite", "stations-2024-05-01.json"], in: folder.path)
    #expect(file.exitCode == 0)
    #expect(file.output.contains("inserted  2  into stations of a.sqlite"))
    #expect(
      file.messages.contains(
        "the model of stations was inferred: key station_id, timestamp last_reported"),
      "\(file.messages)")
    let pipe = try Tool.shell(
      "cat stations-2024-05-01.json | gzip | '\(tool.path)' --infer -s b.sqlite -", in: folder.path)
    #expect(pipe.exitCode == 0, "\(pipe.messages)")
    #expect(pipe.output.contains("inserted  2  into record of b.sqlite"))
    #expect(pipe.output.contains(try #require(file.output.split(separator: "\n").last)))
    let dryRun = try tool.run(
      ["--infer", "-n", "-s", "c.sqlite", "stations-2024-05-01.json"], in: folder.path)
    #expect(dryRun.output.contains("valid     2"), "\(dryRun.output)")
    #expect(!FileManager.default.fileExists(atPath: folder.file("c.sqlite")))
  }

  @Test func `an export of MongoDB becomes columns of plain values`() throws {
    let folder = try ScratchFolder()
    try folder.write(
      #"""
      {"_id":{"$oid":"65dfb0a0f1d2c3b4a5968778"},"n":{"$numberLong":"1"},"updated":{"$date":"2024-02-29T12:30:00Z"}}
      {"_id":{"$oid":"65dfb0a0f1d2c3b4a5968778"},"n":{"$numberLong":"2"},"updated":{"$date":{"$numberLong":"1709209801000"}}}
      {"_id":{"$oid":"65dfb0a0f1d2c3b4a5968779"},"n":{"$numberLong":"3"},"updated":{"$date":"2024-02-28T12:30:00Z"}}
      """#, to: "export.json")
    let imported = try tool.run(["--infer", "-s", "a.sqlite", "export.json"], in: folder.path)
    #expect(imported.exitCode == 0, "\(imported.messages)")
    #expect(
      imported.messages.contains("key id, timestamp updated"), "\(imported.messages)")
    let dedup = try Tool("poi-dedup").run(
      ["--store", "a.sqlite", "--key", "id", "--enforce"], in: folder.path)
    #expect(dedup.exitCode == 0, "\(dedup.messages)")
    let token = try tool.run(["--print-token", "-s", "a.sqlite"], in: folder.path)
    #expect(token.output == "2024-02-29T12:30:01.000000Z\t65dfb0a0f1d2c3b4a5968778\n")
  }

  @Test func `dates of several forms are read by the patterns of a model`() throws {
    let folder = try ScratchFolder()
    try folder.write(
      #"""
      {"x-table":"event","x-key":"id","x-timestamp":"date_refreshed","properties":{
        "id":{"type":"integer"},
        "date_refreshed":{"type":"string","format":"date","x-date-pattern":"dd.MM.yyyy"},
        "sent":{"type":"string","format":"date-time","x-date-pattern":"rfc2822"}}}
      """#, to: "model.json")
    try folder.write(
      #"""
      {"id":1,"date_refreshed":"29.02.2024","sent":"Thu, 29 Feb 2024 12:30:00 GMT"}
      {"id":1,"date_refreshed":"01.03.2024","sent":"Fri, 1 Mar 2024 07:30 EST"}
      {"id":2,"date_refreshed":"02.03.2024","sent":"Fri, 1 Mar 2024 07:30 CET"}
      """#, to: "events.json")
    let imported = try tool.run(
      ["--model", "model.json", "-s", "a.sqlite", "--merge", "newest", "events.json"],
      in: folder.path)
    #expect(imported.exitCode == 1)
    #expect(imported.output.contains("rejected  1  format 1"), "\(imported.output)")
    let token = try tool.run(["--print-token", "-s", "a.sqlite"], in: folder.path)
    #expect(token.output == "2024-03-01\t1\n")
    let plan = try Tool("poi-dedup").run(
      ["--store", "a.sqlite", "--timestamp", "date_refreshed"], in: folder.path)
    #expect(plan.exitCode == 0, "\(plan.messages)")
  }

  @Test func `the next file of that name uses the model of the store`() throws {
    let folder = try ScratchFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file("new"), withIntermediateDirectories: false)
    try folder.write(#"[{"id":1,"at":"2024-01-01T00:00:00Z"}]"#, to: "list.json")
    try folder.write(#"[{"id":"x","at":"soon"}]"#, to: "new/list_7.json")
    #expect(try tool.run(["--infer", "list.json"], in: folder.path).exitCode == 0)
    let next = try tool.run(["--infer", "new/list_7.json"], in: folder.path)
    #expect(next.exitCode == 1)
    #expect(next.output.contains("rejected  1  type 1"), "\(next.output)")
    #expect(
      next.messages.contains("the store has the table list: its model is used"), "\(next.messages)")
    #expect(next.messages.contains("rename the file or use another --store"), "\(next.messages)")
  }

  @Test func `a long pipe is inferred from its beginning and imported whole`() throws {
    let folder = try ScratchFolder()
    // 18 MB; the member at the end is not seen by the inference.
    let outcome = try Tool.shell(
      """
      (for i in 1 2 3 4 5 6; do
        awk -v i=$i 'BEGIN { s = sprintf("%1000s", ""); for (n = 0; n < 3000; n++)
          printf "{\\"id\\":%d,\\"t\\":\\"%s\\"}\\n", i * 10000 + n, s }'
      done; echo '{"id":1,"t":"","late":1}') | gzip -1 | '\(tool.path)' --infer -
      """, in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
    #expect(
      outcome.output.contains("inserted  18,001  into record of poi.sqlite"), "\(outcome.output)")
    #expect(outcome.output.contains("kept in other: /late 1"), "\(outcome.output)")
  }

  @Test(arguments: [
    ("echo '[1,2]' >in; \"$1\" --infer in", 65, "name where the records are with --at"),
    ("mkfifo in; \"$1\" --infer in", 64, "give a pipe as standard input, '-'"),
    (#"(echo '{"a":['; yes '1,1,1' | head -c 20000000) | "$1" --infer -"#, 65, "after 16 MiB"),
  ])
  func `an inference that fails makes no store`(lines: String, code: Int32, message: String) throws
  {
    let folder = try ScratchFolder()
    let outcome = try Tool.shell(lines, [tool.path], in: folder.path)
    #expect(outcome.exitCode == code)
    #expect(outcome.messages.contains(message), "\(outcome.messages)")
    #expect(!FileManager.default.fileExists(atPath: folder.file("poi.sqlite")))
  }

  @Test func `several files give one model of all their records`() throws {
    let folder = try ScratchFolder()
    try folder.write(#"[{"a":1,"c":1},{"a":2,"c":2}]"#, to: "one.json")
    try folder.write(#"{"a":"x","c":3,"b":true}"#, to: "two.json")
    let outcome = try tool.run(["--infer=print", "one.json", "two.json"], in: folder.path)
    #expect(outcome.output.contains("Inferred from the 3 records of one.json, two.json."))
    #expect(outcome.output.contains(#""x-table": "one""#))
    let limited = try tool.run(
      ["--infer=print", "--limit", "2", "one.json", "two.json"], in: folder.path)
    #expect(limited.output.contains("Inferred from the first 2 records of one.json"))
  }

  @Test func `input without records ends with 65 and a missing one with 66`() throws {
    let folder = try ScratchFolder()
    try folder.write("[1,2]", to: "numbers.json")
    let numbers = try tool.run(["--infer=print", "numbers.json"], in: folder.path)
    #expect(numbers.exitCode == 65)
    #expect(numbers.output.isEmpty)
    #expect(
      numbers.messages
        == "poi-import: error: numbers.json: none of the 2 elements is a record (a JSON object); "
        + "name where the records are with --at, or use --header if they are arrays below a header\n"
    )
    #expect(try tool.run(["--infer=print", "none.json"], in: folder.path).exitCode == 66)
    let empty = try tool.run(["--infer=print", "-"], in: folder.path)
    #expect(empty.exitCode == 65)
    #expect(
      empty.messages == "poi-import: error: standard input: there are no records\n")
  }

  @Test(
    arguments: [
      (#"{"id":1,"a":tru}"#, [], "x:1:1: ", "byte 16 of the record\n"),
      ("[x]", [], "x:1:2: ", "at \"x\"\n"),
      (
        "a b\n1 2\n", [], "x:1:1: ",
        "; is this JSON?; name the delimiter with --delimiter if they are rows of text\n"
      ),
      (
        #"{"id":"long"}"#, ["--max-string-bytes", "3"], "x:1:1: ",
        "; raise the limit with --max-string-bytes"
      ),
    ])
  func `a model of damaged input is refused with the first reason`(
    text: String, arguments: [String], place: String, reason: String
  ) throws {
    let folder = try ScratchFolder()
    try folder.write(text, to: "x")
    let outcome = try tool.run(["--infer=print", "x"] + arguments, in: folder.path)
    #expect(outcome.exitCode == 65)
    #expect(
      outcome.messages.contains("elements is a record (a JSON object): \(place)")
        && outcome.messages.contains(reason) && !outcome.messages.contains("--at"),
      "\(outcome.messages)")
  }

  @Test func `elements that a model omits are reported with the first reason`() throws {
    let folder = try ScratchFolder()
    try folder.write("{\"id\":1}\n  {\"id\":tru}\n7\n", to: "x")
    let outcome = try tool.run(["--infer=print", "-q", "x"], in: folder.path)
    #expect(outcome.exitCode == 0)
    #expect(outcome.output.contains("Inferred from the 1 records of x."))
    #expect(
      outcome.messages.hasPrefix(
        "poi-import: warning: 2 of 3 elements were left out; the first: x:2:3: "),
      "\(outcome.messages)")
    try folder.write("{\"id\":1}\n7\n", to: "x")
    let number = try tool.run(["--infer=print", "x"], in: folder.path)
    #expect(
      number.messages
        == "poi-import: warning: 1 of 2 elements was left out: x:2:1: this is not an object\n",
      "\(number.messages)")
  }

  @Test func `the built-in model is printed as a file that can be used`() throws {
    let folder = try ScratchFolder()
    let printed = try tool.run(["--print-model", "poi"], in: folder.path)
    #expect(printed.exitCode == 0)
    #expect(printed.output.hasPrefix("{\n  \"$schema\""))
    try folder.write(printed.output, to: "poi.json")
    try folder.write(ImportToolTests.array(0..<3), to: "data.json")
    let imported = try tool.run(["data.json"], in: folder.path)
    #expect(imported.exitCode == 0)
    // It is the same model, so the same store accepts it.
    let again = try tool.run(["--model", "poi.json", "data.json"], in: folder.path)
    #expect(again.exitCode == 0)
    let stored = try tool.run(["--print-model", "poi", "--store", "poi.sqlite"], in: folder.path)
    #expect(stored.output == printed.output)
  }

  @Test func `structs for the records of a model are printed, and a sample uses them`() throws {
    let folder = try ScratchFolder()
    let places = try tool.run(["--print-swift"], in: folder.path)
    #expect(places.exitCode == 0)
    let sample = try String(
      contentsOfFile: "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        + "/Samples/places-app/main.swift", encoding: .utf8)
    #expect(sample.contains(places.output), "\(places.output)")

    try folder.write(
      """
      {"x-table": "t-1", "x-key": "@id", "required": ["@id"], "properties": {
        "@id": {"type": "string", "x-column": "a"}, "class": {"type": "boolean", "x-column": "b"},
        "1st": {"type": "integer", "x-column": "c"}, "a b": {"type": "number", "x-column": "d"},
        "a-b": {"type": ["string", "number"], "x-column": "e"}, "ä": {"type": "object", "x-column": "f"},
        "String": {"type": "array", "x-relation": {"table": "u", "unique": "v"},
          "items": {"type": "object", "required": ["v"], "properties": {"v": {"type": "integer"}}}}}}
      """, to: "m.json")
    let hostile = try tool.run(["--print-swift", "--model", "m.json"], in: folder.path)
    #expect(
      hostile.output == """
        /// A record of the table `t-1`; `store.rows(as: T1.self)` returns them.
        struct T1: Codable, Sendable {
          var id: String
          var `class`: Bool?
          var _1st: Int?
          var aB: Double?
          var aB2: RowValue?
          var field: RowValue?
          var String: [RowString]

          enum CodingKeys: String, CodingKey {
            case id = "@id"
            case `class`
            case _1st = "1st"
            case aB = "a b"
            case aB2 = "a-b"
            case field = "ä"
            case String
          }

          struct RowString: Codable, Sendable {
            var v: Int
          }
        }

        """, "\(hostile.output)\(hostile.messages)")
    let refused = try tool.run(["--print-swift", "a.json"], in: folder.path)
    #expect(refused.exitCode == 64)
    #expect(refused.messages.contains("--print-swift reads no FILE"))
  }

  @Test func `a table's model is printed and another name is refused`() throws {
    let folder = try ScratchFolder()
    try folder.write(#"{"x-table":"place","properties":{"a":{"type":"integer"}}}"#, to: "m.json")
    try folder.write(#"[{"a":1}]"#, to: "data.json")
    #expect(try tool.run(["--model", "m.json", "data.json"], in: folder.path).exitCode == 0)
    let place = try tool.run(["--print-model", "place"], in: folder.path)
    #expect(
      place.output
        == #"{ "x-table": "place", "properties": { "a": { "type": "integer" } } }"# + "\n")
    let other = try tool.run(["--print-model", "other"], in: folder.path)
    #expect(other.exitCode == 64)
    #expect(other.messages.contains(#"no table of records "other""#))
    let missing = try tool.run(
      ["--print-model", "other", "--store", "none.sqlite"], in: folder.path)
    #expect(missing.exitCode == 64)
    #expect(missing.messages.contains(#"there is no model called "other""#))
  }

  @Test func `a store whose model has grown gets the new column`() throws {
    let folder = try ScratchFolder()
    try folder.write(#"{"x-table":"t","properties":{"a":{"type":"integer"}}}"#, to: "1.json")
    try folder.write(
      #"{"x-table":"t","properties":{"a":{"type":"integer"},"b":{"type":"string"}}}"#, to: "2.json")
    try folder.write(#"[{"a":1,"b":"x"}]"#, to: "data.json")
    #expect(try tool.run(["--model", "1.json", "data.json"], in: folder.path).exitCode == 0)
    #expect(try tool.run(["--model", "2.json", "data.json"], in: folder.path).exitCode == 0)
    let back = try tool.run(["--model", "1.json", "data.json"], in: folder.path)
    #expect(back.exitCode == 64)
    #expect(back.messages.contains(#""b" is missing, and its values would be lost"#))
  }

  /// Arguments, and what the message names.
  @Test(
    arguments: [
      (["--source", "", "a.json"], ["--source"]),
      (["--print-token", "--source="], ["--source"]),
      (["--batch", "a.json"], ["--batch", "'a.json'"]),
      (["--max-rejects", "a.json"], ["--max-rejects", "'a.json'"]),
      (["--infer=print", "--model", "poi", "a.json"], ["--model", "--infer"]),
      (["--infer", "--model", "poi", "a.json"], ["--model", "--infer"]),
      (["--infer=all", "a.json"], ["--infer", "'all'", "import, print"]),
      (["--infer=print", "--print-model", "poi"], ["--print-model", "--infer"]),
      (["--infer=print", "--merge", "newest", "a.json"], ["--merge", "--infer"]),
      (["--infer=print", "--store", "a.sqlite", "a.json"], ["--store", "--infer"]),
      (["--infer=print", "-n", "a.json"], ["--dry-run", "--infer"]),
      (["--infer=print", "--report", "json", "a.json"], ["--report", "--infer"]),
      (["--print-token", "--snapshot"], ["--snapshot", "--print-token"]),
      (["--print-token", "--print-model", "poi"], ["--print-model", "--print-token"]),
      (["--print-token", "a.json"], ["--print-token", "a.json"]),
      (["--print-model", "poi", "a.json"], ["--print-model", "a.json"]),
      (["--print-model", "poi", "--model", "m"], ["--model", "--print-model"]),
      (["--resume", "--restart", "a.json"], ["--resume", "--restart"]),
      (["--resume", "-n", "a.json"], ["--resume", "--dry-run"]),
      (["--snapshot", "-n", "a.json"], ["--snapshot", "--dry-run"]),
      (["--snapshot", "--limit", "5", "a.json"], ["--snapshot", "--limit"]),
      (["--max-removals", "5", "a.json"], ["--max-removals", "--snapshot"]),
      (["--print-model"], ["--print-model"]), ([], ["FILE"]),
    ] as [([String], [String])])
  func `incompatible options are a usage error that names them`(
    _ arguments: [String], _ named: [String]
  ) throws {
    let folder = try ScratchFolder()
    let outcome = try tool.run(arguments, in: folder.path)
    #expect(outcome.exitCode == 64)
    #expect(outcome.messages.hasPrefix("poi-import: error: "))
    for name in named {
      #expect(outcome.messages.split(separator: "\n")[0].contains(name), "\(outcome.messages)")
    }
  }
}
