import POISQLite
import POITestSupport
import Testing

/// Stores compared and shipped by the command line.
@Suite struct StoreCopyTests {
  private let importer = Tool("poi-import")
  private let deduplicator = Tool("poi-dedup")
  private let exporter = Tool("poi-export")

  private static let model =
    #"{"x-table":"place","x-key":"id","properties":{"id":{"type":"integer"},"name":{"type":"string"},"#
    + #""lat":{"type":"number"},"lon":{"type":"number"}}}"#

  private func makeStore() throws -> ScratchFolder {
    let folder = try ScratchFolder()
    try folder.write(Self.model, to: "model.json")
    try folder.write(
      #"{"id":1,"name":"Café","lat":1,"lon":2}{"id":2,"name":"Zoo","lat":3,"lon":4}"#, to: "a.json")
    let outcome = try importer.run(["-q", "-m", "model.json", "a.json"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    return folder
  }

  /// A folder with a store of many records, and one without any.
  private func makeStores(recordCount: Int) throws -> ScratchFolder {
    let folder = try ScratchFolder()
    try folder.write(Self.model, to: "model.json")
    let outcome = try Tool.shell(
      #"""
      seq "$2" | sed 's/.*/{"id":&,"name":"Caf\\u00e9 &","lat":1,"lon":2}/' > data
      "$1" -q -m model.json data && "$1" -q -m model.json -s empty.sqlite /dev/null
      """#, [importer.path, "\(recordCount)"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    return folder
  }

  @Test func `a comparison ends as diff does`() throws {
    let folder = try makeStore()
    let outcome = try Tool.shell(
      #"""
      cp poi.sqlite new.sqlite
      "$1" --diff poi.sqlite new.sqlite; echo "$?"
      sqlite3 new.sqlite "UPDATE place SET name = 'Park' WHERE id = 2; INSERT INTO place VALUES (9, 9, 'n', 5, 6)"
      "$1" --diff poi.sqlite new.sqlite; echo "$?"
      "$1" --diff poi.sqlite --ignore name -o out new.sqlite --report json | jq -c '.counters, .changedAttributes'
      wc -l < out
      "$1" --diff poi.sqlite none.sqlite; echo "$?"
      "$1" --diff model.json new.sqlite; echo "$?"
      """#, [exporter.path], in: folder.path)
    #expect(
      outcome.output == #"""
        0
        {"change":"changed","key":{"id":2},"attributes":{"name":{"old":"Zoo","new":"Park"}}}
        {"change":"added","key":{"id":9},"record":{"id":9,"name":"n","lat":5.0,"lon":6.0}}
        1
        {"added":1,"removed":0,"changed":0,"equal":2,"keylessOlder":0,"keylessNewer":0,"repeatedKeysOlder":0,"repeatedKeysNewer":0}
        {}
        1
        66
        74

        """#, "\(outcome)")
    #expect(
      outcome.messages.contains(
        "note: place by id: 1 added, 0 removed, 1 changed (name 1), 1 equal\n"), "\(outcome)")
  }

  @Test func `a shipped store opens without the toolkit where nothing can be written`() throws {
    let folder = try makeStore()
    let outcome = try Tool.shell(
      #"""
      "$1" --ship app.sqlite --index name --spatial-index --full-text name; echo "$?"
      ls | grep app; chmod 400 app.sqlite
      sqlite3 'file:app.sqlite?immutable=1' "SELECT name FROM place WHERE poikit_id IN (SELECT rowid FROM
        place_text WHERE place_text MATCH 'caf*'); SELECT id FROM place_spatial WHERE minx > 3; PRAGMA journal_mode"
      "$1" --ship app.sqlite; echo "$?"; "$1" --ship b.sqlite.gz; echo "$?"
      "$1" --ship b.sqlite --index nam; echo "$?"; "$1" --ship b.sqlite -f csv; echo "$?"
      "$1" --index name; echo "$?"; "$1" --ship b.sqlite --report json | jq -c '[.output, .bytes > 9999, .tables[0].records]'
      """#, [exporter.path], in: folder.path)
    #expect(
      outcome.output == #"""
        0
        app.sqlite
        Café
        2
        delete
        64
        64
        64
        64
        64
        ["b.sqlite",true,2]

        """#, "\(outcome)")
    let digest = try deduplicator.run(["--digest"], in: folder.path).output
    #expect(
      try deduplicator.run(["--digest", "-s", "app.sqlite"], in: folder.path).output == digest)
  }

  @Test(arguments: [
    "-f gpkg -o out.gpkg", "-f csv -o out.csv", "-f geojson -o out.json.gz", "--ship out.sqlite",
    "--ship out.sqlite --spatial-index", "--diff empty.sqlite -o out.ndjson",
  ])
  func `a file without enough room is not left behind`(options: String) throws {
    let folder = try makeStores(recordCount: 30_000)
    let outcome = try Tool.shell(
      #"""
      (ulimit -f 300; "$1" $2); echo "$?"; ls -A | grep '^\.*out'
      """#, [exporter.path, options], in: folder.path)
    #expect(outcome.output == "74\n", "\(outcome)")
    #expect(
      outcome.messages.contains("File too large") || outcome.messages.contains("is the disk full?"),
      "\(outcome)")
  }

  @Test(arguments: [
    "-f gpkg -o out.gpkg", "--diff empty.sqlite -o out.ndjson", "--ship out.sqlite --spatial-index",
  ])
  func `an interrupted run leaves no file`(options: String) throws {
    // So many that the signal comes before the end.
    let folder = try makeStores(recordCount: 60_000)
    let outcome = try Tool.shell(
      #"""
      "$1" $2 & until ls -A | grep -q '^\.*out'; do sleep 0.01; done
      kill -TERM "$!"; wait "$!"; echo "$?"; ls -A | grep '^\.*out'
      """#, [exporter.path, options], in: folder.path)
    #expect(outcome.output == "130\n" || outcome.output == "143\n", "\(outcome)")
  }

  @Test(arguments: [
    "-f gpkg -o out.gpkg", "-o out.json.gz", "--ship out.sqlite --spatial-index",
    "--diff empty.sqlite -o out.ndjson",
  ])
  func `what a killed run leaves is removed by the next one`(options: String) throws {
    let folder = try makeStores(recordCount: 60_000)
    let outcome = try Tool.shell(
      #"""
      "$1" $2 & until ls -A | grep -q '^\.*out'; do sleep 0.01; done
      kill -KILL "$!"; wait "$!"; echo "$?"; ls -A | grep -c '^\.out.*\.partial-[0-9a-f]*$'
      # A compressor that the killed run started ends soon.
      while ls -l /proc/[0-9]*/fd 2>/dev/null | grep -qF "$PWD/.out"; do sleep 0.01; done
      "$1" -q $2; ls -A | grep '^\.*out'
      """#, [exporter.path, options], in: folder.path)
    let name = options.split(separator: " ").first { $0.hasPrefix("out") } ?? ""
    #expect(outcome.output == "137\n1\n\(name)\n", "\(outcome)")
  }

  @Test(arguments: ["--ship out", "-f gpkg -o out"])
  func `two runs do not replace the file of one another`(options: String) throws {
    let folder = try makeStores(recordCount: 1_000)
    let outcome = try Tool.shell(
      #"""
      for round in 1 2 3 4 5 6; do
        ("$1" -q $2; echo "$?" > first) & ("$1" -q $2; echo "$?" > second) & wait
        cat first second | grep -c '^0$'; ls -A | grep '^\.*out'; rm out
      done
      """#, [exporter.path, options], in: folder.path)
    #expect(outcome.output == String(repeating: "1\nout\n", count: 6), "\(outcome)")
    #expect(
      outcome.messages.split(separator: "\n").allSatisfy {
        $0.contains(": out: the file is there already") || $0.contains("name one that is not there")
      }, "\(outcome)")
  }

  @Test func `a store whose digest is not the remembered one is not shipped`() throws {
    let folder = try makeStores(recordCount: 10)
    try Connection(path: folder.file("poi.sqlite"), access: .readWrite).execute(
      "UPDATE poikit_digest SET digest = zeroblob(16)")
    let outcome = try exporter.run(["--ship", "out.sqlite"], in: folder.path)
    #expect(outcome.exitCode == 74, "\(outcome)")
    let digest = String(repeating: "0", count: 32)
    #expect(
      outcome.messages.contains("is damaged") && outcome.messages.contains("it was \(digest)"),
      "\(outcome)")
    #expect(!Files.names(in: folder.path, isWhole: true).contains { $0.contains("out.sqlite") })
  }

  @Test func `a shipped store has the records, whatever triggers the store has`() throws {
    let folder = try makeStores(recordCount: 10)
    try Connection(path: folder.file("poi.sqlite"), access: .readWrite).execute(
      """
      CREATE TRIGGER wrong AFTER DELETE ON poikit_run BEGIN DELETE FROM place WHERE id > 3; END;
      CREATE TRIGGER worse AFTER DELETE ON poikit_reject BEGIN UPDATE place SET id = -id; END
      """)
    let outcome = try exporter.run(
      ["-q", "--ship", "app.sqlite", "--trust-schema"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(
      try deduplicator.run(["--digest"], in: folder.path).output
        == deduplicator.run(["--digest", "-s", "app.sqlite"], in: folder.path).output)
  }
}
