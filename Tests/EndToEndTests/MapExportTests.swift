import POITestSupport
import Testing

/// CSV and GeoPackage as other programs read them.
@Suite struct MapExportTests {
  private let importer = Tool("poi-import")
  private let exporter = Tool("poi-export")

  private static let model = #"""
    {"x-table":"shape","x-key":"id","properties":{
      "id":{"type":"integer"},"fid":{"type":["string","null"]},"open":{"type":["boolean","null"]},
      "at":{"type":["string","null"],"format":"date-time"},
      "area":{"type":["object","null"],"x-source":"/geometry"},
      "tags":{"type":"array","x-relation":{"table":"tag","unique":"tag"},"items":{"type":"string"}}}}
    """#

  private static let records = #"""
    {"id":1,"fid":"a,b","open":true,"at":"2024-01-02T03:04:05.678901Z",
     "geometry":{"type":"Point","coordinates":[10,50]},"tags":["x","y"]}
    {"id":2,"fid":"","geometry":{"type":"Polygon","coordinates":[[[170,-20],[179,-20],[179,-10],[170,-20]]]}}
    {"id":3,"open":false,"geometry":{"type":"LineString","coordinates":[[-179,-15,5],[-178,-14,6]]}}
    {"id":4,"fid":"line\nend \"q\"","geometry":{"type":"Sphere"}}
    {"id":5}
    """#

  private static let hasGDAL =
    (try? Tool.shell("ogrinfo --version", in: "/"))?.exitCode == 0

  private func makeStore() throws -> ScratchFolder {
    let folder = try ScratchFolder()
    try folder.write(Self.model, to: "model.json")
    try folder.write(Self.records, to: "records.json")
    let outcome = try importer.run(["-q", "-m", "model.json", "records.json"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    return folder
  }

  private static let points = #"{"type":"Point","coordinates":[1.5,2.0,3.5]}"#

  /// Features in their own order of members.
  @Test(arguments: [
    [
      #"{"type":"Feature","id":1,"geometry":\#(points),"properties":{"n":"a"},"bbox":[1,2,3,4],"x":{"k":1}}"#,
      #"{"type":"Feature","id":2,"geometry":\#(points),"properties":null,"layer":"q"}"#,
      #"{"type":"Feature","id":3,"geometry":\#(points),"properties":{}}"#,
      #"{"type":"Feature","id":5,"geometry":\#(points)}"#,
      #"{"type":"Feature","id":4,"geometry":null,"properties":{"n":"b"},"x":{"k":2}}"#,
    ],
    [
      #"{"type":"Feature","geometry":\#(points),"properties":null}"#,
      #"{"type":"Feature","geometry":\#(points),"properties":null}"#,
    ],
    [
      #"{"type":"Feature","geometry":\#(points),"properties":{}}"#,
      #"{"type":"Feature","geometry":\#(points),"properties":null}"#,
    ],
  ])
  func `features come out as they went in`(features: [String]) throws {
    let folder = try ScratchFolder()
    let file =
      #"{"type":"FeatureCollection","features":["# + "\n" + features.joined(separator: ",\n")
      + "\n]}\n"
    try folder.write(file, to: "places.geojson")
    let outcome = try importer.run(["--infer", "places.geojson"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    let exported = try exporter.run(["-q", "-f", "geojson"], in: folder.path)
    #expect(exported.output == file, "\(exported)")
    // The members of each in the order of the model.
    let lines = try exporter.run(["-q"], in: folder.path).output.split(separator: "\n")
    #expect(
      lines.map { Set($0.split(whereSeparator: { "{},".contains($0) })) }
        == features.map { Set($0.split(whereSeparator: { "{},".contains($0) })) }, "\(lines)")
  }

  @Test func `a feature without properties comes out without them`() throws {
    let folder = try ScratchFolder()
    let feature = #"{"type":"Feature","id":1,"geometry":\#(Self.points)}"#
    let other = #"{"type":"Feature","id":2,"geometry":\#(Self.points),"properties":{"n":"b"}}"#
    for features in [[feature, feature], [feature, other]] {
      try folder.write(features.joined(separator: "\n"), to: "places.ndjson")
      let store = ["--store", "\(features.last == other).sqlite"]
      let outcome = try importer.run(["-q", "--infer", "places.ndjson"] + store, in: folder.path)
      #expect(outcome.exitCode == 0, "\(outcome)")
      let lines = try exporter.run(["-q"] + store, in: folder.path)
      #expect(lines.output == features.joined(separator: "\n") + "\n")
      let map = try exporter.run(["-q", "-f", "geojsonseq"] + store, in: folder.path)
      #expect(map.output == features.map { "\u{1E}\($0)\n" }.joined())
    }
  }

  @Test(arguments: [["--infer"], ["--model", "model.json"]])
  func `features in metres are not stored`(arguments: [String]) throws {
    let folder = try ScratchFolder()
    try folder.write(Self.model, to: "model.json")
    let feature =
      #"{"type":"Feature","id":1,"geometry":{"type":"Polygon","coordinates":[[[446211.5,5412345.2]]]}}"#
    try folder.write(
      #"{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:25832"}},"#
        + #""features":[\#(feature)]}"#, to: "my places.geojson")
    let outcome = try importer.run(arguments + ["my places.geojson"], in: folder.path)
    #expect(outcome.exitCode == 65, "\(outcome)")
    #expect(
      outcome.messages.contains(
        #"names "EPSG:25832", but positions are read in degrees of WGS 84; this converts the file: "#
          + "ogr2ogr -t_srs EPSG:4326 wgs84.geojson 'my places.geojson'"), "\(outcome)")
    let pipe = try importer.run(
      arguments + ["-"], in: folder.path, input: Files.bytes(of: folder.file("my places.geojson")))
    #expect(pipe.messages.contains("EPSG:4326 wgs84.geojson in.geojson"), "\(pipe)")
    #expect(
      try !Files.names(in: folder.path).contains("poi.sqlite")
        || exporter.run(["-q"], in: folder.path).output.isEmpty)
  }

  @Test func `SQLite's shell reads the CSV`() throws {
    let folder = try makeStore()
    let outcome = try Tool.shell(
      """
      "$1" -q -o out.csv.gz && gunzip out.csv.gz
      sqlite3 -cmd '.import --csv out.csv t' :memory: "SELECT id, quote(fid), open, at, tags FROM t"
      """, [exporter.path], in: folder.path)
    #expect(
      outcome.output == #"""
        1|'a,b'|true|2024-01-02T03:04:05.678901Z|["x","y"]
        2|''|||
        3|''|false||
        4|'line
        end "q"'|||
        5|''|||

