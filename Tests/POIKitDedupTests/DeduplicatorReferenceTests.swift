import POIKitTestSupport
import POISQLite
import Testing

@testable import POIKit

/// Rows that refer to losers.
@Suite struct DeduplicatorReferenceTests {
  /// Deduplicates `t` by `k` with the timestamp `at`, checks all foreign keys, undoes it and
  /// compares.
  ///
  /// - Parameters:
  ///   - script: creates the tables.
  ///   - tables: the tables to compare.
  ///   - isEnforcing: whether SQLite enforces foreign keys.
  ///   - batchSize: the number of losers in a transaction.
  ///   - archive: whether losers are archived; if not, nothing is undone.
  ///   - isSound: whether all referenced columns are unique, as SQLite requires.
  ///   - look: examines the deduplicated database.
  private func deduplicate(
    _ script: SQL, tables: [String], isEnforcing: Bool = true, batchSize: Int = 500,
    archive: Bool = true, isSound: Bool = true,
    _ look: (Connection, DeduplicationReport) throws -> Void
  ) throws {
    let connection = try Connection.inMemory()
    try connection.execute(script)
    try connection.execute("PRAGMA foreign_keys = \(isEnforcing ? "ON" : "OFF")")
    var before: [[String]] = []
    for table in tables { before.append(try dump(table, in: connection)) }
    let schemaBefore = try schema(connection)
    var options = DeduplicationOptions()
    options.batchSize = batchSize
    options.archive = archive
    let layout = try TableLayout(describing: "t", in: connection, key: ["k"], timestamp: "at")
    let report = try Deduplicator(layout: layout, options: options)
      .run(on: connection, clock: someInstant)
    if isSound { #expect(try rows("PRAGMA foreign_key_check", in: connection) == []) }
    try look(connection, report)
    guard archive else { return }

    let movedCount = try connection.integer("SELECT count(*) FROM poikit_journal")
    let undone = try Deduplicator.undo(on: connection, clock: someInstant)
    #expect(undone.restoredRowCount == report.changes.archivedRowCount)
    #expect(Int64(undone.restoredReferenceCount) == movedCount)
    for (table, rows) in zip(tables, before) {
      #expect(try dump(table, in: connection) == rows, "\(table)")
    }
    #expect(try schema(connection) == schemaBefore)
    #expect(try connection.integer("SELECT count(*) FROM poikit_journal") == 0)
    #expect(
      try rows("SELECT DISTINCT state FROM poikit_run", in: connection) == ["undone"])
  }

