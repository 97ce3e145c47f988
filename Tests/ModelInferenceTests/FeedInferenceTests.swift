import JSONStreaming
import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import ModelInference
@testable import POIFiles
@testable import POIKit
@testable import POIRecords

/// A model that is inferred from one delivery and accepts the next ones.
@Suite struct FeedInferenceTests {
  /// The types of an attribute of the model of these records.
  private static func type(_ text: String, of name: String = "a") throws -> String? {
    try ModelInferenceTests.member("properties", name, "type", of: ModelInferenceTests.infer(text))?
      .description
  }

  @Test func `only a certain key is required, and all else can be null`() throws {
    let records = (0..<20).map { #"{"id":\#($0),"a":"x","b":{"c":1.5}}"# }.joined(separator: "\n")
    let document = try ModelInferenceTests.infer(records)
    #expect(try ModelInferenceTests.member("required", of: document)?.description == #"["id"]"#)
    #expect(
      try ModelInferenceTests.member("properties", "id", "type", of: document)?.string == "integer")
    for next in [#"{"id":7}"#, #"{"id":7,"a":null,"b":null}"#, #"{"id":7,"b":{"c":null}}"#] {
      #expect(try ModelInferenceTests.rejects(next, document: document).isEmpty, "\(next)")
    }
    for next in ["{}", #"{"a":"x"}"#, #"{"id":null}"#] {
      #expect(try ModelInferenceTests.rejects(next, document: document).count == 1, "\(next)")
    }
    for text in [records + #"{"a":"x"}"#, records + #"{"id":7}"#, #"{"n":1}{"n":2}"#] {
      let document = try ModelInferenceTests.infer(text)
      #expect(try ModelInferenceTests.member("required", of: document) == nil, "\(text)")
      #expect(try ModelInferenceTests.rejects(#"{"b":{}}"#, document: document).isEmpty)
    }
  }

