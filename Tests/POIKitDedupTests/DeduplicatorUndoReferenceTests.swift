import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Undo of runs that moved or removed rows that refer to losers by unique columns.
@Suite struct DeduplicatorUndoReferenceTests {
  private static let parents: SQL = """
    CREATE TABLE p (id INTEGER PRIMARY KEY, k TEXT, ts INT);
    INSERT INTO p VALUES (1, 'a', 1), (2, 'a', 2), (3, 'b', 1), (4, 'b', 2), (5, 'c', 1);
    """

  private func content(_ connection: Connection) throws -> [String] {
    try ["p", "c"].flatMap { table in
      try rows("SELECT rowid, * FROM \(name: table) ORDER BY 1", in: connection)
    }
  }

  private func expectUndone(_ connection: Connection, batchSize: Int = 500) throws {
    let before = try content(connection)
    let layout = try TableLayout(
      describing: "p", in: connection, key: ["k"], timestamp: "ts")
    var options = DeduplicationOptions()
    options.batchSize = batchSize
    _ = try Deduplicator(layout: layout, options: options).run(on: connection, clock: someInstant)
    #expect(try content(connection) != before)
    _ = try Deduplicator.undo(on: connection, clock: someInstant)
    #expect(try content(connection) == before)
    #expect(try connection.text("PRAGMA foreign_key_check") == nil)
  }

  @Test(arguments: ["x", "y"], [1, 500])
  func `a row is restored whose unique value a moved row had`(
    first: String, batchSize: Int
  ) throws {
    let connection = try Connection.inMemory()
    try connection.execute(Self.parents)
    try connection.execute(
      """
      CREATE TABLE c (id INTEGER PRIMARY KEY, \(name: first) INTEGER UNIQUE REFERENCES p (id),
        \(name: first == "x" ? "y" : "x") INTEGER UNIQUE REFERENCES p (id));
      INSERT INTO c (id, x, y) VALUES (1, 4, 1), (2, NULL, 2), (3, 3, NULL)
      """)
    try expectUndone(connection, batchSize: batchSize)
  }

  @Test(arguments: [1, 500])
  func `a row is restored whose id a moved row had`(batchSize: Int) throws {
    let connection = try Connection.inMemory()
    try connection.execute(Self.parents)
    try connection.execute(
      """
      CREATE TABLE c (id INTEGER PRIMARY KEY REFERENCES p (id), y INTEGER UNIQUE REFERENCES p (id));
      INSERT INTO c VALUES (4, 1), (5, 2), (3, NULL)
      """)
    try expectUndone(connection, batchSize: batchSize)
  }

