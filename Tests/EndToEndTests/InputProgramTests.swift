import Foundation
import POISQLite
import POITestSupport
import Testing

/// Files that another program makes readable.
@Suite struct InputProgramTests {
  private let importer = Tool("poi-import")

  private static func has(_ program: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
    }
  }

  private func digest(_ outcome: Tool.Outcome) -> String? {
    outcome.output.split(separator: "\n").first { $0.hasPrefix("digest") }.map(String.init)
  }

  /// Runs a script, and returns what it prints.
  @discardableResult
  private func shell(_ script: String, in folder: borrowing ScratchFolder) throws -> String {
    let outcome = try Tool(path: "/bin/sh").run(["-ec", script], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    return outcome.output
  }

  private static let model = #"""
    {"x-table":"t","x-key":"id","type":"object","required":["id"],"properties":{"id":{"type":"integer"},
    "name":{"type":["string","null"]},"n":{"type":["number","null"]},"at":{"type":["string","null"],"format":"date-time"}}}
    """#
  private static let rows = (0..<3_000).map {
    "\($0),\"name, \($0)\",\($0).5,2024-01-02T03:04:\($0 % 50 + 10)Z"
  }
  private static let csv = (["id,name,n,at"] + rows).joined(separator: "\n")

  private func fixture() throws -> ScratchFolder {
    let folder = try ScratchFolder()
    try folder.write(Self.model, to: "m.json")
    try folder.write(Self.csv, to: "t.csv")
    return folder
  }

  private func load(
    _ input: String, _ arguments: [String] = [], in folder: borrowing ScratchFolder,
    environment: [String: String] = [:]
  ) throws -> Tool.Outcome {
    try importer.run(
      ["-m", "m.json", "-s", "\(UUID()).sqlite"] + arguments + [input], in: folder.path,
      environment: environment)
  }

  @Test(.enabled(if: has("bsdtar")))
  func `a zip archive is read by its only file, or by the one that is named`() throws {
    let folder = try fixture()
    let expected = digest(try load("t.csv", in: folder))
    try shell(
      #"""
      mkdir -p 'd/e' __MACOSX; cp t.csv 'd/e/é[1]*?.csv'; cp t.csv __MACOSX/t.csv
      python3 - <<'END'
      import zipfile
      def pack(name, *members):
          with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as z:
              for member in members: z.write(member)
      pack("one.zip", "t.csv", "__MACOSX/t.csv", "d/e")
      pack("odd.zip", r"d/e/é[1]*?.csv")
      pack("-two.zip", "t.csv", "m.json")
      END
      """#, in: folder)
    let plain = try load("odd.zip", in: folder, environment: ["LC_ALL": "C"])
    #expect(plain.exitCode == 0 && digest(plain) == expected, "\(plain)")
    for input in ["one.zip", "odd.zip", #"odd.zip/d/e/é[1]*?.csv"#, "./-two.zip/t.csv"] {
      let outcome = try load(input, in: folder)
      #expect(outcome.exitCode == 0 && digest(outcome) == expected, "\(input): \(outcome)")
    }
    let several = try load("./-two.zip", in: folder)
    #expect(several.exitCode == 65, "\(several)")
    #expect(
      several.messages.contains(
        "has 2 files; name one of its files behind the path, as ./-two.zip/t.csv: t.csv, m.json"),
      "\(several)")
    let other = try load("one.zip/x.csv", in: folder)
    #expect(other.exitCode == 65 && other.messages.contains("has no x.csv"), "\(other)")
    let part = try load("t.csv/x", in: folder)
    #expect(
      part.exitCode == 66 && part.messages.contains("no file with several parts"), "\(part)")
    let piped = try importer.run(
      ["-m", "m.json", "-"], in: folder.path, input: Files.bytes(of: folder.file("one.zip")))
    #expect(piped.exitCode == 65 && piped.messages.contains("by its name only"), "\(piped)")
  }

  @Test(.enabled(if: has("bsdtar")))
  func `a damaged archive leaves an unfinished run, which the whole one ends`() throws {
    let folder = try fixture()
    let expected = digest(try load("t.csv", in: folder))
    try shell(
      """
      python3 - <<'END'
      import zipfile
      with zipfile.ZipFile("whole.zip", "w") as z: z.write("t.csv")
      whole = open("whole.zip", "rb").read()
      # The name is stored in front of the bytes, whose checksum is wrong then.
      open("wrong.zip", "wb").write(whole.replace(b"2999,", b"2998,"))
      END
      """, in: folder)
    let arguments = [
      "-m", "m.json", "-s", "s.sqlite", "--batch", "100", "--merge", "newest", "x.zip",
    ]
    try shell("cp wrong.zip x.zip", in: folder)
    let outcome = try importer.run(arguments, in: folder.path)
    #expect(outcome.exitCode == 74 && outcome.messages.contains("bsdtar failed"), "\(outcome)")
    try shell("cp whole.zip x.zip", in: folder)
    let again = try importer.run(arguments + ["--restart"], in: folder.path)
    #expect(again.exitCode == 0 && digest(again) == expected, "\(again)")
  }

  /// A folder with a program of a name that does what a script says.
  private func fake(
    _ scripts: [String: String], in folder: borrowing ScratchFolder
  ) throws -> [String: String] {
    for (name, script) in scripts {
      try folder.write("#!/bin/sh\n\(script)\n", to: name)
      // A copy, because a program that another test starts may still have the file open for writing.
      try shell("mkdir -p bin; cp '\(name)' bin; chmod +x bin/*", in: folder)
    }
    return ["PATH": "\(folder.file("bin")):/usr/bin:/bin"]
  }

  private static let parquet = Array("PAR1".utf8) + [0x15, 0x04]

  @Test func `a killed program leaves an unfinished run, and its arguments are no code`() throws {
    let folder = try fixture()
    let lines = (0..<2_000).map { #"{"id":\#($0),"name":"x"}"# }.joined(separator: "\n")
    try folder.write(lines, to: "lines")
    let environment = try fake(
      [
        "duckdb": """
        printf '%s\\n' "$@" >> log
        case "$*" in
        *DESCRIBE*) printf 'DOUBLE\\001a"b\\nBLOB\\001c\\nDECIMAL(5,2)\\001d\\nTIMESTAMP_NS\\001e\\nBIGINT\\001id\\n';;
        *) if [ -e killed ]; then cat lines; else head -n 1500 lines; touch killed; kill -9 $$; fi;;
        esac
        """
      ], in: folder)
    let name = "it's\na [1]*.parquet"
    try Data(Self.parquet).write(to: URL(filePath: folder.file(name)))
    let arguments = ["-m", "m.json", "-s", "s.sqlite", "--batch", "100", name]
    let killed = try importer.run(arguments, in: folder.path, environment: environment)
    #expect(
      killed.exitCode == 74 && killed.messages.contains("duckdb was killed by signal 9"),
      "\(killed)")
    let resumed = try importer.run(
      arguments + ["--resume"], in: folder.path, environment: environment)
    #expect(resumed.exitCode == 0 && resumed.output.contains("inserted  2,000"), "\(resumed)")
    let log = try String(contentsOfFile: folder.file("log"), encoding: .utf8)
    #expect(
      log.contains(
        "SELECT * EXCLUDE (\"c\") REPLACE (CASE WHEN isfinite(\"a\"\"b\") THEN \"a\"\"b\" END AS \"a\"\"b\", "
          + "CAST(\"d\" AS VARCHAR) AS \"d\", CAST(\"e\" AS TIMESTAMP) AS \"e\") "
          + "FROM read_parquet('it''s\na [[]1][*].parquet')) TO '/dev/stdout'"), "\(log)")
  }

  @Test func `without its program a file is refused with the command that installs it`() throws {
    let folder = try fixture()
    let environment = ["PATH": folder.file("none")]
    for (bytes, said) in [
      (
        Self.parquet,
        "is a Parquet file and duckdb is not installed; install it ('pipx install duckdb-cli')"
      ),
      ([0x50, 0x4B, 0x03, 0x04], "apt-get install libarchive-tools"),
      (Array("fgb\u{03}fgb".utf8), "apt-get install gdal-bin"),
      (Array("<?xml version=\"1.0\"?>\n<kml>".utf8), "apt-get install gdal-bin"),
    ] {
      try Data(bytes).write(to: URL(filePath: folder.file("x")))
      let outcome = try load("x", in: folder, environment: environment)
      #expect(outcome.exitCode == 66 && outcome.messages.contains(said), "\(outcome)")
      let piped = try importer.run(["-m", "m.json", "-"], in: folder.path, input: bytes)
      #expect(piped.exitCode == 65, "\(piped)")
    }
    let failing = try fake(
      ["bsdtar": "head -c 300000 /dev/zero | tr '\\0' x >&2; echo; echo no >&2; exit 3"], in: folder
    )
    try Data([0x50, 0x4B, 0x03, 0x04]).write(to: URL(filePath: folder.file("x")))
    let outcome = try load("x", in: folder, environment: failing)
    #expect(
      outcome.exitCode == 74 && outcome.messages.contains("bsdtar failed with exit code 3: xxx")
        && outcome.messages.utf8.count < 700,
      "\(outcome)")
  }

  @Test(.enabled(if: has("duckdb"))) func `Parquet gives the same records as CSV`() throws {
    let folder = try fixture()
    let expected = digest(try load("t.csv", in: folder))
    try folder.write(
      """
      COPY (SELECT id::INT AS id, name, n::DOUBLE AS n, "at"::TIMESTAMP AS "at", 'x'::BLOB AS b,
        9::HUGEINT AS h FROM read_csv('t.csv', all_varchar=true)) TO 't.parquet' (FORMAT parquet);
      """, to: "q.sql")
    try shell("duckdb -no-init < q.sql", in: folder)
    let outcome = try load("t.parquet", in: folder)
    #expect(outcome.exitCode == 0 && digest(outcome) == expected, "\(outcome)")
    try shell("head -c 20000 t.parquet > cut.parquet", in: folder)
    let cut = try load("cut.parquet", in: folder)
    #expect(cut.exitCode == 74, "\(cut)")
  }

  @Test(.enabled(if: has("xlsx2csv") && has("bsdtar")))
  func `a workbook is read by its only sheet, or by the one that is named`() throws {
    let folder = try fixture()
    try shell(
      #"""
      python3 - <<'END'
      import zipfile
      def sheet(rows):
          cells = lambda n, r: "".join('<c r="%s%d" t="inlineStr"><is><t>%s</t></is></c>' % ("AB"[i], n, c) for i, c in enumerate(r))
          return ('<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
                  + "".join('<row r="%d">%s</row>' % (n, cells(n, r)) for n, r in enumerate(rows, 1)) + "</sheetData></worksheet>")
      def book(name, sheets):
          with zipfile.ZipFile(name, "w") as z:
              z.writestr("[Content_Types].xml", '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>' + "".join('<Override PartName="/xl/worksheets/sheet%d.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>' % n for n, _ in enumerate(sheets, 1)) + "</Types>")
              z.writestr("xl/workbook.xml", '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>' + "".join('<sheet name="%s" sheetId="%d" r:id="rId%d"/>' % (s, n, n) for n, s in enumerate(sheets, 1)) + "</sheets></workbook>")
              z.writestr("xl/_rels/workbook.xml.rels", '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">' + "".join('<Relationship Id="rId%d" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet%d.xml"/>' % (n, n) for n, _ in enumerate(sheets, 1)) + "</Relationships>")
              for n, rows in enumerate(sheets.values(), 1): z.writestr("xl/worksheets/sheet%d.xml" % n, sheet(rows))
      book("one.xlsx", {"A &amp; B": [["id", "name"], ["1", "x"], ["2", "y"]]})
      book("two.xlsx", {"A &amp; B": [["id", "name"], ["1", "x"], ["2", "y"]], "C": [["id"], ["3"]]})
      END
      """#, in: folder)
    for input in ["one.xlsx", "two.xlsx/A & B"] {
      let outcome = try load(input, in: folder)
      #expect(outcome.exitCode == 0 && outcome.output.contains("inserted  2"), "\(outcome)")
    }
    let several = try load("two.xlsx", in: folder)
    #expect(
      several.exitCode == 65 && several.messages.contains("as two.xlsx/A & B: A & B, C"),
      "\(several)")
  }

  private static let features = #"""
    {"x-table":"t","x-key":"id","type":"object","required":["id"],"properties":{
    "id":{"type":"integer","x-source":"/properties/nr"},"name":{"type":"string","x-source":"/properties/name"},
    "lat":{"type":"number","x-source":"/geometry/coordinates/1"},"lon":{"type":"number","x-source":"/geometry/coordinates/0"}}}
    """#

  @Test(.enabled(if: has("ogr2ogr"))) func `maps give the features of their layer`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.features, to: "m.json")
    let lines = (1...50).map {
      #"{"type":"Feature","properties":{"nr":\#($0),"name":"é \#($0)"},"geometry":{"type":"Point","coordinates":[\#($0).123456789012,-5.25]}}"#
    }
    try folder.write(lines.joined(separator: "\n"), to: "t.geojsonl")
    let expected = digest(try load("t.geojsonl", in: folder))
    try shell(
      """
      ogr2ogr -q t.gpkg GeoJSONSeq:t.geojsonl -nln places; ogr2ogr -q t.fgb GeoJSONSeq:t.geojsonl
      ogr2ogr -q -t_srs EPSG:3857 u.gpkg t.gpkg; cp t.gpkg two.gpkg
      ogr2ogr -q -append two.gpkg t.gpkg -nln 'other (2)'
      mkdir s; ogr2ogr -q s/t.shp t.gpkg -lco ENCODING=UTF-8
      python3 -c "import zipfile,glob; z=zipfile.ZipFile('in.zip','w'); [z.write(f) for f in glob.glob('s/t.*')]"
      cd s
      python3 -c "import zipfile,glob; z=zipfile.ZipFile('../s.zip','w'); [z.write(f) for f in glob.glob('t.*')]"
      """, in: folder)
    for input in ["t.gpkg", "t.fgb", "two.gpkg/places", "two.gpkg/other (2)"] {
      let outcome = try load(input, in: folder)
      #expect(outcome.exitCode == 0 && digest(outcome) == expected, "\(input): \(outcome)")
    }
    for input in ["u.gpkg", "s.zip", "in.zip"] {
      let outcome = try load(input, in: folder)
      #expect(outcome.exitCode == 0 && outcome.output.contains("inserted  50"), "\(outcome)")
    }
    let several = try load("two.gpkg", in: folder)
    #expect(several.exitCode == 65 && several.messages.contains("has 2 layers"), "\(several)")
  }

  @Test(.enabled(if: has("duckdb"))) func `a file of Overture's shape is imported by inference`()
    throws
  {
    let folder = try ScratchFolder()
    try folder.write(
      """
      COPY (SELECT '08f19' || i AS id, 'point'::BLOB AS geometry,
          {'xmin': 4.5::FLOAT + i, 'xmax': 4.5::FLOAT + i, 'ymin': 52.25::FLOAT, 'ymax': 52.25::FLOAT} AS bbox,
          i::INT AS version, [{'property': '', 'dataset': 'meta', 'update_time': '2024-05-01T00:00:00.000Z'}] AS sources,
          {'primary': 'Café ' || i, 'common': MAP {'nl': 'Kroeg ' || i}} AS names,
          {'primary': 'cafe', 'alternate': ['bar', 'pub']} AS categories, 0.75 + i / 100 AS confidence,
          ['https://example.org/' || i] AS websites, NULL::VARCHAR[] AS phones
        FROM range(20) AS t(i)) TO 'places.parquet' (FORMAT parquet);
      """, to: "q.sql")
    try shell("duckdb -no-init < q.sql", in: folder)
    let outcome = try importer.run(["--infer", "places.parquet"], in: folder.path)
    #expect(outcome.exitCode == 0 && outcome.output.contains("inserted  20"), "\(outcome)")
    #expect(outcome.messages.contains("geometry"), "\(outcome)")
    let row = try Connection(path: folder.file("poi.sqlite"), access: .readOnly)
      .text(
        "SELECT id || ' ' || names_primary || ' ' || bbox_xmin || ' ' || confidence FROM places WHERE version = 3"
      )
    #expect(row == "08f193 Café 3 7.5 0.78")
  }

  @Test(.enabled(if: has("osmium"))) func `places of OpenStreetMap are imported by inference`()
    throws
  {
    let folder = try ScratchFolder()
    try folder.write(
      """
      <osm version="0.6"><node id="1" version="1" lat="52.5" lon="4.25"><tag k="amenity" v="cafe"/>
      <tag k="name" v="Café"/></node><node id="2" version="1" lat="-5" lon="0"><tag k="name" v="é"/></node></osm>
      """, to: "map.osm")
    try shell(
      "osmium export -f geojsonseq -x print_record_separator=false -u type_id map.osm -o map.geojsonl",
      in: folder)
    let outcome = try importer.run(["--infer", "map.geojsonl"], in: folder.path)
    #expect(outcome.exitCode == 0 && outcome.output.contains("inserted  2"), "\(outcome)")
    let row = try Connection(path: folder.file("poi.sqlite"), access: .readOnly)
      .text(
        "SELECT id || ' ' || name || ' ' || latitude || ' ' || longitude FROM map WHERE amenity = 'cafe'"
      )
    #expect(row == "n1 Café 52.5 4.25")
  }
}
