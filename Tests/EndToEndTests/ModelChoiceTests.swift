import Foundation
import POISQLite
import POITestSupport
import Testing

@Suite struct ModelChoiceTests {
  private let tool = Tool("poi-import")

  private static func model(of table: String) -> String {
    #"{"x-table":"\#(table)","x-key":"id","required":["id"],"properties":{"id":{"type":"integer"}}}"#
  }

  private func make(_ tables: [String], in folder: borrowing ScratchFolder) throws {
    try folder.write(#"{"id":1}"#, to: "data")
    for table in tables {
      try folder.write(Self.model(of: table), to: "model")
      #expect(try tool.run(["-q", "-m", "model", "data"], in: folder.path).exitCode == 0)
    }
  }

  /// The tables of records, and the number of rows in the table with this name.
  private func tables(counting table: SQL, in folder: borrowing ScratchFolder) throws -> [String] {
    let path = folder.file("poi.sqlite")
    return try DedupToolTests.dump(path, "SELECT name FROM poikit_table ORDER BY name")
      + DedupToolTests.dump(path, "SELECT count(*) FROM \(table)")
  }

  @Test func `the default is the model of the store's only table of records`() throws {
    let folder = try ScratchFolder()
    try make(["note"], in: folder)
    let dry = try tool.run(["-n", "--report", "json", "data"], in: folder.path)
    #expect(dry.exitCode == 0 && dry.output.contains(#""table": "note""#), "\(dry)")
    let outcome = try tool.run(["data"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.output.contains("inserted  1  into note of poi.sqlite"), "\(outcome)")
    #expect(try tables(counting: "note", in: folder) == ["note", "2"])
  }

  @Test func `the model of the store's table is used, even if it is called poi`() throws {
    let folder = try ScratchFolder()
    try make(["note", "poi"], in: folder)
    let outcome = try tool.run(["data"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try tables(counting: "poi", in: folder) == ["note", "poi", "2"])
    // The name selects the built-in model.
    let builtIn = try tool.run(["-m", "poi", "data"], in: folder.path)
    #expect(builtIn.exitCode == 64, "\(builtIn)")
  }

  @Test func `the empty table of a failed first try is not chosen`() throws {
    let folder = try ScratchFolder()
    try folder.write(#"[{"id":1,"a":"x"}]"#, to: "shelters-2025.json")
    try folder.write(#"[{"id":2,"a":"y"}]"#, to: "shelters-2026.json")
    #expect(try tool.run(["-m", "poi", "shelters-2025.json"], in: folder.path).exitCode == 1)
    #expect(try tool.run(["--infer", "shelters-2025.json"], in: folder.path).exitCode == 0)
    let next = try tool.run(["shelters-2026.json"], in: folder.path)
    #expect(next.exitCode == 0, "\(next)")
    #expect(next.output.contains("inserted  1  into shelters of poi.sqlite"), "\(next)")
    #expect(try tables(counting: "shelters", in: folder) == ["poi", "shelters", "2"])
    let deduplicated = try Tool("poi-dedup").run(["--digest"], in: folder.path)
    #expect(deduplicated.exitCode == 0, "\(deduplicated)")
  }

  @Test(arguments: [[], ["--dry-run"], ["--snapshot"]])
  func `several tables without one called poi are named`(arguments: [String]) throws {
    let folder = try ScratchFolder()
    try make(["note", "place"], in: folder)
    let before = try folder.bytes("poi.sqlite")
    let outcome = try tool.run(arguments + ["data"], in: folder.path)
    #expect(outcome.exitCode == 64)
    #expect(
      outcome.messages == "poi-import: error: poi.sqlite: the store holds several tables, note, "
        + "place; name the model of one with --model\n", "\(outcome.messages)")
    #expect(try folder.bytes("poi.sqlite") == before)
  }

  @Test(arguments: ["nothing", "an empty file", "an empty store"])
  func `the built-in model is used if there is no table`(before: String) throws {
    let folder = try ScratchFolder()
    try folder.write(ImportToolTests.array(0..<3), to: "data")
    switch before {
    case "an empty file": try folder.write("", to: "poi.sqlite")
    case "an empty store":
      #expect(try tool.run(["-q", "data"], in: folder.path).exitCode == 0)
      try Connection(path: folder.file("poi.sqlite")).execute(
        "DROP TABLE poi; DROP VIEW poikit_readable_poi; DELETE FROM poikit_table")
    default: break
    }
    func isThere() -> Bool { FileManager.default.fileExists(atPath: folder.file("poi.sqlite")) }
    let content = isThere() ? try folder.bytes("poi.sqlite") : nil
    let dry = try tool.run(["-n", "data"], in: folder.path)
    #expect(dry.exitCode == 0 && dry.output.contains("valid     3"), "\(dry)")
    #expect(try (isThere() ? folder.bytes("poi.sqlite") : nil) == content)
    let outcome = try tool.run(["data"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try tables(counting: "poi", in: folder) == ["poi", "3"])
  }

  @Test func `reading the model leaves the store byte for byte the same`() throws {
    let folder = try ScratchFolder()
    try make(["note"], in: folder)
    let path = folder.file("poi.sqlite")
    try Connection(path: path).execute("PRAGMA journal_mode = DELETE")
    let before = try folder.bytes("poi.sqlite")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    _ = try Tool(path: "/bin/chmod").run(["a-w", path], in: folder.path)
    let outcome = try tool.run(["-n", "data"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try folder.bytes("poi.sqlite") == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == files)
  }

  @Test func `an unfinished import continues with the model of its table`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.model(of: "note"), to: "model")
    try folder.write("{\"id\":1}\n{}\n{\"id\":2}", to: "data")
    let stopped = try tool.run(
      ["-m", "model", "-b", "2", "--max-rejects", "0", "data"], in: folder.path)
    #expect(stopped.exitCode == 65)
    let outcome = try tool.run(["--resume", "data"], in: folder.path)
    #expect(outcome.exitCode == 1, "\(outcome)")
    #expect(try tables(counting: "note", in: folder) == ["note", "2"])
  }

  @Test func `the name of a table selects its model, unless a file has the name`() throws {
    let folder = try ScratchFolder()
    try make(["note", "place"], in: folder)
    #expect(try tool.run(["-m", "place", "data"], in: folder.path).exitCode == 0)
    #expect(try tables(counting: "place", in: folder) == ["note", "place", "2"])
    let token = try tool.run(["--print-token", "-m", "place"], in: folder.path)
    #expect(token.exitCode == 0, "\(token)")
    let neither = try tool.run(["-m", "other", "data"], in: folder.path)
    #expect(neither.exitCode == 64 && neither.messages.contains("other: "), "\(neither)")
    try folder.write(Self.model(of: "fourth"), to: "place")
    #expect(try tool.run(["-m", "place", "data"], in: folder.path).exitCode == 0)
    #expect(try tables(counting: "fourth", in: folder) == ["fourth", "note", "place", "1"])
  }

  @Test func `inputs of different kinds are refused with a command for each`() throws {
    let folder = try ScratchFolder()
    try folder.write(#"[{"id":1,"name":"a","area":3,"city":"x"}]"#, to: "parks-1.json")
    try folder.write(#"[{"id":2,"name":"b","area":4,"city":"y","tree":1}]"#, to: "parks-2.json")
    try folder.write("id,street,price\n1,s,2\n", to: "flats.csv")
    try folder.write(
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"route":"r"},"geometry":null}]}"#,
      to: "routes.geojson")
    let files = ["parks-1.json", "flats.csv", "parks-2.json", "routes.geojson"]
    for options in ["--infer -s a.sqlite", "--infer=print"] {
      let refused = try tool.run(
        options.split(separator: " ").map(String.init) + files, in: folder.path)
      #expect(refused.exitCode == 64, "\(refused)")
      #expect(
        refused.messages.contains(
          """
          3 kinds; import each kind by itself, or name the table of all with --table
            poi-import \(options) parks-1.json parks-2.json  # id, name, area, city
            poi-import \(options) flats.csv  # id, street, price
            poi-import \(options) routes.geojson  # route

          """), "\(refused)")
      #expect(!FileManager.default.fileExists(atPath: folder.file("a.sqlite")))
    }
    for words in [["parks-1.json", "parks-2.json"], ["flats.csv"], ["routes.geojson"]] {
      let outcome = try tool.run(["--infer", "-s", "a.sqlite"] + words, in: folder.path)
      #expect(outcome.exitCode == 0, "\(outcome)")
    }
    let tables = try DedupToolTests.dump(
      folder.file("a.sqlite"), "SELECT name FROM poikit_table ORDER BY name")
    #expect(tables == ["flats", "parks", "routes"])
    let together = try tool.run(
      ["--infer", "-s", "b.sqlite", "-t", "all"] + files, in: folder.path)
    #expect(
      together.exitCode == 0 && together.output.contains("into all of b.sqlite"), "\(together)")
  }

  @Test func `parts of one delivery are of one kind, however they are cut`() throws {
    let folder = try ScratchFolder()
    var generator = SplitMix64(seed: 59)
    let lines = (0..<60).map { id in
      let members = ["name", "city", "area", "kind", "note"].map { #""\#($0)":"\#($0)\#(id)""# }
      // Each record lacks some members.
      let some = members.filter { _ in Int.random(in: 0..<5, using: &generator) > 0 }
      return "{\((["\"id\":\(id)"] + some).joined(separator: ","))}\n"
    }
    for count in [2, 3, 7] {
      var parts = Array(repeating: "", count: count)
      for line in lines { parts[Int.random(in: 0..<count, using: &generator)] += line }
      let names = parts.indices.map { "part\($0).ndjson" }
      for (name, part) in zip(names, parts) { try folder.write(part, to: name) }
      let outcome = try tool.run(["--infer", "-s", "\(count).sqlite"] + names, in: folder.path)
      #expect(
        outcome.exitCode == 0 && outcome.output.contains("inserted  60"), "seed 59: \(outcome)")
    }
  }
}
