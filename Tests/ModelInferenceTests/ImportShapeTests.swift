import ModelInference
import POIKitTestSupport
import POITestSupport
import Testing

@testable import POIFiles
@testable import POIKit
@testable import POIRecords

/// How inputs of different shapes are imported, resumed and inferred, without other options.
@Suite struct ImportShapeTests {
  static let model =
    #"{"x-table":"t","x-key":["id"],"properties":{"id":{"type":"integer"},"n":{}}}"#

  /// The place of the records, the numbers of records and rejects, and the digest.
  static func summary(of report: ImportReport) -> String {
    let skipped = report.skippedCount > 0 ? "skipped \(report.skippedCount) " : ""
    let place = report.inputs[0].pointer ?? "top"
    return "\(place) \(report.counters.read)-\(report.counters.rejected) \(skipped)\(report.digest)"
  }

  /// Imports a text in chunks of one byte, whole, and with a stop after each record; expects the same each
  /// time.
  static func importEachWay(
    _ text: String, options: ImportOptions = ImportOptions()
  ) throws -> String {
    let model = try Model(parsing: model)
    var options = options
    options.batchSize = 1
    options.jobCount = 1
    var summaries: [String] = []
    for chunkSize in [1, 7, text.utf8.count] {
      var session = try ImportSession(into: Store.inMemory(), model: model, options: options)
      var source = BytesSource(Array(text.utf8), name: "a", chunkSize: chunkSize)
      try session.importAll(from: &source)
      summaries.append(summary(of: try session.finish()))
    }
    let folder = try ScratchFolder()
    for stop in 1...100 {
      var session = try ImportSession(
        into: Store(folder.file("s")), model: model, options: options
      ) { $0.counters.read == stop ? .stop : .proceed }
      var source = BytesSource(Array(text.utf8), name: "a")
      try session.importAll(from: &source)
      let report = try session.finish()
      options.isResuming = true
      guard report.ending == .stopped else {
        summaries.append(summary(of: report))
        break
      }
    }
    #expect(Set(summaries).count == 1, "\(summaries)")
    return summaries[0]
  }

  @Test(arguments: [
    ("[{\"id\":1},\n// {\"id\":7}\n{\"id\":2,\"n\":null},\n]", " 2-0 skipped 2 "),
    ("// all\n{\"id\":1},\n\u{FEFF}{\"id\":2,\"n\":NaN},\n/* end */\n", "top 2-0 skipped 5 "),
    ("[[\"id\",\"n\"],[1,2], // x\n[2,NaN],\n// y\n]", " 2-0 skipped 2 "),
  ])
  func `text between records is skipped and counted once`(text: String, start: String) throws {
    var options = ImportOptions()
    options.limits.readsNaNAsNull = true
    let summary = try Self.importEachWay(text, options: options)
    #expect(summary.hasPrefix(start), "\(summary)")
  }

