import POISQLite
import POITestSupport
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

  /// How often each byte is in a text; a debug build sorts bytes slowly.
  private func byteCounts(_ text: Substring) -> [Int] {
    var counts = [Int](repeating: 0, count: 256)
    for byte in text.utf8 { counts[Int(byte)] += 1 }
    return counts
  }

  /// A value among 1,500 good ones, what the import does to the table and how the value comes out.
  @Test(arguments: [
    ("updated", #""N/A""#), ("updated", #""0000-00-00 00:00:00""#), ("updated", "20260101"),
    ("updated", #""2026-02-30T00:00:00Z""#), ("updated", #""2026-03-01""#),
    ("updated", #""9999-12-31T23:59:59Z""#), ("updated", #""2026-01-01T00:00:00.1234567+02:00""#),
    ("price", "1e400"), ("price", "true"),
    ("price", "12345678901234567890.12"),
    ("price", #"{"$numberDecimal":"1.234567890123456789012345678901234"}"#),
    ("open", "7"), ("open", #""yes""#), ("open", "{}"), ("geo", #""none""#), ("geo", "{}"),
    ("geo", "[1,2]"), ("geo", #"{"lat":"x","lon":2.5}"#), ("pair", "[1,2,9]"), ("pair", "[]"),
    ("pair", #"{"a":1}"#), ("name", #"{"a":1}"#), ("id", "18446744073709551615"),
  ])
  func `one odd value costs neither its column nor its record`(name: String, value: String) throws {
    func record(_ id: Int, _ values: [String: String] = [:]) -> String {
      let members = [
        ("id", "\(id)"), ("name", #""n""#), ("updated", #""2026-01-01T00:00:0\#(id % 10)Z""#),
        ("price", "\(id).5"), ("open", id % 2 == 0 ? "true" : "false"),
        ("geo", #"{"lat":\#(id % 90).5,"lon":1.5}"#), ("pair", "[\(id),1]"),
      ]
      return "{\(members.map { "\"\($0)\":\(values[$0] ?? $1)" }.joined(separator: ","))}"
    }
    let odd = record(701, [name: value])
    for isLate in [false, true] where !isLate || name != "id" {
      let records = (0..<1_500).map { $0 == 701 ? odd : record($0) }
      let folder = try ScratchFolder()
      let parts = isLate ? [records[..<701], records[701...]] : [records[...]]
      for part in parts {
        try folder.write(part.joined(separator: "\n"), to: "t.ndjson")
        let outcome = try importer.run(["--infer", "t.ndjson"], in: folder.path)
        #expect(outcome.exitCode == 0, "\(outcome)")
      }
      let exported = try exporter.run(["-q", "-f", "ndjson"], in: folder.path).output
      // A kept value is behind the others of its object.
      #expect(
        exported.split(separator: "\n").map(byteCounts) == records.map { byteCounts($0[...]) })
      let model = try importer.run(["--print-model", "t"], in: folder.path).output
      #expect(model.contains(#""x-key": "id""#) && model.contains(#""x-timestamp": "updated""#))
    }
  }

  @Test(arguments: [
    #"{"id":%,"updated":173270123%.1234567}"#, #"{"id":%,"area":9007199254740993.0,"n":1.5}"#,
    #"{"id":%,"a":{"1":%}}"#, #"{"uuid":"k%","code":false,"at":"c%"}"#,
  ])
  func `values that no column keeps come out as they came`(record: String) throws {
    let folder = try ScratchFolder()
    var records = (0..<60).map { record.replacing("%", with: "\($0)") }
    if record.contains("code") {
      // Most are texts.
      records = records.enumerated().map {
        $0 < 57 ? $1.replacing("false", with: #""c""#) : $1
      }
    }
    try folder.write(records.joined(separator: "\n"), to: "t.ndjson")
    let outcome = try importer.run(["--infer", "t.ndjson"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    let exported = try exporter.run(["-q", "-f", "ndjson"], in: folder.path).output
    #expect(exported.split(separator: "\n").map { $0.sorted() } == records.map { $0.sorted() })
  }

  @Test func `an instant finer than its column is there, and comes out until it is edited`() throws
  {
    let record = #"{"id":1,"updated":"2026-01-01T00:00:00.123456789Z"}"# + "\n"
    let folder = try makeStore(record)
    #expect(try dump("SELECT updated FROM t", in: folder) == ["1767225600123456"])
    #expect(try exporter.run(["-q"], in: folder.path).output == record)
    try Connection(path: folder.file("poi.sqlite"), access: .readWrite).execute(
      "UPDATE t SET updated = updated + 1")
    let outcome = try exporter.run(["-q"], in: folder.path)
    #expect(outcome.output.contains("00.123457Z"), "\(outcome)")
  }

  @Test func `after an edit the column speaks`() throws {
    let folder = try makeStore(#"{"id":1,"price":"on request"}"#)
    try Connection(path: folder.file("poi.sqlite"), access: .readWrite).execute(
      "UPDATE t SET price = 3")
    let outcome = try exporter.run(["-q"], in: folder.path)
    #expect(outcome.output == #"{"id":1,"price":3.0}"# + "\n", "\(outcome)")
  }

  @Test func `a widened column gets what was kept before`() throws {
    let folder = try makeStore(#"{"id":1,"price":"on request","geo":{"lat":"x"},"n":1}"#)
    try folder.write(#"{"id":2,"price":"later"}"#, to: "more.json")
    let outcome = try importer.run(["--widen", "more.json"], in: folder.path)
    #expect(outcome.messages.contains("the model t is widened: price"), "\(outcome)")
    #expect(
      try dump("SELECT id, price, other FROM t", in: folder) == [
        #"1|on request|{"n":1,"geo":{"lat":"x"}}"#, "2|later|NULL",
      ])
    let exported = try exporter.run(["-f", "ndjson"], in: folder.path)
    #expect(exported.exitCode == 0 && !exported.messages.contains("warning"), "\(exported)")
    #expect(
      exported.output.split(separator: "\n").first
        == #"{"id":1,"price":"on request","n":1,"geo":{"lat":"x"}}"#)
  }

  @Test func `added columns get what was kept before`() throws {
    let folder = try makeStore(
      #"{"id":1,"phone":"1 2","size":7} {"id":3,"phone":null,"size":[1],"n":1}"#)
    try folder.write(#"{"id":2,"phone":"3 4","size":8}"#, to: "more.json")
    let outcome = try importer.run(["--add-columns", "more.json"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    let rows = try dump("SELECT id, phone, size, other FROM t ORDER BY id", in: folder)
    // What still does not fit stays where it was.
    #expect(
      rows == [
        "1|1 2|7|NULL", "2|3 4|8|NULL", #"3|NULL|NULL|{"phone":null,"size":[1],"n":1}"#,
      ])
    #expect(try exporter.run(["-f", "ndjson"], in: folder.path).exitCode == 0)
  }

  @Test func `chosen columns are exported with what is kept instead of them`() throws {
    let folder = try makeStore(#"{"id":1,"price":"ask","geo":{"lat":"x","n":1},"open":7,"m":2}"#)
    let outcome = try exporter.run(
      ["-q", "-f", "ndjson", "-c", "id", "-c", "price", "-c", "lat"], in: folder.path)
    #expect(outcome.output == #"{"id":1,"price":"ask","geo":{"lat":"x"}}"# + "\n", "\(outcome)")
  }

  /// The members of the stored records and of those that meet them: every combination of values that fit and do not.
  private static let combinations: [[(name: String, value: String)]] =
    ["1.5", #""x""#, "null", nil].flatMap { price in
      ["true", "7", "null", nil].flatMap { open in
        ["1", "[2]", nil].map { note in
          [("price", price), ("open", open), ("note", note)].compactMap { name, value in
            value.map { (name, $0) }
          }
        }
      }
    }

  private static func line(_ id: Int, _ members: [(name: String, value: String)]) -> String {
    let all = [("id", "\(id)")] + members.sorted { $0.name < $1.name }
    return "{\(all.map { "\"\($0)\":\($1)" }.joined(separator: ","))}"
  }

  @Test(arguments: ["object-trump", "store-trump", "newest", "overwrite"])
  func `a value and its kept one exclude each other when merged`(policy: String) throws {
    let folder = try ScratchFolder()
    let model = Self.model(keeps: true).replacing(#""x-timestamp":"updated","#, with: "")
    try folder.write(model, to: "model.json")
    var (stored, later, expected) = ("", "", Set<String>())
    for (row, old) in Self.combinations.enumerated() {
      for (column, new) in Self.combinations.enumerated() {
        let id = row * Self.combinations.count + column
        stored += Self.line(id, old) + "\n"
        later += Self.line(id, new) + "\n"
        var merged = policy == "object-trump" || policy == "store-trump" ? old : new
        for member in new where merged.contains(where: { $0.name == member.name }) {
          let index = merged.firstIndex { $0.name == member.name }!
          if policy == "object-trump" || merged[index].value == "null" {
            merged[index].value = member.value
          }
        }
        for member in new where !merged.contains(where: { $0.name == member.name }) {
          merged.append(member)
        }
        expected.insert(Self.line(id, merged.filter { $0.value != "null" }))
      }
    }
    for (name, text) in [("stored.ndjson", stored), ("later.ndjson", later)] {
      try folder.write(text, to: name)
      let outcome = try importer.run(
        ["-q", "-m", "model.json", "--merge", policy, name], in: folder.path)
      #expect(outcome.exitCode == 0, "\(outcome)")
    }
    var found = Set<String>()
    for line in try exporter.run(["-q", "-f", "ndjson"], in: folder.path).output.split(
      separator: "\n")
    {
      let members = line.dropFirst().dropLast().split(separator: ",").map {
        let parts = $0.split(separator: ":")
        return (name: String(parts[0].dropFirst().dropLast()), value: String(parts[1]))
      }
      found.insert(Self.line(Int(members[0].value)!, Array(members.dropFirst())))
    }
    #expect(found == expected)
    #expect(
      try dump(
        """
        SELECT count(*) FROM t WHERE price IS NOT NULL AND json_extract(other, '$.price') IS NOT NULL
          OR open IS NOT NULL AND json_extract(other, '$.open') IS NOT NULL
        """, in: folder) == ["0"])
  }
}
