import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Imports into a database with triggers or foreign keys of an app that change other rows.
@Suite struct SideEffectTests {
  private static func document(_ attributes: String = "", root: String = "") -> String {
    #"""
    {"x-table":"note","x-key":"id","x-timestamp":"ts","required":["id"],
     "properties":{
      "id":{"type":"integer"},
      "text":{"type":"string"},
      "ts":{"type":"integer","x-unit":"seconds"}\#(attributes)}\#(root)}
    """#
  }

  private static func store(_ document: String, _ records: String...) throws -> FeedStore {
    let feed = try FeedStore(try Model(parsing: document))
    var options = ImportOptions()
    options.mergePolicy = .newest
    try feed.take(records.joined(separator: "\n"), options: options)
    return feed
  }

  private static let rejects: SQL = "SELECT record, rule FROM poikit_reject ORDER BY id"

  // MARK: Deleted related rows

  private static let category =
    #","cat":{"type":["string","null"],"x-relation":{"table":"cat","unique":"name"}}"#

  @Test(
    arguments: [
      """
      CREATE TRIGGER app AFTER UPDATE OF cat ON note BEGIN
        DELETE FROM cat WHERE poikit_id NOT IN (SELECT cat FROM note WHERE cat IS NOT NULL);
      END
      """,
      """
      CREATE TABLE used (name TEXT PRIMARY KEY); INSERT INTO used VALUES ('K'), ('A'), ('B');
      ALTER TABLE cat ADD COLUMN use TEXT REFERENCES used ON DELETE CASCADE;
      UPDATE cat SET use = name;
      CREATE TRIGGER app AFTER UPDATE OF cat ON note BEGIN
        DELETE FROM used WHERE name IN (
          SELECT name FROM cat
          WHERE poikit_id NOT IN (SELECT cat FROM note WHERE cat IS NOT NULL));
      END
      """,
    ] as [SQL])
  func `a record refers to the row that it names even if triggers delete rows`(change: SQL) throws {
    let feed = try Self.store(
      Self.document(Self.category), #"{"id":1,"cat":"K","ts":1}"#, #"{"id":2,"cat":"A","ts":1}"#)
    try feed.execute(change)
    let report = try feed.take(
      #"""
      {"id":3,"cat":"A","ts":1}
      {"id":3,"cat":"K","ts":2}
      {"id":2,"cat":"K","ts":2}
      {"id":4,"cat":"B","ts":1}
      {"id":5,"cat":"A","ts":1}
      """#)
    #expect(report.counters.rejected == 0)
    #expect(
      try feed.rows("SELECT id, cat FROM poikit_readable_note ORDER BY id")
        == ["1|K", "2|K", "3|K", "4|B", "5|A"])
    #expect(try feed.rows("PRAGMA foreign_key_check").isEmpty)
    #expect(try feed.digest() == report.digest)
  }

  @Test func `shared elements are the named ones even if triggers delete rows`() throws {
    let feed = try Self.store(
      Self.document(
        #","tags":{"type":"array","items":{"type":"string"},"#
          + #""x-relation":{"table":"tag","join":"note_tag","unique":"name"}}"#),
      #"{"id":1,"tags":["K"],"ts":1}"#, #"{"id":2,"tags":["A"],"ts":1}"#)
    try feed.execute(
      """
      CREATE TRIGGER app AFTER UPDATE ON note BEGIN
        DELETE FROM note_tag WHERE note = new.poikit_id;
        DELETE FROM tag WHERE poikit_id NOT IN (SELECT tag FROM note_tag);
      END
      """)
    let report = try feed.take(
      #"""
      {"id":3,"tags":["A"],"ts":1}
      {"id":3,"tags":["K"],"ts":2}
      {"id":2,"tags":["K"],"ts":2}
      {"id":4,"tags":["B"],"ts":1}
      {"id":5,"tags":["A"],"ts":1}
      """#)
    #expect(report.counters.rejected == 0)
    #expect(
      try feed.rows(
        """
        SELECT n.id, t.name FROM note AS n JOIN note_tag AS j ON j.note = n.poikit_id
        JOIN tag AS t ON t.poikit_id = j.tag ORDER BY n.id
        """) == ["1|K", "2|K", "3|K", "4|B", "5|A"])
    #expect(try feed.digest() == report.digest)
  }

  // MARK: Digest

  @Test func `the rows are read if an app's foreign key deletes some of them`() throws {
    let feed = try Self.store(
      Self.document(
        #","gone":{"type":"boolean"}"#,
        root: #","x-tombstone":{"attribute":"gone","removal":"delete"}"#),
      #"{"id":1,"ts":1}"#, #"{"id":2,"ts":1}"#, #"{"id":3,"ts":1}"#)
    try feed.execute(
      """
      ALTER TABLE note ADD COLUMN parent INTEGER REFERENCES note (poikit_id) ON DELETE CASCADE;
      UPDATE note SET parent = 1 WHERE id = 2
      """)
    let report = try feed.take(#"{"id":1,"gone":true,"ts":2}"#)
    #expect(try feed.rows("SELECT id FROM note") == ["3"])
    #expect(try feed.digest() == report.digest)
    #expect(try feed.take(#"{"id":4,"ts":1}"#).digest == feed.digest())
  }

  @Test func `the model's own foreign keys do not make the run read the rows`() throws {
    let model = try Model(
      parsing: Self.document(
        Self.category + #","tags":{"type":"array","items":{"type":"string"},"#
          + #""x-relation":{"table":"tag","join":"note_tag","unique":"name"}},"#
          + #""parts":{"type":"array","x-relation":{"table":"part","parent":"owner","unique":"no"},"#
          + #""items":{"type":"object","required":["no"],"properties":{"no":{"type":"integer"},"#
          + #""bits":{"type":"array","items":{"type":"string"},"#
          + #""x-relation":{"table":"bit","unique":"name"}}}}}"#))
    let feed = try FeedStore(model)
    try feed.take(#"{"id":1,"ts":1}"#)
    let connection = try Connection(path: feed.path, access: .readWrite)
    #expect(try !SchemaFacts(of: model, in: connection).changesOtherRows)
    try connection.execute("ALTER TABLE bit ADD COLUMN x INTEGER REFERENCES tag ON DELETE SET NULL")
    #expect(try SchemaFacts(of: model, in: connection).changesOtherRows)
  }

  // MARK: Partial failures

  @Test(
    arguments: [
      """
      CREATE TRIGGER i AFTER INSERT ON note BEGIN SELECT RAISE(FAIL, 'no'); END;
      CREATE TRIGGER u AFTER UPDATE ON note BEGIN SELECT RAISE(FAIL, 'frozen'); END
      """,
      """
      CREATE TABLE log (x UNIQUE); INSERT INTO log VALUES (1);
      CREATE TRIGGER i AFTER INSERT ON note BEGIN INSERT OR FAIL INTO log VALUES (1); END;
      CREATE TRIGGER u AFTER UPDATE ON note BEGIN INSERT OR FAIL INTO log VALUES (1); END
      """,
    ] as [SQL], [0, Int.max])
  func `a record leaves nothing if a trigger refuses it without a rollback`(
    triggers: SQL, directRecordLimit: Int
  ) throws {
    let feed = try Self.store(Self.document(), #"{"id":1,"text":"a","ts":1}"#)
    try feed.execute(triggers)
    var options = ImportOptions()
    options.directRecordLimit = directRecordLimit
    let report = try feed.take(
      #"""
      {"id":2,"text":"bad","ts":1}
      {"id":1,"text":"changed","ts":9}
      """#, options: options)
    #expect(report.counters.rejected == 2)
    #expect(report.counters.inserted == 0 && report.counters.updated == 0)
    #expect(try feed.rows("SELECT id, text FROM note") == ["1|a"])
    #expect(try feed.rows("SELECT count(*) FROM poikit_reject") == ["2"])
    #expect(try feed.digest() == report.digest)
  }

  @Test func `an appended record leaves nothing if a trigger refuses it without a rollback`() throws
  {
    let feed = try FeedStore(try Model(parsing: Self.document()))
    try feed.take(#"{"id":1,"ts":1}"#)
    try feed.execute(
      "CREATE TRIGGER i AFTER INSERT ON note WHEN new.id = 2 BEGIN SELECT RAISE(FAIL, 'no'); END")
    let report = try feed.take(#"{"id":2,"ts":1}{"id":3,"ts":1}"#)
    #expect(report.counters.inserted == 1 && report.counters.rejected == 1)
    #expect(try feed.rows("SELECT id FROM note") == ["1", "3"])
    #expect(try feed.digest() == report.digest)
  }

  // MARK: Foreign keys

  @Test(arguments: ["", "DEFERRABLE INITIALLY DEFERRED"] as [SQL])
  func `a foreign key of an app's refuses a record of any model`(check: SQL) throws {
    let feed = try Self.store(
      Self.document(Self.category), #"{"id":1,"text":"a","cat":"K","ts":1}"#,
      #"{"id":2,"text":"b","ts":1}"#)
    try feed.execute(
      """
      CREATE UNIQUE INDEX x ON note (text);
      CREATE TABLE fav (s REFERENCES note (text) \(check)); INSERT INTO fav VALUES ('a')
      """)
    let report = try feed.take(
      #"""
      {"id":1,"text":"c","ts":2}
      {"id":2,"text":"d","ts":2}
      """#)
    #expect(report.counters.updated == 1)
    #expect(try feed.rows(Self.rejects) == ["1|constraint"])
    #expect(try feed.rows("SELECT id, text FROM note ORDER BY id") == ["1|a", "2|d"])
    #expect(try feed.rows("PRAGMA foreign_key_check").isEmpty)
    #expect(try feed.digest() == report.digest)
  }

  @Test func `an import stops if an app begins to refer to values while it runs`() throws {
    let feed = try Self.store(Self.document(), #"{"id":1,"text":"a","ts":1}"#)
    var options = ImportOptions()
    options.batchSize = 1
    options.jobCount = 1
    let text = #"{"id":2,"ts":1}{"id":1,"text":"b","ts":2}{"id":3,"ts":1}"#
    let error = #expect(throws: StoreError.self) {
      try feed.take(text, options: options) { progress in
        if progress.counters.read == 1 {
          try? feed.execute(
            "CREATE TABLE fav (s REFERENCES note (text)); CREATE UNIQUE INDEX x ON note (text)")
        }
        return .proceed
      }
    }
    #expect(error?.message.contains("a foreign key") == true, "\(error?.message ?? "")")
    try feed.execute("INSERT INTO fav VALUES ('a')")
    options.isResuming = true
    #expect(try feed.take(text, options: options).counters.rejected == 1)
    #expect(try feed.rows("SELECT id, text FROM note ORDER BY id") == ["1|a", "2|", "3|"])
  }
}
