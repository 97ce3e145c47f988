import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct ExportTests {
  private static func store(_ document: String, _ records: String) throws -> Store {
    let store = try Store.inMemory()
    let report = try store.importRecords(
      from: .text(records), model: Model(parsing: document))
    #expect(report.counters.rejected == 0)
    return store
  }

  private static func lines(
    _ store: Store, _ options: ExportOptions = ExportOptions()
  ) throws -> [String] {
    var text = ""
    try store.export(options: options) { text += String(copying: $0) }
    return text.split(separator: "\n").map(String.init)
  }

  private static func checked(_ store: Store) throws -> ExportReport {
    var options = ExportOptions()
    options.isChecked = true
    return try store.export(options: options) { _ in }
  }

  private static let document = #"""
    {"x-table":"t","x-key":"id","x-unmapped-column":"rest","properties":{
      "id":{"type":"integer"},"x":{"type":["number","null"],"x-source":"/p/at/0"},
      "day":{"type":["string","null"],"format":"date-time","x-source":"/all/day"},
      "all":{"type":["object","null"]},
      "tags":{"type":"array","x-relation":{"table":"tag","unique":"name"},
        "items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}}}}
    """#

  private static let record =
    #"{"id":1,"p":{"at":[1.50,{"z":1}],"q":true},"all":{"day":"2024-01-01T00:00:00+01:00","k":[]},"#
    + #""tags":[{"name":"b","n":1},{"name":"a"}]}"#

  @Test func `what was not changed keeps its notation`() throws {
    let store = try Self.store(Self.document, Self.record)
    #expect(
      try Self.lines(store) == [
        #"{"id":1,"all":{"day":"2024-01-01T00:00:00+01:00","k":[]},"#
          + #""p":{"at":[1.50,{"z":1}],"q":true},"tags":[{"name":"b","n":1},{"name":"a"}]}"#
      ])
  }

  @Test func `a changed column wins over the JSON that holds its former value`() throws {
    let store = try Self.store(Self.document, Self.record)
    try store.execute(
      """
      UPDATE t SET x = 2, day = 0; UPDATE tag SET name = 'c' WHERE name = 'a';
      """)
    #expect(
      try Self.lines(store) == [
        #"{"id":1,"all":{"day":"1970-01-01T00:00:00Z","k":[]},"p":{"at":[2.0,{"z":1}],"q":true},"#
          + #""tags":[{"name":"b"},{"name":"c"}]}"#
      ])
    try store.execute("UPDATE t SET x = NULL, day = NULL, rest = NULL; DELETE FROM tag")
    #expect(try Self.lines(store) == [#"{"id":1,"all":{"k":[]}}"#])
  }

  @Test func `an attribute that must be there is written as null`() throws {
    let store = try Self.store(
      #"""
      {"x-table":"t","required":["a"],"dependentRequired":{"c":["d"]},"properties":{
        "a":{"type":["string","null"]},"b":{"type":["integer","null"],"default":1},
        "c":{"type":["integer","null"]},"d":{"type":["integer","null"]},
        "l":{"type":["array","null"],"x-relation":{"table":"l","unique":"l"},"items":{"type":"integer"}}}}
      """#, #"{"a":null,"b":null,"c":1,"d":null,"l":[2,1]}"#)
    #expect(try Self.lines(store) == [#"{"a":null,"b":null,"c":1,"d":null,"l":[1,2]}"#])
  }

  @Test func `what its pattern cannot name is reported, and no value ends the process`() throws {
    let document =
      #"{"x-table":"t","properties":{"id":{"type":"integer"},"at":{"type":"string","#
      + #""format":"date-time","x-date-pattern":"dd.MM.yy HH:mm xx"}}}"#
    let store = try Self.store(document, #"{"id":1,"at":"01.01.50 00:00 +0200"}"#)
    #expect(try Self.checked(store).hasChangedValues)
    for microseconds in [Int64.max, .min, -99_999_999_999_999_999] {
      try store.execute("UPDATE t SET at = \(microseconds)")
      #expect(try Self.checked(store).refusedRecordCount == 1)
    }
    try store.execute("UPDATE t SET at = 0")
    let report = try Self.checked(store)
    #expect(report.digest == report.importDigest && report.digest != nil)
  }

  @Test func `the default of an object with parts, and white space around unmapped members`() throws
  {
    let store = try Self.store(
      #"""
      {"x-table":"t","x-unmapped-column":"rest","properties":{
        "a":{"type":["object","null"],"default":{"x":["q"]}},
        "b":{"type":["string","null"],"x-source":"/a/x/0"}}}
      """#, #"{"z":1}"#)
    #expect(try Self.lines(store) == [#"{"z":1}"#])
    #expect(try !Self.checked(store).hasChangedValues)
    try store.execute("UPDATE t SET rest = ' {\"z\": 2}' || char(10)")
    #expect(try Self.lines(store) == [#"{"z":2}"#])
    try store.execute("UPDATE t SET rest = '{'")
    #expect(try Self.checked(store).hasChangedValues)
  }

  @Test func `without the check no record is read again, and the digest is the table's`() throws {
    let store = try Self.store(Self.document, Self.record)
    try store.execute("UPDATE t SET day = 9223372036854775807")
    let report = try store.export { _ in }
    #expect(report.refusedRecordCount == 0 && report.importDigest == nil)
    #expect(try report.digest == store.digest(ofTable: "t").digest)
    #expect(try Self.checked(store).refusedRecordCount == 1)
  }

  @Test func `only whole records in the form of their model are checked`() throws {
    let folder = try ScratchFolder()
    let store = try Self.store(
      #"{"x-table":"t","properties":{"geometry":{"type":"object"}}}"#,
      #"{"geometry":{"type":"Point","coordinates":[1,2]}}"#)
    var options = ExportOptions()
    options.isChecked = true
    func expectRefusal(_ export: () throws -> Void) {
      let error = #expect(throws: StoreError.self, performing: export)
      #expect(error?.code == .invalidOptions && "\(error as Any)".contains("can be checked"))
    }
    for format in [ExportOptions.Format.csv, .geojson, .geojsonseq] {
      options.format = format
      expectRefusal { try store.export(options: options) { _ in Issue.record("bytes") } }
    }
    options.format = .json
    expectRefusal { try store.exportGeoPackage(to: folder.file("a.gpkg"), options: options) }
    #expect(Files.names(in: folder.path, isWhole: true).isEmpty)
    options.columns = ["geometry"]
    expectRefusal { try store.export(options: options) { _ in } }
    options.columns = []
    let other = try Connection.inMemory()
    try other.execute("CREATE TABLE t (a)")
    expectRefusal { try Store.export(table: "t", of: other, options: options) { _ in } }
    try store.export(options: options) { _ in }
  }

  @Test func `an object of objects is written as one, and never as lines`() throws {
    let document =
      #"{"x-table":"t","x-key":"k","properties":{"k":{"type":["string","null"],"x-source":"0#"},"#
      + #""n":{"type":"integer"}}}"#
    let store = try Store.inMemory()
    var importing = ImportOptions()
    importing.pointer = ""
    try store.importRecords(
      from: .text(#"{"b":{"n":1},"a\"":{"n":2}}"#), model: Model(parsing: document),
      options: importing)
    var options = ExportOptions()
    options.format = .json
    #expect(
      try Self.lines(store, options) == ["{", #""b":{"n":1},"#, #""a\"":{"n":2}"#, "}"])
    #expect(try Self.lines(store) == Self.lines(store, options))
    var lines = ExportOptions()
    lines.format = .ndjson
    #expect(throws: StoreError.self) { try Self.lines(store, lines) }
    try store.execute("UPDATE t SET k = NULL WHERE n = 2")
    let error = #expect(throws: StoreError.self) { try Self.lines(store, options) }
    #expect(error?.message.contains("row 2 of t has no k") == true)
  }

  @Test func `removed rows are written with their mark`() throws {
    let store = try Store.inMemory()
    let model = try Model(
      parsing:
        #"{"x-table":"t","x-key":"id","x-timestamp":"at","x-tombstone":"gone","properties":{"#
        + #""id":{"type":"integer"},"at":{"type":"integer","x-unit":"seconds"},"#
        + #""gone":{"type":"boolean"}}}"#)
    var options = ImportOptions()
    options.mergePolicy = .newest
    let records = #"{"id":1,"at":1}{"id":2,"at":1}{"id":1,"at":2,"gone":true}"#
    try store.importRecords(from: .text(records), model: model, options: options)
    let lines = try Self.lines(store)
    #expect(lines == [#"{"id":2,"at":1}"#, #"{"id":1,"at":2,"gone":true}"#])
    let second = try Store.inMemory()
    try second.importRecords(
      from: .text(lines.joined(separator: "\n")), model: model, options: options)
    #expect(try second.digest(of: model) == store.digest(of: model))
  }

  @Test func `records are Features with their geometry`() throws {
    func features(_ document: String, _ records: String, _ sql: SQL = "") throws -> [String] {
      let store = try Self.store(document, records)
      try store.execute(sql)
      var options = ExportOptions()
      options.format = .geojsonseq
      // Each begins with a record separator.
      let sequence = try Self.lines(store, options).map { String($0.dropFirst()) }
      options.format = .geojson
      var collection = try Self.lines(store, options)
      #expect(collection.removeFirst() == #"{"type":"FeatureCollection","features":["#)
      #expect(collection.removeLast() == "]}")
      #expect(collection.joined() == sequence.joined(separator: ","))
      return sequence
    }
    let point = #"{"type":"Point","coordinates":[1,2]}"#
    let coordinates = #""x-coordinates":{"latitude":"lat","longitude":"lon"}"#
    #expect(
      try features(
        #"{"x-table":"t",\#(coordinates),"properties":{"lat":{"type":["number","null"]},"#
          + #""lon":{"type":["number","null"]},"n":{"type":"string"}}}"#,
        #"{"lat":1.5,"lon":-2,"n":"a"}{"n":"b"}"#)
        == [
          #"{"type":"Feature","geometry":{"type":"Point","coordinates":[-2.0,1.5]},"#
            + #""properties":{"lat":1.5,"lon":-2.0,"n":"a"}}"#,
          #"{"type":"Feature","geometry":null,"properties":{"n":"b"}}"#,
        ])
    let geojson =
      #""x-unmapped-column":"rest","properties":{"id":{"type":"integer"},"#
      + #""n":{"type":"string","x-source":"/properties/n"}"#
    let record =
      #"{"type":"Feature","id":7,"geometry":{"type":"Point","coordinates":[1,2]},"#
      + #""properties":{"k":1.50,"n":"x"}}"#
    #expect(
      try features(
        #"{"x-table":"t",\#(geojson),"geometry":{"type":"object"}}}"#, record)
        == [
          #"{"type":"Feature","id":7,"geometry":{"type":"Point","coordinates":[1,2]},"#
            + #""properties":{"n":"x","k":1.50}}"#
        ])
    #expect(
      try features(
        #"{"x-table":"t",\#(geojson),"x":{"type":"number","x-source":"/geometry/coordinates/0"},"#
          + #""y":{"type":"number","x-source":"/geometry/coordinates/1"}}}"#, record)
        == [
          #"{"type":"Feature","id":7,"geometry":{"type":"Point","coordinates":[1.0,2.0]},"#
            + #""properties":{"n":"x","k":1.50}}"#
        ])
    #expect(
      try features(
        #"{"x-table":"t",\#(geojson),"geometry":{"type":["object","null"]}}}"#,
        #"{"type":"Feature","bbox":[1,2,1,2],"geometry":null,"properties":{},"title":"t"}"#)
        == [
          #"{"type":"Feature","geometry":null,"properties":{},"bbox":[1,2,1,2],"title":"t"}"#
        ])
    // A record that is no Feature, though it has a type and a geometry.
    #expect(
      try features(
        #"{"x-table":"t","properties":{"type":{"type":"string"},"geometry":{"type":"object"}}}"#,
        #"{"type":"zoo","geometry":{"type":"Point","coordinates":[1,2]}}"#)
        == [
          #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"#
            + #""properties":{"type":"zoo","geometry":{"type":"Point","coordinates":[1,2]}}}"#
        ])
    // No program asked for its type, so it is among the unmapped members.
    for (type, feature) in [
      (#""Feature""#, #"{"type":"Feature","geometry":\#(point),"properties":{},"n":1}"#),
      (
        #""zoo""#,
        #"{"type":"Feature","geometry":\#(point),"properties":{"geometry":\#(point),"type":"zoo","n":1}}"#
      ),
      (
        "7",
        #"{"type":"Feature","geometry":\#(point),"properties":{"geometry":\#(point),"type":7,"n":1}}"#
      ),
    ] {
      #expect(
        try features(
          #"{"x-table":"t","x-unmapped-column":"rest","properties":{"geometry":{"type":"object"}}}"#,
          #"{"type":\#(type),"geometry":\#(point),"n":1}"#) == [feature])
    }
    let place = #"{"identifier":"1975DB51-5A45-4FD6-AC54-46CA6042C710","name":"Domo","#
    #expect(
      try features(Model.poi.document, place + #""latitude":1.5,"longitude":2}"#)[0]
        .contains(#""geometry":{"type":"Point","coordinates":[2.0,1.5]}"#))
    #expect(throws: StoreError.self) {
      try features(#"{"x-table":"t","properties":{"id":{"type":"integer"}}}"#, #"{"id":1}"#)
    }
  }

  private struct Failure: Error {}

  @Test func `an error of the reader ends the export as it is, and it can stop`() throws {
    let store = try Self.store(Self.document, Self.record)
    #expect(throws: Failure.self) { try store.export { _ in throw Failure() } }
    let report = try store.export(progress: { _ in .stop }, to: { _ in })
    #expect(!report.isFinished)
    // The store is usable afterwards.
    #expect(try Self.lines(store).count == 1)
  }
}