  @Test(arguments: [
    #"{"columns":["id","n"],"rows":[[1,[5]],[2],[3,null],[4,5,6]]}"#,
    #"{"rows":[[1,[5]],[2],[3,null],[4,5,6]],"columns":["id","n"]}"#,
    #"{"index":[0,1],"data":[[1,[5]],[2],[3,null],[4,5,6]],"columns":["id","n"]}"#,
  ])
  func `rows with their columns before or after them are read and resumed`(text: String) throws {
    let summary = try Self.importEachWay(text)
    #expect(summary.hasPrefix(text.contains("index") ? "/data 4-1 " : "/rows 4-1 "))
    let records = #"[{"id":1,"n":[5]},{"id":2},{"id":3,"n":null},5]"#
    #expect(
      try Self.importEachWay(records).split(separator: " ").last
        == summary.split(separator: " ").last)
    #expect(try Self.inferredMembers(text) == ["id", "n"])
  }

  @Test func `columns by row number are refused with the call that writes records`() throws {
    let text = #"{"id":{"0":1,"1":2},"n":{"0":"a","1":null}}"#
    for isInferred in [false, true] {
      let error = #expect(throws: StoreError.self) {
        _ = isInferred ? try Self.inferredMembers(text).description : try Self.importEachWay(text)
      }
      #expect(error?.message.contains(#"to_json(orient="records", lines=True)"#) == true)
    }
  }

  @Test func `an object of objects with empty arrays is no empty page`() throws {
    for text in [
      #"{"a":{"x":1,"tags":[]},"b":{"x":2,"tags":[]}}"#, #"{"a":{"tags":["t"]},"b":{"tags":[]}}"#,
      #"{"a":{"id":1,"tags":[]},"b":{"id":2,"tags":[]}}"#,
    ] {
      let error = #expect(throws: StoreError.self) { try Self.importEachWay(text) }
      #expect(error?.advice == [.chooseRecords(at: [""])], "\(text)")
      #expect(error?.message.contains("the 2 members of the top-level object") == true)
    }
    let page = #"{"data":{"stations":[]},"meta":{"page":1}}"#
    #expect(try Self.importEachWay(page).hasPrefix("/data/stations 0-0"))
  }

  /// The members that inference finds in a text.
  static func inferredMembers(_ text: String, pointer: String? = nil) throws -> [String] {
    var options = ImportOptions()
    options.pointer = pointer
    var inference = try ModelInference(options: options)
    try inference.read(.text(text, named: "a"))
    return try Model(parsing: try inference.finish()).attributes.map(\.name)
  }

  @Test func `a text sequence is imported like lines`() throws {
    let lines = ["{\"id\":1,\"n\":2}", "{\"id\":", "{\"id\":3}", "{\"id\":4}", "{\"id\":"]
    let text = lines.map { "\u{1E}\($0)\n" }.joined()
    let expected = try Self.importEachWay(lines.joined(separator: "\n") + "\n")
    #expect(try Self.importEachWay(text) == expected)
    #expect(expected.hasPrefix("top 5-2 "))
    #expect(try Self.inferredMembers(text) == ["id", "n"])
  }

  private static let groups =
    #"{"t":"x","groups":[{"items":[{"id":1},{"id":2}]},{"items":[]},{"items":[{"id":"a"},{"id":4}]}],"next":"y"}"#

  @Test func `nested lists are read with a wildcard`() throws {
    var options = ImportOptions()
    options.pointer = "/groups/*/items"
    options.tokenPointer = "/next"
    #expect(try Self.importEachWay(Self.groups, options: options).hasPrefix("/groups/*/items 4-1 "))
    #expect(try Self.inferredMembers(Self.groups, pointer: "/groups/*/items") == ["id"])
  }

  @Test(arguments: [
    ("/groups/*/items", "/groups/0/next", false), ("/groups/*/items", "/groups/0/items", false),
    ("/groups/*/items", "/t", true), ("/*", "/next", true), ("/*/items", "/a/next", false),
  ])
  func `a token below a wildcard is refused`(records: String, token: String, isAllowed: Bool) throws
  {
    var options = ImportOptions()
    options.pointer = records
    options.tokenPointer = token
    var session = try ImportSession(checking: .poi, options: options)
    var source = BytesSource(Array(#"{"groups":[{"items":[]}],"next":"y"}"#.utf8))
    do throws(StoreError) {
      try session.importAll(from: &source)
      #expect(isAllowed)
    } catch {
      #expect(!isAllowed && error.code == .invalidOptions, "\(error)")
    }
  }

  @Test(arguments: [
    (
      #"{"a":{"i":[{},{},{}]},"b":{"i":[{}]},"c":{"i":[{}]}}"#,
      ["/*/i", "", "/a/i", "/b/i", "/c/i"]
    ),
    (
      #"{"g":{"*":{"i":[{},{},{},{}]},"b":{"i":[{}]},"c":{"i":[{}]}}}"#,
      ["/g/*/i", "/g/~2/i", "/g", "/g/b/i", "/g/c/i"]
    ),
    (#"{"a":{"i":[{}]},"b":{"i":[{}]},"c":{"i":[{}]}}"#, [""]),
    (#"{"a":[{},{},{}],"b":[{}]}"#, ["/a", "/b"]),
    (#"{"n":2,"Thailand":[{"id":1}],"Japan":[{"id":2},{"id":3}]}"#, ["/*", "/Japan", "/Thailand"]),
    (#"{"g":{"a":[{"id":1}],"b":[{"id":2}]},"m":{}}"#, ["/g/*", "/g/a", "/g/b"]),
    (#"{"a":[{"id":1}],"b":[{"id":2}],"m":{}}"#, ["/a", "/b"]),
    (#"{"m":{},"a":[{"id":1}],"b":[{"id":2}]}"#, ["/a", "/b"]),
    (#"{"stops":[{"id":1,"lat":2,"lon":3}],"lines":[{"id":1,"color":2}]}"#, ["/stops", "/lines"]),
    (#"{"a":[{"id":1}],"b":[{"i":2}],"a":[{"id":3}]}"#, ["/b"]),
  ])
  func `an array in each of several members is offered with a wildcard`(
    text: String, places: [String]
  ) throws {
    var inference = try ModelInference()
    let error = #expect(throws: StoreError.self) { try inference.read(.text(text)) }
    #expect(error?.advice == [.chooseRecords(at: places)])
  }

  @Test func `rows are imported like objects`() throws {
    let lines = "{\"id\":1,\"n\":2}\n{\"id\":\"x\"}\n{\"id\":3}\n{\"id\":4,\"n\":[5]}\n"
    let digest = try Self.importEachWay(lines).split(separator: " ")[2]
    let rows = #"[1,2],["x"],[3],[4,[5]]"#
    #expect(try Self.importEachWay("[[\"id\",\"n\"],\(rows)]") == " 4-1 \(digest)")
    let socrata =
      #"{"meta":{"view":{"columns":[{"fieldName":"id"},{"name":"n"}]}},"data":[\#(rows)]}"#
    #expect(try Self.importEachWay(socrata) == "/data 4-1 \(digest)")
    var options = ImportOptions()
    options.hasHeader = true
    let text = "[\"id\",\"n\"]\n[1,2]\n[\"x\"]\n[3]\n[4,[5]]\n"
    #expect(try Self.importEachWay(text, options: options) == "top 4-1 \(digest)")
    for text in ["[[\"id\",\"n\"],\(rows)]", socrata] {
      #expect(try Self.inferredMembers(text) == ["id", "n"])
    }
  }

  @Test func `a row that is too long keeps its bytes`() throws {
    var session = try ImportSession(into: Store.inMemory(), model: Model(parsing: Self.model))
    try session.append(Array(#"[["id"],[1],[2, "x"]]"#.utf8).span)
    let report = try session.finish()
    #expect(report.rejectsByRule.map(\.rule) == ["row-length"])
  }

  @Test func `a row that is too long keeps the name of its member`() throws {
    let store = try Store.inMemory()
    var options = ImportOptions()
    options.pointer = "/data"
    var session = try ImportSession(
      into: store, model: Model(parsing: Self.model), options: options)
    try session.append(
      Array(
        #"{"meta":{"view":{"columns":[{"name":"id"}]}},"data":{"x":[1],"y":[2,3]}}"#.utf8
      ).span)
    #expect(try session.finish().counters.rejected == 1)
    #expect(
      try rows("SELECT member, CAST(raw AS TEXT) FROM poikit_reject", in: store) == ["y|[2,3]"])
  }

  @Test func `files of columns by row number are not taken for records`() throws {
    let folder = try ScratchFolder()
    for name in ["a", "b"] {
      try folder.write(#"{"id":{"0":1,"1":2},"n":{"0":"a","1":null}}"#, to: name)
    }
    var options = ImportOptions()
    #expect(options.chooseInputsAsRecords(ofFiles: ["a", "b"].map { folder.file($0) }) == [])
    #expect(!options.areInputsRecords)
  }
}
