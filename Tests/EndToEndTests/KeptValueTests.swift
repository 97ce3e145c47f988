import SQLiteKit
import TestSupport
import Testing

/// Values that their column cannot hold, under a model with `x-keeps-misfits`.
@Suite struct KeptValueTests {
  private let importer = Tool("poi-import")
  private let exporter = Tool("poi-export")

  private static func model(keeps: Bool) -> String {
    #"{"x-table":"t","x-key":"id","x-timestamp":"updated","x-unmapped-column":"other","#
      + #""x-keeps-misfits":\#(keeps),"required":["id"],"properties":{"id":{"type":"integer"},"#
      + #""updated":{"type":["string","null"],"format":"date-time"},"#
      + #""price":{"type":["number","null"]},"open":{"type":["boolean","null"]},"#
      + #""lat":{"type":["number","null"],"x-source":"/geo/lat"},"#
      + #""a":{"type":["integer","null"],"x-source":"/pair/0"},"#
      + #""b":{"type":["integer","null"],"x-source":"/pair/1"},"#
      + #""name":{"type":["string","null"]}}}"#
  }

  /// Records as their export writes them.
  private static let records = """
    {"id":1,"updated":"N/A","price":1e400,"open":7,"geo":{"lat":"x","n":1},"pair":[1,2,9],"name":{"a":1.50}}
    {"id":2,"updated":"2026-01-01T00:00:00Z","price":2.5,"geo":"none","pair":["q",2]}
    {"id":3,"updated":20260101,"geo":{},"pair":"no"}
    {"id":4,"price":2.5,"open":true,"geo":{"lat":1.5},"pair":[1,2],"name":"n"}

    """

  /// A folder with a store that has the records.
  private func makeStore(_ records: String = Self.records) throws -> ScratchFolder {
    let folder = try ScratchFolder()
    try folder.write(Self.model(keeps: true), to: "model.json")
    let outcome = try importer.run(
      ["-q", "-m", "model.json", "-"], in: folder.path, input: Array(records.utf8))
    #expect(outcome.exitCode == 0, "\(outcome)")
    return folder
  }

  private func dump(_ query: SQL, in folder: borrowing ScratchFolder) throws -> [String] {
    try DedupToolTests.dump(folder.file("poi.sqlite"), query)
  }

