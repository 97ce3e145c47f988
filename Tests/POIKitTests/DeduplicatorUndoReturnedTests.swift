import SQLiteKit
import TestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Undoing leaves out rows whose key came back since.
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
    try Store(path: feed.path).undoDeduplication(clock: someInstant)
  }

  @Test(arguments: [#""id""#, #"["id","part"]"#], [KeyEnforcement.index, .hash])
  func `a record that came back since a snapshot removed it stays, and earlier runs are undone`(
    key: String, enforcement: KeyEnforcement
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
    let returned = try feed.rows(all)[1]
    let undone = try Self.undo(feed)
    #expect(undone.run == removal.runID)
    #expect(undone.restoredRowCount == 1 && undone.changedRowCount == 1)
    #expect(try feed.rows(all) == [before[0], returned, before[2], before[3]])
    #expect(try feed.digest() == feed.take(Self.record(2, at: 8)).digest)
    let earlier = try Self.undo(feed)
    #expect(earlier.restoredRowCount == 1 && earlier.changedRowCount == 0 && earlier.droppedIndex)
    #expect(try feed.rows("SELECT id, at FROM note ORDER BY 1, 2").count == 5)
  }

  @Test func `what belongs or refers to a row that is left out is left too`() throws {
    let feed = try FeedStore(Self.model())
    let records = (1...3).map { Self.record($0, tags: #"{"name":"a"},{"name":"b"}"#) }
    try feed.take(records.joined(), options: Self.snapshotOptions())
    try feed.execute(
      """
      CREATE TABLE page (id INTEGER PRIMARY KEY,
        note TEXT REFERENCES note (poikit_id) ON DELETE CASCADE);
      CREATE TABLE line (page INTEGER REFERENCES page ON DELETE CASCADE, text TEXT);
      CREATE TABLE fav (id INTEGER PRIMARY KEY,
        note INTEGER REFERENCES note (poikit_id) ON DELETE SET NULL);
      CREATE TABLE star (note INTEGER REFERENCES note (id) ON DELETE CASCADE,
        page INTEGER REFERENCES page ON DELETE SET NULL);
      INSERT INTO page VALUES (7, 2), (8, 3); INSERT INTO fav VALUES (1, 2), (2, 3);
      INSERT INTO line VALUES (7, 'a'), (7, 'b'), (8, 'c');
      INSERT INTO star VALUES (1, 7), (1, 8), (2, NULL), (3, NULL)
      """)
    #expect(try feed.take(records[0], options: Self.snapshotOptions()).counters.removed == 2)
    #expect(try feed.rows("SELECT * FROM star") == ["1|", "1|"])
    try feed.take(Self.record(2, tags: #"{"name":"b"},{"name":"c"}"#, at: 9))
    let undone = try Self.undo(feed)
    // A note, two tags, a page with two lines and the two references to these.
    #expect(undone.changedRowCount == 8)
    // The other note, two tags, a page with a line, and the two stars that refer to keys.
    #expect(undone.restoredRowCount == 7 && undone.restoredReferenceCount == 2)
    let tags: SQL = """
      SELECT n.id, t.name FROM note AS n JOIN note_tag AS t ON t.note_id = n.poikit_id ORDER BY 1, 2
      """
    #expect(try feed.rows(tags) == ["1|a", "1|b", "2|b", "2|c", "3|a", "3|b"])
    #expect(
      try feed.rows("SELECT id, at FROM note ORDER BY id")
        == ["1|1000000", "2|9000000", "3|1000000"])
    #expect(try feed.rows("SELECT page.*, text FROM page JOIN line ON page.id = page") == ["8|3|c"])
    #expect(try feed.rows("SELECT * FROM fav ORDER BY id") == ["1|", "2|3"])
    #expect(try feed.rows("SELECT * FROM star ORDER BY rowid") == ["1|", "1|8", "2|", "3|"])
    #expect(try feed.rows("PRAGMA foreign_key_check").isEmpty)
    #expect(try feed.digest() == feed.take(Self.record(2, at: 8)).digest)
  }

  @Test func `rows that hang on one another are left out together`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take((1...5).map { Self.record($0) }.joined(), options: Self.snapshotOptions())
    try feed.execute(
      """
      ALTER TABLE note ADD COLUMN parent INTEGER REFERENCES note (poikit_id) ON DELETE CASCADE;
      UPDATE note SET parent = poikit_id - 1 WHERE id IN (3, 4)
      """)
    let report = try feed.take(Self.record(1), options: Self.snapshotOptions())
    #expect(report.counters.removed == 4)
    try feed.take(Self.record(2, at: 9))
    let undone = try Self.undo(feed)
    #expect(undone.restoredRowCount == 1 && undone.changedRowCount == 3)
    #expect(try feed.rows("SELECT id FROM note ORDER BY id") == ["1", "2", "5"])
  }

  /// What issues hold, in lines that begin with their numbers.
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

  @Test func `undoing snapshots adds what they removed, and changes nothing else`() throws {
    for seed in TestLength.some(UInt64(1)...10, 3) {
      var generator = SplitMix64(seed: seed)
      let feed = try FeedStore(IssueTracker.model())
      let records = IssueTracker.records(60, using: &generator)
      func some() -> String {
        records.shuffled(using: &generator).prefix(20).joined(separator: "\n")
      }
      try feed.take(records.joined(separator: "\n"), options: Self.snapshotOptions())
      var removals: [(counters: ImportReport.Counters, former: [String])] = []
      for _ in 0..<3 {
        let former = try feed.rows(Self.issues)
        let report = try feed.take(some(), options: Self.snapshotOptions())
        if report.counters.removed > 0 { removals.append((report.counters, former)) }
        try feed.take(some())
      }
      for (counters, former) in removals.reversed() {
        let present = try feed.rows(Self.issues)
        let numbers = Set(try feed.rows("SELECT number FROM issue"))
        let undone = try Self.undo(feed)
        let added = former.filter { !numbers.contains(String($0.prefix { $0 != ":" })) }
        #expect(try feed.rows(Self.issues) == (present + added).sorted(), "seed \(seed)")
        let count = try feed.rows("SELECT number FROM issue").count - numbers.count
        #expect((undone.changedRowCount > 0) == (count < counters.removed), "seed \(seed)")
        #expect(try feed.rows("PRAGMA foreign_key_check").isEmpty, "seed \(seed)")
        let digest = try Store(path: feed.path).lease().digestBeforeImport(of: feed.model)
        #expect(try feed.digest() == digest, "seed \(seed)")
      }
    }
  }

  /// A table whose column `k` is unique, deduplicated by `name`, and rows that refer to its rows.
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
    for (key, enforcement) in [("k", KeyEnforcement.index), ("name", .none)] {
      var options = DeduplicationOptions()
      options.enforcement = enforcement
      options.mergesLosers = mergesLosers
      let layout = try TableLayout(describing: "t", in: connection, key: [key], timestamp: "at")
      _ = try Deduplicator(layout: layout, options: options).run(on: connection, clock: someInstant)
    }
    return connection
  }

  private static let visits: SQL = "SELECT id, t FROM visit ORDER BY id"

  @Test func `what a loser's winner got of it stays where its key came back`() throws {
    let connection = try Self.deduplicated()
    #expect(try rows(Self.visits, in: connection) == ["2|2", "3|2", "4|4"])
    #expect(try rows("SELECT * FROM photo", in: connection) == ["2", "4"])
    try connection.execute("INSERT INTO t VALUES (9, 'a', 'z', 5, NULL)")
    let undone = try Deduplicator.undo(on: connection, clock: someInstant)
    #expect(undone.restoredRowCount == 1 && undone.restoredReferenceCount == 1)
    // The loser, its two visits, the photo of the first, and its trip that another loser has part in.
    #expect(undone.changedRowCount == 5)
    #expect(try rows("SELECT * FROM trip", in: connection) == ["|4"])
    #expect(try rows("SELECT id FROM t ORDER BY id", in: connection) == ["2", "3", "4", "9"])
    #expect(try rows(Self.visits, in: connection) == ["2|2", "3|2", "4|3"])
    #expect(try rows("SELECT * FROM photo", in: connection) == ["2", "4"])
    #expect(try rows("PRAGMA foreign_key_check", in: connection).isEmpty)
    #expect(try Deduplicator.undo(on: connection, clock: someInstant).droppedIndex)
  }

  @Test(arguments: [false, true])
  func `a loser whose key its winner got is left out where the winner keeps it`(
    isChanged: Bool
  ) throws {
    let connection = try Self.deduplicated(mergesLosers: true)
    #expect(try rows("SELECT k, more FROM t WHERE id = 2", in: connection) == ["a|m"])
    if isChanged { try connection.execute("UPDATE t SET more = 'n' WHERE id = 2") }
    let undone = try Deduplicator.undo(on: connection, clock: someInstant)
    #expect(undone.restoredRowCount == (isChanged ? 1 : 4))
    // The winner, the loser, its two visits, the photo of the first and its trip.
    #expect(undone.changedRowCount == (isChanged ? 6 : 0))
    #expect(
      try rows("SELECT id, k FROM t ORDER BY id", in: connection)
        == (isChanged ? ["2|a", "3|c", "4|d"] : ["1|a", "2|", "3|c", "4|d"]))
    #expect(
      try rows(Self.visits, in: connection)
        == (isChanged ? ["2|2", "3|2", "4|3"] : ["1|1", "2|2", "3|1", "4|3"]))
    #expect(try rows("PRAGMA foreign_key_check", in: connection).isEmpty)
  }
}
