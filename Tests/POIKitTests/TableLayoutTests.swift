import JSONStreaming
import POIKitTestSupport
import POISQLite
import Testing

@testable import POIKit

@Suite struct TableLayoutTests {
  private func names(_ layout: TableLayout) -> [String] { layout.content.columns }

  @Test func `content is every stored column except a bare row id`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE Place (ID INTEGER PRIMARY KEY, Name TEXT, at INT, size AS (length(Name)));
      CREATE TABLE other (id INT PRIMARY KEY, name TEXT);
      CREATE TABLE odd (id INTEGER PRIMARY KEY DESC, name TEXT)
      """)
    let place = try TableLayout(
      describing: "place", in: connection, key: ["name"], timestamp: "AT")
    #expect(place.table == "Place")
    #expect(names(place) == ["Name", "at"])
    #expect(place.keyColumns == ["Name"])
    #expect(place.timestampColumn == "at")
    #expect(!place.isToolkitTable)
    let byID = try TableLayout(describing: "Place", in: connection, key: ["id"])
    #expect(names(byID) == ["ID", "Name", "at"])
    // Neither INT nor a descending primary key is the row id.
    #expect(
      names(try TableLayout(describing: "other", in: connection, key: ["name"])) == ["id", "name"])
    #expect(
      names(try TableLayout(describing: "odd", in: connection, key: ["name"])) == ["id", "name"])
  }

  @Test(arguments: ["t (id)", "T (ID)", "T", "\"T\" (\"Id\")"])
  func `a row of the same table is content by its key, however it is written`(
    parent: SQL
  ) throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT, par INTEGER REFERENCES \(parent))")
    let layout = try TableLayout(describing: "t", in: connection, key: ["k"])
    #expect(layout.content.attributes.last?.relation?.attributes.map(\.column) == ["k"])
  }

  @Test func `a row of the same table is content by its key if one unique column refers to it`()
    throws
  {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (k TEXT, code TEXT UNIQUE, part TEXT, plain TEXT, name TEXT,
        a REFERENCES t (code), b REFERENCES t (part), c REFERENCES t (plain),
        d REFERENCES t (name));
      CREATE UNIQUE INDEX t_part ON t (part) WHERE part > 'p';
      CREATE UNIQUE INDEX t_plain ON t (plain, k);
      CREATE UNIQUE INDEX t_name ON t (name COLLATE NOCASE);
      INSERT INTO t (k, code, name, a, d)
      VALUES ('p', 'c1', 'X', 'c2', 'x'), ('q', 'c2', 'y', 'gone', NULL), (NULL, 'c3', 'z', 'c3', NULL)
      """)
    let layout = try TableLayout(describing: "t", in: connection, key: ["k"])
    func collation(_ column: String) -> String? {
      layout.content.attributes.first { $0.column == column }?.relation?.foreignKey?.collation
    }
    #expect(["a", "b", "c", "d"].map(collation) == ["BINARY", nil, nil, "NOCASE"])
    // A reference to a missing row, or to a row without a key, is a value like any other.
    let before = try layout.digest(in: connection)
    for change: SQL in ["a = 'lost' WHERE k = 'q'", "a = 'c9' WHERE k IS NULL"] {
      try connection.execute("BEGIN; UPDATE t SET \(change)")
      #expect(try layout.digest(in: connection) != before)
      try connection.execute("ROLLBACK")
    }
  }

  @Test func `a key may be a generated column`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (name TEXT, folded AS (lower(name)));
      INSERT INTO t VALUES ('A'), ('a'), ('b')
      """)
    let layout = try TableLayout(describing: "t", in: connection, key: ["folded"])
    let plan = try Deduplicator(layout: layout).plan(on: connection)
    #expect(plan?.loserCount == 1)
  }

  @Test func `a column that is not asked for is not computed`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (k, "\u{E9}", "e\u{301}", b);
      INSERT INTO t VALUES (1, 2, 3, -9223372036854775807 - 1), (1, 2, 3, -9223372036854775807 - 1);
      ALTER TABLE t ADD COLUMN failing AS (abs(b))
      """)
    let layout = try TableLayout(describing: "t", in: connection, key: ["k"])
    #expect(try Deduplicator(layout: layout).plan(on: connection)?.loserCount == 1)
    var options = ExportOptions()
    options.columns = ["K", "\u{E9}"]
    options.filters = [.equal("e\u{301}", 3)]
    options.limit = 1
    var text = ""
    try Store.export(table: "t", of: connection, options: options) { bytes in
      text += String(copying: bytes)
    }
    #expect(text == "{\"k\":1,\"\u{E9}\":2}\n")
  }

  @Test func `a missing name is reported with the existing ones`() throws {
    let connection = try Connection.inMemory()
    func error(_ table: String, _ key: String) -> StoreError? {
      storeError {
        _ = try TableLayout(describing: table, in: connection, key: [key])
      }
    }
    #expect(
      error("t", "k")?.message == ":memory:: there is no table 't': the database has no tables")
    try connection.execute(
      "CREATE TABLE a (x, y); CREATE TABLE poikitb (z); CREATE TABLE poikit_b (z)")
    #expect(
      error("t", "k")?.message == ":memory:: there is no table 't': the database has 'a', 'poikitb'"
    )
    #expect(error("a", "k")?.message == ":memory:: 'a' has no column 'k': it has 'x', 'y'")
    #expect(error("a", "k")?.code == .noSuchColumn)
  }

  @Test(arguments: [
    ("a_view", "a view"), ("keyed", "WITHOUT ROWID"), ("search", "a virtual table"),
    ("search_data", "a virtual table"), ("poikit_run", "a table of bookkeeping"),
    ("hidden", "hide its row ids"), ("sqlite_schema", "a table of bookkeeping"),
  ])
  func `a table without row ids is refused`(table: String, reason: String) throws {
    let connection = try Connection.inMemory()
    try connection.execute(Bookkeeping.creation)
    try connection.execute(
      """
      CREATE TABLE t (k); CREATE VIEW a_view AS SELECT k FROM t;
      CREATE TABLE keyed (k PRIMARY KEY) WITHOUT ROWID;
      CREATE VIRTUAL TABLE search USING fts5 (k);
      CREATE TABLE hidden (k, rowid, oid, _ROWID_)
      """)
    let error = storeError {
      _ = try TableLayout(describing: table, in: connection, key: ["k"])
    }
    #expect(error?.code == .unsupportedTable)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test func `row ids are found whatever the columns are called`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE one (rowid TEXT, k); CREATE TABLE two (rowid TEXT, _rowid_ TEXT, k);
      CREATE TABLE three (rowid TEXT, _rowid_ TEXT, oid INTEGER PRIMARY KEY, k)
      """)
    for table in ["one", "two", "three"] {
      try connection.execute(
        "INSERT INTO \(name: table) (rowid, k) VALUES ('r', 1), ('r', 1), ('s', 1)")
      let layout = try TableLayout(describing: table, in: connection, key: ["k"])
      let report = try Deduplicator(layout: layout).run(on: connection, clock: someInstant)
      #expect(report.rowsLeft == 1, "\(table)")
      _ = try Deduplicator.undo(on: connection, clock: someInstant)
      #expect(
        try rows("SELECT rowid FROM \(name: table) ORDER BY 1", in: connection) == ["r", "r", "s"])
    }
  }
}
