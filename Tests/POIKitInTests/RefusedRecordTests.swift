import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Records that an app's schema refuses: each is a reject with its bytes and position.
@Suite struct RefusedRecordTests {
  private static let document = #"""
    {"x-table":"place","x-key":"id","x-timestamp":"at","required":["id"],
     "properties":{
      "id":{"type":"integer"},
      "n":{"type":["string","null"]},
      "at":{"type":"integer","x-unit":"seconds"}}}
    """#

  private static let documentWithArrays = #"""
    {"x-table":"place","x-key":"id","x-timestamp":"at","required":["id"],
     "properties":{
      "id":{"type":"integer"},
      "n":{"type":["string","null"]},
      "at":{"type":"integer","x-unit":"seconds"},
      "parts":{"type":"array","items":{"type":"string"},
       "x-relation":{"table":"part","parent":"place","unique":"name"}},
      "tags":{"type":"array","items":{"type":"string"},
       "x-relation":{"table":"tag","join":"place_tag","unique":"name"}}}}
    """#

  private static func store(
    _ records: [String], of document: String = document, by policy: MergePolicy = .newest
  ) throws -> FeedStore {
    let feed = try FeedStore(try Model(parsing: document))
    var options = ImportOptions()
    options.mergePolicy = policy
    try feed.take(records.joined(separator: "\n"), options: options)
    return feed
  }

  private static let rejects: SQL = """
    SELECT record, line, "column", rule, CAST(raw AS TEXT) FROM poikit_reject ORDER BY id
    """

  /// The target of an app's reference.
  enum Referred: CaseIterable {
    case part, join, row

    func creation(_ check: SQL) -> SQL {
      switch self {
      case .part:
        """
        CREATE TABLE visit (part INTEGER REFERENCES part \(check));
        INSERT INTO visit VALUES (1)
        """
      case .join:
        """
        CREATE TABLE visit (tagged INTEGER REFERENCES place_tag (rowid_of) \(check));
        INSERT INTO visit VALUES (7)
        """
      case .row:
        """
        CREATE UNIQUE INDEX names ON place (n);
        CREATE TABLE visit (name TEXT REFERENCES place (n) \(check));
        INSERT INTO visit VALUES ('a')
        """
      }
    }
  }

  @Test(
    arguments: Referred.allCases, ["", "DEFERRABLE INITIALLY DEFERRED"] as [SQL])
  func `a record that deletes referenced rows is refused alone`(
    referred: Referred, check: SQL
  ) throws {
    let feed = try Self.store(
      [
        #"{"id":1,"n":"a","at":1,"parts":["p"],"tags":["x"]}"#,
        #"{"id":2,"n":"b","at":1,"parts":["p"],"tags":["x"]}"#,
      ], of: Self.documentWithArrays)
    try feed.execute(
      """
      ALTER TABLE place_tag ADD COLUMN rowid_of INTEGER;
      UPDATE place_tag SET rowid_of = 7 WHERE place = 1;
      CREATE UNIQUE INDEX tagged ON place_tag (rowid_of);
      \(referred.creation(check))
      """)
    if referred != .join {
      try feed.execute("DROP INDEX tagged")
    }
    let records = [
      #"{"id":3,"n":"c","at":2}"#, #"{"id":1,"n":"d","at":2}"#, #"{"id":2,"n":"e","at":2}"#,
    ]
    let report = try feed.take(records.joined(separator: "\n"))
    #expect(report.counters.inserted == 1 && report.counters.updated == 1)
    #expect(try feed.rows(Self.rejects) == ["2|2|1|constraint|\(records[1])"])
    #expect(try feed.rows("SELECT n FROM place ORDER BY id") == ["a", "e", "c"])
    #expect(try feed.rows("SELECT count(*) FROM part") == ["1"])
    #expect(try feed.rows("SELECT count(*) FROM place_tag") == ["1"])
    #expect(try feed.digest() == report.digest)
  }

  @Test(arguments: [MergePolicy.append, .newest])
  func `a generated column refuses a record with its bytes and position`(policy: MergePolicy) throws
  {
    let feed = try Self.store([#"{"id":1,"n":"a","at":1}"#], by: policy)
    try feed.execute(
      "ALTER TABLE place ADD COLUMN h TEXT NOT NULL GENERATED ALWAYS AS (nullif(n, 'x'))")
    let records = [
      #"{"id":2,"n":"b","at":1}"#, #"{"id":3,"n":"x","at":1}"#, #"{"id":4,"n":"c","at":1}"#,
    ]
    let report = try feed.take(records.joined(separator: "\n"))
    #expect(report.counters.inserted == 2)
    #expect(try feed.rows(Self.rejects) == ["2|2|1|constraint|\(records[1])"])
    #expect(try feed.digest() == report.digest)
  }

  @Test(
    arguments: [
      "CREATE INDEX app ON place (abs(id))",
      "CREATE INDEX app ON place (n) WHERE abs(id) > 7",
      "ALTER TABLE place ADD COLUMN size INTEGER CHECK (abs(id) >= 0)",
      "CREATE TRIGGER app AFTER INSERT ON place BEGIN SELECT abs(new.id); END",
      """
      CREATE TABLE log (size INTEGER);
      CREATE TRIGGER app AFTER INSERT ON place BEGIN
        INSERT INTO log VALUES (new.at); INSERT INTO log VALUES (abs(new.id));
      END
      """,
    ] as [SQL], [MergePolicy.append, .newest])
  func `a failing expression refuses a record, and leaves nothing of it`(
    change: SQL, policy: MergePolicy
  ) throws {
    let feed = try Self.store([#"{"id":1,"n":"a","at":1}"#], by: policy)
    try feed.execute(change)
    let records = [
      #"{"id":2,"n":"b","at":1}"#, #"{"id":-9223372036854775808,"n":"x","at":1}"#,
      #"{"id":4,"n":"c","at":1}"#,
    ]
    let report = try feed.take(records.joined(separator: "\n"))
    #expect(report.counters.inserted == 2)
    #expect(try feed.rows(Self.rejects) == ["2|2|1|constraint|\(records[1])"])
    #expect(
      try feed.rows("SELECT message FROM poikit_reject")
        == ["the table refuses the record: integer overflow"])
    #expect(try feed.rows("SELECT id FROM place ORDER BY id") == ["1", "2", "4"])
    #expect(try feed.digest() == report.digest)
  }

  @Test func `an update that makes an expression fail is refused, and leaves nothing of it`() throws
  {
    let feed = try Self.store([#"{"id":1,"n":"a","at":1}"#, #"{"id":2,"n":"a","at":1}"#])
    try feed.execute(
      """
      CREATE TRIGGER app AFTER UPDATE ON place WHEN new.n = 'x'
      BEGIN SELECT abs(-9223372036854775807 - new.id); END
      """)
    let records = [#"{"id":1,"n":"x","at":2}"#, #"{"id":2,"n":"b","at":2}"#]
    let report = try feed.take(records.joined(separator: "\n"))
    #expect(report.counters.updated == 1)
    #expect(try feed.rows(Self.rejects) == ["1|1|1|constraint|\(records[0])"])
    #expect(try feed.rows("SELECT n FROM place ORDER BY id") == ["a", "b"])
    #expect(try feed.digest() == report.digest)
  }

  @Test func `a statement that the schema makes impossible ends the run and refuses no record`()
    throws
  {
    let feed = try Self.store([#"{"id":1,"n":"a","at":1}"#])
    try feed.execute("CREATE INDEX app ON place (abs(id))")
    var options = ImportOptions()
    options.batchSize = 1
    options.jobCount = 1
    let path = feed.path
    var isChanged = false
    let error = #expect(throws: StoreError.self) {
      try feed.take(#"{"id":2,"at":1}{"id":3,"at":1}{"id":4,"at":1}"#, options: options) { _ in
        if !isChanged {
          isChanged = true
          try? Connection(path: path, access: .readWrite).execute(
            "CREATE TRIGGER app2 AFTER INSERT ON place BEGIN INSERT INTO nowhere VALUES (1); END")
        }
        return .proceed
      }
    }
    #expect(error?.code == .database)
    #expect(error?.message.contains("no such table: main.nowhere") == true)
    #expect(try feed.rows("SELECT count(*) FROM poikit_reject") == ["0"])
    #expect(try feed.rows("SELECT count(*) FROM place") == ["2"])
  }

  /// The table rebuilt by an app, with its own constraint on the name.
  private static func rebuild(_ feed: borrowing FeedStore, _ constraint: SQL) throws {
    try feed.execute(
      """
      PRAGMA legacy_alter_table = ON;
      CREATE TABLE other (
        poikit_id INTEGER PRIMARY KEY, id INTEGER NOT NULL, n TEXT \(constraint), at INTEGER);
      INSERT INTO other SELECT poikit_id, id, n, at FROM place;
      DROP TABLE place;
      ALTER TABLE other RENAME TO place
      """)
  }

  @Test(
    arguments: ["UNIQUE ON CONFLICT REPLACE", "UNIQUE ON CONFLICT IGNORE", "UNIQUE"] as [SQL],
    [MergePolicy.append, .newest])
  func `a record is refused even if the table declares ON CONFLICT REPLACE or IGNORE`(
    constraint: SQL, policy: MergePolicy
  ) throws {
    let feed = try Self.store(
      [#"{"id":1,"n":"a","at":1}"#, #"{"id":2,"n":"b","at":1}"#], by: policy)
    try Self.rebuild(feed, constraint)
    if policy != .append {
      try feed.execute("CREATE UNIQUE INDEX poikit_key_place ON place (id)")
    }
    let id = policy == .append ? 9 : 2
    let records = [#"{"id":\#(id),"n":"a","at":2}"#, #"{"id":3,"n":"b","at":2}"#]
    let report = try feed.take(records.joined(separator: "\n"))
    #expect(
      try feed.rows(Self.rejects)
        == records.indices.map { "\($0 + 1)|\($0 + 1)|1|unique|\(records[$0])" })
    #expect(try feed.rows("SELECT id, n FROM place ORDER BY id") == ["1|a", "2|b"])
    #expect(try feed.digest() == report.digest)
  }

  @Test
  func `a record is refused even if the table declares ON CONFLICT REPLACE while an import runs`()
    throws
  {
    let feed = try Self.store([#"{"id":1,"n":"a","at":1}"#], by: .append)
    try Self.rebuild(feed, "UNIQUE")
    var options = ImportOptions()
    options.batchSize = 1
    options.jobCount = 1
    let records = [#"{"id":2,"n":"b","at":1}"#, #"{"id":3,"n":"a","at":1}"#]
    var isChanged = false
    let report = try feed.take(records.joined(separator: "\n"), options: options) { _ in
      if !isChanged {
        isChanged = true
        #expect(throws: Never.self) { try Self.rebuild(feed, "UNIQUE ON CONFLICT REPLACE") }
      }
      return .proceed
    }
    #expect(report.counters.rejected == 1)
    #expect(try feed.rows("SELECT id, n FROM place ORDER BY id") == ["1|a", "2|b"])
  }

  private static let documentWithRelations = #"""
    {"x-table":"place","x-key":"id","x-timestamp":"at","required":["id"],
     "properties":{
      "id":{"type":"integer"},
      "n":{"type":["string","null"]},
      "at":{"type":"integer","x-unit":"seconds"},
      "from":{"type":"string","x-relation":{"table":"town","unique":"name"}},
      "to":{"type":"string","x-relation":{"table":"town","unique":"name"}}}}
    """#

  @Test(
    arguments: [
      "CREATE UNIQUE INDEX app ON place (n)",
      "ALTER TABLE place ADD COLUMN size INTEGER CHECK (id = 1 AND n = 'a' OR id > 3)",
      "ALTER TABLE town ADD COLUMN size INTEGER CHECK (name <> 'Y')",
    ] as [SQL], [MergePolicy.append, .newest])
  func `a refused record leaves no rows of its relations`(
    change: SQL, policy: MergePolicy
  ) throws {
    let records = [
      #"{"id":1,"n":"a","at":1,"from":"A","to":"B"}"#,
      #"{"id":2,"n":"a","at":1,"from":"X","to":"Y"}"#,
      #"{"id":3,"n":"a","at":1,"from":"A","to":"Y"}"#,
      #"{"id":4,"n":"d","at":1,"from":"C","to":"X"}"#,
      #"{"id":5,"n":"e","at":1,"from":"X","to":"C"}"#,
      #"{"id":1,"n":"d","at":2,"from":"Y","to":"Y"}"#,
    ]
    let sound = [records[0], records[3], records[4]]
    let towns: SQL = "SELECT poikit_id, name FROM town ORDER BY 1"
    let places: SQL = "SELECT poikit_id, id, n, \"from\", \"to\" FROM place ORDER BY 1"
    func feed() throws -> FeedStore {
      let feed = try Self.store([], of: Self.documentWithRelations, by: policy)
      if policy != .append { try feed.enforce(["id"]) }
      try feed.execute(change)
      return feed
    }
    let expected = try feed()
    try expected.take(sound.joined(separator: "\n"))
    let found = try feed()
    let taken = policy == .append ? Array(records.dropLast()) : records
    let report = try found.take(taken.joined(separator: "\n"))
    #expect(report.counters.inserted == 3 && report.counters.updated == 0)
    #expect(try found.rows(towns) == expected.rows(towns))
    #expect(try found.rows(places) == expected.rows(places))
    #expect(try found.digest() == report.digest)
  }

  @Test func `an app's trigger keeps its own conflict clauses`() throws {
    let feed = try Self.store([#"{"id":1,"n":"a","at":1}"#])
    try feed.execute(
      """
      CREATE TABLE name (n TEXT UNIQUE); INSERT INTO name VALUES ('a');
      CREATE TRIGGER app AFTER INSERT ON place BEGIN INSERT OR IGNORE INTO name VALUES (new.n); END
      """)
    let report = try feed.take(#"{"id":2,"n":"a","at":1}"#)
    #expect(report.counters.inserted == 1 && report.counters.rejected == 0)
  }

  @Test func `the reject of a landed record says that its bytes were not kept`() throws {
    let feed = try Self.store([#"{"id":1,"n":"a","at":1}"#])
    var options = ImportOptions()
    options.directRecordLimit = 0
    let text = #"{"id":2,"n":"b","at":1}"# + "\n" + #"{"id":3,"n":"a","at":1}"#
    let stopped = try feed.take(text, options: options) { $0.counters.read == 2 ? .stop : .proceed }
    #expect(stopped.counters.landed == 2)
    try feed.execute("CREATE UNIQUE INDEX app ON place (n)")
    options.isResuming = true
    let report = try feed.take(text, options: options)
    #expect(report.counters.inserted == 1 && report.counters.rejected == 1)
    // An unknown position is not reported as line 1 and column 1.
    #expect(try feed.rows(Self.rejects) == ["2|0|0|unique|"])
    #expect(
      try feed.rows("SELECT byte_offset, message FROM poikit_reject") == [
        "24|the table refuses the record: UNIQUE constraint failed: place.n; its bytes were not kept "
          + "when it was read: it begins after byte 24 of the input"
      ])
  }
}
