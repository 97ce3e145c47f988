import JSONStreaming
import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import ModelInference
@testable import POIFiles
@testable import POIKit
@testable import POIRecords

@Suite struct ModelInferenceTests {
  @Test(arguments: [
    ("a/stations.json", "stations"), ("stations-2024-05-01.json.gz", "stations"),
    ("features-1-2023-10-12-7794de2.ndjson", "features"), ("export_v2.json", "export"),
    ("stations-20240501T120000Z.json", "stations"), ("stations (1).json", "stations"),
    ("export-550e8400-e29b-41d4-a716-446655440000.json", "export"), ("2024.json", "record"),
    ("T1.json", "record"), ("SA-all.ndjson", "SA_all"), ("stops-Z.json", "stops_Z"),
    ("standard input", "record"), ("poikit.json", "x_poikit"),
  ])
  func `a table is called after its file without what differs between deliveries`(
    file: String, table: String
  ) {
    #expect(ModelInference.tableName(forInput: file) == table)
  }

  static let now = Instant(microseconds: 1_790_000_000_000_000)

  static var options: ImportOptions {
    var options = ImportOptions()
    options.clock = { now }
    return options
  }

  static func infer(
    _ text: String, named name: String = "places.json", isStrict: Bool = false,
    options: ImportOptions = options
  ) throws -> String {
    var inference = try ModelInference(options: options)
    var source = BytesSource(Array(text.utf8), name: name)
    try inference.read(from: &source)
    return try inference.finish(isStrict: isStrict)
  }

  /// The member of the inferred model with these names.
  static func member(_ names: String..., of document: String) throws -> JSONValue? {
    var value: JSONValue? = try JSONValue(parsing: document)
    for name in names { value = value?[name] }
    return value
  }

  /// Imports a text with a model, and returns the rejects.
  static func rejects(_ text: String, document: String, pointer: String? = nil) throws -> [String] {
    var options = options
    options.pointer = pointer
    let store = try Store.inMemory()
    var session = try ImportSession(
      into: store, model: Model(parsing: document), options: options)
    try session.append(Array(text.utf8).span)
    let report = try session.finish()
    guard report.counters.rejected > 0 else { return [] }
    return try store.withConnection { connection in
      var statement = try connection.prepare("SELECT message, raw FROM poikit_reject LIMIT 3")
      var rejects: [String] = []
      while try statement.step() { rejects.append("\(statement.text(0)) \(statement.text(1))") }
      return rejects
    }
  }

  // MARK: Choices

