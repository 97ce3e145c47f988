import POIKitTestSupport
import POISQLite
import Testing

@testable import POIKit

/// Unusual references between tables: a row moves as a whole, or nothing is changed.
@Suite struct DeduplicatorSchemaTests {
  /// Deduplicates `t` by `k` with the timestamp `at`.
  private func deduplicate(
    _ connection: Connection, batchSize: Int = 500, mergesLosers: Bool = false
  ) throws {
    var options = DeduplicationOptions()
    options.batchSize = batchSize
    options.mergesLosers = mergesLosers
    let layout = try TableLayout(describing: "t", in: connection, key: ["k"], timestamp: "at")
    _ = try Deduplicator(layout: layout, options: options).run(on: connection, clock: someInstant)
  }

  /// The rows of the tables, with row ids and types.
  private func content(_ connection: Connection) throws -> [String] {
    let tables = try rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'poikit%' ORDER BY 1",
      in: connection)
    return try tables.flatMap { try dump($0, in: connection) }
  }

  private static let parents: SQL = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, k, at, a, b, UNIQUE (a, b));
    """

  @Test(
    arguments: [
      // The conflicting row, by a part of the reference, belongs to another winner.
      """
      \(parents)
      INSERT INTO t VALUES (1, 'A', 2, 1, 'x'), (2, 'A', 1, 2, 'y'), (3, 'B', 1, 1, 'z');
      CREATE TABLE c (a UNIQUE, b, note, FOREIGN KEY (a, b) REFERENCES t (a, b));
      INSERT INTO c VALUES (1, 'z', 'of B'), (2, 'y', 'of A');
      """,
      // The same with its collation.
      """
      CREATE TABLE t (code TEXT PRIMARY KEY, k, at);
      INSERT INTO t VALUES ('a', 'A', 2), ('b', 'A', 1), ('A', 'B', 1);
      CREATE TABLE c (r TEXT COLLATE NOCASE UNIQUE REFERENCES t (code), note);
      INSERT INTO c VALUES ('A', 'of B'), ('b', 'of A');
      """,
      // Another reference that shares a column refers to another row.
      """
      \(parents)
      INSERT INTO t VALUES (1, 'A', 2, 1, 1), (2, 'A', 1, 2, 2);
      CREATE TABLE z (a, z, PRIMARY KEY (a, z));
      INSERT INTO z VALUES (2, 7);
      CREATE TABLE c (
        a, b, z, FOREIGN KEY (a, b) REFERENCES t (a, b), FOREIGN KEY (a, z) REFERENCES z);
      INSERT INTO c VALUES (2, 2, 7);
      """,
      // The same column refers to two tables.
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, k, at);
      INSERT INTO t VALUES (1, 'A', 2), (2, 'A', 1);
      CREATE TABLE z (id INTEGER PRIMARY KEY);
      INSERT INTO z VALUES (2);
      CREATE TABLE c (r REFERENCES t REFERENCES z);
      INSERT INTO c VALUES (2);
      """,
      // The same column refers to two columns of one table.
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, k, at, u UNIQUE);
      INSERT INTO t VALUES (5, 'A', 1, 10), (6, 'A', 2, 5);
      CREATE TABLE c (r REFERENCES t (u) REFERENCES t (id));
      INSERT INTO c VALUES (5);
      """,
      // Another reference moves from another row to the winner.
      """
      \(parents)
      INSERT INTO t VALUES (1, 'A', 2, 1, 1), (2, 'A', 1, 2, 2), (3, 'B', 1, 2, 1);
      CREATE TABLE c (
        a, b, d, FOREIGN KEY (a, b) REFERENCES t (a, b), FOREIGN KEY (a, d) REFERENCES t (a, b));
      INSERT INTO c VALUES (2, 2, 1);
      """,
      // A row that refers to a moved row has a conflict, too.
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, k, at);
      INSERT INTO t VALUES (1, 'A', 2), (2, 'A', 1);
      CREATE TABLE z (id INTEGER PRIMARY KEY);
      INSERT INTO z VALUES (2);
      CREATE TABLE c (r UNIQUE REFERENCES t);
      INSERT INTO c VALUES (2);
      CREATE TABLE d (r REFERENCES c (r) REFERENCES z);
      INSERT INTO d VALUES (2);
      """,
      // Two columns store the winner's value in different forms.
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, k, at);
      INSERT INTO t VALUES (1, 'A', 2), (2, 'A', 1);
      CREATE TABLE c (r UNIQUE REFERENCES t);
      INSERT INTO c VALUES ('2');
      CREATE TABLE d (r TEXT REFERENCES c (r));
      INSERT INTO d VALUES ('2');
      """,
      // The winner's value cannot be a row id.
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, k, at, code UNIQUE);
      INSERT INTO t VALUES (1, 'A', 2, 'x'), (2, 'A', 1, 7);
      CREATE TABLE c (code INTEGER PRIMARY KEY REFERENCES t (code));
      INSERT INTO c VALUES (7);
      """,
    ] as [SQL])
  func `a row that cannot move whole is refused, and nothing is changed`(script: SQL) throws {
    for batchSize in [1, 500] {
      let connection = try Connection.inMemory()
      try connection.execute(script)
      let before = try content(connection)
      let error = #expect(throws: StoreError.self) {
        try deduplicate(connection, batchSize: batchSize)
      }
      #expect(error?.code == .unmovableReference, "\(String(describing: error))")
      #expect(try content(connection) == before)
    }
  }

  @Test func `a loser that a trigger keeps is refused, and nothing is changed`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (k, at);
      INSERT INTO t VALUES ('A', 2), ('A', 1);
      CREATE TRIGGER keep BEFORE DELETE ON t BEGIN SELECT RAISE(IGNORE); END
      """)
    let error = #expect(throws: StoreError.self) { try deduplicate(connection) }
    #expect(error?.code == .interferingTrigger)
    #expect(try rows("SELECT count(*) FROM t", in: connection) == ["2"])
  }

  @Test func `a trigger that deletes other rows is found when they are counted`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, k, at, whole);
      INSERT INTO t VALUES (1, 'A', 2, NULL), (2, 'A', 1, NULL), (3, 'B', 1, 2);
      CREATE TRIGGER parts AFTER DELETE ON t BEGIN DELETE FROM t WHERE whole = old.id; END
      """)
    let error = #expect(throws: StoreError.self) { try deduplicate(connection) }
    #expect(error?.code == .interferingTrigger)
  }

  @Test(
    arguments: [
      "INSERT INTO c VALUES (2, 1)", "INSERT INTO d VALUES (2)",
      """
      CREATE TRIGGER other AFTER UPDATE OF r ON c WHEN new.r <> 7
      BEGIN UPDATE c SET r = 7 WHERE id = new.id; END
      """,
    ] as [SQL])
  func `an undo fails if a row cannot get its id and values, and nothing is changed`(
    change: SQL
  ) throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, k, at);
      INSERT INTO t VALUES (1, 'A', 2), (2, 'A', 1);
      CREATE TABLE c (id INTEGER PRIMARY KEY REFERENCES t, r REFERENCES t);
      INSERT INTO c VALUES (2, 2);
      CREATE TABLE d (r UNIQUE REFERENCES t);
      INSERT INTO d VALUES (2);
      """)
    try deduplicate(connection)
    #expect(try rows("SELECT * FROM c", in: connection) == ["1|1"])
    try connection.execute(change)
    let before = try content(connection)
    let error = #expect(throws: StoreError.self) {
      try Deduplicator.undo(on: connection, clock: someInstant)
    }
    #expect(error?.code == .cannotUndo)
    #expect(try content(connection) == before)
  }

  @Test func `a winner gets no reference to a row that was removed with its losers`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, k, at, photo REFERENCES c);
      CREATE TABLE c (id INTEGER PRIMARY KEY, r UNIQUE REFERENCES t);
      INSERT INTO t VALUES (1, 'A', 2, NULL), (2, 'A', 1, 20);
      INSERT INTO c VALUES (10, 1), (20, 2);
      """)
    let before = try content(connection)
    let error = #expect(throws: StoreError.self) {
      try deduplicate(connection, mergesLosers: true)
    }
    #expect(error?.code == .unmergeableValue)
    #expect(try content(connection) == before)
  }

  @Test(
    arguments: [
      // Even if the shared column would stay, and if no row has both references.
      """
      CREATE TABLE z (a, z, PRIMARY KEY (a, z));
      CREATE TABLE c (
        a, b, z, FOREIGN KEY (a, b) REFERENCES t (a, b), FOREIGN KEY (a, z) REFERENCES z);
      """,
      "CREATE TABLE c (a REFERENCES t (id), b, FOREIGN KEY (a, b) REFERENCES t (a, b));",
      "CREATE TABLE z (id PRIMARY KEY); CREATE TABLE c (a REFERENCES t REFERENCES z);",
      // Below a table whose rows may be removed as duplicates.
      """
      CREATE TABLE v (id INTEGER PRIMARY KEY, r UNIQUE REFERENCES t);
      CREATE TABLE z (id PRIMARY KEY);
      CREATE TABLE c (a REFERENCES v (id) REFERENCES z);
      """,
    ] as [SQL], [true, false])
  func `references that share a column are refused before anything is read`(
    script: SQL, plans: Bool
  ) throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      "\(Self.parents) INSERT INTO t VALUES (1, 'A', 2, 7, 1), (2, 'A', 1, 7, 2); \(script)")
    let before = try content(connection)
    let layout = try TableLayout(describing: "t", in: connection, key: ["k"], timestamp: "at")
    let error = storeError {
      if plans { _ = try Deduplicator(layout: layout).plan(on: connection) }
      if !plans { try deduplicate(connection) }
    }
    #expect(error?.code == .unmovableReference)
    #expect(
      error?.message.contains("two references of 'c' share the column 'a', so its rows") == true
        && error?.message.contains("remove one of the two foreign keys") == true,
      "\(error?.message ?? "")")
    #expect(try content(connection) == before)
    #expect(
      try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'poikit%'") == 0)
  }

  @Test func `references that share a column are no obstacle if their rows stay or move alike`()
    throws
  {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      \(Self.parents)
      INSERT INTO t VALUES (1, 'A', 2, 7, 1), (2, 'A', 1, 7, 2);
      CREATE TABLE c (id INTEGER PRIMARY KEY, r REFERENCES t REFERENCES t (id));
      CREATE TABLE z (id PRIMARY KEY);
      CREATE TABLE d (a REFERENCES c REFERENCES z);
      INSERT INTO c VALUES (5, 2);
      """)
    try deduplicate(connection)
    #expect(try rows("SELECT r FROM c", in: connection) == ["1"])
  }

  @Test func `references may share a column that the key makes equal`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE tenant (id INTEGER PRIMARY KEY); INSERT INTO tenant VALUES (1);
      CREATE TABLE t (id INTEGER PRIMARY KEY, tenant, k, at, UNIQUE (tenant, id));
      INSERT INTO t VALUES (1, 1, 'A', 2), (2, 1, 'A', 1);
      CREATE TABLE c (
        tenant REFERENCES tenant, r, FOREIGN KEY (tenant, r) REFERENCES t (tenant, id));
      INSERT INTO c VALUES (1, 2);
      """)
    let layout = try TableLayout(
      describing: "t", in: connection, key: ["tenant", "k"], timestamp: "at")
    #expect(try Deduplicator(layout: layout).run(on: connection, clock: someInstant).rowsLeft == 1)
    #expect(try rows("SELECT r FROM c", in: connection) == ["1"])
  }

  @Test func `a number refers to a text, with an index as without`() throws {
    for index in ["", "CREATE INDEX i ON c (r)"] as [SQL] {
      let connection = try Connection.inMemory()
      try connection.execute(
        """
        CREATE TABLE t (code TEXT PRIMARY KEY, k, at);
        INSERT INTO t VALUES ('11', 'A', 2), ('12', 'A', 1);
        CREATE TABLE c (r REFERENCES t (code));
        INSERT INTO c VALUES (12);
        \(index)
        """)
      try deduplicate(connection)
      #expect(try rows("SELECT r FROM c", in: connection) == ["11"])
    }
  }

  @Test(
    arguments: [
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, k, at, v, ph REFERENCES c (id));
      CREATE TABLE c (
        id INTEGER PRIMARY KEY, r UNIQUE REFERENCES t (id), s UNIQUE REFERENCES t (id));
      INSERT INTO t VALUES
        (1, 'A', 2, 0, NULL), (2, 'A', 1, 0, NULL), (11, 'B', 2, 0, NULL), (12, 'B', 1, 0, 20);
      INSERT INTO c VALUES (5, NULL, 11), (10, 1, 12), (20, 2, NULL);
      """,
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, k, at, v, ph REFERENCES c (id));
      CREATE TABLE c (id INTEGER PRIMARY KEY, r UNIQUE REFERENCES t (id));
      INSERT INTO t VALUES (1, 'A', 3, NULL, 10), (2, 'A', 2, 'x', NULL), (3, 'A', 1, NULL, 20);
      INSERT INTO c VALUES (10, 1), (20, 2);
      """,
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, k, at);
      INSERT INTO t VALUES (1, 'A', 3), (2, 'A', 2), (3, 'A', 1);
      CREATE TABLE c (a REFERENCES t, b REFERENCES t, s UNIQUE REFERENCES t, UNIQUE (a, b));
      INSERT INTO c VALUES (2, 3, 1), (2, 1, 2);
      """,
      """
      \(parents)
      INSERT INTO t VALUES
        (1, 'A', 2, 1, 'q'), (2, 'A', 1, 1, 'r'), (3, 'B', 2, 1, 2), (4, 'B', 1, 'x', 'q');
      CREATE TABLE c (a, b, UNIQUE (a, b), FOREIGN KEY (a, b) REFERENCES t (a, b));
      INSERT INTO c VALUES ('x', 'q'), (1, 'r');
      """,
      // The row that changes last had the unique value that the other one got.
      """
      \(parents)
      INSERT INTO t VALUES
        (1, 'A', 2, 1, 'x'), (2, 'A', 1, 2, 'y'), (3, 'B', 2, 2, 'z'), (4, 'B', 1, 5, 'w');
      CREATE TABLE c (r REFERENCES t, a UNIQUE, b, FOREIGN KEY (a, b) REFERENCES t (a, b));
      INSERT INTO c VALUES (4, 2, 'y'), (NULL, 5, 'w');
      """,
    ] as [SQL], [1, 500])
  func `undo restores everything, whatever conflicts with what`(script: SQL, batchSize: Int) throws
  {
    for mergesLosers in [false, true] {
      let connection = try Connection.inMemory()
      try connection.execute(script)
      let before = try content(connection)
      do {
        try deduplicate(connection, batchSize: batchSize, mergesLosers: mergesLosers)
      } catch let error as StoreError where error.code == .unmergeableValue {
        #expect(mergesLosers)
      }
      guard try content(connection) != before else { continue }
      _ = try Deduplicator.undo(on: connection, clock: someInstant)
      #expect(try content(connection) == before)
    }
  }

  @Test func `a temporary table of the same name is another one`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE m (id INTEGER PRIMARY KEY, k, ts); INSERT INTO m (k, ts) VALUES (1, 1), (1, 2);
      CREATE TEMP TABLE m (other TEXT PRIMARY KEY)
      """)
    let layout = try TableLayout(describing: "m", in: connection, key: ["k"], timestamp: "ts")
    let report = try Deduplicator(layout: layout).run(on: connection, clock: someInstant)
    #expect(report.rowsLeft == 1)
  }
}
