import POIKitTestSupport
import POISQLite
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct DeduplicatorEnforcementTests {
  /// A table of the toolkit, with its bookkeeping tables.
  private func store() throws -> Connection {
    let connection = try Connection.inMemory()
    try connection.execute(Bookkeeping.creation)
    try connection.execute(
      """
      CREATE TABLE poi (poikit_id INTEGER PRIMARY KEY, country TEXT, code TEXT COLLATE NOCASE,
        at INTEGER) STRICT;
      INSERT INTO poikit_table VALUES ('poi', '{}', NULL);
      INSERT INTO poi (country, code, at) VALUES ('NL', 'a', 1), ('NL', 'a', 2), ('NL', 'A', 1),
        ('BE', 'a', 1), ('BE', NULL, 1), ('BE', NULL, 2)
      """)
    return connection
  }

  private let layout = TableLayout(
    Model(ofTable: "poi", ["country", "code", "at"].map { Attribute(column: $0) }),
    isToolkitTable: true, keyColumns: ["country", "code"], timestampColumn: "at")

  private func options(_ enforcement: DeduplicationOptions.KeyEnforcement) -> DeduplicationOptions {
    var options = DeduplicationOptions()
    options.enforcement = enforcement
    return options
  }

  @Test(arguments: [DeduplicationOptions.KeyEnforcement.index, .hash])
  func `the key is enforced afterwards, and no longer once the pass is undone`(
    enforcement: DeduplicationOptions.KeyEnforcement
  ) throws {
    let connection = try store()
    let before = try dump("poi", in: connection)
    let schemaBefore = try schema(connection)
    let deduplicator = Deduplicator(layout: layout, options: options(enforcement))
    let report = try deduplicator.run(on: connection, clock: someInstant)
    #expect(report.createdIndex)
    #expect(report.rowsLeft == 5)
    #expect(report.plan.nullKeyRowCount == 2)
    #expect(
      try connection.text("SELECT enforced_key FROM poikit_table") == #"["country","code"]"#)
    let again = try deduplicator.run(on: connection, clock: someInstant)
    #expect(!again.createdIndex)
    #expect(again.digest == report.digest)

    let columns: SQL = enforcement == .hash ? "country, code, poikit_key" : "country, code"
    let insert: SQL = """
      INSERT INTO poi (\(columns))
      SELECT \(columns) FROM poi WHERE country = 'BE' AND code = 'a'
      """
    #expect(throws: SQLiteError.self) { try connection.execute(insert) }
    try connection.execute("INSERT INTO poi (country, code) VALUES ('BE', NULL)")
    try connection.execute("DELETE FROM poi WHERE rowid = last_insert_rowid()")

    let undone = try Deduplicator.undo(
      run: report.run, on: connection, clock: someInstant)
    #expect(undone.droppedIndex)
    #expect(try dump("poi", in: connection) == before)
    #expect(try schema(connection) == schemaBefore)
    #expect(try connection.text("SELECT enforced_key FROM poikit_table") == nil)
  }

  @Test(arguments: [["code"], ["code", "country"]])
  func `a hash of other columns is refused while one is enforced`(columns: [String]) throws {
    let connection = try store()
    _ = try Deduplicator(layout: layout, options: options(.hash))
      .run(on: connection, clock: someInstant)
    let before = try dump("poi", in: connection)
    let other = TableLayout(
      layout.model, isToolkitTable: true, keyColumns: columns, timestampColumn: "at")
    for enforcement in [DeduplicationOptions.KeyEnforcement.hash, .index] {
      let error = storeError {
        _ = try Deduplicator(layout: other, options: options(enforcement))
          .run(on: connection, clock: someInstant)
      }
      #expect(error?.code == .invalidOptions)
      #expect(
        error?.message.contains("is enforced on 'country', 'code', as a hash, already") == true,
        "\(error?.message ?? "")")
    }
    #expect(try dump("poi", in: connection) == before)
    #expect(
      try connection.text("SELECT enforced_key FROM poikit_table") == #"["country","code"]"#)
  }

  @Test func `keys with a NULL are not grouped if their hash will be enforced`() throws {
    let connection = try store()
    var options = options(.hash)
    options.nullKey = .group
    let error = storeError {
      _ = try Deduplicator(layout: layout, options: options).run(on: connection, clock: someInstant)
    }
    #expect(error?.code == .invalidOptions)
    #expect(try connection.integer("SELECT count(*) FROM poi") == 6)
  }

  @Test func `the hash of a key is the one that another program computes`() throws {
    let connection = try store()
    _ = try Deduplicator(layout: layout, options: options(.hash))
      .run(on: connection, clock: someInstant)
    // Two fields with the names 0 and 1: 't', 2 bytes, "BE"; 't', 1 byte, "a".
    let bytes: [UInt8] =
      [0, 0, 0, 0, 0, 0, 0, 0, 0x74, 2, 0, 0, 0, 0x42, 0x45]
      + [1, 0, 0, 0, 0, 0, 0, 0, 0x74, 1, 0, 0, 0, 0x61]
    let digest = MurmurHash3.digest(of: bytes.span)
    let expected = digest.bytes.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
    #expect(
      try connection.text(
        "SELECT lower(hex(poikit_key)) FROM poi WHERE country = 'BE' AND code = 'a'") == expected)
    #expect(
      try connection.integer("SELECT count(*) FROM poi WHERE poikit_key IS NULL") == 2)
  }

  @Test func `rows that share a key are listed, and the run fails`() throws {
    let connection = try store()
    var deduplicator = Deduplicator(layout: layout, options: options(.hash))
    // All keys have the same hash, but differ.
    deduplicator.keyHash = { _ in KeyHash(digest: .zero) }
    let error = storeError {
      _ = try deduplicator.run(on: connection, clock: someInstant)
    }
    #expect(error?.code == .keyNotUnique)
    #expect(error?.message.contains("in rows 2, 3, 4") == true, "\(error?.message ?? "")")
    #expect(try connection.integer("SELECT count(*) FROM poi") == 5)
    #expect(try rows("SELECT state FROM poikit_run", in: connection) == ["failed"])
    #expect(try connection.text("SELECT enforced_key FROM poikit_table") == nil)
    #expect(
      try connection.integer(
        "SELECT count(*) FROM pragma_table_info('poi') WHERE name LIKE 'poikit_k%'")
        == 0)
  }

  @Test func `duplicates prevent the index, and at most ten keys are listed`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (k);
      WITH RECURSIVE c (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < 39)
      INSERT INTO t SELECT n / 2 FROM c
      """)
    let schema = try TableSchema(of: "t", in: connection)
    let enforcer = KeyEnforcer(
      layout: try TableLayout(describing: "t", in: connection, key: ["k"]), schema: schema,
      enforcement: .index, nullKey: .keep, keyHash: { $0 })
    try connection.begin()
    let error = storeError {
      _ = try enforcer.enforce()
    }
    connection.rollback()
    #expect(error?.code == .keyNotUnique)
    #expect(error?.message.contains("'0' in rows 1, 2; '1' in rows 3, 4") == true)
    #expect(error?.message.contains("'9' in rows 19, 20") == true)
    #expect(error?.message.contains("'10'") == false)
  }

  @Test func `the message names the first of many rows that share a key`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (k);
      WITH RECURSIVE c (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < 999)
      INSERT INTO t SELECT n < 990 FROM c
      """)
    let enforcer = KeyEnforcer(
      layout: try TableLayout(describing: "t", in: connection, key: ["k"]),
      schema: try TableSchema(of: "t", in: connection), enforcement: .index, nullKey: .keep,
      keyHash: { $0 })
    try connection.begin()
    let error = storeError {
      _ = try enforcer.enforce()
    }
    connection.rollback()
    #expect(
      error?.message.contains(
        "'1' in 990 rows, the first 1; '0' in rows 991, 992, 993, 994, 995, 996, 997, 998, 999, 1000"
      )
        == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [true, false])
  func `an index on another key is not replaced, and no loser removed`(isDryRun: Bool) throws {
    let connection = try store()
    _ = try Deduplicator(layout: layout, options: options(.index))
      .run(on: connection, clock: someInstant)
    var other = layout
    other.keyColumns = ["country"]
    let before = try dump("poi", in: connection)
    let deduplicator = Deduplicator(layout: other, options: options(.index))
    let error = storeError {
      if isDryRun {
        _ = try deduplicator.plan(on: connection)
      } else {
        _ = try deduplicator.run(on: connection, clock: someInstant)
      }
    }
    #expect(error?.code == .invalidOptions)
    #expect(error?.message.contains("on 'country', 'code' already") == true)
    #expect(try dump("poi", in: connection) == before)
  }

  @Test func `rows written by an app are found by keys that are enforced by a hash`() throws {
    let feed = try FeedStore(Model(parsing: MergeFixture.document))
    try feed.take(#"{"id":1,"at":5}{"id":2,"at":5}{"id":null,"at":5}"#)
    var options = DeduplicationOptions()
    options.enforcement = .hash
    try feed.deduplicate(options)
    try feed.execute(
      "UPDATE note SET id = 10 WHERE id = 1; INSERT INTO note (id, at) VALUES (3, 5)")
    let report = try feed.take(#"{"id":1,"at":6}{"id":10,"at":6}{"id":3,"at":6}{"id":2,"at":6}"#)
    #expect(report.counters.inserted == 1 && report.counters.updated == 3)
    #expect(report.counters.rejected == 0)
    #expect(try feed.digest() == report.digest)
    let ids: SQL = "SELECT id FROM note ORDER BY id"
    #expect(try feed.rows(ids) == ["", "1", "2", "3", "10"])
    #expect(try feed.rows("SELECT count(poikit_key) FROM note") == ["4"])
    try feed.execute("UPDATE note SET id = 10 WHERE id = 3")
    let error = #expect(throws: StoreError.self) { try feed.take(#"{"id":4,"at":6}"#) }
    #expect(error?.code == .invalidOptions)
    #expect(
      error?.message.hasSuffix(
        "another program gave rows of the table \"note\" the key of others") == true,
      "\(error?.message ?? "")")
    #expect(error?.advice == [.enforce(key: ["id"], .hash)])
    try feed.deduplicate(options)
    #expect(try feed.take(#"{"id":4,"at":6}{"id":10,"at":7}"#).counters.updated == 1)
    #expect(try feed.rows(ids) == ["", "1", "2", "4", "10"])
    // The second run enforced nothing anew; with the first goes all that it made.
    for _ in 0..<2 { _ = try Store(feed.path).undo(clock: someInstant) }
    #expect(try feed.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'poikit_key%'") == [])
  }
}
