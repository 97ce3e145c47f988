import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Exports of values that other programs wrote, and of tables without a model.
@Suite struct ForeignValueTests {
  private static func store(_ document: String, _ records: String, at pointer: String? = nil) throws
    -> Store
  {
    let store = try Store.inMemory()
    var options = ImportOptions()
    options.pointer = pointer
    let report = try store.importRecords(
      from: .text(records), model: Model(parsing: document), options: options)
    #expect(report.counters.rejected == 0)
    return store
  }

  private static func lines(_ store: Store, _ options: ExportOptions = ExportOptions()) throws
    -> String
  {
    var text = ""
    try store.export(options: options) { text += String(copying: $0) }
    return text
  }

  @Test func `a date that the pattern cannot write is written as it is`() throws {
    let store = try Self.store(
      #"{"x-table":"t","properties":{"day":{"type":"string","format":"date","x-date-pattern":"d. MMMM yyyy"}}}"#,
      #"{"day":"3. May 2024"}"#)
    try store.execute("UPDATE t SET day = 'soon'")
    #expect(try Self.lines(store) == "{\"day\":\"soon\"}\n")
  }

  @Test func `a blob inside an object that is kept is written as Base64`() throws {
    let store = try Self.store(
      #"{"x-table":"t","properties":{"hours":{"type":"object"},"from":{"type":["string","number"],"x-source":"/hours/from"}}}"#,
      #"{"hours":{"from":"a","to":"b"}}"#)
    #expect(try Self.lines(store) == "{\"hours\":{\"from\":\"a\",\"to\":\"b\"}}\n")
    try store.execute("UPDATE t SET \"from\" = x'01'")
    #expect(try Self.lines(store) == "{\"hours\":{\"from\":\"AQ==\",\"to\":\"b\"}}\n")
  }

  @Test func `the name of a member is text, even if it is stored as a number`() throws {
    let store = try Self.store(
      #"{"x-table":"t","x-key":"k","properties":{"k":{"type":["string","integer"],"x-source":"0#"},"v":{"type":"integer"}}}"#,
      #"{"a":{"v":1}}"#, at: "")
    try store.execute("UPDATE t SET k = 5")
    var options = ExportOptions()
    options.format = .json
    #expect(try Self.lines(store, options).contains("\"5\":{\"v\":1}"))
  }

  @Test func `a GeoPackage has dates, whole coordinates and the members without an attribute`()
    throws
  {
    let folder = try ScratchFolder()
    let store = try Self.store(
      #"{"x-table":"t","x-unmapped-column":"rest","x-coordinates":{"latitude":"lat","longitude":"lon"},"properties":{"#
        + #""day":{"type":"string","format":"date"},"lat":{"type":"integer"},"lon":{"type":"integer"}}}"#,
      String(repeating: #"{"day":"2024-05-03","lat":50,"lon":10,"more":1}"#, count: 4_096))
    try store.exportGeoPackage(to: folder.file("a.gpkg"))
    let connection = try Connection(path: folder.file("a.gpkg"), access: .readOnly)
    #expect(
      try connection.text(
        "SELECT day || ' ' || rest || ' ' || hex(substr(geom, -16)) FROM t LIMIT 1")
        == #"2024-05-03 {"more":1} 00000000000024400000000000004940"#)
    #expect(
      try connection.text(
        "SELECT group_concat(type) FROM pragma_table_info('t') WHERE name = 'day'")
        == "DATE")
  }

  @Test func `a GeoPackage has geometries of any kind with their envelopes, and related rows`()
    throws
  {
    let folder = try ScratchFolder()
    let store = try Self.store(
      #"""
      {"x-table":"t","properties":{"area":{"type":"object","x-source":"/geometry"},
        "tags":{"type":"array","x-relation":{"table":"tag","unique":"tag"},"items":{"type":"string"}}}}
      """#,
      #"{"geometry":{"type":"LineString","coordinates":[[11,50],[10,51]]},"tags":["x","y"]}"#)
    try store.exportGeoPackage(to: folder.file("a.gpkg"))
    let connection = try Connection(path: folder.file("a.gpkg"), access: .readOnly)
    #expect(
      try rows("SELECT fid, tags, hex(substr(geom, 1, 40)) FROM t", in: connection) == [
        #"1|["x","y"]|47500003E6100000"#
          // West, east, south and north: 10, 11, 50, 51.
          + "0000000000002440000000000000264000000000000049400000000000804940"
      ])
    #expect(
      try rows("SELECT name, type FROM pragma_table_info('t')", in: connection)
        == ["fid|INTEGER", "geom|GEOMETRY", "tags|TEXT"])
    #expect(
      try rows("SELECT geometry_type_name, z FROM gpkg_geometry_columns", in: connection)
        == ["GEOMETRY|2"])
  }

  @Test func `a row without a geometry has none in a GeoPackage`() throws {
    let folder = try ScratchFolder()
    let store = try Self.store(
      #"{"x-table":"t","properties":{"n":{"type":"integer"},"area":{"type":["object","null"],"x-source":"/geometry"}}}"#,
      #"{"n":1}{"n":2,"geometry":{"type":"Point","coordinates":[10,50]}}{"n":3,"geometry":null}"#)
    try store.exportGeoPackage(to: folder.file("a.gpkg"))
    let connection = try Connection(path: folder.file("a.gpkg"), access: .readOnly)
    #expect(
      try rows("SELECT n, geom IS NULL FROM t ORDER BY n", in: connection) == ["1|1", "2|0", "3|1"])
    #expect(try connection.integer("SELECT count(*) FROM rtree_t_geom") == 1)
  }

  @Test func `a table without a model is ordered, and is no map`() throws {
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    var options = ExportOptions()
    options.orders = [.descending("a")]
    var text = ""
    try Store.export(table: "t", of: connection, options: options) { text += String(copying: $0) }
    #expect(text == "{\"a\":2,\"b\":\"y\"}\n{\"a\":1,\"b\":\"x\"}\n")
    options.format = .geojson
    let error = #expect(throws: StoreError.self) {
      try Store.export(table: "t", of: connection, options: options) { _ in }
    }
    #expect(error?.code == .invalidOptions)
  }

  @Test func `a filter names a boolean as a text, and no list`() throws {
    let store = try Self.store(
      #"{"x-table":"t","properties":{"open":{"type":"boolean"},"name":{"type":"string"}}}"#,
      #"{"open":false,"name":"a"} {"open":true,"name":"b"}"#)
    var options = ExportOptions()
    options.filters = [.equal("open", "false")]
    #expect(try Self.lines(store, options) == "{\"open\":false,\"name\":\"a\"}\n")
    options.filters = [.equal("name", Double.nan)]
    let error = #expect(throws: StoreError.self) { try Self.lines(store, options) }
    #expect(error?.code == .invalidOptions)
  }
}