        """#, "\(outcome)")
  }

  @Test(
    .enabled(if: hasGDAL, "GDAL is not installed"))
  func `GDAL reads the GeoPackage`() throws {
    let folder = try makeStore()
    let outcome = try Tool.shell(
      """
      "$1" -q -o out.gpkg
      ogrinfo -ro -q -al out.gpkg | grep -v '^ *(null)$' | grep -v '^$'
      echo; ogrinfo -ro -q -al -spat 9 49 11 51 out.gpkg | grep -c OGRFeature
      sqlite3 out.gpkg "SELECT rtreecheck('rtree_shape_geom'); PRAGMA integrity_check; PRAGMA foreign_key_check;
        SELECT min_x, min_y, max_x, max_y, srs_id FROM gpkg_contents; SELECT count(*) FROM rtree_shape_geom"
      """, [exporter.path], in: folder.path)
    let lines = outcome.output.split(separator: "\n").map { $0.drop { $0 == " " } }
    for line in [
      "OGRFeature(shape):1", "POINT (10 50)", "at (DateTime) = 2024/01/02 03:04:05.678+00",
      "fid (String) = a,b", "open (Integer(Boolean)) = 1", #"tags (String) = ["x","y"]"#,
      "POLYGON ((170 -20,179 -20,179 -10,170 -20))", "LINESTRING Z (-179 -15 5,-178 -14 6)",
      "OGRFeature(shape):5", "-179.0|-20.0|179.0|50.0|4326",
    ] {
      #expect(lines.contains { $0 == line }, "\(line) in \(outcome)")
    }
    #expect(
      lines.suffix(5).map(String.init) == ["1", "ok", "ok", "-179.0|-20.0|179.0|50.0|4326", "3"])
  }

  @Test func `a GeoPackage has columns whose names differ only in case, or repeat`() throws {
    let folder = try ScratchFolder()
    try folder.write(
      #"{"x-table":"t","properties":{"Geom":{"type":"string"},"geom":{"type":"string","x-column":"b"},"#
        + #""lat":{"type":"number"},"lon":{"type":"number"}}}"#, to: "model.json")
    let outcome = try Tool.shell(
      """
      echo '{"Geom":"x","geom":"y","lat":1,"lon":2}' | "$2" -q -m model.json -
      "$1" -q -f gpkg -o a.gpkg; sqlite3 -header a.gpkg "SELECT Geom, geom_, hex(geom__) FROM t"
      "$1" -q -f gpkg -o b.gpkg -c lat,lat; sqlite3 -header b.gpkg "SELECT fid, lat FROM t"
      "$1" -q -f csv -o - -c lat
      """, [exporter.path, importer.path], in: folder.path)
    #expect(
      outcome.output
        == """
        Geom|geom_|hex(geom__)
        x|y|47500001E610000001010000000000000000000040000000000000F03F
        fid|lat
        1|1.0
        lat\r
        1.0\r

