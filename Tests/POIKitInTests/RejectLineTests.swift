import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIFiles
@testable import POIKit
@testable import POIRecords

@Suite struct RejectLineTests {
  private static func model() throws -> Model {
    try Model(
      parsing: #"""
        {"x-table":"t","x-key":"id","required":["id"],"properties":{
         "id":{"type":"string","x-source":"0#"},"n":{"type":["integer","null"]}}}
        """#)
  }

  private func rejects(of text: some Sequence<UInt8>, _ model: Model, at pointer: String? = nil)
    throws -> (report: ImportReport, file: String)
  {
    let folder = try ScratchFolder()
    var options = ImportOptions()
    options.rejectFile = folder.file("bad")
    options.pointer = pointer
    var session = try ImportSession(into: .inMemory(), model: model, options: options)
    try session.append(Array(text).span)
    let report = try session.finish()
    return (report, String(decoding: try folder.bytes("bad"), as: UTF8.self))
  }

  @Test func `bytes that are not UTF-8 come back in base64`() throws {
    let model = try Model(parsing: #"{"x-table":"t","properties":{"a":{"type":"string"}}}"#)
    for tail in ["", "1", "22"] {
      var text = Array(#"[{"a":"\#(tail)"#.utf8)
      text += [0xFF]
      text += Array(#""}]"#.utf8)
      let first = try rejects(of: text, model)
      #expect(first.report.rejectsByRule.map(\.rule) == ["utf-8"])
      #expect(first.file.contains(#""raw_base64":""#))
      let second = try rejects(of: first.file.utf8, model)
      #expect(second.report.rejectsByRule.map(\.rule) == ["utf-8"])
      #expect(try JSONValue(parsing: first.file)["raw_base64"]?.string != nil)
      #expect(
        try JSONValue(parsing: first.file)["raw_base64"]
          == JSONValue(parsing: second.file)["raw_base64"])
    }
  }

  @Test func `a reject says that only the beginning of the record is kept`() throws {
    let model = try Model(parsing: #"{"x-table":"t","properties":{"a":{"type":"string"}}}"#)
    let long = String(repeating: "x", count: 200)
    for (text, isCut) in [
      (#"{"a":"\#(long)"}"#, true), (#"{"a":tru,"b":"\#(long)"}"#, true), (#"{"a":tru}"#, false),
    ] {
      for text in [text + "\n{}\n{}", "[\(text),\n{}]"] {
        var options = ImportOptions()
        options.limits.byteCount = 64
        let store = try Store.inMemory()
        var session = try ImportSession(into: store, model: model, options: options)
        try session.append(Array(text.utf8).span)
        #expect(try session.finish().counters.rejected == 1)
        let found = try rows(
          "SELECT length(raw), message FROM poikit_reject",
          in: store)[0]
        let note = "; only its first 64 bytes are kept"
        #expect(found.hasSuffix(note) == isCut, "\(text): \(found)")
        #expect(found.hasPrefix("64|") == isCut, "\(text): \(found)")
      }
    }
  }

  @Test func `a member of an object keeps its name in a reject`() throws {
    let text = #"{"first":{"n":"x"},"second":{"n":2}}"#
    let first = try rejects(of: text.utf8, Self.model(), at: "")
    #expect(first.report.counters.inserted == 1)
    #expect(first.file.contains(#""member":"first""#), "\(first.file)")
    let corrected = first.file.replacing(#"\"x\""#, with: "1")
    let second = try rejects(of: corrected.utf8, Self.model())
    #expect(second.report.counters.inserted == 1, "\(second.file)")
    let again = try rejects(of: first.file.utf8, Self.model())
    #expect(again.file.contains(#""member":"first""#), "\(again.file)")
  }

  @Test(arguments: [
    ("", [#""abc""#, #""a\"b\\""#, "7", "[1,2]", "null"]),
    ("/m", [#""a":5"#, #""a\"b":[1]"#, #""c": x"#, #""d" 1"#, #""k""#]),
  ])
  func `a reject that is not an object has the same rule when it is read again`(
    pointer: String, elements: [String]
  ) throws {
    let text =
      pointer.isEmpty
      ? "[\(elements.joined(separator: ","))]"
      : "{\"m\":{\"ok\":{\"n\":1},\(elements.joined(separator: ","))}}"
    let first = try rejects(of: text.utf8, Self.model(), at: pointer)
    #expect(first.report.counters.rejected == elements.count, "\(first)")
    let second = try rejects(of: first.file.utf8, Self.model())
    #expect(
      first.report.rejectsByRule.map { "\($0)" } == second.report.rejectsByRule.map { "\($0)" },
      "\(second.file)")
  }

  /// An input, and the message about its malformed record.
  @Test(arguments: [
    (
      "[ {\"n\":\n  2 3}]", "",
      #"not valid json: after key and value, inside map, I expect ',' or '}', at "3", byte 11 of the record"#
    ),
    (
      #"{"a":{"n":1},"b":{"n":tru}}"#, "",
      #"not valid json: invalid string in json text, at "}", byte 13 of the record"#
    ),
    ("{\"n\":\"\u{1}\"}", nil, "inside string, at byte 0x01, byte 7 of the record"),
    (#"{"poikit_reject":1,"member":"abcdef","raw":"{\"n\": 7 8}"}"#, nil, "byte 9 of the record"),
    ("[{\"n\":\"\\ud800\"}]", "", ", byte 7 of the record"),
    ("[x]", "", #"invalid char in json text, at "x""#),
    (#"{"n":"#, nil, "the input ends inside this element"),
  ])
  func `a message says where in the record its flaw is, also when it is read again`(
    text: String, pointer: String?, message: String
  ) throws {
    let first = try rejects(of: text.utf8, Self.model(), at: pointer)
    let told = try JSONValue(parsing: first.file)["message"]?.string ?? ""
    #expect(told.contains(message), "\(told)")
    #expect(told.contains(" of the record") == message.contains(" of the record"), "\(told)")
    let second = try rejects(of: first.file.utf8, Self.model())
    #expect(try JSONValue(parsing: second.file)["message"]?.string == told)
  }

  @Test(arguments: [false, true])
  func `a member that the table refuses keeps its name in a reject`(lands: Bool) throws {
    let folder = try ScratchFolder()
    let model = try Self.model()
    var options = ImportOptions()
    options.rejectFile = folder.file("bad")
    options.directRecordLimit = lands ? 0 : .max
    func run(_ store: Store, _ text: String) throws -> Store {
      var session = try ImportSession(into: store, model: model, options: options)
      try session.append(Array(text.utf8).span)
      _ = try session.finish()
      return store
    }

    var store = try Store.inMemory()
    try store.prepareTables(for: model)
    try store.execute("CREATE UNIQUE INDEX u ON t (n)")
    options.pointer = ""
    options.mergePolicy = .newest
    store = try run(store, #"{"first":{"n":1},"":{"n":1},"second":{"n":1},"third":{"n":3}}"#)
    let file = String(decoding: try folder.bytes("bad"), as: UTF8.self)
    let lines = file.split(separator: "\n").map(String.init)
    // Landed records come in the order of their keys.
    let refused = lands ? ["first", "second"] : ["", "second"]
    #expect(try lines.map { try JSONValue(parsing: $0)["member"]?.string } == refused)

    // A line that is rejected again keeps the name too.
    options.pointer = nil
    store = try run(store, file)
    let again = String(decoding: try folder.bytes("bad"), as: UTF8.self)
    #expect(again.contains(#""member":"second""#), "\(again)")
    let corrected = lines.enumerated().map { index, line in
      line.replacing(#"{\"n\":1}"#, with: #"{\"n\":\#(index + 4)}"#)
    }
    store = try run(store, corrected.joined(separator: "\n"))
    #expect(
      try rows("SELECT id, n FROM t ORDER BY n", in: store)
        == [lands ? "|1" : "first|1", "third|3", "\(refused[0])|4", "second|5"])
  }

  /// A line, and the message about it.
  @Test(arguments: [
    (#"{"poikit_reject":1,"file":"a"}"#, "holds no record"),
    (#"{"poikit_reject":1,"raw":5}"#, "holds no record"),
    (#"{"poikit_reject":1,"raw_base64":"e30"}"#, "holds no record"),
    (#"{"poikit_reject":1,"raw_base64":"===="}"#, "holds no record"),
    (#"{"poikit_reject":1,"raw_base64":"e3-="}"#, "holds no record"),
    (#"{"poikit_reject":1,"raw_base64":"//57AH0A"}"#, "utf-16"),
    (#"{"poikit_reject":1,"raw":" "}"#, "record is empty"),
    (#"{"poikit_reject":1,"raw":"\"cut"}"#, "the input ends inside this element"),
    (#"{"poikit_reject":1,"raw":"\"a\" \"b\""}"#, "not valid json"),
    (#"{"poikit_reject":1,"raw":"{\"n\":1} {}"}"#, "followed by something"),
    (#"{"poikit_reject":1,"member":"a","raw":"{\"n\":1}}"}"#, "followed by something"),
  ])
  func `a line without a single record is a reject again`(_ line: String, _ message: String) throws
  {
    let model = try Model(parsing: #"{"x-table":"t","properties":{"n":{}}}"#)
    let (report, file) = try rejects(of: (line + "\n{}").utf8, model)
    #expect(report.counters.inserted == 1 && report.counters.rejected == 1)
    #expect(file.contains(message), "\(file)")
  }

  @Test(arguments: [
    #"{"file":"a","poikit_reject":1,"raw":"{\"n\":1}","rule":"type"}"#,
    "{\n  \"raw\": \"{\\\"n\\\":1}\",\n  \"poikit_reject\": 1\n}",
    #"{"raw_base64":"eyJuIjoyfQ==","raw":"{\"n\":1}","poikit_reject":1,"raw_base64":"!"}"#,
    #"{"raw":7,"raw_base64":"eyJuIjoxfQ==","poikit_reject":1}"#,
  ])
  func `a reject line is recognised by its member in any order, and raw wins over raw_base64`(
    _ line: String
  ) throws {
    let model = try Model(parsing: #"{"x-table":"t","properties":{"n":{"type":"integer"}}}"#)
    for other in [line, #"{"poikit_reject":1,"raw":"{\"n\":1}"}"#] {
      for text in [other + "\n" + line, "[\(other),\(line)]"] {
        let store = try Store.inMemory()
        var session = try ImportSession(into: store, model: model)
        try session.append(Array(text.utf8).span)
        #expect(try session.finish().counters.inserted == 2)
        let found = try rows("SELECT n FROM t", in: store)
        #expect(found == ["1", "1"], "\(text)")
      }
    }
  }

  @Test func `after a record a reject line is recognised only by its first member`() throws {
    let model = try Model(
      parsing: #"{"x-table":"t","properties":{"n":{"type":"integer"},"thirteen_byte":{}}}"#)
    let lines = [
      #"{"n":0}"#, #"{"poikit_reject":1,"raw":"{\"n\":1}"}"#,
      #"{"n":2,"poikit_reject":1,"raw":"{}"}"#,
      #"{"poikit_other":1,"n":3}"#, #"{"thirteen_byte":1,"n":4}"#,
    ]
    for keepsRawRecords in [false, true] {
      let store = try Store.inMemory()
      try store.prepareTables(for: model)
      // The bytes are kept if the table may refuse the record.
      if keepsRawRecords { try store.execute("CREATE UNIQUE INDEX u ON t (n)") }
      var session = try ImportSession(into: store, model: model)
      try session.append(Array(lines.joined(separator: "\n").utf8).span)
      #expect(try session.finish().counters.inserted == 5)
      let found = try rows("SELECT n FROM t ORDER BY n", in: store)
      #expect(found == ["0", "1", "2", "3", "4"])
    }
  }

  @Test func `under the policy error a reject line is named with line and column`() throws {
    let model = try Self.model()
    let store = try Store.inMemory()
    for policy in [MergePolicy.newest, .error] {
      var options = ImportOptions()
      options.mergePolicy = policy
      var session = try ImportSession(into: store, model: model, options: options)
      let line = #"{"poikit_reject":1,"member":"a","raw":"{}"}"#
      do {
        try session.append(Array("\n \(line)".utf8).span)
        _ = try session.finish()
        #expect(policy == .newest)
      } catch {
        #expect(policy == .error && error.message.contains("2:2"), "\(error)")
      }
    }
  }

  @Test func `many rejects are written in pieces, and written again by a resumed run`() throws {
    let folder = try ScratchFolder()
    let model = try Model(parsing: #"{"x-table":"t","properties":{"a":{"type":"integer"}}}"#)
    let long = String(repeating: "x", count: 50_000)
    let path = try folder.write(
      (0..<6).map { #"{"a":"\#($0)\#(long)"}"# }.joined(separator: "\n"), to: "data")
    var options = ImportOptions()
    options.batchSize = 3
    options.rejectFile = folder.file("bad")
    var session = try ImportSession(
      into: Store(folder.file("s")), model: model, options: options
    ) { $0.counters.read >= 3 ? .stop : .proceed }
    var source = try FileSource(path: path)
    try session.importAll(from: &source)
    _ = try session.finish()
    _ = consume session
    options.isResuming = true
    options.rejectFile = "/dev/full"
    let error = #expect(throws: StoreError.self) {
      var full = try ImportSession(
        into: Store(folder.file("s")), model: model, options: options)
      var source = try FileSource(path: path)
      try full.importAll(from: &source)
    }
    #expect(error?.message.contains("No space left on device") == true)
    options.rejectFile = folder.file("bad")
    var resumed = try ImportSession(
      into: Store(folder.file("s")), model: model, options: options)
    source = try FileSource(path: path)
    try resumed.importAll(from: &source)
    #expect(try resumed.finish().counters.rejected == 6)
    let lines = String(decoding: try folder.bytes("bad"), as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 6)
    for (index, line) in lines.enumerated() { #expect(line.contains(#"\"\#(index)xx"#)) }
  }

  @Test func `a partial member of an object that meets no row keeps its name in a reject`() throws {
    let model = try Model(
      parsing: #"""
        {"x-table":"t","x-key":"id","required":["id","n"],"properties":{
         "id":{"type":"string","x-source":"0#"},"n":{"type":"integer"},"m":{"type":["integer","null"]}}}
        """#)
    let line = #"{"poikit_reject":1,"member":"first","raw":"{\"m\":1}"}"#
    let store = try Store.inMemory()
    let folder = try ScratchFolder()
    var options = ImportOptions()
    options.mergePolicy = .objectTrump
    options.rejectFile = folder.file("bad")
    func run(_ text: String) throws -> ImportReport {
      try store.importRecords(from: .text(text), model: model, options: options)
    }
    #expect(try run(line).counters.rejected == 1)
    let reject = try JSONValue(parsing: String(decoding: folder.bytes("bad"), as: UTF8.self))
    #expect(reject["member"]?.string == "first")
    #expect(reject["raw"]?.string == #"{"m":1}"#)
    options.pointer = ""
    #expect(try run(#"{"first":{"n":5}}"#).counters.inserted == 1)
    options.pointer = nil
    #expect(try run(line).counters.updated == 1)
    #expect(try rows("SELECT id, n, m FROM t", in: store) == ["first|5|1"])
  }
}
