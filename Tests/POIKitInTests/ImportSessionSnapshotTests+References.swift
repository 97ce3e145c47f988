import POIKitTestSupport
import POISQLite
import Testing

@testable import POIKit
@testable import POIRecords

/// Rows that refer to rows which a snapshot removes.
extension ImportSessionSnapshotTests {
  @Test(arguments: ["", "DEFERRABLE INITIALLY DEFERRED"] as [SQL])
  func `rows that others refer to stop the removal`(check: SQL) throws {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.records(0..<10), options: Self.options())
    try feed.execute(
      """
      CREATE TABLE star (note INTEGER REFERENCES note (poikit_id) \(check));
      INSERT INTO star VALUES (1)
      """)
    let error = #expect(throws: StoreError.self) {
      try feed.take(Self.records(1..<10), options: Self.options())
    }
    #expect(error?.code == .snapshotRefused)
    #expect(error?.message.contains("rows of other tables refer") == true)
    #expect(try feed.rows("SELECT count(*) FROM note") == ["10"])
  }

  @Test func `rows deleted with removed ones are restored with them`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.records(0..<10), options: Self.options())
    try feed.execute(
      """
      CREATE TABLE page (id INTEGER PRIMARY KEY,
        note INTEGER REFERENCES note (poikit_id) ON DELETE CASCADE);
      CREATE TABLE line (page INTEGER REFERENCES page ON DELETE CASCADE, text TEXT);
      INSERT INTO page VALUES (7, 1), (8, 2); INSERT INTO line VALUES (7, 'a'), (7, 'b'), (8, 'c')
      """)
    try feed.take(Self.records(1..<10), options: Self.options())
    let counts: SQL =
      "SELECT (SELECT count(*) FROM note), (SELECT count(*) FROM page), count(*) FROM line"
    #expect(try feed.rows(counts) == ["9|1|1"])
    _ = try Store(feed.path).undo(clock: someInstant)
    #expect(try feed.rows(counts) == ["10|2|3"])
  }

  @Test func `rows that refer to each other are deleted once, and restored`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.records(0..<10), options: Self.options())
    try feed.execute(
      """
      ALTER TABLE note ADD COLUMN parent INTEGER REFERENCES note (poikit_id) ON DELETE CASCADE;
      UPDATE note SET parent = 1 WHERE poikit_id = 1; UPDATE note SET parent = 3 WHERE poikit_id = 2;
      UPDATE note SET parent = 2 WHERE poikit_id = 3;
      CREATE TABLE route (id INTEGER PRIMARY KEY,
        a INTEGER REFERENCES note (poikit_id) ON DELETE CASCADE,
        b INTEGER REFERENCES note (poikit_id) ON DELETE CASCADE);
      INSERT INTO route VALUES (1, 1, 2), (2, 3, 3), (3, 4, 5)
      """)
    let all: SQL = "SELECT * FROM note JOIN route ORDER BY 1, route.id"
    let before = try feed.rows(all)
    let digest = try feed.digest()
    // The third row is deleted too, although the snapshot has it.
    let message = try Self.refusal(feed, Self.records(2..<10), Self.options(.count(2)))
    #expect(message.contains("lacks 3 of 10 rows"))
    let report = try feed.take(Self.records(2..<10), options: Self.options(.count(3)))
    #expect(report.counters.removed == 3)
    #expect(try feed.digest() == report.digest)
    #expect(
      try feed.rows("SELECT (SELECT count(*) FROM note), group_concat(id) FROM route") == ["7|3"])
    let undone = try Store(feed.path).undo(clock: someInstant)
    #expect((undone.restoredRowCount, undone.restoredReferenceCount) == (5, 0))
    #expect(try feed.rows(all) == before)
    #expect(try feed.digest() == digest)
  }

  @Test func `references that SQLite changes with removed rows are restored`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.records(0..<10), options: Self.options())
    try feed.execute(
      """
      ALTER TABLE note ADD COLUMN parent INTEGER REFERENCES note (poikit_id) ON DELETE SET NULL;
      UPDATE note SET parent = 1 WHERE poikit_id < 4;
      CREATE TABLE visit (note INTEGER UNIQUE DEFAULT 9
        REFERENCES note (poikit_id) ON DELETE SET DEFAULT);
      CREATE TABLE photo (a INTEGER REFERENCES visit (note) ON UPDATE CASCADE,
        b INTEGER REFERENCES visit (note) ON UPDATE SET NULL,
        c INTEGER REFERENCES note (poikit_id) ON UPDATE CASCADE);
      CREATE TABLE star (a INTEGER REFERENCES note (poikit_id) ON DELETE CASCADE,
        b INTEGER REFERENCES note (poikit_id) ON DELETE SET NULL);
      INSERT INTO visit VALUES (1), (3); INSERT INTO photo VALUES (1, 1, 5), (3, 3, 5);
      INSERT INTO star VALUES (1, 1), (3, 1), (3, 3)
      """)
    let all: [SQL] = [
      "SELECT * FROM note ORDER BY 1", "SELECT * FROM visit ORDER BY rowid",
      "SELECT * FROM photo ORDER BY rowid", "SELECT * FROM star ORDER BY rowid",
    ]
    let before = try all.map { try feed.rows($0) }
    let report = try feed.take(Self.records(1..<10), options: Self.options())
    #expect(report.counters.removed == 1)
    #expect(try feed.rows(all[1]) == ["9", "3"])
    #expect(try feed.rows(all[2]) == ["9||5", "3|3|5"])
    #expect(try feed.rows(all[3]) == ["3|", "3|3"])
    let undone = try Store(feed.path).undo(clock: someInstant)
    // The references of two notes, of a visit, of its photo (two) and of two stars.
    #expect((undone.restoredRowCount, undone.restoredReferenceCount) == (2, 7))
    #expect(undone.restoredMarkCount == 0)
    #expect(try all.map { try feed.rows($0) } == before)
  }

  @Test(arguments: ["CASCADE", "SET NULL"] as [SQL])
  func `tables without row ids stop the removal only if their rows would be deleted or changed`(
    action: SQL
  ) throws {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.records(0..<10), options: Self.options())
    try feed.execute(
      """
      CREATE TABLE page (id INTEGER PRIMARY KEY,
        note INTEGER REFERENCES note (poikit_id) ON DELETE \(action)) WITHOUT ROWID;
      INSERT INTO page VALUES (1, 2)
      """)
    try feed.take(Self.records(1..<10), options: Self.options())
    #expect(try feed.rows("SELECT (SELECT count(*) FROM note), note FROM page") == ["9|2"])
    let error = #expect(throws: StoreError.self) {
      try feed.take(Self.records(2..<10), options: Self.options())
    }
    #expect(error?.message.contains("page") == true, "\(error?.message ?? "")")
    #expect(try feed.rows("SELECT (SELECT count(*) FROM note), note FROM page") == ["9|2"])
  }

  @Test func `an indirectly affected table without row ids stops the removal`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.records(0..<10), options: Self.options())
    try feed.execute(
      """
      CREATE TABLE visit (id INTEGER PRIMARY KEY,
        note INTEGER REFERENCES note (poikit_id) ON DELETE CASCADE);
      CREATE TABLE page (id INTEGER PRIMARY KEY,
        visit INTEGER REFERENCES visit ON DELETE CASCADE) WITHOUT ROWID
      """)
    let error = #expect(throws: StoreError.self) {
      try feed.take(Self.records(1..<10), options: Self.options())
    }
    #expect(error?.message.contains("'page' is a table without row ids") == true)
    #expect(try feed.rows("SELECT count(*) FROM note") == ["10"])
  }
}
