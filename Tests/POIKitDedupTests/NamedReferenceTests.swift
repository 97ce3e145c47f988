import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// References that the database does not declare as foreign keys.
@Suite struct NamedReferenceTests {
  private static let tables: SQL = """
    CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO tag VALUES (1, 'a'), (2, 'b'), (3, 'a');
    CREATE TABLE link (issue INTEGER, tag INTEGER, PRIMARY KEY (issue, tag));
    INSERT INTO link VALUES (10, 1), (10, 3), (11, 3), (12, 2);
    """

  private static func deduplicate(
    _ table: String, by key: [String], on connection: Connection,
    _ options: DeduplicationOptions = DeduplicationOptions()
  ) throws -> DeduplicationReport {
    let layout = try TableLayout(describing: table, in: connection, key: key)
    return try Deduplicator(layout: layout, options: options)
      .run(on: connection, clock: someInstant)
  }

  private static func tag(_ parentColumn: String? = nil) -> NamedReference {
    NamedReference(child: "link", column: "tag", parent: "tag", parentColumn: parentColumn)
  }

  @Test func `a named reference moves, folds rows of joins, is kept and undone`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(Self.tables)
    let before = try dump("link", in: connection)
    try Deduplicator.name([Self.tag()], on: connection)
    #expect(
      try rows("SELECT name FROM sqlite_schema WHERE name = 'poikit_reference'", in: connection)
        == [])
    let report = try Self.deduplicate("tag", by: ["name"], on: connection)
    #expect(report.changes.movedReferenceCount + report.changes.removedReferenceRowCount > 0)
    #expect(report.plan.likelyReferences == [])
    #expect(try Deduplicator.danglingReferences(on: connection).map(\.rowCount) == [0])
    #expect(
      try rows("SELECT * FROM main.poikit_reference", in: connection) == ["link|tag|tag|id"])
    _ = try Deduplicator.undo(on: connection)
    #expect(try dump("link", in: connection) == before)
    // A later connection, without the temporary table, knows the reference.
    try connection.execute("DROP TABLE temp.poikit_reference")
    _ = try Self.deduplicate("tag", by: ["name"], on: connection)
    #expect(try Deduplicator.danglingReferences(on: connection).map(\.rowCount) == [0])
  }

  @Test func `a plan follows named references and stores nothing`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("app.sqlite")
    try Connection(path: path).execute(Self.tables)
    let connection = try Connection(path: path, access: .readOnly)
    let layout = try TableLayout(describing: "tag", in: connection, key: ["name"])
    let warned = try Deduplicator(layout: layout).plan(on: connection)
    #expect(warned?.likelyReferences == [Self.tag()])
    try Deduplicator.name([Self.tag()], on: connection)
    let plan = try Deduplicator(layout: layout).plan(on: connection)
    #expect(plan?.likelyReferences == [] && plan?.loserCount == 1)
    #expect(
      try rows("SELECT name FROM sqlite_schema WHERE name GLOB 'poikit*'", in: connection) == [])
  }

  @Test func `names that do not exist or contradict each other are refused`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(Self.tables)
    try connection.execute("ALTER TABLE link ADD twice AS (tag * 2)")
    let cases: [([NamedReference], StoreError.Code, String)] = [
      ([NamedReference(child: "x", column: "tag", parent: "tag")], .noSuchTable, "'x'"),
      ([NamedReference(child: "link", column: "x", parent: "tag")], .noSuchColumn, "'x'"),
      ([NamedReference(child: "link", column: "tag", parent: "x")], .noSuchTable, "'x'"),
      ([Self.tag("x")], .noSuchColumn, "'x'"),
      (
        [NamedReference(child: "link", column: "twice", parent: "tag")], .invalidOptions, "computed"
      ),
      ([NamedReference(child: "tag", column: "id", parent: "tag")], .invalidOptions, "itself"),
      ([Self.tag(), Self.tag("name")], .invalidOptions, "two columns"),
    ]
    for (references, code, part) in cases {
      let error = storeError { try Deduplicator.name(references, on: connection) }
      #expect(error?.code == code && error?.message.contains(part) == true, "\(references)")
    }
    #expect(try rows("SELECT name FROM temp.sqlite_schema", in: connection) == [])
  }

  @Test func `a column whose values repeat does not tell the rows`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT, kind TEXT);
      INSERT INTO tag VALUES (1, 'a', 'x'), (2, 'a', 'y'), (3, 'b', 'x');
      CREATE TABLE link (tag TEXT);
      INSERT INTO link VALUES ('a'), ('b');
      """)
    try Deduplicator.name([Self.tag("name")], on: connection)
    let error = storeError { _ = try Self.deduplicate("tag", by: ["kind"], on: connection) }
    #expect(error?.code == .unmovableReference)
    #expect(error?.message.contains("deduplicate by 'name' first") == true)
    #expect(try Self.deduplicate("tag", by: ["name"], on: connection).changes.removedRowCount == 1)
    let left = try Self.deduplicate("tag", by: ["kind"], on: connection)
    #expect(left.changes.removedRowCount <= 1)
    #expect(try Deduplicator.danglingReferences(on: connection).map(\.rowCount) == [0])
  }

  @Test func `named references do what declared ones do`() throws {
    var movedCount = 0
    for seed in TestLength.some(UInt64(1)...400, 60) {
      var generator = SplitMix64(seed: seed)
      let (declared, named) = (try Connection.inMemory(), try Connection.inMemory())
      let isByName = seed % 3 == 0
      let target = isByName ? "code" : "id"
      let keys = ["", ", UNIQUE (p, n)", ", UNIQUE (p)"]
      let key = keys[Int(seed) % keys.count]
      var content: [SQL] = []
      for id in 1...Int64(12) {
        let (name, up) = (
          Int64.random(in: 0...4, using: &generator), Int64.random(in: 1...12, using: &generator)
        )
        content.append("INSERT INTO p VALUES (\(id), \(id + 100), \(name), \(up))")
      }
      for _ in 0..<Int.random(in: 0...20, using: &generator) {
        let (p, n) = (
          Int64.random(in: 1...12, using: &generator), Int64.random(in: 0...3, using: &generator)
        )
        content.append("INSERT OR IGNORE INTO c VALUES (\(p + (isByName ? 100 : 0)), \(n))")
      }
      for connection in [declared, named] {
        func foreignKey(_ column: SQL) -> SQL {
          connection === declared ? "REFERENCES p (\(column))" : ""
        }
        try connection.execute(
          """
          CREATE TABLE p (id INTEGER PRIMARY KEY, code INTEGER UNIQUE, name INTEGER,
            up INTEGER \(foreignKey("id")));
          CREATE TABLE c (p INTEGER \(foreignKey(SQL(name: target))), n INTEGER \(SQL(verbatim: key)));
          """)
        for statement in content { try connection.execute(statement) }
      }
      try Deduplicator.name(
        [
          NamedReference(child: "p", column: "up", parent: "p"),
          NamedReference(child: "c", column: "p", parent: "p", parentColumn: target),
        ], on: named)
      let before = try dump("p", in: named) + dump("c", in: named)
      func outcome(_ connection: Connection) throws -> [String] {
        let error = storeError {
          let report = try Self.deduplicate("p", by: ["name"], on: connection)
          movedCount += report.changes.movedReferenceCount
        }
        return try dump("p", in: connection) + dump("c", in: connection) + [error?.message ?? ""]
      }
      #expect(try outcome(named) == outcome(declared), "seed \(seed)")
      _ = storeError { _ = try Deduplicator.undo(on: named) }
      #expect(try dump("p", in: named) + dump("c", in: named) == before, "seed \(seed)")
    }
    #expect(movedCount > 0)
  }

  @Test func `a column looks like a reference by its name and all its values`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, ZID TEXT);
      INSERT INTO ZTAG VALUES (1, 'a'), (2, 'b');
      CREATE TABLE Z_1TAGS (Z_1ISSUES INTEGER, Z_2TAGS INTEGER);
      INSERT INTO Z_1TAGS VALUES (7, 1), (8, NULL);
      CREATE TABLE other (tag_id, tags, tag, count INTEGER, ZTAG INTEGER REFERENCES ZTAG);
      INSERT INTO other VALUES (1, 1, 3, 1, 1), (2, '2', 1, 2, 2);
      """)
    let schema = try TableSchema(of: "ZTAG", in: connection)
    #expect(
      try NamedReference.likely(to: schema).map(\.description)
        == ["Z_1TAGS.Z_2TAGS=ZTAG", "other.tag_id=ZTAG"])
  }

  @Test func `dangling values are counted for every kind of reference and table`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE p (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID;
      INSERT INTO p VALUES (1, 2);
      CREATE TABLE c (a REFERENCES gone, x, y, t TEXT, FOREIGN KEY (x, y) REFERENCES p);
      INSERT INTO c VALUES (5, 1, 2, '1'), (NULL, 1, 3, 'x'), (6, 1, NULL, NULL);
      CREATE TABLE q (id INTEGER PRIMARY KEY);
      INSERT INTO q VALUES (1);
      """)
    try Deduplicator.name([NamedReference(child: "c", column: "t", parent: "q")], on: connection)
    let found = try Deduplicator.danglingReferences(on: connection)
    #expect(
      found.map { "\($0.columns)->\($0.parent) \($0.rowCount) \($0.examples)" }.sorted() == [
        #"["a"]->gone 2 ["5", "6"]"#, #"["t"]->q 1 ["x"]"#, #"["x", "y"]->p 1 ["1, 3"]"#,
      ])
  }

  @Test func `a model names the attribute that another one refers to`() throws {
    let tag = try Model(
      parsing: #"""
        {"x-table":"tag","x-key":"id","properties":{
          "id":{"type":"integer","x-column":"tag_key"},"name":{"type":"string"}}}
        """#)
    let issue = try Model(
      parsing: #"""
        {"x-table":"issue","x-key":"id","properties":{"id":{"type":"integer"},
          "tag":{"type":["integer","null"],"x-references":{"table":"tag","attribute":"id"}}}}
        """#)
    let feed = try FeedStore(issue)
    try feed.take(#"{"id":1,"tag":7}{"id":2,"tag":8}{"id":3,"tag":null}{"id":4,"tag":9}"#)
    // The other table need not exist.
    #expect(try feed.rows("SELECT tag FROM issue ORDER BY id") == ["7", "8", "", "9"])
    let store = try Store(feed.path)
    var options = ImportOptions()
    options.mergePolicy = .newest
    try store.importRecords(
      from: .bytes(Array(#"{"id":7,"name":"a"}{"id":8,"name":"a"}"#.utf8)), model: tag,
      options: options)
    let report = try store.deduplicate(by: ["name"], in: "tag")
    #expect(report.changes.movedReferenceCount == 1)
    let kept = try feed.rows("SELECT tag_key FROM tag")
    #expect(try feed.rows("SELECT DISTINCT tag FROM issue WHERE id < 3") == kept)
    let dangling = try store.withConnection { try Deduplicator.danglingReferences(on: $0) }
    #expect(dangling.map(\.rowCount) == [1] && dangling[0].examples == ["9"])
    try store.undo()
    #expect(try feed.rows("SELECT tag FROM issue ORDER BY id") == ["7", "8", "", "9"])
  }

  @Test(
    arguments: [
      (#""x-references":"tag""#, "a reference is an object"),
      (#""x-references":{"table":"tag"}"#, "a reference is an object"),
      (#""x-references":{"table":"tag","attribute":"id","on":1}"#, "on"),
      (#""x-references":{"table":"poikit_x","attribute":"id"}"#, "poikit_x"),
      (#""type":"number","x-references":{"table":"tag","attribute":"id"}"#, "an integer or a uuid"),
    ])
  func `a model's reference that cannot be followed is refused`(
    keyword: String, part: String
  ) throws {
    let error = #expect(throws: ModelError.self) {
      try Model(parsing: #"{"x-table":"t","properties":{"a":{\#(keyword)}}}"#)
    }
    #expect(error.map { "\($0)".contains(part) } == true, "\(String(describing: error))")
  }
}
