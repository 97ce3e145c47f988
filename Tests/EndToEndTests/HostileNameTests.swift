import POISQLite
import POITestSupport
import Testing

/// Names that would end a statement if they reached SQL unquoted.
@Suite struct HostileNameTests {
  private let importer = Tool("poi-import")
  private let deduplicator = Tool("poi-dedup")

  static let names = [
    #"a"; DROP TABLE poi; --"#, "a'; DROP TABLE poi; --", "a`]; DROP TABLE poi; /*", "SELECT", "*",
    "a b", "?1", "%s%n", "é\u{0301}", ".", "rowid", "a\n;--",
  ]

  private func json(_ name: String) -> String {
    "\""
      + name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("\n", with: "\\n") + "\""
  }

  private func expectWhole(_ folder: borrowing ScratchFolder, _ name: String) throws {
    let connection = try Connection(path: folder.file("poi.sqlite"), access: .readOnly)
    #expect(try connection.integer("SELECT count(*) FROM poi") == 1, "\(name)")
    #expect(try connection.text("PRAGMA integrity_check") == "ok", "\(name)")
    #expect(try connection.text("PRAGMA foreign_key_check") == nil, "\(name)")
  }

  @Test(arguments: TestLength.some(names, 4))
  func `a model's names and a record's values are only names and values`(name: String) throws {
    let folder = try ScratchFolder()
    try folder.write(ImportToolTests.array(0..<1), to: "poi.json")
    #expect(try importer.run(["poi.json"], in: folder.path).exitCode == 0)
    // `rowid` cannot be a column.
    let (key, at) = (json(name + " k"), json(name + " at"))
    let model = """
      {"x-table":\(json(name)),"x-key":\(key),"x-timestamp":\(at),
       "x-tombstone":{"attribute":\(json(name + " gone"))},"x-unmapped-column":\(json(name + " u")),
       "properties":{
        \(key):{"type":"string"},\(at):{"type":"string","format":"date-time"},
        \(json(name + " gone")):{"type":"boolean"},\(json(name)):{"type":"string"},
        \(json(name + " r")):{"type":"object","x-relation":{"table":\(json(name + " r")),
         "unique":\(json(name))},"required":[\(json(name))],
         "properties":{\(json(name)):{"type":"string"}}},
        \(json(name + " many")):{"type":"array","items":{"type":"string"},
         "x-relation":{"table":\(json(name + " many")),"unique":\(json(name)),
          "join":\(json(name + " join"))}}}}
      """
    try folder.write(model, to: "model.json")
    let records = (0..<6).map { index in
      """
      {\(key):\(json("\(name)\(index % 2)")),\(at):"2026-01-0\(index + 1)T00:00:00Z",
       \(json(name)):\(json(name)),\(json(name + " r")):{\(json(name)):\(json(name))},
       \(json(name + " many")):[\(json(name))],\(json(name + " other")):\(json(name))}
      """.replacing("\n", with: "")
    }
    try folder.write(records.joined(separator: "\n"), to: "data.ndjson")
    for (arguments, code) in [
      (["--model", "model.json", "--source", name, "data.ndjson"], 0),
      (["--model", "model.json", "--report", "json", "data.ndjson"], 0),
      (["--print-model", name], 0), (["--model", "model.json", "--print-token"], 0),
    ] as [([String], Int32)] {
      let outcome = try importer.run(arguments, in: folder.path)
      #expect(outcome.exitCode == code, "\(arguments): \(outcome)")
      try expectWhole(folder, name)
    }
    for arguments in [
      ["--dry-run"], [], ["--undo"], ["--enforce", "--merge-losers"], ["--digest"],
      ["--purge-tombstones", "1d"],
    ] {
      let table = arguments == ["--undo"] ? [] : ["--table", name]
      let outcome = try deduplicator.run(table + arguments, in: folder.path)
      #expect(outcome.exitCode == 0, "\(arguments): \(outcome)")
      try expectWhole(folder, name)
    }
    let snapshot = try importer.run(
      ["--model", "model.json", "--snapshot", "--max-removals", "100%", "data.ndjson"],
      in: folder.path)
    #expect(snapshot.exitCode == 0, "\(snapshot)")
    try expectWhole(folder, name)
    let table = SQL(name: name)
    let connection = try Connection(path: folder.file("poi.sqlite"), access: .readOnly)
    #expect(
      try connection.integer("SELECT count(DISTINCT \(table)) FROM \(table)") == 1)
    #expect(try connection.text("SELECT \(table) FROM \(table)") == name)
  }

  @Test(arguments: TestLength.some(names, 4))
  func `the names of another program's database are only names`(name: String) throws {
    let folder = try ScratchFolder()
    let (table, key, child) = (SQL(name: name), SQL(name: name + ",k"), SQL(name: name + " child"))
    let value: SQL = "\(literal: name)"
    do {
      let connection = try Connection(path: folder.file("poi.sqlite"))
      try connection.execute(
        """
        CREATE TABLE poi (a); INSERT INTO poi VALUES (1);
        CREATE TABLE \(table) (
          \(table) INTEGER PRIMARY KEY, \(key) TEXT, at INTEGER, other TEXT);
        INSERT INTO \(table) VALUES (1, \(value), 1, \(value)), (2, \(value), 2, 'x');
        CREATE INDEX \(name: name + " i") ON \(table) (\(key));
        CREATE TABLE \(child) (\(table) INTEGER REFERENCES \(table) (\(table)));
        INSERT INTO \(child) VALUES (1), (2);
        """)
    }
    for arguments in [
      ["--key", name + ",k", "--timestamp", "at", "--dry-run"],
      ["--key", name + ",k", "--timestamp", "at"], ["--undo"],
      ["--key", name + ",k", "--timestamp", "at", "--enforce"],
    ] {
      let outcome = try deduplicator.run(
        (arguments == ["--undo"] ? [] : ["--table", name]) + arguments, in: folder.path)
      #expect(outcome.exitCode == 0, "\(arguments): \(outcome)")
      try expectWhole(folder, name)
    }
    let connection = try Connection(path: folder.file("poi.sqlite"), access: .readOnly)
    #expect(try connection.integer("SELECT count(*) FROM \(table)") == 1)
    #expect(try connection.integer("SELECT count(*) FROM \(child) WHERE \(table) = 2") == 2)
  }
}
