import Foundation
import POISQLite
import POITestSupport
import Testing

@Suite struct DedupToolTests {
  private let importer = Tool("poi-import")
  private let tool = Tool("poi-dedup")

  /// Records in which each identifier occurs `copies` times, with random timestamps, some equal,
  /// some missing.
  static func records(_ count: Int, copies: Int, using generator: inout SplitMix64) -> [String] {
    var records: [String] = []
    for index in 0..<count {
      let tail = String(format: "%012d", index / copies)
      let day = Int.random(in: 1...3, using: &generator)
      let updated =
        Int.random(in: 0..<5, using: &generator) == 0
        ? "" : #","updatedAt":"2026-01-0\#(day)T00:00:00Z""#
      let name = Int.random(in: 0..<3, using: &generator)
      records.append(
        #"{"identifier":"00000000-0000-0000-0000-\#(tail)","name":"n\#(name)","latitude":1,"longitude":2\#(updated),"category":{"name":"c\#(name)"}}"#
      )
    }
    return records
  }

  static func dump(_ path: String, _ sql: SQL) throws -> [String] {
    let connection = try Connection(path: path, access: .readOnly)
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
    var statement = try connection.prepare(sql)
    var lines: [String] = []
    while try statement.step() {
      lines.append(
        (0..<statement.columnCount).map { statement.isNull($0) ? "NULL" : statement.text($0) }
          .joined(separator: "|"))
    }
    return lines
  }

  private static let rows: SQL = "SELECT * FROM poikit_readable_poi ORDER BY poikit_id"
  private static let content: SQL =
    "SELECT identifier, name, category, updatedAt FROM poikit_readable_poi ORDER BY 1, 2, 3, 4"

  private func digest(_ output: String) -> Substring? {
    output.split(separator: "\n").first { $0.hasPrefix("digest ") }
  }

