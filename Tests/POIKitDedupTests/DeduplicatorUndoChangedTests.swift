import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Undo leaves rows unchanged that have changed since the run.
@Suite struct DeduplicatorUndoChangedTests {
  private static func model(_ more: String = "") throws -> Model {
    try Model(
      parsing: #"""
        {"x-table":"note","x-key":"id","x-timestamp":"at"\#(more),
         "required":["id"],
         "properties":{
          "id":{"type":"integer"},
          "text":{"type":["string","null"]},
          "other":{"type":["string","null"]},
          "at":{"type":["integer","null"],"x-unit":"seconds"},
          "gone":{"type":["boolean","null"]}}}
        """#)
  }

  private static func undo(_ feed: borrowing FeedStore) throws -> UndoReport {
    try Store(feed.path).undo(clock: someInstant)
  }

  @Test(arguments: [#""text":"later","other":"b""#, #""text":"a","other":"b""#])
  func `a winner that was imported again keeps what it got then`(members: String) throws {
    let feed = try FeedStore(Self.model())
    try feed.take(
      #"{"id":1,"text":"a","at":1}"#, #"{"id":1,"other":"b","at":2}"#,
      #"{"id":2,"text":"a","at":1}"#, #"{"id":2,"other":"b","at":2}"#)
    var options = DeduplicationOptions()
    options.mergesLosers = true
    options.enforcement = .index
    #expect(try feed.deduplicate(options).changes.filledValueCount == 2)
    try feed.take(#"{"id":1,\#(members),"at":9}"#)
    let row = try feed.rows("SELECT * FROM note WHERE id = 1")
    let undone = try Self.undo(feed)
    #expect(undone.changedRowCount == 1 && undone.restoredValueCount == 1)
    #expect(undone.restoredRowCount == 2 && undone.restoredReferenceCount == 0)
    #expect(try feed.rows("SELECT * FROM note WHERE id = 1 AND at = 9000000") == row)
    #expect(
      try feed.rows("SELECT text, other FROM note WHERE id = 2 ORDER BY at") == ["a|", "|b"])
  }

  @Test(
    arguments: [
      ("UPDATE fav SET n = 4 WHERE id = 1", ["1|4", "2|2"], 1, 1),
      ("DELETE FROM fav WHERE id = 1; INSERT INTO fav VALUES (1, 4)", ["1|4", "2|2"], 1, 1),
      ("DELETE FROM fav WHERE id = 1", ["2|2"], 1, 0),
      ("UPDATE fav SET n = NULL", ["1|", "2|"], 0, 2),
      ("SELECT 1", ["1|1", "2|2"], 2, 0),
    ] as [(SQL, [String], Int, Int)])
  func `a reference that was changed since stays`(
    change: SQL, expected: [String], restoredCount: Int, changedCount: Int
  ) throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT, at INTEGER);
      INSERT INTO t VALUES (1, 'a', 1), (2, 'a', 2), (3, 'a', 3), (4, 'b', 1);
      CREATE TABLE fav (id INTEGER PRIMARY KEY, n TEXT REFERENCES t (id));
      INSERT INTO fav VALUES (1, 1), (2, 2)
      """)
    let layout = try TableLayout(describing: "t", in: connection, key: ["k"], timestamp: "at")
    _ = try Deduplicator(layout: layout).run(on: connection, clock: someInstant)
    #expect(try rows("SELECT * FROM fav", in: connection) == ["1|3", "2|3"])
    try connection.execute(change)
    let undone = try Deduplicator.undo(on: connection, clock: someInstant)
    #expect(undone.restoredReferenceCount == restoredCount)
    #expect(undone.changedRowCount == changedCount)
    #expect(try rows("SELECT * FROM fav ORDER BY id", in: connection) == expected)
    #expect(try connection.integer("SELECT count(*) FROM t") == 4)
  }

  @Test func `neither of two columns of a reference is restored if one was changed`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT, at INTEGER, a, b, UNIQUE (a, b));
      INSERT INTO t VALUES (1, 'a', 1, 1, 1), (2, 'a', 2, 2, 2), (3, 'b', 1, 2, 3);
      CREATE TABLE fav (a, b, FOREIGN KEY (a, b) REFERENCES t (a, b));
      INSERT INTO fav VALUES (1, 1), (1, 1)
      """)
    let layout = try TableLayout(describing: "t", in: connection, key: ["k"], timestamp: "at")
    _ = try Deduplicator(layout: layout).run(on: connection, clock: someInstant)
    try connection.execute("UPDATE fav SET b = 3 WHERE rowid = 1")
    let undone = try Deduplicator.undo(on: connection, clock: someInstant)
    #expect(undone.restoredReferenceCount == 2 && undone.changedRowCount == 1)
    #expect(try rows("SELECT * FROM fav", in: connection) == ["2|3", "1|1"])
  }

  private static func snapshotOptions(_ policy: MergePolicy) -> ImportOptions {
    var options = ImportOptions()
    options.isSnapshot = true
    options.removalLimit = .percent(100)
    options.mergePolicy = policy
    options.clock = someInstant
    return options
  }

  @Test(arguments: [MergePolicy.newest, .newestByProperty])
  func `a row that was removed after a snapshot marked it stays marked`(
    policy: MergePolicy
  ) throws {
    let feed = try FeedStore(Self.model(#","x-tombstone":"gone""#))
    let options = Self.snapshotOptions(policy)
    let all = (1...4).map { #"{"id":\#($0),"text":"a","at":1}"# }
    try feed.take(all.joined(), options: options)
    let report = try feed.take(all[0], options: options)
    #expect(report.counters.removed == 3)
    var later = ImportOptions()
    later.mergePolicy = policy
    // A removal, and a record that comes back.
    try feed.take(
      #"{"id":2,"gone":true,"at":9}"#, #"{"id":3,"gone":false,"at":9}"#, options: later)
    let undone = try Self.undo(feed)
    #expect(undone.restoredMarkCount == 1 && undone.changedRowCount == 2)
    #expect(try feed.rows("SELECT id, gone FROM note ORDER BY id") == ["1|", "2|1", "3|0", "4|"])
    #expect(
      try Store(feed.path).digest(of: feed.model).digest
        == feed.take(#"{"id":2,"at":2}"#, options: later).digest)
  }

  @Test func `a reference that was set after a snapshot cleared it stays`() throws {
    let feed = try FeedStore(Self.model())
    let options = Self.snapshotOptions(.newest)
    let all = (1...3).map { #"{"id":\#($0),"text":"a","at":1}"# }
    try feed.take(all.joined(), options: options)
    try feed.execute(
      """
      CREATE TABLE fav (
        id INTEGER PRIMARY KEY, n REFERENCES note (poikit_id) ON DELETE SET NULL,
        m DEFAULT 1 REFERENCES note (poikit_id) ON DELETE SET DEFAULT);
      INSERT INTO fav VALUES (1, 2, NULL), (2, 2, NULL), (3, NULL, 2), (4, NULL, 3)
      """)
    try feed.take(all[0] + all[2], options: options)
    #expect(
      try feed.rows("SELECT * FROM fav ORDER BY id") == ["1||", "2||", "3||1", "4||3"])
    try feed.execute("UPDATE fav SET n = 3 WHERE id = 1")
    let undone = try Self.undo(feed)
    #expect(undone.restoredReferenceCount == 2 && undone.changedRowCount == 1)
    #expect(
      try feed.rows("SELECT * FROM fav ORDER BY id") == ["1|3|", "2|2|", "3||2", "4||3"])
  }
}
