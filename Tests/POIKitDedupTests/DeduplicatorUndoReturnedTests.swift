import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// A run cannot be undone if new rows have keys of removed rows.
@Suite struct DeduplicatorUndoReturnedTests {
  private static func model(key: String = #""id""#) throws -> Model {
    try Model(
      parsing: #"""
        {"x-table":"note","x-key":\#(key),"x-timestamp":"at",
         "required":["id","part"],
         "properties":{
          "id":{"type":"integer"},
          "part":{"type":"string"},
          "tags":{"type":"array",
           "x-relation":{"table":"note_tag","unique":"name","parent":"note_id"},
           "items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}},
          "at":{"type":["integer","null"],"x-unit":"seconds"}}}
        """#)
  }

  private static func record(_ id: Int, tags: String = "", at: Int = 1) -> String {
    #"{"id":\#(id),"part":"p\#(id)","tags":[\#(tags)],"at":\#(at)}"#
  }

  private static func snapshotOptions() -> ImportOptions {
    var options = ImportOptions()
    options.isSnapshot = true
    options.removalLimit = .percent(100)
    options.clock = someInstant
    return options
  }

  private static func undo(_ feed: borrowing FeedStore) throws -> UndoReport {
    try Store(feed.path).undo(clock: someInstant)
  }

  /// The reason why a run is not undone; checks that nothing has changed.
  private static func refusal(_ feed: borrowing FeedStore) throws -> String {
    let store = try Store(feed.path)
    let before = try store.digest(of: feed.model)
    let error = storeError {
      _ = try store.undo(clock: someInstant)
    }
    #expect(error?.code == .cannotUndo)
    #expect(try store.digest(of: feed.model) == before)
    return error?.message ?? ""
  }

  @Test(
    arguments: [#""id""#, #"["id","part"]"#], [DeduplicationOptions.KeyEnforcement.index, .hash])
  func `a snapshot is undone after returned records are gone, and then earlier runs`(
    key: String, enforcement: DeduplicationOptions.KeyEnforcement
  ) throws {
    let feed = try FeedStore(Self.model(key: key))
    try feed.take((1...4).map { Self.record($0) }.joined(), Self.record(4, at: 2))
    var options = DeduplicationOptions()
    options.enforcement = enforcement
    #expect(try feed.deduplicate(options).plan.loserCount == 1)
    let all: SQL = "SELECT poikit_id, id, part, at FROM note ORDER BY id, at"
    let before = try feed.rows(all)
    let removal = try feed.take(
      Self.record(1), Self.record(4, at: 2), options: Self.snapshotOptions())
    #expect(removal.counters.removed == 2)
    try feed.take(Self.record(2, at: 9))
    #expect(try Self.refusal(feed).contains("rows of 'note' whose keys came back since: 1;"))
    try feed.execute("DELETE FROM note WHERE id = 2")
    let undone = try Self.undo(feed)
    #expect(undone.run == removal.runID)
    #expect(undone.restoredRowCount == 2 && undone.changedRowCount == 0)
    #expect(try feed.rows(all) == before)
    #expect(try feed.digest() == feed.take(Self.record(2, at: 0)).digest)
    let earlier = try Self.undo(feed)
    #expect(earlier.restoredRowCount == 1 && earlier.changedRowCount == 0 && earlier.droppedIndex)
    #expect(try feed.rows("SELECT id, at FROM note ORDER BY 1, 2").count == 5)
  }

  @Test func `rows deleted by foreign keys are restored with the removed rows`() throws {
    let feed = try FeedStore(Self.model())
    let records = (1...3).map { Self.record($0, tags: #"{"name":"a"},{"name":"b"}"#) }
    try feed.take(records.joined(), options: Self.snapshotOptions())
    try feed.execute(
      """
      CREATE TABLE page (id INTEGER PRIMARY KEY,
        note TEXT REFERENCES note (poikit_id) ON DELETE CASCADE);
      CREATE TABLE line (page INTEGER REFERENCES page ON DELETE CASCADE, data);
      CREATE TABLE fav (id INTEGER PRIMARY KEY,
        note INTEGER REFERENCES note (poikit_id) ON DELETE SET NULL);
      CREATE TABLE star (note INTEGER REFERENCES note (id) ON DELETE CASCADE,
        page INTEGER REFERENCES page ON DELETE SET NULL);
      CREATE TABLE other (note INTEGER REFERENCES note (poikit_id) ON DELETE CASCADE);
      CREATE TABLE log (text);
      CREATE TRIGGER gone AFTER DELETE ON line BEGIN INSERT INTO log VALUES ('gone'); END;
      CREATE TRIGGER back AFTER INSERT ON line BEGIN INSERT INTO log VALUES ('back'); END;
      INSERT INTO page VALUES (7, 2), (8, 3); INSERT INTO fav VALUES (1, 2), (2, 3);
      INSERT INTO line VALUES (7, x'00ff00'), (7, 1.5), (8, 'c');
      INSERT INTO star VALUES (1, 7), (1, 8), (2, NULL), (3, NULL)
      """)
    let tables = ["note", "note_tag", "page", "line", "fav", "star"]
    func content() throws -> [[String]] {
      let connection = try Connection(path: feed.path, access: .readOnly)
      return try tables.map { try dump($0, in: connection) }
    }
    let before = try content()
    #expect(try feed.take(records[0], options: Self.snapshotOptions()).counters.removed == 2)
    #expect(try feed.rows("SELECT * FROM star") == ["1|", "1|"])
    #expect(try feed.rows("SELECT count(*) FROM line") == ["0"])
    // An archive that stayed empty is dropped.
    let archives: SQL = """
      SELECT count(*) FROM sqlite_schema WHERE name GLOB 'poikit_archive_*' AND type = 'table'
      """
    #expect(try feed.rows(archives) == ["5"])
    let undone = try Self.undo(feed)
    // Two notes, four tags, two pages with three lines, and the two stars that refer to keys.
    #expect(undone.restoredRowCount == 13 && undone.restoredReferenceCount == 4)
    #expect(undone.changedRowCount == 0)
    #expect(try content() == before)
    #expect(try feed.rows("SELECT text, count(*) FROM log GROUP BY 1") == ["back|6", "gone|3"])
    #expect(try feed.rows("PRAGMA foreign_key_check").isEmpty)
    #expect(try feed.digest() == feed.take(Self.record(2, at: 0)).digest)
  }

  @Test func `rows that refer to each other are counted and restored`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take((1...5).map { Self.record($0) }.joined(), options: Self.snapshotOptions())
    try feed.execute(
      """
      ALTER TABLE note ADD COLUMN parent INTEGER REFERENCES note (poikit_id) ON DELETE CASCADE;
      UPDATE note SET parent = poikit_id - 1 WHERE id IN (3, 4)
      """)
    var options = Self.snapshotOptions()
    // Only row 2 is missing, and two others are deleted with it.
    let some = [1, 3, 4, 5].map { Self.record($0) }.joined()
    options.removalLimit = .count(2)
    #expect(throws: StoreError.self) { try feed.take(some, options: options) }
    #expect(try feed.rows("SELECT count(*) FROM note") == ["5"])
    options.removalLimit = .count(3)
    options.isRestarting = true
    #expect(try feed.take(some, options: options).counters.removed == 3)
    #expect(try feed.rows("SELECT id FROM note ORDER BY id") == ["1", "5"])
    #expect(try feed.digest() == Store(feed.path).lease().digestBeforeImport(of: feed.model))
    #expect(try Self.undo(feed).restoredRowCount == 3)
    #expect(try feed.rows("SELECT id FROM note ORDER BY id") == ["1", "2", "3", "4", "5"])
  }

  @Test func `references that share a column are kept once`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take((1...2).map { Self.record($0) }.joined(), options: Self.snapshotOptions())
    try feed.execute(
      """
      CREATE UNIQUE INDEX both ON note (poikit_id, part);
      CREATE TABLE fav (a INTEGER, b TEXT, c TEXT, poikit_run TEXT,
        FOREIGN KEY (a, b) REFERENCES note (poikit_id, part) ON DELETE SET NULL,
        FOREIGN KEY (a, c) REFERENCES note (poikit_id, part) ON DELETE SET NULL);
      INSERT INTO fav VALUES (2, 'p2', 'p2', 'own')
      """)
    // The table has a column with a name that archives need, but loses no row.
    #expect(try feed.take(Self.record(1), options: Self.snapshotOptions()).counters.removed == 1)
    // One foreign key sets two columns to NULL; then the other refers to no row.
    #expect(try feed.rows("SELECT a, coalesce(b, c), poikit_run FROM fav") == ["|p2|own"])
    #expect(try Self.undo(feed).restoredReferenceCount == 2)
    #expect(try feed.rows("SELECT * FROM fav") == ["2|p2|p2|own"])
  }

  @Test func `rows of a table that cannot be archived are not removed`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take((1...2).map { Self.record($0) }.joined(), options: Self.snapshotOptions())
    try feed.execute(
      """
      CREATE TABLE fav (poikit_run INTEGER REFERENCES note (poikit_id) ON DELETE CASCADE);
      INSERT INTO fav VALUES (2)
      """)
    let error = #expect(throws: StoreError.self) {
      try feed.take(Self.record(1), options: Self.snapshotOptions())
    }
    #expect(error?.code == .snapshotRefused)
    #expect(error?.message.contains("'poikit_run', a name that archives need") == true)
    #expect(try feed.rows("SELECT count(*) FROM note") == ["2"])
  }

  /// The content of issues, in lines that begin with their numbers.
  private static let issues: SQL = """
    SELECT number || ': ' || coalesce(changed, '') AS line FROM issue
    UNION ALL
    SELECT i.number || ': ' || t.name FROM issue AS i JOIN issue_tag AS j ON j.issue = i.poikit_id
    JOIN tag AS t ON t.poikit_id = j.tag
    UNION ALL
    SELECT i.number || ': ' || json_array(c.author, c.number, c.text, c.mood, f.path, f.size)
    FROM issue AS i JOIN comment AS c ON c.issue_id = i.poikit_id
    LEFT JOIN file AS f ON f.comment = c.poikit_id
    ORDER BY line
    """

  @Test func `the undo of a snapshot is complete, or refused if keys came back`() throws {
    var outcomes: [Bool: Int] = [:]
    for (round, seed) in TestLength.some(UInt64(1)...20, 6).enumerated() {
      var generator = SplitMix64(seed: seed)
      let feed = try FeedStore(IssueTracker.model())
      let records = IssueTracker.records(60, using: &generator)
      func some() -> String {
        records.shuffled(using: &generator).prefix(20).joined(separator: "\n")
      }
      try feed.take(records.joined(separator: "\n"), options: Self.snapshotOptions())
      let former = try feed.rows(Self.issues)
      let numbers: SQL = "SELECT number FROM issue ORDER BY number"
      let formerNumbers = Set(try feed.rows(numbers))
      let report = try feed.take(some(), options: Self.snapshotOptions())
      let removed = formerNumbers.subtracting(try feed.rows(numbers))
      #expect(removed.count == report.counters.removed, "seed \(seed)")
      if round % 2 == 1 { try feed.take(some()) }
      let returned = removed.intersection(try feed.rows(numbers))
      outcomes[returned.isEmpty, default: 0] += 1
      if !returned.isEmpty {
        #expect(
          try Self.refusal(feed).contains("came back since: \(returned.count);"), "seed \(seed)")
        try feed.execute(
          """
          PRAGMA foreign_keys = ON;
          DELETE FROM issue WHERE number IN (\(SQL(verbatim: returned.joined(separator: ", "))))
          """)
      }
      let present = try feed.rows(Self.issues)
      let undone = try Self.undo(feed)
      #expect(undone.restoredRowCount >= removed.count && undone.changedRowCount == 0)
      let added = former.filter { removed.contains(String($0.prefix { $0 != ":" })) }
      #expect(try feed.rows(Self.issues) == (present + added).sorted(), "seed \(seed)")
      #expect(try feed.rows("PRAGMA foreign_key_check").isEmpty, "seed \(seed)")
      let digest = try Store(feed.path).lease().digestBeforeImport(of: feed.model)
      #expect(try feed.digest() == digest, "seed \(seed)")
    }
    #expect(outcomes.count == 2, "\(outcomes)")
  }

  /// A table with a unique column `k`, deduplicated by `name`, and rows that refer to its rows.
  private static func deduplicated(mergesLosers: Bool = false) throws -> Connection {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT, name TEXT, at INTEGER, more TEXT);
      INSERT INTO t VALUES (1, 'a', 'x', 1, 'm'), (2, NULL, 'x', 2, NULL), (3, 'c', 'y', 1, NULL),
        (4, 'd', 'y', 2, NULL);
      CREATE TABLE visit (id INTEGER PRIMARY KEY, t INTEGER REFERENCES t (id), day INTEGER,
        UNIQUE (t, day));
      INSERT INTO visit VALUES (1, 1, 1), (2, 2, 1), (3, 1, 2), (4, 3, 1);
      CREATE TABLE photo (visit INTEGER REFERENCES visit (id));
      INSERT INTO photo VALUES (1), (4);
      CREATE TABLE trip (a INTEGER REFERENCES t (id), b INTEGER UNIQUE REFERENCES t (id));
      INSERT INTO trip VALUES (1, 3), (NULL, 4)
      """)
    for (key, enforcement) in [("k", DeduplicationOptions.KeyEnforcement.index), ("name", .none)] {
      var options = DeduplicationOptions()
      options.enforcement = enforcement
      options.mergesLosers = mergesLosers
      let layout = try TableLayout(describing: "t", in: connection, key: [key], timestamp: "at")
      _ = try Deduplicator(layout: layout, options: options).run(on: connection, clock: someInstant)
    }
    return connection
  }

  private static let visits: SQL = "SELECT id, t FROM visit ORDER BY id"

  @Test func `a run is not undone if another row has the key of a loser`() throws {
    let connection = try Self.deduplicated()
    #expect(try rows(Self.visits, in: connection) == ["2|2", "3|2", "4|4"])
    #expect(try rows("SELECT * FROM photo", in: connection) == ["2", "4"])
    try connection.execute("INSERT INTO t VALUES (9, 'a', 'z', 5, NULL)")
    let tables = ["t", "visit", "photo", "trip"]
    let before = try tables.map { try dump($0, in: connection) }
    let error = storeError {
      _ = try Deduplicator.undo(on: connection, clock: someInstant)
    }
    #expect(error?.message.contains("rows of 't' whose keys came back since: 1;") == true)
    #expect(try tables.map { try dump($0, in: connection) } == before)
    try connection.execute("DELETE FROM t WHERE id = 9")
    let undone = try Deduplicator.undo(on: connection, clock: someInstant)
    #expect(undone.restoredRowCount == 4 && undone.changedRowCount == 0)
    #expect(try rows("SELECT * FROM trip", in: connection) == ["1|3", "|4"])
    #expect(try rows(Self.visits, in: connection) == ["1|1", "2|2", "3|1", "4|3"])
    #expect(try rows("SELECT * FROM photo", in: connection) == ["1", "4"])
    #expect(try rows("PRAGMA foreign_key_check", in: connection).isEmpty)
    #expect(try Deduplicator.undo(on: connection, clock: someInstant).droppedIndex)
  }

  @Test(arguments: [false, true])
  func `a run is not undone if a winner keeps the key of its loser`(
    isChanged: Bool
  ) throws {
    let connection = try Self.deduplicated(mergesLosers: true)
    #expect(try rows("SELECT k, more FROM t WHERE id = 2", in: connection) == ["a|m"])
    if isChanged {
      try connection.execute("UPDATE t SET more = 'n' WHERE id = 2")
      let before = try dump("t", in: connection)
      let error = storeError {
        _ = try Deduplicator.undo(on: connection, clock: someInstant)
      }
      #expect(
        error?.message.contains(
          "a row of 't' cannot be put back, because UNIQUE constraint failed: t.k")
          == true, "\(error?.message ?? "")")
      #expect(try dump("t", in: connection) == before)
      try connection.execute("UPDATE t SET more = 'm' WHERE id = 2")
    }
    let undone = try Deduplicator.undo(on: connection, clock: someInstant)
    #expect(undone.restoredRowCount == 4 && undone.changedRowCount == 0)
    #expect(
      try rows("SELECT id, k FROM t ORDER BY id", in: connection) == ["1|a", "2|", "3|c", "4|d"])
    #expect(try rows(Self.visits, in: connection) == ["1|1", "2|2", "3|1", "4|3"])
    #expect(try rows("PRAGMA foreign_key_check", in: connection).isEmpty)
  }
}