  @Test func `a value that does not fit comes out as it came`() throws {
    let folder = try makeStore()
    #expect(try exporter.run(["-q", "-f", "ndjson"], in: folder.path).output == Self.records)
    #expect(
      try dump("SELECT id, price, lat, a, other FROM t WHERE id <> 1", in: folder) == [
        #"2|2.5|NULL|NULL|{"geo":"none","pair":["q",2]}"#,
        #"3|NULL|NULL|NULL|{"updated":20260101,"geo":{},"pair":"no"}"#, "4|2.5|1.5|1|NULL",
      ])
  }

  @Test func `null and an empty object instead of an object with attributes come out as they came`()
    throws
  {
    let records = #"{"id":1,"geo":null,"pair":null}"# + "\n" + #"{"id":2,"geo":{}}"# + "\n"
    let folder = try makeStore(records + #"{"id":3,"geo":{"lat":null}}"#)
    #expect(
      try exporter.run(["-q"], in: folder.path).output
        == records + #"{"id":3,"geo":{}}"# + "\n")
  }

  @Test func `a timestamp from the future is kept, and the record has none`() throws {
    let record = #"{"id":1,"updated":"9999-12-31T23:59:59Z"}"#
    let folder = try makeStore(record)
    #expect(try exporter.run(["-q"], in: folder.path).output == record + "\n")
    let query: SQL = "SELECT updated, other FROM t"
    #expect(try dump(query, in: folder) == [#"NULL|{"updated":"9999-12-31T23:59:59Z"}"#])
    let outcome = try importer.run(
      ["-q", "-m", "model.json", "--max-skew", "none", "-"],
      in: folder.path, input: Array(record.utf8))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try dump(query, in: folder).last == "253402300799000000|NULL")
  }

  @Test func `the report names what was kept`() throws {
    let folder = try makeStore()
    let arguments = ["--dry-run", "-m", "model.json", "-"]
    let text = try importer.run(arguments, in: folder.path, input: Array(Self.records.utf8))
    #expect(
      text.output.contains(
        #"kept beside their columns: /geo 1 ("none"), /geo/lat 1 ("x"), /name 1 ({"a":1.50}), "#
          + #"/open 1 (7), /pair 1 ("no"), /pair/0 1 ("q"), /price 1 (1e400), /updated 2 ("N/A")"#),
      "\(text)")
    #expect(text.messages.contains("more than 5 % of the values at /geo, "), "\(text)")
    let json = try importer.run(
      ["--report", "json"] + arguments, in: folder.path, input: Array(Self.records.utf8))
    #expect(json.output.contains(#""first": "\"N/A\"""#), "\(json)")
  }

  @Test func `a resumed import counts what was kept before it`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.model(keeps: true), to: "model.json")
    try folder.write(Self.records, to: "data.ndjson")
    try folder.write(#"{"id":"x"}{"id":9,"updated":"?"}"#, to: "more.json")
    let arguments = ["-m", "model.json", "--batch", "1", "data.ndjson", "more.json"]
    let first = try importer.run(["--max-rejects", "0"] + arguments, in: folder.path)
    #expect(first.exitCode == 65, "\(first)")
    let second = try importer.run(["--resume"] + arguments, in: folder.path)
    #expect(second.output.contains(#"/updated 3 ("N/A")"#), "\(second)")
  }

  @Test func `keys, required values and repeated members are still rejected`() throws {
    let folder = try makeStore()
    let records =
      #"{"id":"x"}{"id":5,"price":"u","price":4}{"id":6,"geo":"u","geo":{"lat":1}}{"id":7,"geo":{"lat":"v","lat":2}}"#
    let outcome = try importer.run(
      ["--dry-run", "-m", "model.json", "-"], in: folder.path, input: Array(records.utf8))
    #expect(outcome.output.contains("rejected  4  duplicate-key 3, type 1"), "\(outcome)")
  }

  @Test func `a model without the keyword rejects the record`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.model(keeps: false), to: "model.json")
    let outcome = try importer.run(
      ["--dry-run", "-m", "model.json", "-"], in: folder.path, input: Array(Self.records.utf8))
    #expect(outcome.output.contains("rejected  3  format 1, type 2"), "\(outcome)")
  }

  @Test func `the keyword needs a column for unmapped members`() throws {
    let folder = try ScratchFolder()
    try folder.write(
      #"{"x-table":"t","x-keeps-misfits":true,"properties":{"n":{"type":"integer"}}}"#,
      to: "model.json")
    let outcome = try importer.run(["-m", "model.json", "-"], in: folder.path)
    #expect(outcome.exitCode == 65 || outcome.exitCode == 64, "\(outcome)")
    #expect(outcome.messages.contains(#"add "x-unmapped-column""#), "\(outcome)")
  }

  @Test func `after an edit the column speaks`() throws {
    let folder = try makeStore(#"{"id":1,"price":"on request"}"#)
    try Connection(path: folder.file("poi.sqlite"), access: .readWrite).execute(
      "UPDATE t SET price = 3")
    let outcome = try exporter.run(["-q"], in: folder.path)
    #expect(outcome.output == #"{"id":1,"price":3.0}"# + "\n", "\(outcome)")
  }

  @Test func `a widened column still exports what was kept before`() throws {
    let folder = try makeStore(#"{"id":1,"price":"on request"}"#)
    try folder.write(#"{"id":2,"price":"later"}"#, to: "more.json")
    let outcome = try importer.run(["--widen", "more.json"], in: folder.path)
    #expect(outcome.messages.contains("the model t is widened: price"), "\(outcome)")
    #expect(
      try exporter.run(["-q"], in: folder.path).output == #"""
        {"id":1,"price":"on request"}
        {"id":2,"price":"later"}

        """#)
  }
}