  @Test func `the largest memory limit is accepted and not allocated`() throws {
    let folder = try ScratchFolder()
    var generator = SplitMix64(seed: 1)
    try folder.write(
      Self.records(4, copies: 2, using: &generator).joined(separator: "\n"), to: "data")
    #expect(try importer.run(["data", "-q"], in: folder.path).exitCode == 0)
    let outcome = try tool.run(["--key", "identifier", "--memory", "1024G"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
  }

  @Test(arguments: [[], ["--dry-run"]])
  func `references that share a column are refused, and nothing is changed`(more: [String]) throws {
    let folder = try ScratchFolder()
    try Connection(path: folder.file("app.db")).execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, k); INSERT INTO t VALUES (1, 'A'), (2, 'A');
      CREATE TABLE z (id INTEGER PRIMARY KEY); CREATE TABLE c (r REFERENCES t REFERENCES z)
      """)
    let before = try folder.bytes("app.db")
    let outcome = try tool.run(["-s", "app.db", "-t", "t", "-k", "k"] + more, in: folder.path)
    #expect(outcome.exitCode == 65, "\(outcome)")
    #expect(outcome.messages.contains("two references of 'c' share the column 'r'"), "\(outcome)")
    #expect(try folder.bytes("app.db") == before)
  }

  @Test(arguments: [true, false])
  func `a failed run reports what it committed`(archives: Bool) throws {
    let folder = try ScratchFolder()
    do {
      let app = try Connection(path: folder.file("app.sqlite"))
      try app.execute(
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT, v INTEGER);
        INSERT INTO t VALUES (1, 'a', 1), (2, 'a', 2), (3, 'b', 1), (4, 'b', 2);
        CREATE TRIGGER guard BEFORE DELETE ON t WHEN old.id = 3
        BEGIN SELECT raise(ABORT, 'keep three'); END
        """)
    }
    let arguments =
      ["-s", "app.sqlite", "-t", "t", "-k", "k", "--timestamp", "v", "-b", "1"]
      + (archives ? [] : ["--no-archive"])
    let plan = try tool.run(arguments + ["--dry-run"], in: folder.path)
    #expect(plan.messages.contains("the table has triggers, guard: "), "\(plan)")
    let outcome = try tool.run(arguments, in: folder.path)
    #expect(outcome.exitCode == 65, "\(outcome)")
    #expect(outcome.messages.contains("keep three"))
    #expect(
      outcome.messages.contains(
        archives ? "--undo puts the losers back" : "the losers are not archived"), "\(outcome)")
    #expect(outcome.output.contains("rows left  3"), "\(outcome)")
    let again = try tool.run(arguments + ["--report", "json"], in: folder.path)
    #expect(again.exitCode == 65)
    // Without an archive the second pass is a run of its own, which has committed nothing.
    #expect(again.output.contains(#""ending": "failed""#) == archives, "\(again)")
    #expect(again.output.isEmpty == !archives)
    #expect(try Self.dump(folder.file("app.sqlite"), "SELECT id FROM t") == ["2", "3", "4"])
  }

  @Test func `any order of the records ends in the same winners and the same digest`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    let folder = try ScratchFolder()
    var records = Self.records(300, copies: 4, using: &generator)
    var digests: Set<Substring?> = []
    var contents: Set<[String]> = []
    for (index, batch) in ["1", "7", "500"].enumerated() {
      records.shuffle(using: &generator)
      try folder.write(records.joined(separator: "\n"), to: "data")
      let store = "s\(index).sqlite"
      #expect(try importer.run(["data", "-s", store, "-q"], in: folder.path).exitCode == 0)
      let outcome = try tool.run(
        ["--key", "identifier", "-s", store, "--batch", batch], in: folder.path)
      #expect(outcome.exitCode == 0, "\(outcome.messages)")
      #expect(outcome.output.contains("rows left   75"), "\(outcome.output)")
      digests.insert(digest(outcome.output))
      contents.insert(try Self.dump(folder.file(store), Self.content))
    }
    #expect(digests.count == 1 && contents.count == 1, "seed \(seed)")
  }

  @Test func `a dry run changes nothing and undo restores every row`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    let folder = try ScratchFolder()
    try folder.write(
      Self.records(100, copies: 3, using: &generator).joined(separator: "\n"), to: "data")
    #expect(try importer.run(["data"], in: folder.path).exitCode == 0)
    let path = folder.file("poi.sqlite")
    let before = try Self.dump(path, Self.rows)
    let digestBefore = digest(try tool.run(["--digest"], in: folder.path).output)

    let plan = try tool.run(["--key", "identifier", "--dry-run"], in: folder.path)
    #expect(plan.output.contains("losers") && plan.output.contains("largest groups"))
    #expect(plan.output.contains("wins over row"))
    #expect(try Self.dump(path, Self.rows) == before)
    #expect(try Self.dump(path, "SELECT * FROM poikit_run WHERE tool = 'poi-dedup'").isEmpty)

    let run = try tool.run(["--enforce"], in: folder.path)
    #expect(run.output.contains("the key is unique from now on"), "\(run.messages)")
    #expect(try Self.dump(path, Self.rows).count == 34)
    let merged = try importer.run(["data"], in: folder.path)
    #expect(merged.exitCode == 0 && merged.output.contains("inserted     0"), "\(merged.output)")

    let undone = try tool.run(["--undo"], in: folder.path)
    #expect(undone.exitCode == 0, "\(undone.messages)")
    #expect(try Self.dump(path, Self.rows) == before, "seed \(seed)")
    #expect(digest(try tool.run(["--digest"], in: folder.path).output) == digestBefore)
    #expect(try tool.run(["--undo"], in: folder.path).exitCode == 64)
  }

  @Test func `a task that only reads leaves the file byte for byte the same`() throws {
    let folder = try ScratchFolder()
    try folder.write(ImportToolTests.array(0..<10), to: "data")
    #expect(try importer.run(["data"], in: folder.path).exitCode == 0)
    let path = folder.file("poi.sqlite")
    try Connection(path: path).execute("PRAGMA journal_mode = DELETE")
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    for arguments in [["--dry-run"], ["--digest"]] {
      #expect(try tool.run(arguments, in: folder.path).exitCode == 0)
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }
  }

  @Test func `a key with a collation of its own is compared byte by byte, and that is said`() throws
  {
    let folder = try ScratchFolder()
    let path = folder.file("app.db")
    try Connection(path: path, access: .readWriteCreate).execute(
      """
      CREATE TABLE t (k TEXT COLLATE NOCASE, n);
      INSERT INTO t VALUES ('a', 1), ('A', 1), ('a', 1)
      """)
    for option in ["--dry-run", "--no-archive"] {
      let outcome = try tool.run(
        [option, "-s", path, "--table", "t", "--key", "k"], in: folder.path)
      #expect(outcome.messages.contains("although k has the collation NOCASE"), "\(outcome)")
      #expect(
        outcome.output.contains("losers  1") || outcome.output.contains("losers     1"),
        "\(outcome)")
    }
    #expect(try Self.dump(path, "SELECT k FROM t ORDER BY k COLLATE BINARY") == ["A", "a"])
    let other = try tool.run(
      ["--dry-run", "-s", path, "--table", "t", "--key", "n"], in: folder.path)
    #expect(!other.messages.contains("collation"), "\(other)")
  }

  @Test func `a column with a comma in its name can be the key`() throws {
    let folder = try ScratchFolder()
    try Connection(path: folder.file("app.db")).execute(
      "CREATE TABLE t (\"a,b\", a, c); INSERT INTO t VALUES (1, 1, 1), (1, 2, 2), (2, 1, 1)")
    for (key, keys) in [("a,b", "2  by a,b"), ("a,c", "2  by a, c")] {
      let plan = ["-s", "app.db", "-t", "t", "-k", key, "-n"]
      let outcome = try tool.run(plan, in: folder.path)
      #expect(outcome.output.contains("keys    \(keys)\n"), "\(outcome.output)\(outcome.messages)")
      #expect(outcome.output.contains("groups  1  of duplicates\n"), "\(outcome.output)")
      let json = try tool.run(plan + ["--report", "json"], in: folder.path).output
      #expect(json.contains(#""keys": 2"#) && json.contains(#""groups": 1"#), "\(json)")
    }
  }

  @Test func `a table without a key has a digest`() throws {
    let folder = try ScratchFolder()
    try folder.write(#"{"x-table":"t","properties":{"a":{}}}"#, to: "model")
    let lines = Array("{\"a\":1}\n{\"a\":2}".utf8)
    let imported = try importer.run(["-", "-m", "model"], in: folder.path, input: lines)
    let digested = try tool.run(["--digest"], in: folder.path)
    #expect(digest(imported.output).map { digested.output.hasPrefix($0) } == true)
    #expect(try tool.run([], in: folder.path).messages.contains("names no key"))
  }

  @Test(arguments: ["id", "name"])
  func `the digest by a key is the one that a deduplication by it prints`(_ key: String) throws {
    let folder = try ScratchFolder()
    try Connection(path: folder.file("app.db")).execute(
      """
      CREATE TABLE place (id INTEGER PRIMARY KEY, name, part_of REFERENCES place (id));
      INSERT INTO place VALUES (1, 'a', NULL), (2, 'b', 1), (3, 'b', 1), (4, 'c', 3)
      """)
    let table = ["-s", "app.db", "-t", "place", "-k", key]
    let outcome = try tool.run(table, in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
    let digested = try tool.run(table + ["--digest"], in: folder.path)
    #expect(digest(outcome.output).map { digested.output.hasPrefix($0) } == true)
  }

  @Test func `the case of a table's name does not matter`() throws {
    let folder = try ScratchFolder()
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    try folder.write(
      Self.records(60, copies: 3, using: &generator).joined(separator: "\n"), to: "data")
    var digests: [Substring?] = []
    for name in ["poi", "POI"] {
      let store = ["--store", "\(name).sqlite"]
      #expect(try importer.run(["data", "-q"] + store, in: folder.path).exitCode == 0)
      let outcome = try tool.run(
        ["--table", name, "--key", "identifier"] + store, in: folder.path)
      #expect(outcome.exitCode == 0, "\(outcome.messages)")
      digests.append(digest(outcome.output))
      let again = try tool.run(["--table", name, "--digest"] + store, in: folder.path)
      #expect(
        digest(again.output).map(String.init)
          == digests[digests.count - 1].map { "\($0) of 20 rows" }, "seed \(seed)")
    }
    #expect(digests[0] != nil && digests[0] == digests[1], "seed \(seed)")
  }

  @Test func `an app's own table in a store is deduplicated, too`() throws {
    let folder = try ScratchFolder()
    #expect(try importer.run(["-"], in: folder.path, input: Array("[]".utf8)).exitCode == 0)
    let path = folder.file("poi.sqlite")
    try Connection(path: path).execute(
      "CREATE TABLE visit (day); INSERT INTO visit VALUES ('mon'), ('mon'), ('tue')")
    let outcome = try tool.run(["-t", "visit", "-k", "day"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
    #expect(try Self.dump(path, "SELECT count(*) FROM visit") == ["2"])
  }

  @Test(arguments: [["-n"], ["--digest"], ["--key", "a"]])
  func `a transaction that a killed program left in a journal is rolled back`(
    _ arguments: [String]
  ) throws {
    let folder = try ScratchFolder()
    let connection = try Connection(path: folder.file("app.db"))
    try connection.execute(
      """
      CREATE TABLE t (a, b);
      WITH RECURSIVE c (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < 1999)
      INSERT INTO t SELECT n / 2, hex(zeroblob(100)) FROM c;
      PRAGMA cache_size = 1;
      BEGIN;
      UPDATE t SET a = 0;
      """)
    // Changed pages were spilled from the small cache, as after a kill.
    for end in ["", "-journal"] {
      try FileManager.default.copyItem(
        atPath: folder.file("app.db\(end)"), toPath: folder.file("left.db\(end)"))
    }
    connection.rollback()
    let key = arguments.contains("--key") ? [] : ["--key", "a"]
    let outcome = try tool.run(["-s", "left.db", "-t", "t"] + arguments + key, in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
    #expect(
      try Self.dump(folder.file("left.db"), "SELECT count(DISTINCT a) FROM t") == ["1000"])
  }

  @Test func `a killed deduplication that is run again ends in the same store`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    let folder = try ScratchFolder()
    let count = TestLength.count(1500, long: 6000)
    try folder.write(
      Self.records(count, copies: 3, using: &generator).joined(separator: "\n"), to: "data")
    #expect(try importer.run(["data", "-q"], in: folder.path).exitCode == 0)
    let path = folder.file("poi.sqlite")
    let before = try Self.dump(path, Self.rows)
    try FileManager.default.copyItem(atPath: path, toPath: folder.file("whole.sqlite"))
    let whole = try tool.run(["-s", "whole.sqlite"], in: folder.path)
    let expected = try Self.dump(folder.file("whole.sqlite"), Self.content)

    var killCount = 0
    while true {
      let running = try tool.start(["--batch", "20", "--enforce"], in: folder.path)
      usleep(UInt32.random(in: 1000...(30_000 + UInt32(killCount) * 3000), using: &generator))
      running.signal(SIGKILL)
      let outcome = try running.wait()
      guard outcome.exitCode == 128 + SIGKILL else {
        #expect(outcome.exitCode == 0, "seed \(seed): \(outcome.messages)")
        #expect(digest(outcome.output) == digest(whole.output), "seed \(seed)")
        break
      }
      killCount += 1
      try #require(killCount < 500, "seed \(seed)")
    }
    #expect(try Self.dump(path, Self.content) == expected, "seed \(seed)")
    // The killed passes and the last one are one run, which is undone as a whole.
    #expect(try tool.run(["--undo"], in: folder.path).exitCode == 0)
    // Only a kill after the end of the run leaves a second run, which has nothing to do.
    if try Self.dump(path, Self.rows) != before {
      #expect(try tool.run(["--undo"], in: folder.path).output.contains("\(count / 1500),000 rows"))
    }
    let runs = try Self.dump(path, "SELECT id, state, counters FROM poikit_run")
    #expect(try Self.dump(path, Self.rows) == before, "seed \(seed): \(runs)")
  }

  @Test func `a pass that continues an interrupted one reports the whole run`() throws {
    let folder = try ScratchFolder()
    try Connection(path: folder.file("app.db")).execute(
      """
      CREATE TABLE t (k, n);
      WITH RECURSIVE c (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < 29)
      INSERT INTO t SELECT i / 3, i FROM c
      """)
    func arguments(_ store: String, _ more: String...) -> [String] {
      ["-s", store, "-t", "t", "-k", "k", "--batch", "4"] + more
    }
    try FileManager.default.copyItem(
      atPath: folder.file("app.db"), toPath: folder.file("whole.db"))
    let whole = try tool.run(arguments("whole.db", "--report", "json"), in: folder.path)
    // It ends before the last batches.
    let connection = try Connection(path: folder.file("app.db"))
    try connection.execute(
      """
      CREATE TRIGGER stop BEFORE DELETE ON t WHEN old.n >= 18
      BEGIN SELECT RAISE(ABORT, 'stop'); END
      """)
    #expect(try tool.run(arguments("app.db"), in: folder.path).exitCode != 0)
    try connection.execute("DROP TRIGGER stop")
    let left = try connection.integer("SELECT count(*) FROM t") ?? 0
    #expect(left > 10 && left < 30)
    try FileManager.default.copyItem(
      atPath: folder.file("app.db"), toPath: folder.file("other.db"))

    let text = try tool.run(arguments("app.db"), in: folder.path).output
    #expect(text.contains("rows       30  in t"), "\(text)")
    #expect(text.contains("\(30 - left) before the run was interrupted"), "\(text)")
    #expect(text.contains("20 archived in run 1"), "\(text)")
    let json = try tool.run(arguments("other.db", "--report", "json"), in: folder.path).output
    for member in ["rowsBefore", "keys", "losers", "rowsLeft", "archived", "digest"] {
      let expected = whole.output.split(separator: "\n").last { $0.contains("\"\(member)\"") }
      #expect(expected.map { json.contains($0) } == true, "\(member): \(json)")
    }
    #expect(json.contains(#""earlier": \#(30 - left)"#), "\(json)")
  }

  @Test func `any SQLite table is deduplicated and otherwise left alone`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("app.db")
    try Connection(path: path).execute(
      """
      PRAGMA user_version = 7;
      CREATE TABLE "my ""places" (id INTEGER PRIMARY KEY, "the key" TEXT, changed, note BLOB);
      CREATE TABLE visit (place INTEGER REFERENCES "my ""places" (id), day TEXT);
      CREATE TRIGGER t AFTER UPDATE ON "my ""places" BEGIN SELECT RAISE(ABORT, 'no update'); END;
      INSERT INTO "my ""places" VALUES
        (1, 'a', '2024-01-01 10:00:00', x'00'), (2, 'a', '2024-01-01T12:00:00+01:00', NULL),
        (3, NULL, NULL, NULL), (4, NULL, NULL, NULL), (5, 'b', NULL, NULL);
      INSERT INTO visit VALUES (1, 'mon'), (2, 'tue'), (5, 'wed');
      """)
    let outcome = try tool.run(
      ["-s", "app.db", "-t", "my \"places", "-k", "the key", "--timestamp", "changed"],
      in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
    #expect(
      try Self.dump(path, "SELECT id, \"the key\" FROM \"my \"\"places\"") == [
        "2|a", "3|NULL", "4|NULL", "5|b",
      ])
    #expect(try Self.dump(path, "SELECT place, day FROM visit") == ["2|mon", "2|tue", "5|wed"])
    #expect(try Self.dump(path, "PRAGMA user_version") == ["7"])
    #expect(try tool.run(["-s", "app.db", "--undo"], in: folder.path).exitCode == 0)
    #expect(try Self.dump(path, "SELECT place, day FROM visit") == ["1|mon", "2|tue", "5|wed"])
    let grouped = try tool.run(
      [
        "-s", "app.db", "-t", "my \"places", "-k", "the key", "--null-key", "group",
        "--no-archive", "--keep", "oldest", "--timestamp", "changed",
      ], in: folder.path)
    #expect(grouped.exitCode == 0, "\(grouped.messages)")
    #expect(
      try Self.dump(path, "SELECT count(*), min(id) FROM \"my \"\"places\"") == ["3|1"])
  }

  @Test func `a timestamp of which no value can be read is refused before a row goes`() throws {
    let folder = try ScratchFolder()
    let connection = try Connection(path: folder.file("app.sqlite"))
    try connection.execute(
      "CREATE TABLE t (k, at TEXT); INSERT INTO t VALUES (1, 'soon'), (1, NULL), (1, 'later')")
    let outcome = try tool.run(
      ["-s", "app.sqlite", "-t", "t", "-k", "k", "--timestamp", "at"], in: folder.path)
    #expect(outcome.exitCode == 65)
    #expect(
      outcome.messages.contains(
        "none of the 2 values of the column 'at' is a timestamp, the first is \"soon\" in row 1: name "
          + "another column"), "\(outcome.messages)")
    #expect(try connection.integer("SELECT count(*) FROM t") == 3)
  }

  @Test func `the report counts rows removed with a loser and unreadable timestamps`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("app.db")
    let script: SQL = """
      DROP TABLE IF EXISTS tag; DROP TABLE IF EXISTS p;
      CREATE TABLE p (id INTEGER PRIMARY KEY, k TEXT, ts TEXT);
      INSERT INTO p VALUES (1, 'a', '2024-01-01'), (2, 'a', 'yesterday'), (3, 'a', '2024-01-02');
      CREATE TABLE tag (pid INTEGER REFERENCES p, tag TEXT, UNIQUE (pid, tag));
      INSERT INTO tag VALUES (1, 'x'), (2, 'y'), (3, 'x');
      """
    let arguments = ["-s", "app.db", "-t", "p", "-k", "k", "--timestamp", "ts"]
    try Connection(path: path).execute(script)
    let text = try tool.run(arguments, in: folder.path)
    #expect(text.exitCode == 0, "\(text.messages)")
    #expect(
      text.output.contains("1  moved, 1 removed that the winner had too"),
      "\(text.output)")
    #expect(text.messages.contains("poi-dedup: warning: timestamps of 1 of 3 rows cannot be read"))
    #expect(text.messages.contains("the first is \"yesterday\" in row 2\n"), "\(text.messages)")

    try Connection(path: path).execute(script)
    let json = try tool.run(arguments + ["--report", "json", "--quiet"], in: folder.path)
    #expect(json.messages.contains("poi-dedup: warning: timestamps of 1 of 3 rows cannot be read"))
    for member in [#""movedReferences""#, #""removedReferences""#, #""unreadableTimestamps""#] {
      #expect(
        json.output.contains(member + ": 1") || json.output.contains(member + ":1"),
        "\(json.output)")
    }
  }

  /// Arguments, exit code and a part of the message.
  @Test(
    arguments: [
      (["-s", "missing.sqlite"], 66, "missing.sqlite: no such store"),
      (["-s", "app.db"], 64, "--table"),
      (["-s", "app.db", "-t", "places"], 64, "--key"),
      (["-s", "app.db", "-t", "place", "-k", "a"], 64, "places"),
      (["-s", "app.db", "-t", "places", "-k", "b"], 64, "a"),
      (["-s", "app.db", "-t", "seen", "-k", "a"], 64, "view"),
      (["-s", "text"], 74, "text"),
      (["--key", "nope"], 64, "identifier"),
      (["--key", "identifier,"], 64, "--key"),
      (["--dry-run", "--undo"], 64, "--dry-run cannot be used with --undo"),
      (["--undo", "--digest"], 64, "--digest cannot be used with --undo"),
      (["--undo", "--table", "poi"], 64, "--table cannot be used with --undo"),
      (["--undo", "--batch", "5"], 64, "--batch cannot be used with --undo"),
      (["--digest", "--enforce"], 64, "--enforce cannot be used with --digest"),
      (["--digest", "--timestamp", "a"], 64, "--timestamp cannot be used with --digest"),
      (
        ["--purge-tombstones", "1d", "--enforce"], 64,
        "--enforce cannot be used with --purge-tombstones"
      ),
      (["--hash-key"], 64, "--hash-key needs --enforce"),
      (["--undo"], 64, "undo"),
      (["--undo", "7"], 64, "7"),
      (["--undo", "0"], 64, "0 is not a run"), (["--undo", "x"], 66, "x: no such store"),
      (["other.sqlite"], 66, "other.sqlite: no such store"), (["3"], 64, "--store"),
      (["--memory", "1k"], 64, "--memory"),
    ] as [([String], Int32, String)])
  func `an impossible request ends with its message and exit code`(
    _ arguments: [String], _ code: Int32, _ message: String
  ) throws {
    let folder = try ScratchFolder()
    try Connection(path: folder.file("app.db")).execute(
      "CREATE TABLE places (a); CREATE VIEW seen AS SELECT * FROM places")
    try folder.write(String(repeating: "no database ", count: 100), to: "text")
    #expect(try importer.run(["-"], in: folder.path, input: Array("[]".utf8)).exitCode == 0)
    let outcome = try tool.run(arguments, in: folder.path)
    #expect(outcome.exitCode == code, "\(outcome.messages)")
    #expect(outcome.messages.hasPrefix("poi-dedup: error: "))
    #expect(outcome.messages.contains(message), "\(outcome.messages)")
  }

  @Test func `losers are merged by the rules of the model, and undone`() throws {
    let folder = try ScratchFolder()
    try folder.write(
      #"""
      {"x-table": "place", "x-key": "id", "x-timestamp": "at", "properties": {
        "id": {"type": "integer"}, "at": {"type": "integer", "x-unit": "seconds"},
        "phone": {"type": "string"}, "name": {"type": "string", "x-merge": "longest"},
        "tags": {"type": "array", "x-merge": "union"}}}
      """#, to: "model.json")
    try folder.write(
      #"""
      {"id": 1, "at": 3, "name": "Bar", "tags": ["b"]}
      {"id": 1, "at": 1, "name": "Zoë's bar", "phone": "1", "tags": ["a", "b"]}
      {"id": 1, "at": 2, "phone": "2"}
      {"id": 2, "at": 1, "name": "Inn"}
      """#, to: "data")
    let imported = try importer.run(["data", "--model", "model.json", "-q"], in: folder.path)
    #expect(imported.exitCode == 0, "\(imported.messages)")
    let rows: SQL = "SELECT poikit_id, id, at, phone, name, tags FROM place ORDER BY poikit_id"
    let before = try Self.dump(folder.file("poi.sqlite"), rows)

    let planned = try tool.run(["--merge-losers", "--dry-run"], in: folder.path)
    #expect(
      planned.output.contains("filled  1  winners with 3 values of their losers"),
      "\(planned.output)")
    let merged = try tool.run(["--merge-losers", "--report", "json"], in: folder.path)
    #expect(merged.exitCode == 0, "\(merged.messages)")
    #expect(merged.output.contains(#""filled": 1,"#), "\(merged.output)")
    #expect(merged.output.contains(#""filledValues": 3,"#), "\(merged.output)")
    #expect(
      try Self.dump(folder.file("poi.sqlite"), rows) == [
        #"1|1|3000000|2|Zoë's bar|["a","b"]"#, "4|2|1000000|NULL|Inn|NULL",
      ])
    let undone = try tool.run(["--undo"], in: folder.path)
    #expect(
      undone.output
        == "run 2 undone: 2 rows and 0 references put back, and 3 values that winners had\n")
    #expect(try Self.dump(folder.file("poi.sqlite"), rows) == before)
  }

  @Test func `a key is refused for the digest of a store's table`() throws {
    let folder = try ScratchFolder()
    try folder.write("{}", to: "data")
    _ = try importer.run(["-m", "poi", "data"], in: folder.path)
    let outcome = try tool.run(["--digest", "--key", "nonsense"], in: folder.path)
    #expect(outcome.exitCode == 64)
    #expect(outcome.messages.contains("--key cannot be used with --digest"), "\(outcome.messages)")
  }

  @Test(arguments: ["place", "app"], ["name,name", "name,NAME", "id,name,id"])
  func `a column that the key names twice is refused`(store: String, key: String) throws {
    let folder = try ScratchFolder()
    try folder.write(
      #"{"x-table":"place","properties":{"id":{"type":"integer"},"name":{"type":"string"},"NAME2":{"type":"string","x-column":"other"}}}"#,
      to: "model")
    try folder.write(#"{"id":1,"name":"a"}"#, to: "data")
    _ = try importer.run(["-q", "-m", "model", "data"], in: folder.path)
    try Connection(path: folder.file("app.sqlite")).execute("CREATE TABLE place (id, name)")
    let path = store == "app" ? "app.sqlite" : "poi.sqlite"
    for arguments in [[], ["--dry-run"]] {
      let outcome = try tool.run(
        ["-s", path, "-t", "place", "-k", key] + arguments, in: folder.path)
      #expect(outcome.exitCode == 64, "\(outcome)")
    }
  }
}