  @Test(arguments: [
    (#""x""#, ["string"], [#""""#, #""1975DB51""#]), ("7", ["integer"], ["-1"]),
    ("1.5", ["number"], ["1"]), ("true", ["boolean"], ["false"]),
    ("0", ["integer"], ["true", "7"]),
    ("[1]", ["object", "array"], [#"{"a":1}"#, #"["x"]"#]),
    ("{}", ["object", "array"], ["[]"]),
    ("null", ["string", "number", "object", "array"], ["1.5", "{}", #""x""#]),
  ])
  func `an attribute has all types that its column can store`(
    value: String, types: [String], next: [String]
  ) throws {
    let document = try ModelInferenceTests.infer("{\"a\":\(value),\"b\":1}")
    let expected = (types + ["null"]).map { "\"\($0)\"" }.joined(separator: ",")
    #expect(
      try ModelInferenceTests.member("properties", "a", "type", of: document)?.description
        == "[\(expected)]")
    for value in next {
      #expect(
        try ModelInferenceTests.rejects("{\"a\":\(value)}", document: document).isEmpty, "\(value)")
    }
  }

  @Test func `a number of records that a model was inferred from fits it`() throws {
    let wide = (0..<29).map { #"{"id":\#($0),"w":\#(9_007_199_254_740_993 + 2 * $0)}"# }
    for text in [
      (wide + [#"{"id":99,"w":"1.5"}"#]).joined(), #"{"id":1,"depth":1}{"id":2,"depth":2}"#,
    ] {
      let document = try ModelInferenceTests.infer(text)
      #expect(try ModelInferenceTests.rejects(text, document: document).isEmpty)
    }
    let depth = try ModelInferenceTests.infer(#"{"id":1,"depth":1}{"id":2,"depth":2}"#)
    #expect(try ModelInferenceTests.rejects(#"{"id":3,"depth":2.5}"#, document: depth).isEmpty)
  }

  @Test(
    arguments: [
      (
        #"{"id":%,"last_login":"2025-01-0%T00:00:00Z","updated_at":"2025-01-0%T00:00:00Z"}"#,
        "updated_at"
      ),
      (
        #"{"id":%,"last_inspection":"2025-01-0%T00:00:00Z","last_modified":"2025-01-0%T00:00:00Z"}"#,
        "last_modified"
      ),
      (#"{"id":%,"opendata_modified":"2025-01-0%T00:00:00Z"}"#, "opendata_modified"),
      (#"{"id":%,"last_seen":"2025-01-0%T00:00:00Z"}"#, "last_seen"),
      (#"{"id":%,"opened_at":"2025-01-0%T00:00:00Z"}"#, nil),
    ] as [(String, String?)])
  func `the timestamp says that the record changed`(record: String, name: String?) throws {
    let text = (1...5).map { record.replacing("%", with: "\($0)") }.joined(separator: "\n")
    let document = try ModelInferenceTests.infer(text)
    #expect(try ModelInferenceTests.member("x-timestamp", of: document)?.string == name)
  }

  @Test func `values of several types are of any type later`() throws {
    let any = #"["string","number","object","array","null"]"#
    #expect(try Self.type(#"{"a":1}{"a":"x"}"#) == any)
    #expect(try Self.type(#"{"a":1}{"a":true}"#) == #"["boolean","null"]"#)
    #expect(try Self.type(#"{"a":[1]}{"a":{}}"#) == #"["object","array","null"]"#)
    // The values differ in type, and still are a key.
    let mixed = #"{"id":1}{"id":"x"}"#
    #expect(try Self.type(mixed, of: "id") == #"["string","number","boolean"]"#)
  }

  @Test(arguments: [
    "1975db51-5a45-4fd6-ac54-46ca6042c710", "2024-02-29", "12:00:00Z", "a@example.org",
    "https://example.org/a",
  ])
  func `text of a known format stays text, as it is written`(text: String) throws {
    let document = try ModelInferenceTests.infer(#"{"id":1,"a":"\#(text)"}{"id":2,"a":"\#(text)"}"#)
    #expect(try ModelInferenceTests.member("properties", "a", "format", of: document) == nil)
    #expect(
      try ModelInferenceTests.member("properties", "a", "$comment", of: document)?.string?
        .contains("all have the format ") == true)
    let feed = try FeedStore(Model(parsing: document))
    try feed.take(#"{"id":1,"a":"\#(text)"}{"id":2,"a":"none"}"#)
    #expect(try feed.rows("SELECT a FROM places ORDER BY id") == [text, "none"])
  }

  @Test func `one odd number among instants does not make them numbers`() throws {
    let records = (0..<20).map { #"{"id":\#($0),"updated":\#(1_668_039_187 + $0)}"# }
    for odd in ["86400", "0", "-1", "1668039187.5", "null"] {
      let text = (records + [#"{"id":20,"updated":\#(odd)}"#]).joined(separator: "\n")
      let document = try ModelInferenceTests.infer(text)
      #expect(
        try ModelInferenceTests.member("properties", "updated", "x-unit", of: document)?.string
          == "seconds", "\(odd)")
      #expect(try ModelInferenceTests.member("x-timestamp", of: document)?.string == "updated")
      #expect(try ModelInferenceTests.rejects(text, document: document).isEmpty, "\(odd)")
    }
    // This number is no instant in any unit, so it is kept beside the column.
    let huge = (records + [#"{"id":20,"updated":900000000000000000}"#]).joined(separator: "\n")
    let document = try ModelInferenceTests.infer(huge)
    #expect(
      try ModelInferenceTests.member("properties", "updated", "x-unit", of: document)?.string
        == "seconds")
    #expect(try ModelInferenceTests.rejects(huge, document: document).isEmpty)
    // Half of the numbers are no instants.
    let half = try ModelInferenceTests.infer(#"{"updated":1668039187}{"updated":7}"#)
    #expect(try ModelInferenceTests.member("properties", "updated", "x-unit", of: half) == nil)
  }

  @Test func `an empty text among instants or coordinates is null`() throws {
    let records = (0..<20).map { #"{"id":\#($0),"updated":"2024-02-29T12:00:00Z","lat":"52.1"}"# }
    for odd in [#"{"id":20,"updated":"","lat":""}"#, #"{"id":20}"#] {
      let text = (records + [odd]).joined(separator: "\n")
      let document = try ModelInferenceTests.infer(text)
      #expect(try ModelInferenceTests.member("x-timestamp", of: document)?.string == "updated")
      let feed = try FeedStore(Model(parsing: document))
      try feed.take(text + #"{"id":21,"updated":"","lat":""}"#)
      #expect(
        try feed.rows("SELECT count(*), count(updated), typeof(max(lat)) FROM places")
          == ["22|20|real"], "\(odd)")
    }
    let mixed = (records + [#"{"id":20,"updated":"unknown"}"#]).joined(separator: "\n")
    let document = try ModelInferenceTests.infer(mixed)
    #expect(
      try ModelInferenceTests.member("properties", "updated", "format", of: document)?.string
        == "date-time")
    #expect(try ModelInferenceTests.rejects(mixed, document: document).isEmpty)
  }

  @Test(arguments: [
    (#""7""#, "integer"), (#""""#, "integer"), (#""7.5""#, "number"),
    (#"1.5,"n":1},{"a":"""#, "number"),
  ])
  func `few numbers in quotes, and empty texts, do not make a text of numbers`(
    odd: String, type: String
  ) throws {
    let records = (0..<20).map { #"{"id":\#($0),"a":\#($0 % 7),"updated":\#(1_668_039_187 + $0)}"# }
    let text = "[\((records + [#"{"id":20,"updated":"","a":\#(odd)}"#]).joined(separator: ","))]"
    let document = try ModelInferenceTests.infer(text)
    #expect(
      try ModelInferenceTests.member("properties", "a", "type", of: document)?.description
        == #"["\#(type)","null"]"#)
    #expect(try ModelInferenceTests.member("x-timestamp", of: document)?.string == "updated")
    #expect(try ModelInferenceTests.rejects(text, document: document).isEmpty)
    let feed = try FeedStore(Model(parsing: document))
    try feed.take(#"{"id":1,"a":"12","updated":"1668039187"}{"id":2,"a":"","updated":""}"#)
    #expect(
      try feed.rows("SELECT a, typeof(a), updated FROM places ORDER BY id") == [
        type == "integer" ? "12|integer|1668039187000000" : "12.0|real|1668039187000000",
        "|null|",
      ])
    // Codes are text, some of which look like numbers.
    let codes = try ModelInferenceTests.infer(#"{"a":7}{"a":"8"}{"a":"9"}"#)
    #expect(try ModelInferenceTests.member("properties", "a", "x-lenient", of: codes) == nil)
  }

  @Test func `coordinates have no bounds, and small objects no rows of their own`() throws {
    let records = (0..<40).map {
      #"{"id":\#($0),"lat":52.1,"category":{"id":\#($0 % 4),"name":"c\#($0 % 4)"}}"#
    }
    let document = try ModelInferenceTests.infer(records.joined(separator: "\n"))
    #expect(!document.contains("minimum") && !document.contains("x-relation"), "\(document)")
    let next = #"{"id":1,"lat":999,"category":{"name":null}}{"id":2,"category":null}"#
    #expect(try ModelInferenceTests.rejects(next, document: document).isEmpty)
  }

  // MARK: Real data

  /// A feed with versions: its files, where its records are, and how many records of each file lack the key.
  struct Feed: CustomTestStringConvertible, Sendable {
    var folder: String
    var prefix: String
    var key: String
    var timestamp: String?
    var rejectCounts: [Int]
    var rowCount: Int
    var testDescription: String { "\(folder)/\(prefix)" }
  }

  // The counts come from another program, which reads the files into a dictionary by key.
  static let feeds = [
    Feed(
      folder: "csc/sync", prefix: "AL", key: "id", timestamp: "updated_at", rejectCounts: [0, 0],
      rowCount: 144),
    Feed(
      folder: "csc/sync", prefix: "SA", key: "id", timestamp: "updated_at",
      rejectCounts: [0, 2, 0, 2, 0], rowCount: 399),
    Feed(
      folder: "csc/sync", prefix: "UA", key: "id", timestamp: "updated_at", rejectCounts: [0, 0],
      rowCount: 1949),
    Feed(
      folder: "csc/sync", prefix: "UY", key: "id", timestamp: "updated_at",
      rejectCounts: [0, 1823, 0, 0], rowCount: 2010),
    Feed(
      folder: "wof-iceland", prefix: "features", key: "id", timestamp: "wof_lastmodified",
      rejectCounts: [0, 0, 0], rowCount: 356),
    Feed(
      folder: "oslo-bikes", prefix: "station_status", key: "station_id", timestamp: "last_reported",
      rejectCounts: Array(repeating: 0, count: 12), rowCount: 277),
    Feed(
      folder: "mledoze-countries", prefix: "countries", key: "cca2", rejectCounts: [0, 0],
      rowCount: 250),
    Feed(
      folder: "osm-playgrounds", prefix: "playgrounds", key: "id", rejectCounts: [0, 0],
      rowCount: 258),
  ]

  @Test(.enabled(if: RealData.has("README.md"), "the real data is not there"), arguments: feeds)
  func `the model of the first delivery accepts the later ones`(feed: Feed) throws {
    let names = [".ndjson", ".json", ".geojson"].flatMap { suffix in
      RealData.names(in: feed.folder, suffix: suffix).filter { $0.hasPrefix(feed.prefix) }
    }
    // The old countries came first.
    let files = feed.prefix == "countries" ? names.reversed() : names
    var options = ModelInferenceTests.options
    var inference = try ModelInference(options: options)
    try inference.read(.file("\(RealData.folder)/\(feed.folder)/\(files[0])"))
    var overrides = Model.Overrides()
    let inferred = try Model(parsing: inference.finish())
    // Merging by a doubtful key needs that it is named.
    overrides.key = inferred.key
    let model = try inferred.with(overrides)
    #expect(model.key == [feed.key] && model.timestamp == feed.timestamp)
    let store = try Store.inMemory()
    options.mergePolicy = feed.timestamp == nil ? .overwrite : .newest
    var rejectCounts: [Int] = []
    for file in files {
      var session = try ImportSession(into: store, model: model, options: options)
      try session.importAll(
        ofFile: "\(RealData.folder)/\(feed.folder)/\(file)", isInterrupted: { false })
      rejectCounts.append(try session.finish().counters.rejected)
    }
    #expect(rejectCounts == feed.rejectCounts)
    let rowCount = try store.withConnection { connection in
      var statement = try connection.prepare("SELECT count(*) FROM \(name: model.table)")
      return try statement.step() ? statement.integer(0) : 0
    }
    #expect(Int(rowCount) == feed.rowCount)
  }

  @Test func `the values of Extended JSON are inferred`() throws {
    let text = #"""
      {"_id":{"$oid":"65dfb0a0f1d2c3b4a5968778"},"updated":{"$date":"2024-02-29T12:30:00Z"},"n":{"$numberLong":"5"},"d":{"$numberDouble":"1.5"},"b":{"$binary":{"base64":"","subType":"00"}}}
      {"_id":{"$oid":"65dfb0a0f1d2c3b4a5968779"},"updated":{"$date":{"$numberLong":"1709209800000"}},"n":6,"d":{"$numberDecimal":"2"},"b":{"$binary":{"base64":"AA==","subType":"00"}}}
      """#
    let document = try ModelInferenceTests.infer(text, isStrict: true)
    #expect(try ModelInferenceTests.member("x-key", of: document)?.string == "id")
    #expect(try ModelInferenceTests.member("x-timestamp", of: document)?.string == "updated")
    for (name, type, source) in [
      ("id", "string", "/_id"), ("updated", "string", nil), ("n", "integer", nil),
      ("d", "number", nil),
    ] {
      let schema = try ModelInferenceTests.member("properties", name, of: document)
      #expect(schema?["type"]?.string == type, "\(name)")
      #expect(schema?["x-source"]?.string == source)
    }
    #expect(
      try ModelInferenceTests.member("properties", "updated", "x-zone", of: document) == nil)
    #expect(try ModelInferenceTests.rejects(text, document: document).isEmpty)
  }
}