        """, "\(outcome)")
  }

  @Test(arguments: [
    ("9,49,11,51", "1"), ("10,50,10,50", "1"), ("169,-21,171,-19", "2"),
    ("-180,-16,-178.5,-14", "3"),
    ("175,-21,-178,-13", "2 3"), ("-180,-90,180,90", "1 2 3"), ("0,0,1,1", ""),
  ])
  func `a rectangle selects geometries`(box: String, ids: String) throws {
    let folder = try makeStore()
    let expected = ids.split(separator: " ").map { "{\"id\":\($0)}\n" }
    let outcome = try exporter.run(["--bbox=\(box)", "-c", "id"], in: folder.path)
    #expect(outcome.exitCode == 0 && outcome.output == expected.joined(), "\(outcome)")
    let first = try exporter.run(
      ["--bbox=\(box)", "-c", "id", "--limit", "1", "--order", "-id"], in: folder.path)
    #expect(first.output == (expected.last ?? ""), "\(first)")
  }

  @Test(arguments: [
    (["--bbox", "1,2,3"], 64, "is no rectangle"), (["--bbox", "1,9,3,4"], 64, "is no rectangle"),
    (["--bbox", "a,2,3,4"], 64, "is no rectangle"),
    (["--bbox", "170,2,190,4"], 64, "180th meridian"),
    (["-f", "gpkg", "-o", "-"], 64, "needs --output"), (["--ship", "-"], 64, "new file"),
    (["-f", "gpkg"], 64, "needs --output"),
    (["-f", "gpkg", "-o", "out", "--check"], 64, "can be checked"),
    (["-f", "gpkg", "-o", "out.gz"], 64, "compress it afterwards"),
    (["-f", "gpkg", "-o", "/dev/null"], 64, "written to a new file"),
    (["-f", "gpkg", "-o", "poi.sqlite"], 64, "written to a new file"),
    (["-f", "csv", "-c", "nam"], 64, "no attribute \"nam\""),
    (["-f", "gpkg", "-o", "out", "-c", "nam"], 64, "no attribute \"nam\""),
    (["-f", "gpkg", "-o", "none/out"], 74, "No such file"),
  ])
  func `mistakes are refused`(options: [String], code: Int32, message: String) throws {
    let folder = try makeStore()
    let outcome = try exporter.run(options, in: folder.path)
    #expect(outcome.exitCode == code && outcome.output == "", "\(outcome)")
    #expect(outcome.messages.contains(message), "\(outcome.messages)")
    let names = ["model.json", "poi.sqlite", "records.json"]
    #expect(Files.names(in: folder.path).filter { !$0.contains("-") } == names)
  }
}
