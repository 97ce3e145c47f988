import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit

@Suite struct DeduplicatorUndoTests {
  private func deduplicate(
    _ connection: Connection, key: [String] = ["key"]
  ) throws -> Int64 {
    let layout = try SampleTable.layout(key: key, in: connection)
    let report = try Deduplicator(layout: layout).run(on: connection, clock: someInstant)
    return try #require(report.run)
  }

  /// Two duplicates; a row of another table refers to the older one.
  private func visitedSamples() throws -> Connection {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE sample (id INTEGER PRIMARY KEY, "key" TEXT, part, time, dead, note);
      INSERT INTO sample VALUES (1, 'a', 1, 1, 0, NULL), (2, 'a', 1, 2, 0, NULL);
      CREATE TABLE visit (ref INTEGER REFERENCES sample (id));
      INSERT INTO visit VALUES (1)
      """)
    return connection
  }

  private func undoError(
    _ connection: Connection, run: Int64? = nil
  ) -> StoreError? {
    storeError {
      _ = try Deduplicator.undo(run: run, on: connection, clock: someInstant)
    }
  }

  @Test func `passes are undone in turn, back to the first state`() throws {
    for seed in TestLength.some(UInt64(1)...10, 4) {
      var generator = SplitMix64(seed: seed)
      let connection = try SampleTable.connection(
        SampleRecord.random(count: 80, using: &generator))
      let first = try dump("sample", in: connection)
      let run = try deduplicate(connection, key: ["key", "part"])
      let second = try dump("sample", in: connection)
      _ = try deduplicate(connection, key: ["key"])
      #expect(first != second, "seed \(seed)")
      #expect(undoError(connection, run: run)?.code == .cannotUndo, "seed \(seed)")
      _ = try Deduplicator.undo(on: connection, clock: someInstant)
      #expect(try dump("sample", in: connection) == second, "seed \(seed)")
      _ = try Deduplicator.undo(on: connection, clock: someInstant)
      #expect(try dump("sample", in: connection) == first, "seed \(seed)")
      #expect(undoError(connection)?.code == .cannotUndo)
    }
  }

  @Test func `values are restored with their types, and generated columns by themselves`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE sample (id INTEGER PRIMARY KEY, "key" ANY, time REAL, dead, text TEXT, number NUMERIC,
        length INTEGER AS (length(text)), double AS (id * 2) STORED);
      INSERT INTO sample (id, "key", time, text, number) VALUES
        (-9223372036854775808, x'00', 1, '', 9223372036854775807), (5, x'00', 2, 'a', 1.5),
        (9223372036854775807, x'00', 0.5, CAST(x'610062' AS TEXT), '1e400'),
        (6, x'00', NULL, NULL, x'ff')
      """)
    let before = try dump("sample", in: connection)
    let report = try Deduplicator(layout: try SampleTable.layout(in: connection))
      .run(on: connection, clock: someInstant)
    #expect(report.rowsLeft == 1)
    _ = try Deduplicator.undo(on: connection, clock: someInstant)
    #expect(try dump("sample", in: connection) == before)
  }

  @Test func `a row with the id of a loser prevents the undo`() throws {
    let connection = try SampleTable.connection([
      SampleRecord(key: "a", time: 1), SampleRecord(key: "a", time: 3),
      SampleRecord(key: "a", time: 2),
    ])
    _ = try deduplicate(connection)
    try connection.execute("INSERT INTO sample (rowid, \"key\") VALUES (3, 'new')")
    let before = try dump("sample", in: connection)
    let error = undoError(connection)
    #expect(error?.code == .cannotUndo)
    #expect(
      error?.message == """
        :memory:: run 1 cannot be undone: 'sample' has other rows with the ids 3 now: give these rows free \
        ids in the column 'rowid', and change the references to them
        """)
    #expect(try dump("sample", in: connection) == before)
    #expect(try rows("SELECT state FROM poikit_run", in: connection) == ["finished"])
  }

  @Test func `columns whose names differ only in normal form get their own values back`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE sample ("key" TEXT, time, "\u{e9}" TEXT, "e\u{301}" TEXT);
      INSERT INTO sample VALUES ('a', 2, NULL, NULL), ('a', 1, 'one', 'two'), ('b', 2, NULL, 'own'),
        ('b', 1, 'three', 'four')
      """)
    let before = try dump("sample", in: connection)
    var options = DeduplicationOptions()
    options.mergesLosers = true
    let layout = try TableLayout(
      describing: "sample", in: connection, key: ["key"], timestamp: "time")
    let report = try Deduplicator(layout: layout, options: options)
      .run(on: connection, clock: someInstant)
    #expect(report.changes.filledValueCount == 3)
    let undone = try Deduplicator.undo(on: connection, clock: someInstant)
    #expect(undone.changedRowCount == 0)
    #expect(try dump("sample", in: connection) == before)
  }

  @Test func `a pass that changed nothing is not the one to undo`() throws {
    let connection = try SampleTable.connection([
      SampleRecord(key: "a", time: 1), SampleRecord(key: "a", time: 2),
    ])
    let before = try dump("sample", in: connection)
    let run = try deduplicate(connection)
    #expect(try deduplicate(connection) != run)
    #expect(try Deduplicator.undo(on: connection, clock: someInstant).run == run)
    #expect(try dump("sample", in: connection) == before)
    #expect(undoError(connection)?.message.contains("could be undone") == true)
  }

  @Test(arguments: [
    "AFTER INSERT ON sample BEGIN UPDATE sample SET part = 99 WHERE rowid = new.rowid; END",
    "AFTER INSERT ON sample BEGIN UPDATE sample SET part = 1.0 WHERE rowid = new.rowid; END",
    "BEFORE INSERT ON sample BEGIN SELECT RAISE(IGNORE); END",
    "AFTER UPDATE OF ref ON visit BEGIN UPDATE visit SET ref = NULL WHERE rowid = new.rowid; END",
    "AFTER UPDATE OF ref ON visit BEGIN UPDATE sample SET note = 'x'; END",
  ])
  func `a trigger that changes restored rows prevents the undo`(trigger: SQL) throws {
    let connection = try visitedSamples()
    let before = try dump("sample", in: connection) + dump("visit", in: connection)
    _ = try deduplicate(connection)
    try connection.execute("CREATE TRIGGER meddling \(trigger)")
    let after = try dump("sample", in: connection) + dump("visit", in: connection)
    let error = undoError(connection)
    #expect(error?.code == .cannotUndo, "\(error?.message ?? "")")
    #expect(error?.message.contains("a trigger changes row 1") == true, "\(error?.message ?? "")")
    #expect(try dump("sample", in: connection) + dump("visit", in: connection) == after)
    try connection.execute("DROP TRIGGER meddling")
    _ = try Deduplicator.undo(on: connection, clock: someInstant)
    #expect(try dump("sample", in: connection) + dump("visit", in: connection) == before)
  }

  @Test func `an index created since prevents the undo`() throws {
    let connection = try SampleTable.connection([
      SampleRecord(key: "a", time: 1), SampleRecord(key: "a", time: 2),
    ])
    _ = try deduplicate(connection)
    try connection.execute("CREATE UNIQUE INDEX later ON sample (\"key\")")
    let error = undoError(connection)
    #expect(error?.code == .cannotUndo)
    #expect(error?.cause?.isUniqueViolation == true)
    #expect(try connection.integer("SELECT count(*) FROM sample") == 1)
  }

  @Test func `a column dropped since prevents the undo if it had values`() throws {
    let connection = try SampleTable.connection([
      SampleRecord(key: "a", time: 1, note: "x"), SampleRecord(key: "a", time: 2),
    ])
    _ = try deduplicate(connection)
    try connection.execute("ALTER TABLE sample DROP COLUMN part")
    try connection.begin()
    _ = try connection.execute("ALTER TABLE sample DROP COLUMN note")
    try connection.commit()
    #expect(undoError(connection)?.message.contains("no column 'note' any more") == true)
    try connection.execute("ALTER TABLE sample ADD COLUMN note")
    _ = try Deduplicator.undo(on: connection, clock: someInstant)
    #expect(try rows("SELECT time, note FROM sample", in: connection) == ["1|x", "2|"])
  }

  @Test func `a run that is missing or has no archive cannot be undone`() throws {
    let connection = try SampleTable.connection([
      SampleRecord(key: "a", time: 1), SampleRecord(key: "a", time: 2),
      SampleRecord(key: "b", time: 1), SampleRecord(key: "b", time: 2),
    ])
    #expect(undoError(connection)?.message.contains("could be undone") == true)
    let run = try deduplicate(connection)
    #expect(undoError(connection, run: 99)?.message.contains("number 99") == true)
    _ = try Deduplicator.undo(run: run, on: connection, clock: someInstant)
    #expect(undoError(connection, run: run)?.message.contains("undone already") == true)
    var options = DeduplicationOptions()
    options.archive = false
    _ = try Deduplicator(layout: try SampleTable.layout(in: connection), options: options)
      .run(on: connection, clock: someInstant)
    #expect(undoError(connection)?.message.contains("kept no archive") == true)
  }

  @Test func `a run whose archive was dropped is not undone, and its key stays enforced`() throws {
    let connection = try SampleTable.connection([
      SampleRecord(key: "a", time: 1), SampleRecord(key: "a", time: 2),
    ])
    var options = DeduplicationOptions()
    options.enforcement = .index
    _ = try Deduplicator(layout: try SampleTable.layout(in: connection), options: options)
      .run(on: connection, clock: someInstant)
    try connection.execute("DROP TABLE poikit_archive_sample")
    let indexes: SQL =
      "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND sql LIKE '%UNIQUE%'"
    #expect(try rows(indexes, in: connection) == ["1"])
    let error = undoError(connection)
    #expect(error?.code == .cannotUndo)
    #expect(error?.message.contains("the archive of run 1 is gone") == true)
    #expect(try rows(indexes, in: connection) == ["1"])
  }

  @Test func `columns that differ only in letters beyond ASCII are two columns`() throws {
    let connection = try Connection.inMemory()
    func deduplicate() throws {
      let layout = try TableLayout(
        describing: "sample", in: connection, key: ["k"], timestamp: "time")
      _ = try Deduplicator(layout: layout).run(on: connection, clock: someInstant)
    }
    try connection.execute(
      #"""
      CREATE TABLE sample (k, "Ä", time);
      INSERT INTO sample VALUES (1, NULL, 2), (1, 5, 1)
      """#)
    try deduplicate()
    try connection.execute(
      #"ALTER TABLE sample ADD COLUMN "ä"; INSERT INTO sample VALUES (1, 6, 1, 7)"#)
    try deduplicate()
    #expect(
      try rows(#"SELECT "Ä", "ä" FROM poikit_archive_sample ORDER BY 1"#, in: connection) == [
        "5|", "6|7",
      ])
  }

  @Test func `a loser is archived as it was before its references moved`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE p (id INTEGER PRIMARY KEY, k TEXT, ts INT, visits INT);
      INSERT INTO p VALUES (1, 'a', 1, 3), (2, 'a', 2, 1);
      CREATE TABLE visit (id INTEGER PRIMARY KEY, p INTEGER REFERENCES p (id));
      INSERT INTO visit VALUES (1, 1), (2, 1), (3, 1), (4, 2);
      CREATE TRIGGER counting AFTER UPDATE OF p ON visit BEGIN
        UPDATE p SET visits = visits - 1 WHERE id = OLD.p;
        UPDATE p SET visits = visits + 1 WHERE id = NEW.p;
      END
      """)
    let layout = try TableLayout(describing: "p", in: connection, key: ["k"], timestamp: "ts")
    _ = try Deduplicator(layout: layout).run(on: connection, clock: someInstant)
    #expect(try rows("SELECT id, visits FROM p", in: connection) == ["2|4"])
    #expect(undoError(connection)?.message.contains("drop the triggers") == true)
    try connection.execute("DROP TRIGGER counting")
    _ = try Deduplicator.undo(on: connection, clock: someInstant)
    #expect(try rows("SELECT id, visits FROM p WHERE id = 1", in: connection) == ["1|3"])
    #expect(try rows("SELECT p FROM visit", in: connection) == ["1", "1", "1", "2"])
  }

  @Test func `a rule that refuses the former reference prevents the undo`() throws {
    let connection = try visitedSamples()
    _ = try deduplicate(connection)
    try connection.execute(
      "CREATE TRIGGER no BEFORE UPDATE ON visit BEGIN SELECT RAISE(ABORT, 'stay'); END")
    let error = undoError(connection)
    #expect(error?.code == .cannotUndo)
    #expect(
      error?.message.contains("row 1 of 'visit' cannot get its former values, because stay")
        == true,
      "\(error?.message ?? "")")
    #expect(try rows("SELECT ref FROM visit", in: connection) == ["2"])
  }

  @Test func `a table whose name begins with a combining mark is restored`() throws {
    let connection = try Connection.inMemory()
    let name = "\u{301}x"
    try connection.execute(
      "CREATE TABLE \(name: name) (k); INSERT INTO \(name: name) VALUES (1), (1)")
    let layout = try TableLayout(describing: name, in: connection, key: ["k"])
    _ = try Deduplicator(layout: layout).run(on: connection, clock: someInstant)
    #expect(try rows("SELECT count(*) FROM \(name: name)", in: connection) == ["1"])
    _ = try Deduplicator.undo(on: connection, clock: someInstant)
    #expect(try rows("SELECT count(*) FROM \(name: name)", in: connection) == ["2"])
  }

  @Test(arguments: ["9223372036854775807", "-1"])
  func `a run with impossible counters is not resumed`(count: String) throws {
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE sample (k); INSERT INTO sample VALUES (1), (1), (1)")
    let layout = try TableLayout(describing: "sample", in: connection, key: ["k"])
    var options = DeduplicationOptions()
    options.batchSize = 1
    let deduplicator = Deduplicator(layout: layout, options: options)
    let stopped = try deduplicator.run(on: connection, clock: someInstant) { progress in
      if progress.stage == .removing, progress.completedCount > 0 { .stop } else { .proceed }
    }
    #expect(!stopped.isFinished && stopped.rowsLeft == 2)
    try connection.execute(
      "UPDATE poikit_run SET counters = json_set(counters, '$.losers', json(\(literal: count)))")
    let report = try deduplicator.run(on: connection, clock: someInstant)
    #expect(report.isFinished && report.rowsLeft == 1 && report.run == 2)
  }
}
