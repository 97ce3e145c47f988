import Glibc
import POISQLite
import POITestSupport
import Testing

@Suite struct ExportToolTests {
  private let importer = Tool("poi-import")
  private let exporter = Tool("poi-export")
  private let deduplicator = Tool("poi-dedup")

  private static let model =
    #"{"x-table":"place","x-key":"id","properties":{"id":{"type":"integer"},"name":{"type":"string"},"#
    + #""open":{"type":"boolean"},"changed":{"type":"string","format":"date-time"},"#
    + #""level":{"type":["number","null"],"default":3}}}"#

  /// A folder with the store `poi.sqlite`.
  private func makeStore() throws -> ScratchFolder {
    let folder = try ScratchFolder()
    try folder.write(Self.model, to: "model.json")
    let records =
      #"{"id":1,"name":"Bäckerei","open":true,"changed":"2024-01-02T03:04:05+01:00","level":0.5}"#
      + #"{"id":2,"name":"Tea & \"Co\"","open":false,"level":null}{"id":3,"name":"BÄCK","level":7}"#
    let outcome = try importer.run(
      ["-q", "-m", "model.json", "-"], in: folder.path, input: Array(records.utf8))
    #expect(outcome.exitCode == 0, "\(outcome)")
    return folder
  }

  @Test func `records are written as their model reads them`() throws {
    let folder = try makeStore()
    let outcome = try exporter.run([], in: folder.path)
    #expect(outcome.exitCode == 0)
    #expect(
      outcome.output == """
        {"id":1,"name":"Bäckerei","open":true,"changed":"2024-01-02T02:04:05Z","level":0.5}
        {"id":2,"name":"Tea & \\"Co\\"","open":false,"level":null}
        {"id":3,"name":"BÄCK","level":7.0}

        """)
    let digest = try deduplicator.run(["--digest"], in: folder.path).output.split(separator: " ")[1]
    #expect(
      outcome.messages
        == "poi-export: note: 3 records of place in 178 B; digest \(digest)\n")
  }

  @Test(arguments: [
    (["-w", "name~bäck"], "1 3"), (["-w", "name~&"], "2"), (["-w", "open=true"], "1"),
    (["-w", "open="], "3"), (["-w", "changed>=2024-01-02"], "1"), (["-w", "level>=7"], "3"),
    (["-w", "id!=1", "-w", "level!="], "3"), (["-w", "id!=1 and (level=7 or open=true)"], "3"),
    (["-w", "name='Bäckerei' or level is null"], "1 2"),
    (["--order", "-id", "--limit", "2"], "3 2"), (["--order", "id:DESC", "-f", "NDJSON"], "3 2 1"),
    (["--order", "name:asc"], "3 1 2"),
    (["--order", "name"], "3 1 2"), (["-w", "id<=2", "--order", "level"], "2 1"),
  ])
  func `records are selected and ordered`(options: [String], ids: String) throws {
    let folder = try makeStore()
    let outcome = try exporter.run(options + ["-c", "id"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    let expected = ids.split(separator: " ").map { "{\"id\":\($0)}\n" }.joined()
    #expect(outcome.output == expected)
  }

  @Test(arguments: [
    (["-w", "name"], 64, "an operator is expected"), (["-w", "=x"], 64, "name of an attribute"),
    (["-w", "open=yes"], 64, "cannot be compared with yes, only with true or false"),
    (["-w", "id>a"], 64, "cannot be compared with a, only with a number"),
    (["-w", "changed<today"], 64, "cannot be compared with today, only with an Instant"),
    (["-w", "nam=x"], 64, "has no attribute \"nam\""), (["-c", "nam"], 64, "no attribute \"nam\""),
    (["--order", "nam"], 64, "no attribute \"nam\""),
    (["-w", "id === 3"], 64, "is null\n  id === 3\n     ^\n"),
    (["-t", "plac"], 64, "no table or view \"plac\""),
    (["--limit", "-1"], 64, "not a whole number"), (["other.sqlite"], 66, "no such store"),
    (["--report", "json"], 64, "needs --output"), (["-o", "poi.sqlite"], 64, "SQLite database"),
    (["-o", "poi.sqlite-wal"], 64, "SQLite database"), (["-o", ""], 64, "name a file"),
    (["-o", "none/x"], 74, "No such file"), (["--csv-safe"], 64, "add --format csv"),
    (["--check", "-f", "csv"], 64, "can be checked"),
    (["--check", "-c", "id"], 64, "can be checked"),
    (["--check", "--diff", "poi.sqlite"], 64, "--check"),
    (["--check", "--ship", "x"], 64, "--check"),
  ])
  func `mistakes are refused`(options: [String], code: Int32, message: String) throws {
    let folder = try makeStore()
    let outcome = try exporter.run(options, in: folder.path)
    #expect(outcome.exitCode == code && outcome.output == "", "\(outcome)")
    #expect(outcome.messages.contains(message), "\(outcome.messages)")
  }

  @Test(arguments: ["", ".gz", ".zst", ".xz", ".bz2"])
  func `a file is written as a whole`(end: String) throws {
    let folder = try makeStore()
    try folder.write("old", to: "out.json" + end)
    let written = try exporter.run(
      ["-o", "out.json" + end, "--report", "json"], in: folder.path)
    #expect(written.exitCode == 0 && written.output.contains("\"records\": 3"), "\(written)")
    let again = try importer.run(
      ["-q", "-m", "model.json", "-s", "b.sqlite", "out.json" + end], in: folder.path)
    #expect(again.exitCode == 0, "\(again)")
    #expect(
      try deduplicator.run(["--digest"], in: folder.path).output
        == deduplicator.run(["--digest", "-s", "b.sqlite"], in: folder.path).output)
    #expect(Files.names(in: folder.path).filter { $0.hasPrefix("out") } == ["out.json" + end])
  }

  @Test(arguments: [
    ("a.ndjson", "{\"id\":1,"), ("a.jsonl", "{\"id\":1,"), ("a.JSON", "[\n{"), ("a.csv", "id,name"),
    ("a.csv.json", "[\n{"), ("a", "{\"id\":1,"), (".csv", "id,name"),
  ])
  func `the end of a file's name chooses the format`(name: String, start: String) throws {
    let folder = try makeStore()
    #expect(try exporter.run(["-q", "-o", name], in: folder.path).exitCode == 0)
    #expect(try Files.bytes(of: folder.file(name)).starts(with: Array(start.utf8)))
    #expect(try exporter.run(["-q", "-o", name, "-f", "csv"], in: folder.path).exitCode == 0)
    #expect(try Files.bytes(of: folder.file(name)).starts(with: Array("id,name".utf8)))
  }

  @Test func `a name of 255 bytes is written`() throws {
    let folder = try makeStore()
    for options in [["-o"], ["-f", "gpkg", "-t", "place", "-o"], ["--ship"]] {
      let name = String(repeating: "n", count: 255)
      let outcome = try exporter.run(["-q"] + options + [name], in: folder.path)
      // The model has no geometry.
      #expect(outcome.exitCode == (options.contains("gpkg") ? 64 : 0), "\(outcome)")
      unsafe unlink(folder.file(name))
    }
  }

  @Test func `a table that became a view is written`() throws {
    let folder = try makeStore()
    let whole = try exporter.run(["-q"], in: folder.path).output
    try Connection(path: folder.file("poi.sqlite"), access: .readWrite).execute(
      "ALTER TABLE place RENAME TO spot; CREATE VIEW place AS SELECT * FROM spot")
    let outcome = try exporter.run(["-q", "-t", "place"], in: folder.path)
    #expect(outcome.exitCode == 0 && outcome.output == whole, "\(outcome)")
  }

  @Test func `records that are members of one object come out as such`() throws {
    let folder = try ScratchFolder()
    try folder.write(
      #"{"x-table":"t","x-key":"k","properties":{"k":{"type":"string","x-source":"0#"},"#
        + #""x":{"type":"integer"},"y":{"type":"string"}}}"#, to: "model.json")
    try folder.write(#"{"a":{"x":1,"y":"p"},"b":{"x":2,"y":"q"}}"#, to: "a.json")
    let outcome = try importer.run(
      ["-q", "-m", "model.json", "--at", "", "a.json"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    let whole = "{\n\"a\":{\"x\":1,\"y\":\"p\"},\n\"b\":{\"x\":2,\"y\":\"q\"}\n}\n"
    #expect(try exporter.run(["-q"], in: folder.path).output == whole)
    #expect(try exporter.run(["-f", "ndjson"], in: folder.path).exitCode == 64)
  }

  @Test func `a link stays one, and a failed compressor changes no file`() throws {
    let folder = try makeStore()
    let outcome = try Tool.shell(
      """
      echo old > file; ln -s file link; ln -s none broken; echo old > z.gz; mkdir bin
      printf '#!/bin/sh\nexit 3\n' > bin/gzip; chmod +x bin/gzip
      "$1" -q -o link; echo "$?"; "$1" -q -o broken; echo "$?"
      PATH="$PWD/bin:$PATH" "$1" -q -o z.gz; echo "$?"; cat z.gz; PATH= "$1" -q -o z.zst || ls
      chmod a-x bin/gzip; PATH="$PWD/bin" "$1" -q -o z.gz; cat z.gz
      """, [exporter.path], in: folder.path)
    #expect(outcome.output.hasPrefix("0\n74\n74\nold\nbin\nbroken\nfile\nlink\n"), "\(outcome)")
    #expect(outcome.output.hasSuffix("\nold\n"), "\(outcome)")
    #expect(try Files.bytes(of: folder.file("file")).starts(with: Array("{\"id\":1".utf8)))
    #expect(outcome.messages.contains("gzip failed; is the disk full?"), "\(outcome)")
    #expect(outcome.messages.contains("zstd is not installed; install it"), "\(outcome)")
    #expect(outcome.messages.contains("cannot start gzip: Permission denied"), "\(outcome)")
  }

  @Test func `what another program broke is written and counted`() throws {
    let folder = try makeStore()
    try Connection(path: folder.file("poi.sqlite"), access: .readWrite).execute(
      "UPDATE place SET name = CAST(x'41ff' AS TEXT), changed = 9e17 WHERE id = 2")
    let unchecked = try exporter.run(["-o", "out", "-w", "id!=2"], in: folder.path)
    #expect(unchecked.exitCode == 0, "\(unchecked)")
    let outcome = try exporter.run(["--check", "-o", "out"], in: folder.path)
    #expect(outcome.exitCode == 1)
    #expect(outcome.messages.contains("1 texts are not UTF-8"), "\(outcome.messages)")
    #expect(outcome.messages.contains("The first is row 2: changed: "), "\(outcome.messages)")
    let text = String(decoding: try Files.bytes(of: folder.file("out")), as: UTF8.self)
    #expect(text.contains("\"A\u{FFFD}\""))
  }

  @Test func `any table and view is written with its columns`() throws {
    let folder = try ScratchFolder()
    try Connection(path: folder.file("app.db")).execute(
      """
      CREATE TABLE t (a, rowid TEXT, "ü" REAL); INSERT INTO t VALUES (x'00ff10', 'x', 1), (NULL, '2', 0.1);
      CREATE VIEW v AS SELECT a IS NULL AS n, rowid AS r FROM t;
      CREATE TABLE w (k TEXT PRIMARY KEY) WITHOUT ROWID; INSERT INTO w VALUES ('b'), ('a');
      """)
    func output(_ options: String...) throws -> String {
      let outcome = try exporter.run(["-q", "app.db"] + options, in: folder.path)
      return outcome.output + outcome.messages
    }
    #expect(
      try output("-t", "T")
        == "{\"a\":\"AP8Q\",\"rowid\":\"x\",\"ü\":1.0}\n{\"a\":null,\"rowid\":\"2\",\"ü\":0.1}\n")
    #expect(try output("-t", "v", "-w", "n=", "-c", "r") == "")
    #expect(try output("-t", "v", "-w", "r=2", "-c", "r") == "{\"r\":\"2\"}\n")
    #expect(try output("-t", "w", "-f", "json") == "[\n{\"k\":\"a\"},\n{\"k\":\"b\"}\n]\n")
    #expect(try output().contains("name the table with --table"))
    #expect(
      try output("-t", "t", "-w", "b=1").contains("t has no column \"b\"; it has a, rowid, ü"))
  }

  private static let endlessView: SQL = """
    CREATE VIEW v AS WITH c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c
    """

  @Test func `an interrupted export leaves no file`() throws {
    let folder = try ScratchFolder()
    try Connection(path: folder.file("app.db")).execute(Self.endlessView)
    let outcome = try Tool.shell(
      """
      "$1" app.db -t v -o out.gz & while ! ls .out.gz.partial-* 2>/dev/null; do sleep 0.01; done
      kill $! && wait $!; echo "exit $?"; ls -A | grep 'app\\|out.gz'
      """, [exporter.path], in: folder.path)
    #expect(outcome.output.hasSuffix("exit 130\napp.db\n"), "\(outcome)")
  }

  @Test func `a closed reader ends the export, and a full disk leaves no file`() throws {
    let folder = try makeStore()
    let path = exporter.path
    try Connection(path: folder.file("app.db")).execute(Self.endlessView)
    let head = try Tool.shell(
      "{ \"$1\" -q app.db -t v; echo \"exit $?\" >&2; } | head -n 1", [path], in: folder.path)
    #expect(head.output == "{\"x\":1}\n" && head.messages == "exit 0\n", "\(head)")
    let full = try Tool.shell("\"$1\" > /dev/full", [path], in: folder.path)
    #expect(full.exitCode == 74 && full.messages.contains("No space left"), "\(full)")
    let limited = try Tool.shell(
      "ulimit -f 2000; \"$1\" app.db -t v -o out", [path], in: folder.path)
    #expect(limited.exitCode == 74 && limited.messages.contains("out: cannot write"), "\(limited)")
    #expect(!Files.names(in: folder.path).contains { $0.hasPrefix("out") })
  }

  @Test(
    .enabled(if: RealData.has("README.md")),
    arguments: [
      "bench-json/twitter.json", "bench-json/citm_catalog.json", "csc/cities/AL.json",
      "csc/json/countries+states.json", "usgs-earthquakes/earthquakes.geojson",
      "mledoze-countries/countries-new.json", "osm-playgrounds/playgrounds-2-1c1bf07.geojson",
      "oslo-bikes/station_information.json",
    ])
  func `an inferred model reads its records from their export`(file: String) throws {
    let folder = try ScratchFolder()
    let imported = try importer.run(
      ["-q", "--infer", "\(RealData.folder)/\(file)"], in: folder.path)
    #expect(imported.exitCode == 0, "\(imported)")
    let table = try DedupToolTests.dump(
      folder.file("poi.sqlite"), "SELECT name FROM poikit_table")[0]
    let document = try DedupToolTests.dump(
      folder.file("poi.sqlite"), "SELECT model FROM poikit_table")[0]
    try folder.write(document, to: "model.json")
    #expect(try exporter.run(["-o", "a"], in: folder.path).exitCode == 0)
    let again = try importer.run(
      ["-q", "-m", "model.json", "-s", "b.sqlite", "a"], in: folder.path)
    #expect(again.exitCode == 0, "\(again)")
    #expect(
      try deduplicator.run(["--digest", "-t", table], in: folder.path).output
        == deduplicator.run(["--digest", "-t", table, "-s", "b.sqlite"], in: folder.path).output)
    #expect(try exporter.run(["-o", "b", "-s", "b.sqlite"], in: folder.path).exitCode == 0)
    let isSame = try Files.bytes(of: folder.file("a")) == Files.bytes(of: folder.file("b"))
    #expect(isSame)
  }
}
