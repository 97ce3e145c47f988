import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIFiles
@testable import POIKit
@testable import POIRecords

/// Undo of a run after removals, or with another model or schema.
@Suite struct DeduplicatorUndoLaterTests {
  private static func model(_ more: String = "", properties: String = "") throws -> Model {
    try Model(
      parsing: #"""
        {"x-table":"note","x-key":"id","x-timestamp":"at"\#(more),
         "required":["id"],
         "properties":{\#(properties)
          "id":{"type":"integer"},
          "text":{"type":["string","null"]},
          "at":{"type":["integer","null"],"x-unit":"seconds"},
          "gone":{"type":["boolean","null"]}}}
        """#)
  }

  private static let deleting = #","x-tombstone":{"attribute":"gone","removal":"delete"}"#

  private static func options(
    _ policy: MergePolicy = .newest, isSnapshot: Bool = false
  ) -> ImportOptions {
    var options = ImportOptions()
    options.isSnapshot = isSnapshot
    options.removalLimit = .percent(100)
    options.mergePolicy = policy
    options.clock = someInstant
    return options
  }

  private static func undo(_ feed: borrowing FeedStore) throws -> UndoReport {
    try Store(feed.path).undo(clock: someInstant)
  }

  @Test(arguments: [(9, 0), (5, 0), (4, 1)])
  func `a row that a snapshot removed is not restored after a newer removal`(
    time: Int, restoredCount: Int
  ) throws {
    let feed = try FeedStore(Self.model(Self.deleting))
    try feed.take(#"{"id":1,"at":5}{"id":2,"at":5}"#, options: Self.options())
    try feed.take(#"{"id":2,"at":5}"#, options: Self.options(isSnapshot: true))
    try feed.take(#"{"id":1,"gone":true,"at":\#(time)}"#)
    if restoredCount == 0 {
      let store = try Store(feed.path)
      let error = storeError {
        _ = try store.undo(clock: someInstant)
      }
      #expect(error?.message.contains("rows of 'note' that later records removed, too: 1;") == true)
    } else {
      #expect(try Self.undo(feed).restoredRowCount == 1)
    }
    #expect(try feed.rows("SELECT id FROM note") == (restoredCount == 1 ? ["1", "2"] : ["2"]))
    #expect(try feed.rows("SELECT id FROM poikit_tombstone_note") == ["1"])
  }

  @Test func `rows that a deduplication removed as superseded are restored`() throws {
    let feed = try FeedStore(Self.model(Self.deleting))
    try feed.take(
      #"{"id":1,"gone":true,"at":9}{"id":2,"at":5}"#, options: Self.options())
    try feed.execute("INSERT INTO note (id, at) VALUES (1, 5000000)")
    #expect(try feed.deduplicate().changes.supersededRowCount == 1)
    #expect(try Self.undo(feed).restoredRowCount == 1)
    #expect(try feed.rows("SELECT id FROM note ORDER BY 1") == ["1", "2"])
  }

  @Test func `a resumed run that meets removals is undone as a whole`() throws {
    let feed = try FeedStore(Self.model(Self.deleting))
    try feed.take((1...8).map { #"{"id":\#($0 % 4),"at":\#($0)}"# }.joined() + #"{"id":8,"at":5}"#)
    let before = try feed.rows("SELECT id, at FROM note ORDER BY 1, 2")
    var deduplication = DeduplicationOptions()
    deduplication.batchSize = 1
    let store = try Store(feed.path)
    let deduplicator = Deduplicator(layout: try store.layout(), options: deduplication)
    let stopped = try store.deduplicate(
      deduplicator,
      progress: { if $0.stage == .removing { .stop } else { .proceed } }, clock: someInstant)
    #expect(!stopped.isFinished && stopped.changes.archivedRowCount == 1)
    try feed.take(#"{"id":8,"gone":true,"at":9}"#)
    let report = try store.deduplicate(deduplicator, clock: someInstant)
    #expect(report.changes.supersededRowCount == 1 && report.runChanges.archivedRowCount == 5)
    let archived = try store.integer("SELECT count(*) FROM poikit_archive_note")
    #expect(archived == 5)
    #expect(try store.undo(clock: someInstant).restoredRowCount == 5)
    #expect(try feed.rows("SELECT id, at FROM note ORDER BY 1, 2") == before)
  }

  @Test(arguments: [MergePolicy.newest, .newestByProperty])
  func `restored rows get the defaults of another model`(policy: MergePolicy) throws {
    let feed = try FeedStore(Self.model())
    try feed.take(#"{"id":1,"at":5}{"id":2,"at":5}"#, options: Self.options())
    try feed.take(#"{"id":1,"at":5}"#, options: Self.options(policy, isSnapshot: true))
    let changed = try Self.model(
      properties: #"""
        "color":{"type":["string","null"],"default":"red"},
        "size":{"type":["number","null"],"default":1},
        "tags":{"type":"array","x-relation":{"table":"tag","unique":"name"},"items":{"type":"string"}},
        """#)
    func take(_ text: String) throws {
      var session = try ImportSession(
        into: Store(feed.path), model: changed, options: Self.options(policy))
      var source = BytesSource(Array(text.utf8), name: "input")
      try session.importAll(from: &source)
      _ = try session.finish()
    }
    try take(#"{"id":9,"at":5}"#)
    #expect(try Self.undo(feed).restoredRowCount == 1)
    #expect(
      try feed.rows("SELECT id, color, size FROM note ORDER BY 1")
        == ["1|red|1.0", "2|red|1.0", "9|red|1.0"])
    let older = #""at":4,"color":"blue","size":2,"tags":["a"]}"#
    try take(#"{"id":1,\#(older){"id":2,\#(older)"#)
    let row = policy == .newest ? "red|1.0|" : "blue|2.0|a"
    #expect(
      try feed.rows(
        """
        SELECT n.id, color, size, t.name FROM note AS n LEFT JOIN tag AS t ON t.note = n.poikit_id
        WHERE id < 3 ORDER BY 1
        """) == ["1|\(row)", "2|\(row)"])
  }

  /// Rows 1 and 2 of `c` refer to a loser of `p`, the second beside a duplicate.
  private static func deduplicated() throws -> Connection {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE p (id INTEGER PRIMARY KEY, k TEXT, t INTEGER);
      INSERT INTO p VALUES (1, 'a', 1), (2, 'a', 2), (3, 'b', 1), (4, 'b', 2);
      CREATE TABLE c (id INTEGER PRIMARY KEY, pid INTEGER REFERENCES p, day INTEGER, UNIQUE (pid, day));
      INSERT INTO c VALUES (1, 1, 1), (2, 3, 1), (3, 4, 1);
      CREATE TABLE d (id INTEGER PRIMARY KEY, pid INTEGER REFERENCES p, cid INTEGER REFERENCES c);
      INSERT INTO d VALUES (1, 1, 1), (2, 4, 2)
      """)
    let layout = try TableLayout(describing: "p", in: connection, key: ["k"], timestamp: "t")
    _ = try Deduplicator(layout: layout).run(on: connection, clock: someInstant)
    #expect(try rows("SELECT id, pid FROM c", in: connection) == ["1|2", "3|4"])
    #expect(try rows("SELECT pid, cid FROM d", in: connection) == ["2|1", "4|3"])
    return connection
  }

  @Test(
    arguments: [
      ("DROP TABLE c", "the table 'c', which is gone"),
      ("ALTER TABLE c RENAME TO e", "the table 'c', which is gone"),
      ("ALTER TABLE c RENAME COLUMN pid TO q", "'c' has no column 'pid'"),
      ("ALTER TABLE c RENAME COLUMN day TO q", "'c' has no column 'day'"),
      ("DROP TABLE d", "the table 'd', which is gone"),
      ("ALTER TABLE d RENAME COLUMN pid TO q", "'d' has no column 'pid'"),
      ("ALTER TABLE p RENAME TO q", "the table 'p', which is gone"),
    ] as [(SQL, String)])
  func `a run is not undone if a table or column that it changed is gone`(
    change: SQL, reason: String
  ) throws {
    let connection = try Self.deduplicated()
    try connection.execute(change)
    let schema = try rows("SELECT sql FROM sqlite_schema", in: connection)
    let error = storeError {
      _ = try Deduplicator.undo(on: connection, clock: someInstant)
    }
    #expect(error?.code == .cannotUndo)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    #expect(try rows("SELECT sql FROM sqlite_schema", in: connection) == schema)
    #expect(try rows("SELECT state FROM poikit_run", in: connection) == ["finished"])
  }
}