  static let parents: SQL = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT, at INTEGER);
    INSERT INTO t VALUES (1, 'a', 1), (2, 'a', 2), (3, 'b', 2), (4, 'b', 1), (5, 'a', 3);
    """

  @Test(arguments: [true, false], [1, 500])
  func `rows that refer to a loser refer to its winner afterwards`(
    isEnforcing: Bool, batchSize: Int
  ) throws {
    try deduplicate(
      """
      \(Self.parents)
      CREATE TABLE visit (place INTEGER REFERENCES t ON DELETE CASCADE, note TEXT);
      INSERT INTO visit VALUES (1, 'x'), (2, 'y'), (5, 'z'), (4, 'u'), (NULL, 'none');
      """, tables: ["t", "visit"], isEnforcing: isEnforcing, batchSize: batchSize
    ) { connection, report throws in
      #expect(
        try rows("SELECT place, note FROM visit ORDER BY rowid", in: connection)
          == ["5|x", "5|y", "5|z", "3|u", "|none"])
      #expect(report.changes.movedReferenceCount == 3)
      #expect(report.changes.removedReferenceRowCount == 0)
      #expect(try rows("SELECT id FROM t ORDER BY id", in: connection) == ["3", "5"])
    }
  }

  @Test func `a row of many columns moves, or is removed if the winner has it already`() throws {
    let columns = (0..<1_100).map { "c\($0)" as SQL }.joined(separator: ", ")
    try deduplicate(
      """
      \(Self.parents)
      CREATE TABLE visit (place INTEGER REFERENCES t, n INTEGER, \(columns), UNIQUE (place, n));
      INSERT INTO visit (place, n, c7, c1099) VALUES (1, 1, 'a', 2), (2, 1, 'a', 2), (2, 2, NULL, 1);
      """, tables: ["t"]
    ) { connection, report throws in
      #expect(
        try rows("SELECT place, n, c1099 FROM visit ORDER BY n", in: connection)
          == ["5|1|2", "5|2|1"])
      #expect(report.changes.removedReferenceRowCount == 1)
    }
  }

  @Test func `references move without an archive too`() throws {
    try deduplicate(
      """
      \(Self.parents)
      CREATE TABLE tag (place INTEGER REFERENCES t, tag TEXT, UNIQUE (place, tag));
      INSERT INTO tag VALUES (1, 'x'), (5, 'x'), (2, 'y');
      """, tables: [], archive: false
    ) { connection, report throws in
      #expect(
        try rows("SELECT * FROM tag ORDER BY 2", in: connection) == ["5|x", "5|y"])
      #expect(report.changes.removedReferenceRowCount == 1)
      #expect(
        try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'poikit%'") == 0)
    }
  }

  @Test func `a row that the winner has is removed, and references to it move`() throws {
    try deduplicate(
      """
      \(Self.parents)
      CREATE TABLE tag (
        id INTEGER PRIMARY KEY, place INTEGER NOT NULL REFERENCES t, tag TEXT COLLATE NOCASE,
        UNIQUE (tag, place) ON CONFLICT REPLACE);
      INSERT INTO tag VALUES (10, 1, 'x'), (11, 5, 'X'), (12, 2, 'x'), (13, 2, 'y'), (14, 4, 'x');
      CREATE TABLE vote (tag INTEGER REFERENCES tag, who TEXT);
      INSERT INTO vote VALUES (10, 'p'), (12, 'q'), (13, 'r'), (11, 's');
      """, tables: ["t", "tag", "vote"]
    ) { connection, report throws in
      #expect(
        try rows("SELECT * FROM tag ORDER BY id", in: connection)
          == ["11|5|X", "13|5|y", "14|3|x"])
      #expect(
        try rows("SELECT tag FROM vote ORDER BY rowid", in: connection) == ["11", "11", "13", "11"])
      #expect(report.changes.removedRowCount == 3)
      #expect(report.changes.removedReferenceRowCount == 2)
      #expect(report.changes.movedReferenceCount == 4)
      #expect(report.changes.archivedRowCount == 5)
      #expect(
        try rows(
          "SELECT poikit_row_id, poikit_winner_id FROM poikit_archive_tag ORDER BY 1",
          in: connection) == ["10|11", "12|11"])
    }
  }

  @Test func `a reference may consist of several columns`() throws {
    try deduplicate(
      """
      CREATE TABLE t (a TEXT, b INTEGER, k TEXT, at INTEGER, PRIMARY KEY (a, b));
      INSERT INTO t VALUES ('p', 1, 'a', 1), ('p', 2, 'a', 2), ('q', 1, 'a', 3), ('r', 1, 'c', 1);
      CREATE TABLE visit (y INTEGER, x TEXT, FOREIGN KEY (x, y) REFERENCES t);
      INSERT INTO visit VALUES (1, 'p'), (2, 'p'), (1, 'q'), (1, 'r'), (NULL, 'p'), (1, NULL);
      """, tables: ["t", "visit"]
    ) { connection, report throws in
      #expect(
        try rows("SELECT x, y FROM visit ORDER BY rowid", in: connection)
          == ["q|1", "q|1", "q|1", "r|1", "p|", "|1"])
      #expect(report.changes.movedReferenceCount == 2)
    }
  }

  @Test func `a reference to a column that loser and winner share stays`() throws {
    try deduplicate(
      """
      CREATE TABLE t (code TEXT, k TEXT, at INTEGER);
      INSERT INTO t VALUES ('c', 'a', 1), ('c', 'a', 2);
      CREATE TABLE visit (code TEXT REFERENCES t (code));
      INSERT INTO visit VALUES ('c');
      """, tables: ["t", "visit"], isEnforcing: false, isSound: false
    ) { connection, report throws in
      #expect(report.changes.movedReferenceCount == 0)
      #expect(try rows("SELECT code FROM visit", in: connection) == ["c"])
    }
  }

  @Test func `a reference may be the row id of its own table`() throws {
    try deduplicate(
      """
      \(Self.parents)
      CREATE TABLE detail (place INTEGER PRIMARY KEY REFERENCES t, note TEXT);
      INSERT INTO detail VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four');
      """, tables: ["t", "detail"]
    ) { connection, report throws in
      #expect(
        try rows("SELECT place, note FROM detail ORDER BY 1", in: connection)
          == ["3|three", "5|two"])
      #expect(report.changes.movedReferenceCount == 1)
      #expect(report.changes.removedReferenceRowCount == 2)
    }
  }

  @Test(arguments: [
    "place INTEGER PRIMARY KEY REFERENCES t, other INTEGER REFERENCES t",
    "place INTEGER PRIMARY KEY, other INTEGER REFERENCES t, FOREIGN KEY (place) REFERENCES t",
  ])
  func `a row whose id moves may refer to a loser once more`(columns: SQL) throws {
    try deduplicate(
      """
      \(Self.parents)
      CREATE TABLE detail (\(columns));
      INSERT INTO detail VALUES (1, 2), (4, 1);
      """, tables: ["t", "detail"]
    ) { connection, report throws in
      #expect(try rows("SELECT * FROM detail ORDER BY 1", in: connection) == ["3|5", "5|5"])
    }
  }

  @Test func `a loser whose reference cannot move is removed before it has to move`() throws {
    try deduplicate(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT, at INTEGER, next INTEGER UNIQUE REFERENCES t);
      INSERT INTO t VALUES (1, 'a', 1, NULL), (2, 'a', 2, NULL), (3, 'b', 1, 1), (4, 'b', 2, 2);
      """, tables: ["t"]
    ) { connection, report throws in
      #expect(try rows("SELECT id, next FROM t ORDER BY 1", in: connection) == ["2|", "4|2"])
    }
  }

  @Test(arguments: [1, 2, 500])
  func `rows may refer to rows of their own table`(batchSize: Int) throws {
    try deduplicate(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT, at INTEGER, parent INTEGER REFERENCES t);
      INSERT INTO t VALUES (1, 'a', 1, NULL), (2, 'a', 2, 1), (3, 'b', 1, 1), (4, 'b', 2, 2),
        (5, 'c', 1, 3), (6, 'd', 1, 1), (7, 'd', 1, 2);
      """, tables: ["t"], batchSize: batchSize
    ) { connection, report throws in
      // 6 and 7 have the same content: their parents are the same record.
      #expect(report.plan.reasons.identical == 1)
      #expect(
        try rows("SELECT id, k, parent FROM t ORDER BY id", in: connection)
          == ["2|a|2", "4|b|2", "5|c|4", "6|d|2"])
    }
  }

  @Test func `more rows than are read at a time are all moved`() throws {
    try deduplicate(
      """
      \(Self.parents)
      CREATE TABLE visit (place INTEGER REFERENCES t, n INTEGER, UNIQUE (place, n));
      WITH RECURSIVE c (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < 2499)
      INSERT INTO visit SELECT p.id, n FROM c, (SELECT 1 AS id UNION SELECT 2) AS p;
      """, tables: ["t", "visit"]
    ) { connection, report throws in
      #expect(report.changes.movedReferenceCount == 2_500)
      #expect(report.changes.removedReferenceRowCount == 2_500)
      #expect(
        try rows("SELECT count(*), min(place), max(place) FROM visit", in: connection)
          == ["2500|5|5"])
    }
  }

  @Test func `a table without row ids that refers to losers is refused before anything changes`()
    throws
  {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      \(Self.parents)
      CREATE TABLE tag (place INTEGER REFERENCES t, tag TEXT, PRIMARY KEY (place, tag))
        WITHOUT ROWID;
      """)
    let layout = try TableLayout(describing: "t", in: connection, key: ["k"], timestamp: "at")
    let error = storeError {
      _ = try Deduplicator(layout: layout).run(on: connection, clock: someInstant)
    }
    #expect(error?.code == .unsupportedTable)
    #expect(error?.message.hasPrefix(":memory:: rows of 'tag' refer to 't'") == true)
    let planned = storeError {
      _ = try Deduplicator(layout: layout).plan(on: connection)
    }
    #expect(planned?.message == error?.message)
    #expect(try connection.integer("SELECT count(*) FROM t") == 5)
    #expect(
      try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'poikit%'") == 0)
  }

  @Test func `a table without row ids may refer to rows that only move`() throws {
    let script: SQL =
      """
      \(Self.parents)
      CREATE TABLE tag (id INTEGER PRIMARY KEY, place INTEGER REFERENCES t, tag TEXT,
        UNIQUE (place, tag));
      INSERT INTO tag VALUES (10, 1, 'x'), (11, 5, 'y'), (12, 2, 'z');
      CREATE TABLE vote (tag INTEGER REFERENCES tag, who TEXT, PRIMARY KEY (tag, who)) WITHOUT ROWID;
      INSERT INTO vote VALUES (10, 'p'), (11, 'q');
      """
    try deduplicate(script, tables: ["t", "tag"]) { connection, report throws in
      #expect(try rows("SELECT place FROM tag", in: connection) == ["5", "5", "5"])
    }
    // No vote refers to the tag, whose twin is in the winner's row: it is removed.
    try deduplicate("\(script); UPDATE tag SET tag = 'y' WHERE id = 12", tables: ["t", "tag"]) {
      connection, report throws in
      #expect(try rows("SELECT id FROM tag", in: connection) == ["10", "11"])
    }
    let connection = try Connection.inMemory()
    try connection.execute("\(script); UPDATE tag SET tag = 'y' WHERE id = 10")
    let layout = try TableLayout(describing: "t", in: connection, key: ["k"], timestamp: "at")
    let error = storeError {
      _ = try Deduplicator(layout: layout).run(on: connection, clock: someInstant)
    }
    #expect(error?.code == .unsupportedTable)
    #expect(error?.message.hasPrefix(":memory:: rows of 'vote' refer to 'tag'") == true)
    #expect(try connection.integer("SELECT count(*) FROM t") == 5)
  }

  @Test func `a row that a rule keeps from moving is named, and its batch is rolled back`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT, at INTEGER, next INTEGER UNIQUE REFERENCES t);
      INSERT INTO t VALUES (1, 'a', 1, NULL), (2, 'a', 2, NULL), (3, 'b', 1, 1), (4, 'c', 1, 2);
      """)
    let before = try dump("t", in: connection)
    let layout = try TableLayout(describing: "t", in: connection, key: ["k"], timestamp: "at")
    let error = storeError {
      _ = try Deduplicator(layout: layout).run(on: connection, clock: someInstant)
    }
    #expect(error?.code == .unmovableReference)
    #expect(error?.message.hasPrefix(":memory:: row 3 of 't'") == true)
    #expect(try dump("t", in: connection) == before)
  }

  // MARK: References to a moved row

  @Test(arguments: [true, false], ["CASCADE", "SET NULL", "RESTRICT", "NO ACTION"])
  func `a row does not move if a row refers to a column that would change`(
    isEnforcing: Bool, action: SQL
  ) throws {
    let script: SQL = """
      \(Self.parents)
      CREATE TABLE c (pid INTEGER REFERENCES t (id) ON UPDATE \(action), n INTEGER,
        PRIMARY KEY (pid, n));
      CREATE TABLE g (pid INTEGER, n INTEGER, txt,
        FOREIGN KEY (pid, n) REFERENCES c (pid, n) ON UPDATE \(action));
      INSERT INTO c VALUES (1, 7), (5, 8), (2, 8);
      INSERT INTO g VALUES (5, 8, 'own'), (2, 8, 'twin');
      """
    let error = try unmovable(
      "\(script); INSERT INTO g VALUES (1, 7, 'note')", foreignKeys: isEnforcing)
    #expect(error?.code == .unmovableReference, "\(error?.message ?? "")")
    #expect(
      error?.message.hasPrefix(
        ":memory:: row 1 of 'c' refers to a loser of 't' and cannot refer to its winner, row 5, because "
          + "a row of 'g' refers to a column that would change") == true, "\(error?.message ?? "")")
    try deduplicate(script, tables: ["t", "c", "g"], isEnforcing: isEnforcing) {
      connection, report throws in
      #expect(try rows("SELECT * FROM c ORDER BY 1, 2", in: connection) == ["5|7", "5|8"])
      #expect(
        try rows("SELECT * FROM g ORDER BY rowid", in: connection) == ["5|8|own", "5|8|twin"])
      #expect(report.changes.movedReferenceCount == 2)
      #expect(report.changes.removedReferenceRowCount == 1)
    }
  }

  @Test func `an obstructed move is refused before the first batch, and by a plan`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, k, at);
      CREATE TABLE c (id INTEGER PRIMARY KEY REFERENCES t (id));
      CREATE TABLE g (c INTEGER REFERENCES c (id));
      WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 24000)
      INSERT INTO t SELECT i, i % 12000, i FROM n;
      INSERT INTO c VALUES (5), (11999);
      INSERT INTO g VALUES (11999);
      """)
    let layout = try TableLayout(describing: "t", in: connection, key: ["k"], timestamp: "at")
    var options = DeduplicationOptions()
    options.batchSize = 100
    let deduplicator = Deduplicator(layout: layout, options: options)
    let before = try dump("t", in: connection)
    let errors = [
      storeError { _ = try deduplicator.plan(on: connection) },
      storeError { _ = try deduplicator.run(on: connection, clock: someInstant) },
    ]
    #expect(
      errors.allSatisfy { $0?.message.contains("row 11999 of 'c'") == true && $0?.report == nil })
    #expect(try dump("t", in: connection) == before)
    #expect(try rows("SELECT name FROM sqlite_schema", in: connection) == ["t", "c", "g"])

    try connection.execute("DELETE FROM g")
    let report = try deduplicator.run(on: connection, clock: someInstant)
    #expect(report.changes.removedRowCount == 12_000)
    #expect(try rows("SELECT id FROM c", in: connection) == ["12005", "23999"])
  }

  @Test func `a row that moves may be referred to by a table without row ids`() throws {
    let script: SQL = """
      \(Self.parents)
      CREATE TABLE c (id INTEGER PRIMARY KEY REFERENCES t (id));
      CREATE TABLE g (c INTEGER PRIMARY KEY REFERENCES c (id)) WITHOUT ROWID;
      INSERT INTO c VALUES (1), (4);
      """
    try deduplicate(script, tables: ["t", "c"]) { connection, report throws in
      #expect(try rows("SELECT id FROM c", in: connection) == ["3", "5"])
    }
    let error = try unmovable("\(script); INSERT INTO g VALUES (4)")
    #expect(error?.message.contains("row 4 of 'c'") == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("a row of 'g' refers to a column that would change") == true)
  }

  @Test(arguments: [true, false])
  func `a row that the winner has is removed with its rows that have duplicates, too`(
    isEnforcing: Bool
  ) throws {
    try deduplicate(
      """
      \(Self.parents)
      CREATE TABLE d (id INTEGER PRIMARY KEY REFERENCES t (id));
      CREATE TABLE n (d_id INTEGER PRIMARY KEY REFERENCES d (id));
      CREATE TABLE m (n_id INTEGER REFERENCES n, txt);
      INSERT INTO d VALUES (1), (2), (5);
      INSERT INTO n VALUES (1), (2), (5);
      INSERT INTO m VALUES (1, 'a'), (5, 'b'), (2, 'c');
      """, tables: ["t", "d", "n", "m"], isEnforcing: isEnforcing
    ) { connection, report throws in
      #expect(try rows("SELECT id FROM d", in: connection) == ["5"])
      #expect(try rows("SELECT d_id FROM n", in: connection) == ["5"])
      #expect(try rows("SELECT * FROM m ORDER BY 2", in: connection) == ["5|a", "5|b", "5|c"])
      #expect(report.changes.removedReferenceRowCount == 4)
    }
  }

  // MARK: Finding rows that refer

  @Test func `a row refers by the type of the column that it refers to`() throws {
    // With enforcement SQLite also finds that row 7 refers to '007' when that row is deleted.
    try deduplicate(
      """
      CREATE TABLE t (code TEXT UNIQUE, k TEXT, at INTEGER);
      INSERT INTO t VALUES ('007', 'a', 1), ('7', 'a', 2), ('8', 'b', 1), ('9', 'b', 2);
      CREATE TABLE c (pcode INTEGER REFERENCES t (code));
      INSERT INTO c VALUES ('007'), (8);
      """, tables: ["t", "c"], isEnforcing: false
    ) { connection, report throws in
      #expect(try rows("SELECT pcode FROM c ORDER BY rowid", in: connection) == ["7", "9"])
      #expect(report.changes.movedReferenceCount == 1)
    }
  }

  @Test func `without an archive no row is lost that differs from its duplicate`() throws {
    let script: SQL =
      """
      \(Self.parents)
      CREATE TABLE c (pid INTEGER REFERENCES t, tag TEXT COLLATE NOCASE, note, UNIQUE (pid, tag));
      INSERT INTO c VALUES (1, 'x', 'mine'), (5, 'X', 'yours');
      """
    let error = try unmovable(script, archive: false)
    #expect(error?.code == .unmovableReference, "\(error?.message ?? "")")
    #expect(error?.message.contains("row 1 of 'c'") == true)
    #expect(error?.message.contains("row 2") == true)
    try deduplicate(script, tables: ["t", "c"]) { connection, report throws in
      #expect(report.changes.removedReferenceRowCount == 1)
    }
  }

  // MARK: How rows are found

  @Test(arguments: [true, false], ["", "REFERENCES t"])
  func `rows without an index are found in every batch`(
    hasTrigger: Bool, ownReference: SQL
  ) throws {
    try deduplicate(
      """
      CREATE TABLE t (k TEXT, at INTEGER, code TEXT UNIQUE, next INTEGER \(ownReference), id INTEGER
        PRIMARY KEY);
      WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 60)
      INSERT INTO t SELECT n % 20, n, 'c' || n, 61 - n, n FROM c;
      CREATE TABLE visit (place INTEGER REFERENCES t, code REFERENCES t (code));
      INSERT INTO visit SELECT id, 'c' || (61 - id) FROM t UNION ALL SELECT NULL, NULL FROM t;
      \(hasTrigger ? "CREATE TRIGGER x AFTER UPDATE ON visit BEGIN SELECT 1; END" : "")
      """, tables: ["t", "visit"], batchSize: 7
    ) { connection, report throws in
      #expect(report.changes.removedRowCount == 40)
      #expect(
        try rows("SELECT min(place), max(place), count(place) FROM visit", in: connection)
          == ["41|60|60"])
      #expect(
        try rows(
          "SELECT count(*) FROM visit WHERE code NOT IN (SELECT code FROM t)", in: connection)
          == ["0"])
      if ownReference != "" {
        #expect(try rows("SELECT min(next) FROM t", in: connection) == ["41"])
      }
      #expect(
        try rows(
          "SELECT name FROM temp.sqlite_schema WHERE name LIKE '%referrers%'", in: connection)
          == [])
    }
  }

  @Test func `rows that refer to a loser are found by an index if there is one`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, code TEXT UNIQUE COLLATE NOCASE);
      CREATE TABLE a (pid INTEGER REFERENCES t (id), n, UNIQUE (pid, n));
      CREATE TABLE b (id INTEGER PRIMARY KEY REFERENCES t (id));
      CREATE TABLE c (n, pid INTEGER REFERENCES t (id), UNIQUE (n, pid));
      CREATE TABLE d (pid INTEGER REFERENCES t (id));
      CREATE TABLE e (code TEXT UNIQUE REFERENCES t (code));
      CREATE TABLE f (code TEXT COLLATE NOCASE UNIQUE REFERENCES t (code));
      CREATE TEMP TABLE pairs (loser INTEGER NOT NULL PRIMARY KEY, winner INTEGER NOT NULL)
      """)
    let parent = try TableSchema(of: "t", in: connection)
    var searchable: [String] = []
    for reference in try TableReference.all(to: parent) {
      let child = try TableSchema(of: reference.childTable, in: connection)
      let move = ReferenceMove(reference: reference, parent: parent, child: child)
      if try move.hasIndex("pairs", by: PreparedStatements(connection)) {
        searchable.append(child.name)
      }
    }
    #expect(searchable == ["a", "b", "f"])
  }

  @Test func `a table whose name begins almost like the toolkit's refers like others`() throws {
    try deduplicate(
      "\(Self.parents) CREATE TABLE poikitchen (t INTEGER REFERENCES t); INSERT INTO poikitchen VALUES (1)",
      tables: ["t", "poikitchen"]
    ) { connection, _ throws in
      #expect(try rows("SELECT t FROM poikitchen", in: connection) == ["5"])
    }
  }

  @Test func `a reference to a table without a primary key means its row id`() throws {
    try deduplicate(
      """
      CREATE TABLE t (k TEXT, at INTEGER); CREATE TABLE c (pid INTEGER REFERENCES t);
      INSERT INTO t VALUES ('a', 1), ('a', 2); INSERT INTO c VALUES (1), (2);
      """, tables: ["t", "c"], isEnforcing: false, isSound: false
    ) { connection, _ throws in
      #expect(try rows("SELECT pid FROM c", in: connection) == ["2", "2"])
    }
  }

  @Test func `a table may refer to one that does not exist, or has no row ids`() throws {
    try deduplicate(
      """
      CREATE TABLE bare (id TEXT PRIMARY KEY) WITHOUT ROWID;
      CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT, at INTEGER, a REFERENCES nowhere, b REFERENCES bare);
      INSERT INTO t VALUES (1, 'a', 1, 7, 'x'), (2, 'a', 2, 8, 'y');
      """, tables: ["t"], isEnforcing: false, isSound: false
    ) { connection, _ throws in
      #expect(try rows("SELECT id, a, b FROM t", in: connection) == ["2|8|y"])
    }
  }
}
