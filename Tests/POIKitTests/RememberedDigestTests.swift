import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct RememberedDigestTests {
  private static let document = #"""
    {"x-table":"note","x-key":"id","x-timestamp":"at","required":["id"],
     "properties":{
      "id":{"type":"integer"},
      "text":{"type":"string"},
      "at":{"type":"integer","x-unit":"seconds"},
      "kind":{"type":"object","x-relation":{"table":"kind","unique":"name"},
       "required":["name"],"properties":{"name":{"type":"string"}}},
      "tags":{"type":"array","items":{"type":"string"},
       "x-relation":{"table":"tag","join":"note_tag","unique":"name"}},
      "parts":{"type":"array","x-relation":{"table":"part","parent":"note","unique":"no"},
       "items":{"type":"object","required":["no"],
        "properties":{"no":{"type":"integer"},"text":{"type":"string"}}}}}}
    """#

  private static let notes = #"""
    {"id":1,"text":"a","at":1,"kind":{"name":"x"},"tags":["red","blue"],"parts":[{"no":1,"text":"p"}]}
    {"id":2,"text":"b","at":1,"kind":{"name":"y"},"tags":["red"]}
    """#

  private static func enforcing() -> ImportOptions {
    var options = ImportOptions()
    options.mergePolicy = .newest
    return options
  }

  private static func store(_ document: String = document) throws -> FeedStore {
    let feed = try FeedStore(try Model(parsing: document))
    try feed.take(notes, options: enforcing())
    return feed
  }

  private static let remembered: SQL = "SELECT count(*) FROM poikit_digest"
  private static let triggers: SQL =
    "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND name GLOB 'poikit_digest_*'"

  @Test func `an import uses the digest of the import before`() throws {
    let feed = try Self.store()
    #expect(try feed.rows(Self.remembered) == ["1"])
    // A wrong result proves that the digest was not computed.
    try feed.execute("UPDATE poikit_digest SET digest = x'01000000000000000000000000000000'")
    let wrong = try feed.take(Self.notes)
    #expect(wrong.digest == Digest(high: 0, low: 1))
    let error = storeError { _ = try feed.digest() }
    #expect(error?.code == .database && error?.message.contains("is damaged") == true)
  }

  @Test(arguments: [
    "UPDATE note SET text = 'c' WHERE id = 1",
    "UPDATE note SET text = NULL",
    "PRAGMA foreign_keys = ON; DELETE FROM note WHERE id = 2",
    "PRAGMA foreign_keys = ON; DELETE FROM note",
    "INSERT INTO note (id, text) VALUES (3, 'c')",
    "INSERT OR REPLACE INTO note (id, text) VALUES (1, 'c')",
    "UPDATE note SET poikit_id = poikit_id + 10",
    """
    ALTER TABLE note ADD COLUMN seat INTEGER; UPDATE note SET seat = id;
    CREATE UNIQUE INDEX seats ON note (seat); UPDATE OR REPLACE note SET seat = 1 WHERE id = 2
    """,
    "UPDATE kind SET name = 'z' WHERE name = 'x'",
    "DELETE FROM kind",
    "UPDATE tag SET name = 'green' WHERE name = 'red'",
    "DELETE FROM note_tag WHERE rowid = 1",
    "INSERT INTO part (note, no) VALUES (2, 7)",
    "UPDATE part SET text = 'q'",
    "DROP TRIGGER poikit_digest_update0_note; UPDATE note SET text = 'c' WHERE id = 1",
    "UPDATE poikit_digest SET version = 'another', digest = zeroblob(16)",
    "UPDATE poikit_digest SET digest = zeroblob(3)",
  ])
  func `a change by another program is seen`(change: SQL) throws {
    let feed = try Self.store()
    try feed.execute(change)
    let report = try feed.take(#"{"id":9,"text":"new","at":1}"#)
    #expect(try feed.digest() == report.digest)
    let next = try feed.take(#"{"id":10,"text":"new","at":1}"#)
    #expect(try feed.digest() == next.digest)
  }

  @Test func `a stopped run leaves no digest, and the resumed one reads the rows`() throws {
    let feed = try Self.store()
    var options = Self.enforcing()
    options.batchSize = 1
    let more = (10..<15).map { #"{"id":\#($0),"at":1}"# }.joined(separator: "\n")
    let stopped = try feed.take(more, options: options) { _ in .stop }
    #expect(stopped.ending == .stopped)
    #expect(try feed.rows(Self.remembered) == ["0"])
    #expect(try feed.rows(Self.triggers) == ["0"])
    // The resumed run cannot know of it otherwise.
    try feed.execute("DELETE FROM note WHERE id = 1")
    options.isResuming = true
    let report = try feed.take(more, options: options)
    #expect(try feed.digest() == report.digest)
    #expect(try feed.rows(Self.remembered) == ["1"])
    let next = try feed.take(Self.notes)
    #expect(try feed.digest() == next.digest)
    #expect(try feed.rows(Self.remembered) == ["1"])
  }

  @Test func `the rows are read if another program wrote during the run`() throws {
    let feed = try Self.store()
    var options = Self.enforcing()
    options.batchSize = 1
    let path = feed.path
    let report = try feed.take(#"{"id":10,"at":1}"#, options: options) { _ in
      try? Connection(path: path, access: .readWrite).execute("UPDATE note SET text = 'other'")
      return .proceed
    }
    #expect(try feed.digest() == report.digest)
    #expect(try feed.rows(Self.remembered) == ["1"])
    let next = try feed.take(Self.notes)
    #expect(try feed.digest() == next.digest)
  }

  @Test func `the rows are read if an app's trigger changes them`() throws {
    let feed = try Self.store()
    try feed.execute(
      """
      CREATE TRIGGER trim AFTER INSERT ON note
      BEGIN UPDATE note SET text = trim(text) WHERE poikit_id = new.poikit_id; END
      """)
    let report = try feed.take(#"{"id":10,"text":" a ","at":1}"#)
    #expect(try feed.digest() == report.digest)
    try feed.execute("DROP TRIGGER trim")
    #expect(try feed.take(#"{"id":11,"text":" a ","at":1}"#).digest == feed.digest())
  }

  @Test func `appended rows are watched, and so are deduplicated ones`() throws {
    let feed = try FeedStore(try Model(parsing: Self.document))
    let appended = try feed.take(Self.notes)
    #expect(try feed.rows(Self.remembered) == ["1"])
    #expect(try feed.digest() == appended.digest)
    var options = DeduplicationOptions()
    options.enforcement = .index
    let done = try feed.deduplicate(options)
    #expect(try feed.rows(Self.remembered) == ["1"])
    #expect(try feed.take(Self.notes).digest == done.digest)
  }

  /// The remaining triggers would make every change of the table fail.
  @Test(arguments: ["open", "import", "deduplicate", "undo", "purge"])
  func `a table that another program dropped is created again by the next run`(task: String) throws
  {
    let feed = try FeedStore(
      try Model(
        parsing: Self.document.replacing(
          #""x-key":"id","#, with: #""x-key":"id","x-tombstone":"gone","#
        ).replacing(#""text":"#, with: #""gone":{"type":"boolean"},"text":"#)))
    try feed.take(Self.notes, #"{"id":2,"text":"c","at":2,"gone":true}"#)
    var options = DeduplicationOptions()
    options.enforcement = .index
    try feed.deduplicate(options)
    #expect(try feed.rows(Self.remembered) == ["1"])
    try feed.execute("DROP TABLE poikit_digest")
    let change: SQL = "UPDATE note SET text = 'other' WHERE id = 1"
    #expect(throws: SQLiteError.self) { try feed.execute(change) }
    let store = try Store(feed.path)
    switch task {
    case "import": try feed.take(#"{"id":1,"text":"d","at":5}"#)
    case "deduplicate": try feed.deduplicate(options)
    case "undo": _ = try store.undo(clock: someInstant)
    case "purge":
      let purged = try store.purgeTombstones(of: feed.model, olderThan: .zero, clock: someInstant)
      #expect(purged.rowCount == 1)
    default: break
    }
    try feed.execute(change)
    let report = try feed.take(#"{"id":9,"text":"new","at":1}"#)
    #expect(try feed.digest() == report.digest)
  }

  // MARK: Deduplication

  private static let places = #"""
    {"x-table":"place","x-key":"id","x-timestamp":"at","required":["id"],
     "properties":{
      "id":{"type":"integer"},"text":{"type":"string"},"at":{"type":"integer","x-unit":"seconds"},
      "kind":{"type":"object","x-relation":{"table":"kind","unique":"name"},
       "required":["name"],"properties":{"name":{"type":"string"}}}}}
    """#

  /// A store of places with many duplicates.
  private static func duplicates(seed: UInt64) throws -> FeedStore {
    var random = SplitMix64(seed: seed)
    let feed = try FeedStore(try Model(parsing: places))
    let lines = (0..<60).map { _ in
      let (id, at) = (Int.random(in: 0..<25, using: &random), Int.random(in: 0..<9, using: &random))
      let kind = Int.random(in: 0..<4, using: &random)
      return #"{"id":\#(id),"at":\#(at),"text":"t\#(at % 3)","kind":{"name":"k\#(kind)"}}"#
    }
    try feed.take(lines.joined(separator: "\n"))
    return feed
  }

  @Test(arguments: [1, 7, 500], [DeduplicationOptions.KeyEnforcement.none, .index, .hash])
  func `a deduplication subtracts the losers from the remembered digest`(
    batchSize: Int, enforcement: DeduplicationOptions.KeyEnforcement
  ) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed \(seed)")
    let feed = try Self.duplicates(seed: seed)
    var options = DeduplicationOptions()
    options.batchSize = batchSize
    options.enforcement = enforcement
    let done = try feed.deduplicate(options)
    #expect(done.plan.loserCount > 0)
    let expected = try feed.digest()
    #expect(done.digest == expected)
    #expect(try feed.rows(Self.remembered) == ["1"])
    // Nothing is left to remove.
    #expect(try feed.deduplicate(options).digest == expected)
  }

  @Test func `a deduplication of rows that do not have the remembered digest changes nothing`()
    throws
  {
    let feed = try Self.duplicates(seed: 7)
    try feed.execute("UPDATE poikit_digest SET digest = x'01000000000000000000000000000000'")
    let before = try feed.rows("SELECT * FROM place")
    let error = storeError { _ = try feed.deduplicate(DeduplicationOptions()) }
    #expect(error?.code == .database && error?.message.contains("is damaged") == true)
    #expect(try feed.rows("SELECT * FROM place") == before)
    #expect(try feed.rows("SELECT count(*) FROM poikit_run WHERE tool = 'poi-dedup'") == ["0"])
  }

  @Test(arguments: [
    "CREATE TABLE a (x); CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM place; END",
    "CREATE TRIGGER t AFTER DELETE ON place BEGIN UPDATE place SET text = 'c' WHERE text <> 'c'; END",
    "CREATE TABLE visit (place INTEGER REFERENCES place)",
    "UPDATE place SET text = 'c'",
    "DROP TRIGGER poikit_digest_delete1_place",
  ])
  func `all rows are read if more than losers may change`(change: SQL) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed \(seed)")
    let feed = try Self.duplicates(seed: seed)
    try feed.execute(change)
    let done = try feed.deduplicate(DeduplicationOptions())
    #expect(done.plan.loserCount > 0)
    #expect(try feed.digest() == done.digest)
  }

  @Test func `all rows are read if winners get values of their losers`() throws {
    let feed = try Self.duplicates(seed: 5)
    var options = DeduplicationOptions()
    options.mergesLosers = true
    let done = try feed.deduplicate(options)
    #expect(try feed.digest() == done.digest)
  }

  @Test func `a stopped deduplication leaves no digest`() throws {
    let feed = try Self.duplicates(seed: 6)
    var options = DeduplicationOptions()
    options.batchSize = 3
    let store = try Store(feed.path)
    let layout = try store.layout()
    let stopped = try store.deduplicate(
      Deduplicator(layout: layout, options: options),
      progress: { if $0.stage == .removing { .stop } else { .proceed } })
    #expect(!stopped.isFinished)
    #expect(try feed.rows(Self.remembered) == ["0"])
    let done = try feed.deduplicate(options)
    #expect(try feed.digest() == done.digest)
  }

  @Test(
    arguments: [
      """
      DROP TRIGGER poikit_digest_insert0_spot; DROP TRIGGER poikit_digest_update0_spot;
      DROP TRIGGER poikit_digest_delete0_spot; UPDATE spot SET n = 'b'
      """,
      """
      CREATE TABLE other (poikit_id INTEGER PRIMARY KEY, id INTEGER, n TEXT);
      INSERT INTO other SELECT poikit_id, id, 'b' FROM spot;
      DROP VIEW poikit_readable_spot; DROP TABLE spot; ALTER TABLE other RENAME TO spot;
      CREATE UNIQUE INDEX poikit_key_spot ON spot (id)
      """,
      """
      DROP VIEW poikit_readable_spot; DROP INDEX poikit_key_spot; ALTER TABLE spot RENAME TO other;
      CREATE TABLE spot (poikit_id INTEGER PRIMARY KEY, id INTEGER, n TEXT);
      INSERT INTO spot SELECT poikit_id, id, 'b' FROM other;
      CREATE UNIQUE INDEX poikit_key_spot ON spot (id)
      """,
    ] as [SQL])
  func `a digest without its triggers is not used and does no harm`(
    change: SQL
  ) throws {
    for deduplicates in [false, true] {
      let feed = try FeedStore(
        try Model(
          parsing: #"""
            {"x-table":"spot","x-key":"id",
             "properties":{"id":{"type":"integer"},"n":{"type":"string"}}}
            """#))
      try feed.take(#"{"id":1,"n":"a"}"#, options: Self.enforcing())
      try feed.execute(change)
      #expect(try feed.rows(Self.remembered) == ["1"])
      let digest =
        try deduplicates ? feed.deduplicate().digest : feed.take(#"{"id":2,"n":"c"}"#).digest
      #expect(try feed.digest() == digest)
      #expect(try feed.rows(Self.remembered) == ["1"])
      #expect(try feed.rows(Self.triggers) == ["3"])
      try feed.execute("UPDATE spot SET n = 'd'")
      #expect(try feed.rows(Self.remembered) == ["0"])
    }
  }

  @Test func `tables whose names end alike are distinguished`() throws {
    let feed = try Self.store()
    let other = try Model(
      parsing: #"""
        {"x-table":"my_note","x-key":"id","properties":{"id":{"type":"integer"}}}
        """#)
    for _ in 0..<2 {
      var session = try ImportSession(
        into: Store(feed.path), model: other, options: Self.enforcing())
      try session.append(Array(#"{"id":1}"#.utf8).span)
      _ = try session.finish()
    }
    #expect(
      try feed.rows("SELECT table_name FROM poikit_digest ORDER BY 1") == ["my_note", "note"])
    try feed.execute("UPDATE note SET text = 'c'")
    #expect(try feed.rows("SELECT table_name FROM poikit_digest") == ["my_note"])
    let report = try feed.take(Self.notes)
    #expect(try feed.digest() == report.digest)
  }

  @Test func `the triggers fit a changed model`() throws {
    let feed = try Self.store()
    let wider = try Model(
      parsing: Self.document.replacing(
        #""text":{"type":"string"},"#, with: #""text":{"type":"string"},"more":{"type":"string"},"#)
    )
    var session = try ImportSession(into: Store(feed.path), model: wider)
    try session.append(Array(#"{"id":3,"at":1}"#.utf8).span)
    _ = try session.finish()
    #expect(try feed.rows(Self.remembered) == ["1"])
    try feed.execute("UPDATE note SET more = 'm'")
    #expect(try feed.rows(Self.remembered) == ["0"])
  }
}