  @Test func `types and required members of a strict model fit all records`() throws {
    let text = #"""
      [{"a":1,"b":"x","c":true,"d":1.5,"e":null,"f":[1,"x"],"g":{}},
       {"a":null,"b":2,"c":false,"d":2,"e":null,"f":[],"g":{}},
       {"a":3,"c":null,"d":-1,"e":null,"f":[{}],"g":null}]
      """#
    let document = try Self.infer(text, isStrict: true)
    let types = try ["a", "b", "c", "d", "e", "f", "g"].map { name in
      try Self.member("properties", name, "type", of: document)?.description ?? ""
    }
    #expect(
      types == [
        #"["integer","null"]"#, #"["string","integer"]"#, #"["boolean","null"]"#, #""number""#,
        #"["string","null"]"#, #""array""#, #"["object","null"]"#,
      ])
    #expect(
      try Self.member("required", of: document)?.description == #"["a","c","d","e","f","g"]"#)
    #expect(try Self.rejects(text, document: document).isEmpty)
  }

  @Test func `formats that all texts have are named in a strict model`() throws {
    let text = #"""
      {"id":"1975db51-5a45-4fd6-ac54-46ca6042c710","day":"2024-02-29","seen":"2024-02-29T12:00:00Z","local":"2024-02-29 12:00:00","at":"12:00:00Z","mail":"a@example.org","web":"https://example.org/a"}
      {"id":"2975DB51-5A45-4FD6-AC54-46CA6042C710","day":"2023-01-01","seen":"2024-02-29T12:00:00+02:00","local":"2024-02-29T12:00:00","at":"12:00:00+02:00","mail":"b@example.org","web":"http://example.org/b"}
      """#
    let document = try Self.infer(text, isStrict: true)
    for (name, format) in [
      ("id", "uuid"), ("day", "date"), ("seen", "date-time"), ("local", "date-time"),
      ("at", "time"), ("mail", "email"), ("web", "uri"),
    ] {
      #expect(try Self.member("properties", name, "format", of: document)?.string == format)
    }
    #expect(try Self.member("properties", "seen", "x-zone", of: document) == nil)
    #expect(try Self.member("properties", "local", "x-zone", of: document)?.string == "UTC")
    let comment = try #require(
      try Self.member("properties", "local", "$comment", of: document)?.string)
    #expect(comment.hasPrefix("2 have no zone: UTC is a guess, set x-zone"))
    #expect(try Self.rejects(text, document: document).isEmpty)
  }

  @Test(arguments: [
    (1_668_039_187, "updated", "seconds"), (1_668_039_187_000, "lastModified", "milliseconds"),
    (1_668_039_187_000_000, "created_at", "microseconds"),
  ])
  func `integers that are named like an instant and can be one get a unit`(
    value: Int, name: String, unit: String
  ) throws {
    let document = try Self.infer(#"{"\#(name)":\#(value)}"#)
    #expect(try Self.member("properties", name, "x-unit", of: document)?.string == unit)
    let phone = try Self.infer(#"{"phone":\#(value)}"#)
    #expect(try Self.member("properties", "phone", "x-unit", of: phone) == nil)
    let comment = try #require(
      try Self.member("properties", "phone", "$comment", of: phone)?.string)
    #expect(comment.contains(#"if they are moments, say "x-unit": "\#(unit)""#))
  }

  @Test func `the timestamp is the moment of the last change and not in the future`() throws {
    let text = #"""
      {"created_at":"2024-01-01T00:00:00Z","updated_at":"2024-01-02T00:00:00Z","changed":"2999-01-01T00:00:00Z"}
      """#
    let document = try Self.infer(text)
    #expect(try Self.member("x-timestamp", of: document)?.string == "updated_at")
    #expect(try Self.rejects(text, document: document).isEmpty)
  }

  @Test(arguments: [
    (#""Latitude":1.5,"Longitude":2.5"#, "Latitude", "Longitude"),
    (#""OUTAGE_LATITUDE":1.5,"OUTAGE_LONGITUDE":2.5"#, "OUTAGE_LATITUDE", "OUTAGE_LONGITUDE"),
    (#""location_lat":"1.5","location_lng":"2.5""#, "location_lat", "location_lng"),
    (#""geo":{"lat":1,"lon":2}"#, "geo_lat", "geo_lon"),
    (#""location":{"lat":1.5,"lng":2.5}"#, "location_lat", "location_lng"),
    (#""coordinates":[1.5,2.5]"#, "latitude", "longitude"),
    (#""at":{"type":"Point","coordinates":[1.5,2.5]}"#, "latitude", "longitude"),
    (#""lat":1.5,"lon":181"#, "", ""), (#""lat":1.5,"length":2.5"#, "", ""),
    (#""long_name":1,"lat_name":2"#, "", ""), (#""a_lat":1.5,"b_lon":1.5"#, "", ""),
    (#""a_lat":1.5,"a_lon":1.5,"b":{"lat":1.5,"lon":1.5}"#, "", ""),
  ])
  func `one pair of latitude and longitude is the position`(
    members: String, latitude: String, longitude: String
  ) throws {
    let document = try Self.infer("[{\(members),\"n\":1},{\(members),\"n\":2}]")
    let position = try Self.member("x-coordinates", of: document)
    #expect(position?["latitude"]?.string ?? "" == latitude, "\(document)")
    #expect(position?["longitude"]?.string ?? "" == longitude, "\(document)")
    let isTold = document.contains("there are several, a_lat with a_lon, b_lat with b_lon")
    #expect(isTold == members.contains("b\":{"), "\(document)")
    // The open sea and places beyond the Earth stay, too.
    let odd = members.replacing("1.5", with: "0").replacing("2.5", with: "0")
    #expect(try Self.rejects("{\(odd),\"n\":3}", document: document).isEmpty)
  }

  @Test func `values beyond 90 degrees decide which coordinate is first`() throws {
    let document = try Self.infer(#"[{"coordinates":[52.5,113.5]},{"coordinates":[1.5,2.5]}]"#)
    #expect(
      try Self.member("properties", "latitude", "x-source", of: document)?.string
        == "/coordinates/0")
  }

  @Test func `a unique id is the key and duplicates are counted`() throws {
    let unique = try Self.infer(#"[{"name":"a","id":7},{"name":"b","id":8}]"#)
    #expect(try Self.member("x-key", of: unique)?.string == "id")
    #expect(
      try Self.member("$comment", of: unique)?.string?.contains("Key: id, unique;") == true)
    let nearly = try Self.infer(#"[{"id":7,"a":1},{"id":7},{"id":8},{"id":9},{"id":null}]"#)
    #expect(try Self.member("x-key", of: nearly)?.string == "id")
    #expect(
      try Self.member("$comment", of: nearly)?.string?
        .contains("Key: id (doubtful), 1 of 4 are duplicates, missing in 1 records.") == true)
    let none = try Self.infer(#"[{"name":"a"},{"name":"b"}]"#)
    #expect(try Self.member("x-key", of: none) == nil)
    #expect(
      try Self.member("$comment", of: none)?.string?
        .contains("No key: the unique attributes are name, perhaps by chance") == true)
  }

  @Test func `coordinates that are written as text become numbers and other numbers do not`() throws
  {
    let text = #"{"latitude":"52.1","longitude":"-5","code":"0031","size":"12","weight":"1.5"}"#
    let document = try Self.infer(text, isStrict: true)
    #expect(try Self.member("properties", "latitude", "x-lenient", of: document) == .bool(true))
    #expect(try Self.member("properties", "longitude", "minimum", of: document)?.integer == -180)
    #expect(try Self.member("properties", "code", "type", of: document)?.string == "string")
    for (name, type) in [("size", "integer"), ("weight", "number")] {
      #expect(try Self.member("properties", name, "type", of: document)?.string == "string")
      let comment = try Self.member("properties", name, "$comment", of: document)?.string
      #expect(comment?.contains("\"type\": \"\(type)\" with") == true, "\(comment ?? "")")
    }
    #expect(try Self.rejects(text, document: document).isEmpty)
  }

  @Test func `points of GeoJSON become longitude and latitude and other shapes stay whole`() throws
  {
    let point =
      #"{"type":"Feature","properties":{"name":"a"},"geometry":{"type":"Point","coordinates":[5.1,52,3]}}"#
    let line =
      #"{"type":"Feature","properties":{"name":"b"},"geometry":{"type":"LineString","coordinates":[[5,52],[6,53]]}}"#
    let points = try Self.infer(point + "\n" + point, isStrict: true)
    #expect(
      try Self.member("properties", "latitude", "x-source", of: points)?.string
        == "/geometry/coordinates/1")
    #expect(try Self.member("properties", "latitude", "maximum", of: points)?.integer == 90)
    #expect(
      try Self.member("properties", "name", "x-source", of: points)?.string == "/properties/name")
    let mixed = try Self.infer(point + "\n" + line, isStrict: true)
    #expect(try Self.member("properties", "geometry", "type", of: mixed)?.string == "object")
    #expect(try Self.rejects(point + "\n" + line, document: mixed).isEmpty)
  }

  @Test(arguments: [
    ("[446211.5,5412345.2]", "[446212,5412346]", true), ("[9.1,5412345]", "[9.2,5412346]", true),
    ("[-1e6,-2e6]", "[2e6,3e6]", true), ("[9.1,48]", "[9e9,9e9]", false),
    ("[190,48]", "[-9,48]", false), ("[180,90]", "[-180,-90]", false),
  ])
  func `points of Features that are not in degrees are refused`(
    first: String, second: String, isRefused: Bool
  ) throws {
    let features = [first, second].map {
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":\#($0)},"properties":{"n":1}}"#
    }
    let text = features.joined(separator: "\n")
    guard isRefused else {
      _ = try Self.infer(text)
      return
    }
    let error = #expect(throws: StoreError.self) { _ = try Self.infer(text) }
    #expect(error?.message.contains("ogr2ogr -t_srs EPSG:4326 ") == true, "\(error?.message ?? "")")
  }

  @Test func `few small objects in many records become a relation of a strict model`() throws {
    let records = (0..<40).map {
      #"{"id":\#($0),"category":{"id":\#($0 % 4),"name":"c\#($0 % 4)"}}"#
    }
    let text = records.joined(separator: "\n")
    let document = try Self.infer(text, isStrict: true)
    #expect(
      try Self.member("properties", "category", "x-relation", of: document)?.description
        == #"{"table":"category","unique":["id","name"]}"#)
    #expect(try Self.rejects(text, document: document).isEmpty)
  }

  @Test func `names are safe and unique whatever their case`() throws {
    let text = #"""
      {"a b":1,"A_B":2,"":3,"rowid":4,"sqlite_x":5,"poikit_id":6,"2nd":7,"é":8,"n":{"a":9},"n_a":10,"x~/y":11}
      """#
    let document = try Self.infer(text)
    let model = try Model(parsing: document)
    #expect(
      model.attributes.map(\.name) == [
        "a_b", "A_B_2", "value", "rowid_", "x_sqlite_x", "x_poikit_id", "x_2nd", "é", "n_a_2",
        "n_a", "x__y",
      ])
    #expect(try Self.rejects(text, document: document).isEmpty)
  }

  @Test(arguments: [("\u{e9}", "e\u{301}"), ("\u{ac00}", "\u{1100}\u{1161}")])
  func `names in two normal forms are two members`(composed: String, decomposed: String) throws {
    let text = (0..<3).map { #"{"id":\#($0),"\#(composed)":"x","\#(decomposed)":7}"# }
      .joined(separator: "\n")
    let document = try Self.infer(text, isStrict: true)
    #expect(try Model(parsing: document).attributes.map(\.types) == [.integer, .string, .integer])
    #expect(try Self.rejects(text, document: document).isEmpty)
    let feed = try FeedStore(Model(parsing: document))
    try feed.take(text)
    #expect(try feed.rows("SELECT * FROM places LIMIT 1") == ["1|0|x|7"])
  }

  /// Records of which some differ from the others.
  private static func records(_ odd: String...) -> String {
    ((0..<300).map { #"{"id":"p\#($0)","n":\#($0 % 7)}"# } + odd).joined(separator: "\n")
  }

  @Test(arguments: [
    #"{"n":1}"#, #"{"id":null,"n":1}"#, #"{"id":7,"n":1}"#, #"{"id":true,"n":1}"#,
    #"{"id":1.5,"n":1}"#,
  ])
  func `a few odd records do not take the key away`(odd: String) throws {
    let text = Self.records(odd, odd)
    let document = try Self.infer(text)
    #expect(try Self.member("x-key", of: document)?.string == "id")
    #expect(try Self.rejects(text, document: document).isEmpty)
  }

  @Test func `a member that few records have twice is mapped, and those are rejected`() throws {
    let odd = #"{"id":"a","id":"b","n":1}"#
    let document = try Self.infer(Self.records(odd, odd))
    #expect(try Self.member("x-key", of: document)?.string == "id")
    let comment = try Self.member("properties", "id", "$comment", of: document)?.string
    #expect(comment?.contains("twice in 2, which are rejected") == true, "\(comment ?? "")")
    #expect(try Self.rejects(Self.records(odd, odd), document: document).count == 2)
    let often = (0..<400).map { _ in odd }.joined(separator: "\n")
    let without = try Self.infer(Self.records(often))
    #expect(try Self.member("x-key", of: without)?.string == nil)
    #expect(try Self.rejects(Self.records(often), document: without).isEmpty)
  }

  @Test func `values that no column can store are kept as JSON and reported`() throws {
    let text = #"""
      {"a":1e400,"b":123456789012345678901,"c":1,"d":0.5,"d2":9007199254740993}
      {"a":1,"b":2,"c":1,"c":2,"d":9007199254740993,"d2":1}
      """#
    let document = try Self.infer(text)
    #expect(try Model(parsing: document).attributes.map(\.name) == ["b", "c", "d2"])
    #expect(try Self.member("x-unmapped-column", of: document)?.string == "other")
    let comment = try #require(try Self.member("$comment", of: document)?.string)
    for pointer in ["/a (", "/d (it mixes"] {
      #expect(comment.contains(pointer), "\(comment)")
    }
    #expect(
      try Self.member("properties", "b", "x-digits", of: document)?.description == "true")
    // The record that has a member twice.
    #expect(try Self.rejects(text, document: document).count == 1)
  }

  @Test func `decimals beyond 2^53 are decimals`() throws {
    let text = #"{"area":1.0051029455089941e+17}{"area":0.5}{"area":9007199254740993.0}"#
    let document = try Self.infer(text, isStrict: true)
    #expect(try Self.member("properties", "area", "type", of: document)?.string == "number")
    #expect(try Self.rejects(text, document: document).isEmpty)
  }

  @Test func `an object with many different members keeps the common ones`() throws {
    let records = (0..<100).map { #"{"id":\#($0),"tags":{"kind":"a","k\#($0)":1,"l\#($0)":2}}"# }
    let document = try Self.infer(records.joined(separator: "\n"), isStrict: true)
    #expect(
      try Self.member("properties", "tags", "type", of: document)?.string == "object")
    let wide = (0..<100).map { #"{"id":\#($0),"a":1,"b":2,"k\#($0)":1}"# }.joined(separator: "\n")
    let wideDocument = try Self.infer(wide)
    // The members of the record itself all get columns.
    #expect(try Model(parsing: wideDocument).attributes.count == 103)
    #expect(try Self.rejects(wide, document: wideDocument).isEmpty)
  }

  @Test func `the lines of a reject file are known as an import knows them`() throws {
    let line = #"{"file":"a","poikit_reject":1,"raw":"{}"}"#
    for (inputs, members) in [
      ([[line, #"{"n":1}"#, line]], ["n"]),
      ([[#"{"n":1}"#, #"{"poikit_reject":1,"raw":"{}"}"#]], ["n"]),
      ([[#"{"n":1}"#, line]], ["file", "n", "poikit_reject", "raw"]),
      // The first line of each input decides for that input.
      ([[#"{"n":1}"#], [line]], ["n"]),
      ([[line], [#"{"n":1}"#, line]], ["file", "n", "poikit_reject", "raw"]),
    ] {
      var inference = try ModelInference(options: Self.options)
      for lines in inputs {
        var source = BytesSource(Array(lines.joined(separator: "\n").utf8), name: "places.json")
        try inference.read(from: &source)
      }
      let document = try inference.finish()
      let found = try Model(parsing: document).attributes.map(\.source)
      #expect(Set(found) == Set(members.map { .pointer([$0]) }), "\(document)")
    }
  }

  @Test func `the comment says how to import and what was left out`() throws {
    let text = #"{"meta":{"version":1},"data":{"places":[{"name":"a"},7,{"name":"b"}]}}"#
    let document = try Self.infer(text)
    let comment = try #require(try Self.member("$comment", of: document)?.string)
    #expect(
      comment.hasPrefix(
        "Inferred from the 2 records of places.json. 1 more elements cannot be read as records and "
          + "were left out. Import: poi-import --model FILE --at /data/places places.json, where "
          + "FILE is this one."))
    var options = Self.options
    options.recordLimit = 1
    #expect(
      try Self.member("$comment", of: Self.infer(text, options: options))?.string?
        .hasPrefix("Inferred from the first 1 records of places.json: others may differ.") == true)
  }

  @Test func `members of an object of objects have their name as key`() throws {
    let text = #"{"places":{"x1":{"name":"a"},"x2":{"name":"b"}}}"#
    var options = Self.options
    options.pointer = "/places"
    let document = try Self.infer(text, options: options)
    #expect(try Self.member("x-key", of: document)?.string == "key")
    #expect(try Self.member("properties", "key", "x-source", of: document)?.string == "0#")
    #expect(try Self.rejects(text, document: document, pointer: "/places").isEmpty)
  }

  @Test func `input without records is refused`() {
    for text in ["", "[1,2]", "[{},{}]", #"{"a":[{"b":1}],"c":[{"d":1}]}"#] {
      #expect(throws: StoreError.self, "\(text)") { try Self.infer(text) }
    }
  }

  @Test func `the inference can be stopped`() throws {
    var inference = try ModelInference(options: Self.options) { _ in .stop }
    var source = BytesSource(Array(#"[{"a":1}]"#.utf8), name: "a.json")
    do {
      try inference.read(from: &source)
      Issue.record("it went on")
    } catch {
      #expect(error.code == .interrupted)
    }
  }

  // MARK: Limits and errors

  @Test func `members beyond the limits are kept, unmapped`() throws {
    let many = (0..<1_100).map { #""m\#($0)":\#($0)"# }.joined(separator: ",")
    let deep = #"{"a":{"b":{"c":{"d":{"e":{"f":1}}}}}}"#
    let long = String(repeating: "n", count: PathTree.nameByteLimit + 1)
    let places = (0..<PathTree.placeLimit).map { #""p\#($0)":1"# }.joined(separator: ",")
    for text in [
      "[{\(many)}]", "[\(deep)]", "[{\"a\":1,\"\(long)\":1}]",
      "[{\"z\":[1]},{\(places)},{\"z\":[1,2]}]",
    ] {
      let document = try Self.infer(text)
      let model = try Model(parsing: document)
      #expect(model.attributes.count <= ModelDraft.columnLimit)
      #expect(try Self.rejects(text, document: document) == [])
    }
    #expect(try Model(parsing: Self.infer("[{\(many)}]")).unmappedColumn == "other")
  }

  @Test func `a member that marks removals is reported`() throws {
    let document = try Self.infer(#"[{"id":1,"deleted":true},{"id":2,"deleted":false}]"#)
    #expect(document.contains("say \\\"x-tombstone\\\""), "\(document)")
  }

  /// An input that cannot be read to its end.
  struct Broken: ByteSource {
    var code: InputError.Code
    var name: String { "broken" }
    var totalByteCount: Int? { nil }
    var consumedByteCount: Int { 0 }
    mutating func read(into output: inout OutputSpan<UInt8>) throws(InputError) {
      throw InputError(code: code, path: name, message: "is gone")
    }
    mutating func restart() throws(InputError) -> Bool { false }
  }

  @Test func `an input that cannot be read is reported with its position`() throws {
    let error = #expect(throws: StoreError.self) { try Self.infer("[{\"a\":1}] x") }
    #expect(error?.message.hasPrefix("places.json:1:11: ") == true, "\(error?.message ?? "")")
    for (code, ours) in [
      (InputError.Code.interrupted, StoreError.Code.interrupted),
      (.readFailed(errno: 5), .inputOutput),
    ] {
      var source = Broken(code: code)
      var inference = try ModelInference(options: Self.options)
      do {
        try inference.read(from: &source)
        Issue.record("no error")
      } catch {
        #expect(error.code == ours && error.message.contains("is gone"))
      }
    }
  }

  @Test func `a model is inferred from the sources of an import`() throws {
    let folder = try ScratchFolder()
    let text = #"{"a":1,"b":"x"}"#
    let path = try folder.write(text, to: "places.json")
    for source in [ImportSource.file(path), .text(text, named: "places.json")] {
      var inference = try ModelInference(options: Self.options)
      try inference.read(source)
      let document = try inference.finish()
      #expect(try document == Self.infer(text, named: source.name))
    }
    #expect(throws: StoreError.self) {
      var inference = try ModelInference(options: Self.options)
      try inference.read(.file(folder.file("none.json")))
    }
  }
}