  @Test(arguments: [
    "DROP TABLE poikit_archive_p", "DROP TABLE poikit_archive_c", "DELETE FROM poikit_archive_c",
    "DELETE FROM poikit_archive_p WHERE poikit_row_id = 1",
  ])
  func `a run with an incomplete archive is not undone`(damage: SQL) throws {
    let connection = try Connection.inMemory()
    try connection.execute(Self.parents)
    try connection.execute(
      """
      CREATE TABLE c (id INTEGER PRIMARY KEY, p INTEGER UNIQUE REFERENCES p (id));
      INSERT INTO c VALUES (1, 1), (2, 2), (3, 3)
      """)
    let layout = try TableLayout(describing: "p", in: connection, key: ["k"], timestamp: "ts")
    _ = try Deduplicator(layout: layout).run(on: connection, clock: someInstant)
    try connection.execute(damage)
    let after = try content(connection)
    let error = storeError {
      _ = try Deduplicator.undo(on: connection, clock: someInstant)
    }
    #expect(error?.code == .cannotUndo)
    #expect(
      error?.message.contains("of the 3 rows that run 1 archived") == true,
      "\(error?.message ?? "")")
    #expect(try content(connection) == after)
  }

  @Test func `tables whose names look alike are two tables`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(Self.parents)
    // The letter é as one scalar, and as two.
    let tables = ["caf\u{E9}", "cafe\u{301}"]
    for table in tables {
      try connection.execute(
        """
        CREATE TABLE \(name: table) (id INTEGER PRIMARY KEY, p INTEGER REFERENCES p (id));
        INSERT INTO \(name: table) VALUES (1, 1), (2, 3), (3, 5)
        """)
    }
    let layout = try TableLayout(describing: "p", in: connection, key: ["k"], timestamp: "ts")
    let report = try Deduplicator(layout: layout).run(on: connection, clock: someInstant)
    #expect(report.changes.movedReferenceCount == 4)
    #expect(try connection.text("PRAGMA foreign_key_check") == nil)
    for table in tables {
      #expect(
        try rows("SELECT p FROM \(name: table) ORDER BY id", in: connection) == ["2", "4", "5"])
    }
    _ = try Deduplicator.undo(on: connection, clock: someInstant)
    for table in tables {
      #expect(
        try rows("SELECT p FROM \(name: table) ORDER BY id", in: connection) == ["1", "3", "5"])
    }
  }

  @Test func `undo restores references by unique columns`() throws {
    for seed in TestLength.some(UInt64(1)...300, 60) {
      var generator = SplitMix64(seed: seed)
      let connection = try Connection.inMemory()
      try connection.execute(Self.parents)
      let isRowID = Bool.random(using: &generator)
      try connection.execute(
        """
        CREATE TABLE c (id INTEGER PRIMARY KEY \(isRowID ? "REFERENCES p (id)" : ""),
          x INTEGER UNIQUE REFERENCES p (id), y INTEGER UNIQUE REFERENCES p (id))
        """)
      for _ in 0..<5 {
        let ids = (0..<3).map { _ in Int64.random(in: 1...5, using: &generator) }
        let isNull = (0..<2).map { _ in Int.random(in: 0..<4, using: &generator) == 0 }
        try connection.execute(
          """
          INSERT OR IGNORE INTO c
          VALUES (\(ids[0]), \(isNull[0] ? "NULL" : "\(ids[1])"), \(isNull[1] ? "NULL" : "\(ids[2])"))
          """)
      }
      do {
        try expectUndone(connection, batchSize: Int.random(in: 1...3, using: &generator))
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
  }

  @Test(arguments: [1, 2, 500])
  func `a row is restored that was moved before it was removed`(batchSize: Int) throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE p (id INTEGER PRIMARY KEY, k TEXT, ts INT);
      INSERT INTO p VALUES (1, 'a', 3), (2, 'a', 2), (4, 'a', 1);
      CREATE TABLE c (x UNIQUE REFERENCES p, y UNIQUE REFERENCES p);
      INSERT INTO c VALUES (4, 4), (1, NULL), (2, 2)
      """)
    try expectUndone(connection, batchSize: batchSize)
  }

  @Test func `a run is undone for any keys and groups`() throws {
    let keys: [SQL] = [
      "x UNIQUE REFERENCES p, y UNIQUE REFERENCES p",
      "x REFERENCES p, y REFERENCES p, UNIQUE (x, y)",
      "x UNIQUE REFERENCES p, y REFERENCES p", "x UNIQUE REFERENCES p, y",
      "x REFERENCES p, y REFERENCES c (x), UNIQUE (x)",
    ]
    for seed in TestLength.some(UInt64(1)...600, 100) {
      var generator = SplitMix64(seed: seed)
      let connection = try Connection.inMemory()
      try connection.execute(
        """
        CREATE TABLE p (id INTEGER PRIMARY KEY, k TEXT, ts INT);
        CREATE TABLE c (\(keys[Int(seed) % keys.count]))
        """)
      for id in 1...6 {
        let (key, time) = (
          Int.random(in: 1...2, using: &generator), Int.random(in: 1...4, using: &generator)
        )
        try connection.execute("INSERT INTO p VALUES (\(id), \(key), \(time))")
      }
      for _ in 0..<5 {
        let values: [SQL] = (0..<2).map { _ in
          let value = Int.random(in: 0...6, using: &generator)
          return value == 0 ? "NULL" : "\(value)"
        }
        try connection.execute("INSERT OR IGNORE INTO c VALUES (\(values.joined(separator: ", ")))")
      }
      let before = try content(connection)
      var options = DeduplicationOptions()
      options.batchSize = Int.random(in: 1...4, using: &generator)
      let layout = try TableLayout(describing: "p", in: connection, key: ["k"], timestamp: "ts")
      let error = storeError {
        _ = try Deduplicator(layout: layout, options: options)
          .run(on: connection, clock: someInstant)
      }
      #expect(error == nil || error?.code == .unmovableReference, "seed \(seed)")
      // A run that was stopped in its first batch has changed nothing.
      guard try content(connection) != before else { continue }
      do {
        _ = try Deduplicator.undo(on: connection, clock: someInstant)
        #expect(try content(connection) == before, "seed \(seed)")
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
  }

  @Test func `a trigger that looks up the referenced row finds it`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(Self.parents)
    try connection.execute(
      """
      CREATE TABLE c (id INTEGER PRIMARY KEY, x UNIQUE REFERENCES p (id));
      INSERT INTO c VALUES (1, 1), (2, 2), (3, 3);
      CREATE TRIGGER t BEFORE UPDATE ON c WHEN NOT EXISTS (SELECT 1 FROM p WHERE id = new.x)
      BEGIN SELECT RAISE(ABORT, 'no such p'); END
      """)
    try expectUndone(connection)
  }
}
