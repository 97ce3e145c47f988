import Glibc
import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct DeduplicatorTests {
  private func report(
    _ connection: Connection, _ layout: TableLayout,
    _ options: DeduplicationOptions = DeduplicationOptions()
  ) throws(StoreError) -> DeduplicationReport {
    try Deduplicator(layout: layout, options: options).run(on: connection, clock: someInstant)
  }

  private static let threeRows = [
    SampleRecord(key: "a", time: 1, note: "old"), SampleRecord(key: "a", time: 2, note: "new"),
    SampleRecord(key: "b", time: 1, note: "only"),
  ]

  @Test func `the plan counts reasons and shows decisions`() throws {
    let day: Int64 = 86_400_000_000
    let connection = try SampleTable.connection([
      SampleRecord(key: "timestamp", time: 0),
      SampleRecord(key: "timestamp", time: 2 * day + 3 * 3_600_000_000),
      SampleRecord(key: "present", time: nil), SampleRecord(key: "present", time: 5),
      SampleRecord(key: "tombstone", time: 5),
      SampleRecord(key: "tombstone", time: 5, isRemoval: true),
      SampleRecord(key: "digest", time: 5, note: "x"),
      SampleRecord(key: "digest", time: 5, note: "y"),
      SampleRecord(key: "identical", time: 5, note: "x"),
      SampleRecord(key: "identical", time: 5, note: "x"),
      SampleRecord(key: "identical", time: 5, note: "x"),
      SampleRecord(key: "single", time: 5), SampleRecord(key: nil, time: 5),
      SampleRecord(key: nil, time: 5),
    ])
    var layout = try SampleTable.layout(in: connection)
    layout.isTimestampInstant = true
    let plan = try #require(try Deduplicator(layout: layout).plan(on: connection))
    #expect(plan.rowCount == 14)
    #expect(plan.nullKeyRowCount == 2)
    #expect(plan.groupCount == 6)
    #expect(plan.duplicateGroupCount == 5)
    #expect(plan.loserCount == 6)
    #expect(plan.reasons.timestamp == 1)
    #expect(plan.reasons.timestampPresent == 1)
    #expect(plan.reasons.tombstone == 1)
    #expect(plan.reasons.digest == 1)
    #expect(plan.reasons.identical == 2)
    #expect(plan.largestGroups.count == 5)
    #expect(plan.largestGroups.first?.key == ["identical"])
    #expect(plan.largestGroups.first?.rowCount == 3)
    let explanations = Dictionary(
      uniqueKeysWithValues: plan.samples.map { ($0.key[0] ?? "", $0.explanation) })
    #expect(
      explanations == [
        "timestamp": "newer by 2 d 3 h", "present": "has a timestamp, the other has none",
        "tombstone": "a removal of the same instant", "digest": "tie broken by digest",
        "identical": "same content",
      ])
    let sample = plan.samples.first { $0.key == ["timestamp"] }
    #expect(sample?.winner == 2)
    #expect(sample?.loser == 1)
  }

  @Test func `a plan changes nothing, and needs a database that may only be read`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    do {
      let connection = try Connection(path: path)
      try connection.execute(
        "CREATE TABLE sample (\"key\" TEXT, part INTEGER, time INTEGER, dead INTEGER, note TEXT)")
      try SampleTable.insert(Self.threeRows, into: connection)
    }
    let reader = try Connection(path: path, access: .readOnly)
    let version = try reader.dataVersion()
    let plan = try Deduplicator(layout: try SampleTable.layout(in: reader)).plan(on: reader)
    #expect(plan?.loserCount == 1)
    #expect(try reader.dataVersion() == version)
    #expect(try rows("SELECT name FROM sqlite_schema", in: reader) == ["sample"])
  }

  @Test func `without an archive nothing of the toolkit's own is left behind`() throws {
    let connection = try SampleTable.connection(Self.threeRows)
    var options = DeduplicationOptions()
    options.archive = false
    let report = try report(connection, try SampleTable.layout(in: connection), options)
    #expect(report.changes.removedRowCount == 1)
    #expect(report.run == nil)
    #expect(try rows("SELECT name FROM sqlite_schema", in: connection) == ["sample"])
    #expect(
      storeError {
        _ = try Deduplicator.undo(on: connection, clock: someInstant)
      }?.code == .cannotUndo)
  }

  @Test func `a table without duplicates stays as it is`() throws {
    let connection = try SampleTable.connection([SampleRecord(key: "a"), SampleRecord(key: "b")])
    let report = try report(connection, try SampleTable.layout(in: connection))
    #expect(report.isFinished)
    #expect(report.rowsLeft == 2)
    #expect(try rows("SELECT name FROM sqlite_schema", in: connection) == ["sample"])
  }

  @Test func `an empty table is a table without duplicates`() throws {
    let connection = try SampleTable.connection([])
    let report = try report(connection, try SampleTable.layout(in: connection))
    #expect(report.digest == .zero)
    #expect(report.rowsBefore == 0)
  }

  @Test func `losers are archived with their values, ids and winner`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (k, v);
      INSERT INTO t (rowid, k, v) VALUES (-5, 'a', NULL), (7, 'a', 1.5), (9, 'a', x'00ff'),
        (11, 'a', 'x'), (13, 'b', 1)
      """)
    let layout = try TableLayout(describing: "t", in: connection, key: ["k"])
    let report = try report(connection, layout)
    let run = try #require(report.run)
    #expect(report.changes.archivedRowCount == 3)
    let winner = try #require(try connection.integer("SELECT rowid FROM t WHERE k = 'a'"))
    let all = ["-5|null|NULL", "7|real|1.5", "9|blob|X'00FF'", "11|text|'x'"]
    #expect(
      try rows(
        "SELECT poikit_row_id, typeof(v), quote(v) FROM poikit_archive_t ORDER BY 1",
        in: connection) == all.filter { !$0.hasPrefix("\(winner)|") })
    #expect(
      try rows("SELECT DISTINCT poikit_run, poikit_winner_id FROM poikit_archive_t", in: connection)
        == ["\(run)|\(winner)"])
    #expect(
      try rows("SELECT tool, state, table_name FROM poikit_run", in: connection)
        == ["poi-dedup|finished|t"])
    #expect(
      try connection.text("SELECT counters ->> 'digest' FROM poikit_run")
        == report.digest?.description)
  }

  @Test func `an archive gets the columns that its table has got`() throws {
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE t (k, v); INSERT INTO t VALUES (1, 1), (1, 1)")
    _ = try report(connection, try TableLayout(describing: "t", in: connection, key: ["k"]))
    try connection.execute(
      "ALTER TABLE t ADD COLUMN w; INSERT INTO t VALUES (2, 2, 'w'), (2, 2, 'w')")
    let before = try dump("t", in: connection)
    _ = try report(connection, try TableLayout(describing: "t", in: connection, key: ["k"]))
    #expect(
      try rows("SELECT quote(w) FROM poikit_archive_t ORDER BY poikit_run", in: connection)
        == ["NULL", "'w'"])
    _ = try Deduplicator.undo(on: connection, clock: someInstant)
    #expect(try dump("t", in: connection) == before)
  }

  @Test func `names may be anything that SQLite allows`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE "we""ird; DROP TABLE x; --" ("select" TEXT, "a b" INTEGER, rowid TEXT, "é'" TEXT);
      INSERT INTO "we""ird; DROP TABLE x; --" VALUES ('k', 1, 'r1', 'x'), ('k', 2, 'r2', 'y'),
        ('l', 1, 'r3', 'z')
      """)
    let name = "we\"ird; DROP TABLE x; --"
    let before = try rows("SELECT _rowid_, * FROM \"we\"\"ird; DROP TABLE x; --\"", in: connection)
    let layout = try TableLayout(
      describing: name, in: connection, key: ["select"], timestamp: "a b")
    var options = DeduplicationOptions()
    options.enforcement = .index
    let report = try report(connection, layout, options)
    #expect(report.changes.removedRowCount == 1)
    #expect(report.createdIndex)
    #expect(
      try rows("SELECT rowid FROM \"we\"\"ird; DROP TABLE x; --\" ORDER BY 1", in: connection)
        == ["r2", "r3"])
    _ = try Deduplicator.undo(on: connection, clock: someInstant)
    #expect(
      try rows("SELECT _rowid_, * FROM \"we\"\"ird; DROP TABLE x; --\"", in: connection) == before)
  }

  @Test func `numbers are equal by value, texts and blobs by their bytes`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (k COLLATE NOCASE, v);
      INSERT INTO t VALUES (1, 'a'), (1.0, 'b'), ('1', 'c'), (x'31', 'd'), ('A', 'e'), ('a', 'f'),
        (1.5, 'g'), (9007199254740993, 'h'), (9007199254740992.0, 'i'), ('A ', 'j'), ('', 'k')
      """)
    let plan = try Deduplicator(
      layout: try TableLayout(describing: "t", in: connection, key: ["k"])
    ).plan(on: connection)
    #expect(plan?.groupCount == 10)
    #expect(plan?.loserCount == 1)
    #expect(plan?.largestGroups.first?.rowCount == 2)
  }

  @Test func `a pass that meets another writer is repeated`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    let connection = try Connection(path: path)
    try connection.execute(
      """
      PRAGMA journal_mode = WAL;
      CREATE TABLE sample ("key" TEXT, part INTEGER, time INTEGER, dead INTEGER, note TEXT)
      """)
    var generator = SplitMix64(seed: 7)
    try SampleTable.insert(SampleRecord.random(count: 60, using: &generator), into: connection)
    let other = try Connection(path: path)
    for archives in [true, false] {
      var options = DeduplicationOptions()
      options.batchSize = 3
      options.archive = archives
      let deduplicator = Deduplicator(
        layout: try SampleTable.layout(in: connection), options: options)
      let before = try connection.integer("SELECT count(*) FROM sample") ?? 0
      let late = SampleRecord(key: "key 1", time: 9, note: archives ? "late" : "later")
      var insertCount = 0
      let report = try deduplicator.run(on: connection, clock: someInstant) { progress in
        if progress.stage == (archives ? .removing : .reading), insertCount < 3 {
          insertCount += 1
          try? SampleTable.insert([late], into: other)
        }
        return .proceed
      }
      #expect(insertCount == 3 && report.isFinished)
      let after = try connection.integer("SELECT count(*) FROM sample") ?? 0
      #expect(report.runChanges.removedRowCount == Int(before + 3 - after))
      #expect(report.earlier.removedRowCount > 0 || !archives)
      #expect(
        try connection.integer("SELECT count(*) FROM sample WHERE \"key\" = 'key 1'") == 1)
      #expect(
        try connection.integer("SELECT count(*) FROM poikit_run WHERE state = 'running'") == 0)
    }
  }

  @Test func `another program's change between batches stops the pass that does not wait`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    let connection = try Connection(path: path)
    try connection.execute("PRAGMA busy_timeout = 0")
    try connection.execute("PRAGMA journal_mode = WAL")
    try connection.execute(
      "CREATE TABLE sample (\"key\" TEXT, part INTEGER, time INTEGER, dead INTEGER, note TEXT)")
    var generator = SplitMix64(seed: 7)
    try SampleTable.insert(SampleRecord.random(count: 60, using: &generator), into: connection)
    let other = try Connection(path: path)
    var options = DeduplicationOptions()
    options.batchSize = 3
    let deduplicator = Deduplicator(
      layout: try SampleTable.layout(in: connection), options: options)
    let late = SampleRecord(key: "key 1", time: 9, note: "late")
    let error = storeError {
      _ = try deduplicator.run(on: connection, clock: someInstant) { progress in
        if progress.stage == .removing, progress.completedCount == 6 {
          try? SampleTable.insert([late], into: other)
        }
        return .proceed
      }
    }
    #expect(error?.code == .changedByOther)
    #expect(error?.message.contains("6 losers are removed") == true)
    #expect(error?.report?.changes.removedRowCount == 6)
    #expect(error?.report?.run == 1)
    #expect(connection.isInTransaction == false)
    _ = try deduplicator.run(on: connection, clock: someInstant)
    #expect(try rows("SELECT note FROM sample WHERE \"key\" = 'key 1'", in: connection) == ["late"])
    #expect(
      try connection.integer("SELECT count(*) FROM poikit_run WHERE state = 'finished'") == 1)
  }

  @Test func `a pass that was stopped while reading has changed nothing`() throws {
    let connection = try SampleTable.connection(Self.threeRows)
    let report = try Deduplicator(layout: try SampleTable.layout(in: connection))
      .run(on: connection, clock: someInstant) { _ in .stop }
    #expect(!report.isFinished)
    #expect(report.changes == DeduplicationReport.Changes())
    #expect(try rows("SELECT name FROM sqlite_schema", in: connection) == ["sample"])
    #expect(
      try Deduplicator(layout: try SampleTable.layout(in: connection))
        .plan(on: connection) { _ in .stop } == nil)
  }

  @Test(arguments: [true, false])
  func `an interrupted pass with other options is abandoned`(isOtherRule: Bool) throws {
    let connection = try SampleTable.connection(Self.threeRows)
    var options = DeduplicationOptions()
    _ = try Deduplicator(layout: try SampleTable.layout(in: connection), options: options)
      .run(on: connection, clock: someInstant) { progress in
        if progress.stage == .removing { .stop } else { .proceed }
      }
    if isOtherRule { options.keep = .oldest } else { options.arrays = .winner }
    _ = try report(connection, try SampleTable.layout(in: connection), options)
    #expect(
      try rows("SELECT state FROM poikit_run ORDER BY id", in: connection)
        == ["abandoned", "finished"])
  }

  @Test func `a redirect leads from the identity of a loser to the identity of its winner`() throws
  {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (id TEXT, phone TEXT, t INTEGER);
      INSERT INTO t VALUES ('A', '1', 1), ('B', '1', 2), ('C', '2', 1), ('C', '2', 2),
        (NULL, '1', 0)
      """)
    var layout = try TableLayout(describing: "t", in: connection, key: ["phone"], timestamp: "t")
    layout.identityColumns = ["id"]
    let report = try report(connection, layout)
    #expect(report.changes.redirectCount == 1)
    #expect(
      try rows("SELECT table_name, loser_key, winner_key FROM poikit_redirect", in: connection)
        == ["t|A|B"])
    _ = try Deduplicator.undo(on: connection, clock: someInstant)
    #expect(try connection.integer("SELECT count(*) FROM poikit_redirect") == 0)
  }

  @Test func `an identity of several columns leads on as an array of them`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (id TEXT, part, phone TEXT, t INTEGER);
      INSERT INTO t VALUES ('A', 1, '1', 1), ('B', x'FF', '1', 2)
      """)
    var layout = try TableLayout(describing: "t", in: connection, key: ["phone"], timestamp: "t")
    layout.identityColumns = ["id", "part"]
    _ = try report(connection, layout)
    #expect(
      try rows("SELECT loser_key, winner_key FROM poikit_redirect", in: connection)
        == [#"["A",1]|["B","FF"]"#])
  }

  @Test(arguments: [100, 101, 127, 128, 350])
  func `a key and an identity may have more columns than a function has arguments`(
    columnCount: Int
  ) throws {
    let connection = try Connection.inMemory()
    let (keys, parts) = (
      (0..<columnCount).map { "k\($0)" }, (0..<columnCount).map { "p\($0)" }
    )
    let columns = (keys + parts).map { SQL(name: $0) }.joined(separator: ", ")
    try connection.execute("CREATE TABLE t (\(columns), t INTEGER)")
    let values = Array(repeating: "'k'" as SQL, count: columnCount).joined(separator: ", ")
    for (row, value) in ["'[x]'" as SQL, "'y'", "NULL"].enumerated() {
      let others = Array(repeating: value, count: columnCount).joined(separator: ", ")
      try connection.execute("INSERT INTO t VALUES (\(values), \(others), \(row))")
    }
    var layout = try TableLayout(describing: "t", in: connection, key: keys, timestamp: "t")
    layout.identityColumns = parts
    #expect(try report(connection, layout).changes.redirectCount == 2)
    func array(_ value: String) -> String {
      "[" + Array(repeating: value, count: columnCount).joined(separator: ",") + "]"
    }
    #expect(
      try rows("SELECT loser_key, winner_key FROM poikit_redirect ORDER BY 1", in: connection)
        == [#""[x]""#, #""y""#].map { "\(array($0))|\(array("null"))" })
    let names = keys.map { "\"\($0)\"" }.joined(separator: ",")
    #expect(
      try rows("SELECT options ->> '$.key' FROM poikit_run", in: connection) == ["[\(names)]"])
  }

  @Test func `every value except null, zero and empty texts and blobs marks a removal`() throws {
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, k, at INTEGER, dead)")
    let values: [SQL] = [
      "NULL", "0", "1", "0.0", "0.5", "''", "'x'", "x''", "x'00'",
    ]
    // Of two rows with one timestamp the removal wins, otherwise the greater content.
    for (key, value) in values.enumerated() {
      try connection.execute(
        "INSERT INTO t (k, at, dead) VALUES (\(key), 1, \(value)), (\(key), 1, 0)")
    }
    let layout = try TableLayout(
      describing: "t", in: connection, key: ["k"], timestamp: "at", tombstone: "dead")
    _ = try report(connection, layout)
    let left = try rows("SELECT quote(dead) FROM t ORDER BY k", in: connection)
    #expect(["1", "0.5", "'x'", "X'00'"].allSatisfy(left.contains), "\(left)")
    #expect(left.count == values.count)
  }

  @Test func `a table with a column named like the archive's own cannot be archived`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      "CREATE TABLE t (k, POIKIT_RUN); INSERT INTO t VALUES (1, 1), (1, 2)")
    let layout = try TableLayout(describing: "t", in: connection, key: ["k"])
    let error = storeError {
      _ = try report(connection, layout)
    }
    #expect(error?.code == .unsupportedTable, "\(error?.message ?? "")")
    #expect(error?.message.contains("POIKIT_RUN") == true)
    #expect(try connection.integer("SELECT count(*) FROM t") == 2)
  }

  @Test func `a trigger that deletes losers itself is found`() throws {
    let connection = try SampleTable.connection(Self.threeRows)
    try connection.execute(
      """
      CREATE TRIGGER interfere BEFORE DELETE ON sample BEGIN SELECT RAISE(IGNORE); END
      """)
    let before = try dump("sample", in: connection)
    let layout = try SampleTable.layout(in: connection)
    let error = storeError {
      _ = try report(connection, layout)
    }
    #expect(error?.code == .interferingTrigger)
    #expect(try dump("sample", in: connection) == before)
    #expect(connection.isInTransaction == false)
  }

  @Test func `meaningless options are refused`() throws {
    let connection = try SampleTable.connection(Self.threeRows)
    var layout = try SampleTable.layout(in: connection)
    func code(
      _ layout: TableLayout, _ options: DeduplicationOptions = DeduplicationOptions()
    ) -> StoreError.Code? {
      storeError {
        _ = try report(connection, layout, options)
      }?.code
    }
    var options = DeduplicationOptions()
    options.batchSize = 0
    #expect(code(layout, options) == .invalidOptions)
    options = DeduplicationOptions()
    options.enforcement = .hash
    #expect(code(layout, options) == .invalidOptions)
    try connection.begin()
    #expect(code(layout) == .invalidOptions)
    connection.rollback()
    options = DeduplicationOptions()
    options.memoryBudget = -1
    #expect(code(layout, options) == .invalidOptions)
    layout.keyColumns = []
    #expect(code(layout) == .invalidOptions)
    layout.keyColumns = ["nowhere"]
    #expect(code(layout) == .noSuchColumn)
    let missing = TableLayout(
      Model(ofTable: "nowhere", [Attribute(column: "key")]), isToolkitTable: false,
      keyColumns: ["key"])
    #expect(code(missing) == .noSuchTable)
  }

  @Test func `a temporary folder that is missing is named`() throws {
    let connection = try SampleTable.connection(
      (0..<100).map { SampleRecord(key: "key \($0)") })
    var options = DeduplicationOptions()
    options.memoryBudget = 0
    options.temporaryFolder = "/nowhere/at all"
    let layout = try SampleTable.layout(in: connection)
    let error = storeError {
      _ = try report(connection, layout, options)
    }
    #expect(error?.code == .temporaryFile)
    #expect(error?.message.contains("'/nowhere/at all'") == true)
  }

  @Test func `the digest of a table depends on content and not on row ids`() throws {
    func digest(_ sql: SQL) throws -> TableDigest {
      let connection = try Connection.inMemory()
      try connection.execute(
        """
        CREATE TABLE category (poikit_id INTEGER PRIMARY KEY, name TEXT UNIQUE);
        CREATE TABLE poi (poikit_id INTEGER PRIMARY KEY, name TEXT, category INTEGER);
        \(sql)
        """)
      let model = try Model(
        parsing: """
          {"x-table":"poi","properties":{"name":{},
            "category":{"type":"string","x-relation":{"table":"category","unique":"name"}}}}
          """)
      return try TableLayout(contentOf: model).digest(in: connection)
    }
    let one = try digest(
      "INSERT INTO category VALUES (1, 'x'), (2, 'y'); INSERT INTO poi VALUES (1, 'a', 1), (2, 'b', 2)"
    )
    let other = try digest(
      "INSERT INTO category VALUES (9, 'x'), (5, 'y'); INSERT INTO poi VALUES (7, 'b', 5), (3, 'a', 9)"
    )
    let different = try digest(
      "INSERT INTO category VALUES (1, 'x'), (2, 'y'); INSERT INTO poi VALUES (1, 'a', 2), (2, 'b', 1)"
    )
    let without = try digest("INSERT INTO poi VALUES (1, 'a', NULL), (2, 'b', NULL)")
    #expect(one == other)
    #expect(one.rowCount == 2)
    #expect(one.digest != different.digest)
    #expect(one.digest != without.digest)
  }

  @Test func `a long reading can be stopped, and has changed nothing`() throws {
    let connection = try SampleTable.connection([])
    try connection.execute(
      """
      INSERT INTO sample ("key") WITH RECURSIVE n (i) AS
        (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 70000) SELECT i / 2 FROM n
      """)
    let deduplicator = Deduplicator(layout: try SampleTable.layout(in: connection))
    var readCounts: [Int] = []
    let plan = try deduplicator.plan(on: connection) { progress in
      if progress.stage == .reading { readCounts.append(progress.completedCount) }
      return readCounts.count == 1 ? .stop : .proceed
    }
    #expect(plan == nil && readCounts == [65_536])
  }

  @Test func `a pass and its undoing need neither a progress closure nor a clock`() throws {
    let connection = try SampleTable.connection([
      SampleRecord(key: "a", time: 1), SampleRecord(key: "a", time: 2),
    ])
    let deduplicator = Deduplicator(layout: try SampleTable.layout(in: connection))
    #expect(try deduplicator.plan(on: connection)?.loserCount == 1)
    #expect(try deduplicator.run(on: connection).rowsLeft == 1)
    _ = try Deduplicator.undo(on: connection)
    #expect(try SampleTable.content(connection).count == 2)

    let model = try Model(
      parsing: #"""
        {"x-table":"note","x-key":"id","x-timestamp":"at","properties":{"id":{"type":"integer"},
          "ref":{"type":"string"},"at":{"type":"integer","x-unit":"seconds"}}}
        """#)
    let store = try Store.inMemory()
    let sources: [ImportSource] = [
      .text(#"{"id":1,"ref":"x","at":1}"#, named: "a"),
      .text(#"{"id":2,"ref":"x","at":2}"#, named: "b"),
    ]
    #expect(try store.importRecords(from: sources, model: model).counters.inserted == 2)
    #expect(try store.plan(by: ["ref"])?.loserCount == 1)
    #expect(try store.deduplicate(by: ["ref"]).rowsLeft == 1)
    try store.undo()
    #expect(try store.rows().count == 2)
  }
}
