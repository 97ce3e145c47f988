import Foundation
import POISQLite
import POITestSupport
import Testing

/// Delimited text through the command line.
@Suite struct DelimitedToolTests {
  private let importer = Tool("poi-import")
  private let exporter = Tool("poi-export")

  private func digest(_ outcome: Tool.Outcome) -> String? {
    (outcome.output + outcome.messages).split(separator: "\n")
      .first { $0.contains("digest ") }?.components(separatedBy: "digest ").last
  }

  /// An input, arguments, the exit code, the records, and the lines and rules of rejects or a part of the error.
  private static let ugly:
    [(text: [UInt8], arguments: [String], code: Int32, records: [String], said: String)] = [
      (
        Array("\u{FEFF}id,name,n\r\n1,a,2\r\n".utf8), [], 0, [#"{"id":"1","name":"a","n":2}"#], ""
      ),
      (
        Array("id,name,n\r1,a,2\r2,b\r".utf8), [], 1, [#"{"id":"1","name":"a","n":2}"#],
        "3 row-length"
      ),
      (
        Array("id,name,n\n1,\"a\nb, \"\"q\"\"\",2\n\n2,b\n".utf8), [], 1,
        [#"{"id":"1","name":"a\nb, \"q\"","n":2}"#], "5 row-length"
      ),
      (
        Array("id,name,n,\n1,a,2,\n2,b,3,x\n".utf8), [], 65, [],
        "x:3:7: column 4 has a value here, and no name in the header; name all columns with --columns"
      ),
      (
        Array("id,zip,n\n1,01234,1.50\n2,10115,2.25\n".utf8), [], 0,
        [#"{"id":"1","zip":"01234","n":1.5}"#, #"{"id":"2","zip":"10115","n":2.25}"#], ""
      ),
      // A version is no number, and neither is an integer beyond 64 bits.
      (
        Array("id,v,n,b\n1,1.10,9007199254740993,true\n2,1.9,9223372036854775808,false\n".utf8),
        [], 0,
        [
          #"{"id":"1","v":"1.10","n":"9007199254740993","b":true}"#,
          #"{"id":"2","v":"1.9","n":"9223372036854775808","b":false}"#,
        ], ""
      ),
      (
        Array("id,name,n\n1,,\n2,\"\",3\n3,NULL,\\N\n".utf8), [], 0,
        [#"{"id":"1"}"#, #"{"id":"2","name":"","n":"3"}"#, #"{"id":"3","name":"NULL","n":"\\N"}"#],
        ""
      ),
      (
        Array("id,name\n1,Caf".utf8) + [0xE9] + Array("\n2,b\n".utf8), [], 1,
        [#"{"id":"2","name":"b"}"#], "2 utf-8"
      ),
      (
        Array("id,name\n1,Caf".utf8) + [0xE9, 0x80] + Array("\n".utf8),
        ["--encoding", "windows-1252"], 0, [#"{"id":"1","name":"Café€"}"#], ""
      ),
      (
        Array("Id;Name;Lat;Lon;M\n1;a;52,09;5,1;2,5\n2;b;-1,5;6,2;3,25\n".utf8), [], 0,
        [
          #"{"Id":"1","Name":"a","Lat":52.09,"Lon":5.1,"M":2.5}"#,
          #"{"Id":"2","Name":"b","Lat":-1.5,"Lon":6.2,"M":3.25}"#,
        ], "with ; between the fields"
      ),
      // Thousands are not told from decimals.
      (
        Array("id,n\n1,\"1,234\"\n2,\"5,678\"\n".utf8), [], 0,
        [#"{"id":"1","n":"1,234"}"#, #"{"id":"2","n":"5,678"}"#], ""
      ),
      (
        Array("id\tn\n1\ta \"x\" b\n".utf8), [], 0, [#"{"id":"1","n":"a \"x\" b"}"#],
        "with TAB between"
      ),
      (
        Array("1,a\n2,b\n".utf8), [], 0, [#"{"1":2,"a":"b"}"#],
        "though 1 is a number; name all columns with --columns"
      ),
      (
        Array("1,a\n2,b\n".utf8), ["--columns", "id,name"], 0,
        [#"{"id":"1","name":"a"}"#, #"{"id":"2","name":"b"}"#], ""
      ),
      (
        Array("id,name,name\n1,a,b\n".utf8), [], 65, [],
        "x:1:9: the header has the name name twice; name all columns with --columns"
      ),
      (
        Array("c0\nv0\na;b\n".utf8), ["--delimiter", ","], 0, [#"{"c0":"v0"}"#, #"{"c0":"a;b"}"#],
        ""
      ),
      (Array("c0\nv0\na;b\n".utf8), [], 65, [], "name the delimiter with --delimiter"),
      (
        Array("id:n\n1:2\n".utf8), ["--delimiter", ":"], 0, [#"{"id":"1","n":2}"#], ""
      ),
      (
        [0xFF, 0xFE] + "id\tn\r\n1\té🗺\r\n".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] },
        [], 0, [#"{"id":"1","n":"é🗺"}"#], ""
      ),
      (
        [0xFE, 0xFF] + "id,n\n1,é\n".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } + [0xD8],
        [], 1, [#"{"id":"1","n":"é"}"#], "3 row-length"
      ),
      (Array("sep=;\nid;n\n1;2\n".utf8), [], 0, [#"{"id":"1","n":2}"#], ""),
      ([], [], 65, [], "there are no records"),
    ]

  @Test(arguments: [false, true], [false, true])
  func `text as people have it is imported without a guess`(isPipe: Bool, isCompressed: Bool) throws
  {
    for (plain, arguments, code, records, said) in Self.ugly {
      let folder = try ScratchFolder()
      try Data(plain).write(to: URL(filePath: folder.file("x")))
      if isCompressed {
        let packing = try Tool(path: "/bin/sh").run(
          ["-c", "gzip -n x && mv x.gz x"], in: folder.path)
        try #require(packing.exitCode == 0, "\(packing.messages)")
      }
      let text = try Array(Data(contentsOf: URL(filePath: folder.file("x"))))
      let outcome = try importer.run(
        ["--infer"] + arguments + [isPipe ? "-" : "x"], in: folder.path, input: isPipe ? text : [])
      let place = String(decoding: plain, as: UTF8.self).debugDescription
      #expect(outcome.exitCode == code, "\(place): \(outcome)")
      if code < 2 {
        let exported = try exporter.run([], in: folder.path).output
        #expect(exported.split(separator: "\n").map(String.init) == records, "\(place)")
      }
      if code == 1 {
        let rejects = try Connection(path: folder.file("poi.sqlite"), access: .readOnly)
          .text("SELECT group_concat(line || ' ' || rule) FROM poikit_reject")
        #expect(rejects == said, "\(place): \(rejects ?? "")")
      } else {
        let expected = isPipe ? said.replacing("x:", with: "standard input:") : said
        #expect(said.isEmpty || outcome.messages.contains(expected), "\(place): \(outcome)")
      }
    }
  }

  @Test func `what was exported as CSV is imported with the same digest`() throws {
    let folder = try ScratchFolder()
    let records = #"""
      {"id":1,"name":"a","open":true,"tags":["x","y,z"],"in":{"a":1,"b":{"c":"d"}},"at":"2024-01-02T03:04:05Z"}
      {"id":2,"name":"","open":false,"tags":[],"in":{"a":2.5,"b":null},"n":7,"at":"2024-01-02T03:04:05.5+02:00"}
      {"id":3,"name":"q\"\n","open":null,"in":null,"n":"x","at":"bad"}
      """#
    let more = (4..<60).map {
      #"{"id":\#($0),"name":"m","open":true,"in":{"a":1,"b":{"c":"e"}},"n":1,"at":"2024-02-02T03:04:05Z"}"#
    }
    try folder.write(([records] + more).joined(separator: "\n"), to: "x.ndjson")
    for (input, arguments) in [
      ("x.ndjson", ["--infer"]),
      (PythonServer.projectFile("Samples/pois.json"), ["--model", "poi"]),
    ] {
      let first = try importer.run(arguments + ["-s", "a.sqlite", input], in: folder.path)
      #expect(first.exitCode < 2, "\(first)")
      let csv = try exporter.run(["-s", "a.sqlite", "-f", "csv", "-o", "x.csv"], in: folder.path)
      #expect(csv.exitCode == 0, "\(csv)")
      let table = arguments[0] == "--infer" ? "x" : "poi"
      let model = try importer.run(["--print-model", table, "-s", "a.sqlite"], in: folder.path)
      try folder.write(model.output, to: "model.json")
      let second = try importer.run(
        ["-s", "b.sqlite", "-m", "model.json", "x.csv"], in: folder.path)
      #expect(second.exitCode == 0, "\(second)")
      #expect(digest(second) != nil && digest(second) == digest(first), "\(second) \(first)")
      for name in ["a.sqlite", "b.sqlite", "x.csv"] {
        try FileManager.default.removeItem(atPath: folder.file(name))
      }
    }
  }

  private static let model = #"""
    {"x-table":"t","x-key":"id","type":"object","required":["id","n"],"properties":{"id":{"type":"integer"},
    "n":{"type":"number"},"name":{"type":["string","null"]},"d":{"type":["number","null"],"x-decimal-comma":true},
    "c":{"type":["object","null"],"x-relation":{"table":"c","unique":["m"]},"required":["m"],"properties":{"m":{"type":"string"}}},
    "open":{"type":["boolean","null"],"x-source":"/in/open"}}}
    """#

  @Test
  func `a model reads numbers, booleans and places inside, and rejects are JSON that it reads`()
    throws
  {
    let folder = try ScratchFolder()
    try folder.write(Self.model, to: "m.json")
    try folder.write(
      "id;n;name;d;c.m;in.open\n1;2.5;07;5,25;x;true\n2;x;b;5.25;;false\n3;01;c;;;\n4;1e400;d;1.000,5;;\n5;7;e;;;yes\n",
      to: "x.csv")
    let outcome = try importer.run(
      ["-m", "m.json", "--rejects", "bad.ndjson", "x.csv"], in: folder.path)
    #expect(outcome.exitCode == 1, "\(outcome)")
    let store = folder.file("poi.sqlite")
    #expect(
      try Connection(path: store, access: .readOnly).text(
        "SELECT id || ' ' || n || ' ' || t.name || ' ' || d || ' ' || m || ' ' || open FROM t JOIN c ON c.rowid = t.c"
      )
        == "1 2.5 07 5.25 x 1")
    #expect(
      try Connection(path: store, access: .readOnly).text(
        "SELECT group_concat(CAST(raw AS TEXT), ' ') FROM poikit_reject")
        == #"{"id":2,"n":"x","name":"b","d":"5.25","c":{"m":null},"in":{"open":false}} "#
        + #"{"id":3,"n":"01","name":"c","d":null,"c":{"m":null},"in":{"open":null}} "#
        + #"{"id":4,"n":1e400,"name":"d","d":"1.000,5","c":{"m":null},"in":{"open":null}} "#
        + #"{"id":5,"n":7,"name":"e","d":null,"c":{"m":null},"in":{"open":"yes"}}"#)
    let lines = try String(contentsOfFile: folder.file("bad.ndjson"), encoding: .utf8)
    try folder.write(
      lines.replacing(#"\"n\":\"x\""#, with: #"\"n\":3"#).replacing(#"\"5.25\""#, with: #"\"5,5\""#)
        .replacing(#"\"c\":{\"m\":null},"#, with: ""),
      to: "good.ndjson")
    let again = try importer.run(["-m", "m.json", "good.ndjson"], in: folder.path)
    #expect(again.output.contains("inserted  1"), "\(again)")
    #expect(
      try Connection(path: store, access: .readOnly).text(
        "SELECT n || ' ' || d FROM t WHERE id = 2")
        == "3.0 5.5")
  }

  @Test func `JSON in a field is all of it`() throws {
    let folder = try ScratchFolder()
    try folder.write(
      #"{"x-table":"t","x-key":"id","type":"object","properties":{"id":{"type":"integer"},"l":{"type":["array","null"]}}}"#,
      to: "m.json")
    try folder.write("id;l\n1;[1,2]\n2;[1] and more\n3;[1]x\n4;[1][2]\n", to: "x.csv")
    let outcome = try importer.run(["-m", "m.json", "x.csv"], in: folder.path)
    #expect(outcome.exitCode == 1 && outcome.output.contains("type 3"), "\(outcome)")
    #expect(try exporter.run([], in: folder.path).output == "{\"id\":1,\"l\":[1,2]}\n")
  }

  @Test func `a first column may be called version`() throws {
    let folder = try ScratchFolder()
    try folder.write("version,name\n1,a\n", to: "x.csv")
    let outcome = try importer.run(["--infer", "x.csv"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
  }

  @Test func `a value behind the sample that does not fit is kept as it came`() throws {
    let folder = try ScratchFolder()
    let filler = String(repeating: "x", count: 100_000)
    let rows = (0..<180).map { "\($0),\($0),\(filler)" }
    try folder.write(
      (["id,n,t"] + rows + ["180,01234,y", "181,zz,y"]).joined(separator: "\n"), to: "x.csv")
    let outcome = try importer.run(["--infer", "x.csv"], in: folder.path)
    #expect(outcome.exitCode == 0 && outcome.messages.contains("--widen"), "\(outcome)")
    let store = try Connection(path: folder.file("poi.sqlite"), access: .readOnly)
    #expect(try store.text("SELECT typeof(n) || n FROM x WHERE id = '179'") == "integer179")
    #expect(try store.text("SELECT other FROM x WHERE id = '180'") == #"{"n":"01234"}"#)
    #expect(try store.text("SELECT other FROM x WHERE id = '181'") == #"{"n":"zz"}"#)
  }

  @Test(
    arguments: [
      (["--delimiter", "ab"], "is not one character"),
      (["--delimiter", "\""], "cannot be a delimiter"),
      (["--delimiter", "é"], "cannot be a delimiter"), (["--columns", "a,a"], "names of columns"),
      (["--delimiter", ";", "--at", "/x"], "--at"), (["--columns", "a", "--header"], "--header"),
      (["--encoding", "utf-7"], "windows-1252"),
    ])
  func `unusable options are refused before a store is made`(
    arguments: [String], said: String
  ) throws {
    let folder = try ScratchFolder()
    try folder.write("id,n\n1,2\n", to: "x.csv")
    for more in [[], ["--infer"]] {
      let outcome = try importer.run(arguments + more + ["x.csv"], in: folder.path)
      #expect(outcome.exitCode == 64 && outcome.messages.contains(said), "\(outcome)")
      #expect(Files.names(in: folder.path) == ["x.csv"])
    }
  }
}
