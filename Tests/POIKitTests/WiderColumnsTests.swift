import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Changing a table to a model whose attributes accept more.
@Suite struct WiderColumnsTests {
  private static func model(_ properties: String, rest: String = "") throws -> Model {
    try Model(
      parsing: #"""
        {"x-table":"t","x-key":"id","required":["id"],
        "properties":{"id":{"type":["integer","string"]},\#(properties)}\#(rest)}
        """#)
  }

  /// A change of the attribute `a`, with values before and after it.
  struct Change: CustomTestStringConvertible, Sendable {
    var before: String
    var after: String
    var values: [String]
    var moreValues: [String]
    /// The type of the column afterwards.
    var column: String
    var testDescription: String { "\(before) to \(after)" }
  }

  static let changes = [
    Change(
      before: #""type":["integer","null"]"#, after: #""type":["number","null"]"#,
      values: ["3", "-9007199254740992", "null"], moreValues: ["2.5"], column: "REAL"),
    Change(
      before: #""type":["integer","boolean","null"]"#,
      after: #""type":["integer","boolean","string","null"]"#,
      values: ["9223372036854775807", "true"], moreValues: [#""x""#, #""3""#], column: "ANY"),
    Change(
      before: #""type":["number","null"]"#, after: #""type":["number","string","null"]"#,
      values: ["0.1", "1e300"], moreValues: [#""x""#], column: "ANY"),
    Change(
      before: #""type":["string","null"]"#, after: #""type":["string","integer","null"]"#,
      values: [#""3""#, #""é""#], moreValues: ["3"], column: "ANY"),
    Change(
      before: #""type":["string","null"],"format":"date""#,
      after: #""type":["string","object","null"]"#,
      values: [#""2024-02-29""#], moreValues: [#"{"a":[1]}"#, #""soon""#], column: "ANY"),
    Change(
      before: #""type":["array","object"]"#, after: #""type":["array","object","string","null"]"#,
      values: ["[1,2]", "{}"], moreValues: [#""x""#, "null"], column: "ANY"),
  ]

  private static func text(_ values: [String], from first: Int = 1) -> String {
    values.enumerated().map { #"{"id":\#(first + $0),"a":\#($1)}"# }.joined()
  }

  @Test(arguments: changes)
  func `a widened table equals one that was made with the wider model`(change: Change) throws {
    let folder = try ScratchFolder()
    let before = try Self.model(#""a":{\#(change.before)}"#)
    let after = try Self.model(#""a":{\#(change.after)}"#)
    let (old, new) = (
      Self.text(change.values), Self.text(change.moreValues, from: change.values.count + 1)
    )
    let path = folder.file("late.sqlite")
    try ModelChangeTests.importText(old, before, at: path)
    let late = try ModelChangeTests.importText(new, after, at: path)
    let early = try ModelChangeTests.importText(old + new, after, at: folder.file("early.sqlite"))
    #expect(late.counters.rejected == 0 && early.counters.rejected == 0)
    #expect(late.digest == early.digest)
    let query: SQL = "SELECT poikit_id, id, a, typeof(a) FROM t ORDER BY poikit_id"
    let store = try Store(path)
    let found = try rows(query, in: store)
    #expect(try rows(query, in: Store(folder.file("early.sqlite"))) == found)
    #expect(
      try rows("SELECT type FROM pragma_table_info('t') WHERE name = 'a'", in: store)
        == [change.column])
    #expect(try rows("PRAGMA integrity_check", in: store) == ["ok"])
  }

  @Test func `what an app has added stays, and so do row ids and references`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    let before = try Self.model(#""a":{"type":"integer"},"b":{"type":"string"}"#)
    let after = try Self.model(#""a":{"type":["number","null"]},"b":{"type":"string"}"#)
    try ModelChangeTests.importText(#"{"id":1,"a":1,"b":"x"}{"id":2,"a":2}"#, before, at: path)
    try Store(path).execute(
      """
      DELETE FROM t WHERE id = 1;
      ALTER TABLE t ADD COLUMN favorite INTEGER NOT NULL DEFAULT 7;
      ALTER TABLE t ADD COLUMN upper TEXT AS (upper(b)) VIRTUAL;
      CREATE INDEX by_a ON t (a);
      CREATE UNIQUE INDEX by_b ON t (b) WHERE b <> '';
      CREATE TABLE log (id);
      CREATE TRIGGER log_insert AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.id); END;
      CREATE VIEW doubled AS SELECT 2 * a AS a FROM t;
      CREATE TABLE child (t INTEGER REFERENCES t (poikit_id) ON DELETE CASCADE);
      INSERT INTO child VALUES (2);
      """)
    let names: SQL = """
      SELECT type, name, tbl_name FROM sqlite_schema WHERE name NOT LIKE 'poikit%' ORDER BY 1, 2
      """
    let schema = try rows(names, in: Store(path))
    try ModelChangeTests.importText(#"{"id":3,"a":0.5,"b":"y"}"#, after, at: path)
    let store = try Store(path)
    #expect(try rows(names, in: store) == schema)
    #expect(
      try rows("SELECT poikit_id, id, a, b, favorite, upper FROM t", in: store)
        == ["2|2|2.0||7|", "3|3|0.5|y|7|Y"])
    // The rebuild itself fires no trigger.
    #expect(try rows("SELECT id FROM log", in: store) == ["3"])
    #expect(try rows("SELECT a FROM doubled ORDER BY a", in: store) == ["1.0", "4.0"])
    #expect(try rows("SELECT t FROM child", in: store) == ["2"])
    #expect(try rows("PRAGMA foreign_key_check", in: store) == [])
    #expect(try rows("PRAGMA integrity_check", in: store) == ["ok"])
    try store.execute("PRAGMA foreign_keys = ON; DELETE FROM t WHERE id = 2")
    #expect(try rows("SELECT t FROM child", in: store) == [])
  }

  @Test func `rows of relations to many stay, although foreign keys are enforced`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    let tags =
      #""tags":{"type":"array","x-relation":{"table":"tag","unique":"name"},"items":{"type":"string"}}"#
    let before = try Self.model(#""a":{"type":"integer"},"# + tags)
    let after = try Self.model(#""a":{"type":"number"},"# + tags)
    let text = #"{"id":1,"a":1,"tags":["x","y"]}"#
    try ModelChangeTests.importText(text, before, at: path)
    let late = try ModelChangeTests.importText(#"{"id":2,"tags":["x"]}"#, after, at: path)
    let early = try ModelChangeTests.importText(
      text + #"{"id":2,"tags":["x"]}"#, after, at: folder.file("b.sqlite"))
    #expect(late.digest == early.digest)
  }

  @Test func `a removal from before the change is undone after it`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    let before = try Self.model(#""a":{"type":"integer"}"#)
    let after = try Self.model(#""a":{"type":["number","null"]}"#)
    try ModelChangeTests.importText(#"{"id":1,"a":1}{"id":1,"a":2}"#, before, at: path)
    let store = try Store(path)
    let deduplicator = Deduplicator(
      layout: try TableLayout(before), options: DeduplicationOptions())
    #expect(try store.deduplicate(deduplicator, clock: someInstant).rowsLeft == 1)
    try store.prepareTables(for: after)
    #expect(try store.undo(clock: someInstant).restoredRowCount == 1)
    #expect(try rows("SELECT a FROM t ORDER BY a", in: store) == ["1.0", "2.0"])
  }

  @Test func `integers that a number cannot hold are not changed`()
    throws
  {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    let number = try Self.model(#""a":{"type":"number"}"#)
    try ModelChangeTests.importText(
      #"{"id":1,"a":9007199254740993}"#, Self.model(#""a":{"type":"integer"}"#), at: path)
    let message = try #require(try ModelChangeTests.refusal(of: number, at: path))
    #expect(message.contains("integers beyond 2^53"), "\(message)")
    // An archived row counts, too.
    try ModelChangeTests.importText(
      #"{"id":1,"a":9007199254740995}"#, Self.model(#""a":{"type":"integer"}"#), at: path)
    let deduplicator = Deduplicator(
      layout: try TableLayout(number), options: DeduplicationOptions())
    _ = try Store(path).deduplicate(deduplicator, clock: someInstant)
    try Store(path).execute("UPDATE t SET a = 1")
    #expect(try ModelChangeTests.refusal(of: number, at: path)?.contains("2^53") == true)
  }

  @Test func `a definition that another program has changed is not changed`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    try ModelChangeTests.importText(
      #"{"id":1,"a":1}"#, Self.model(#""a":{"type":"integer"}"#), at: path)
    let store = try Store(path)
    try store.execute(
      "ALTER TABLE t RENAME COLUMN a TO b; ALTER TABLE t ADD COLUMN a INTEGER CHECK (a > 0)")
    let message = try #require(
      try ModelChangeTests.refusal(of: Self.model(#""a":{"type":"number"}"#), at: path))
    #expect(
      message.contains("cannot be widened") && message.contains("CHECK (a > 0)"), "\(message)")
    let wide = try Self.model(#""a":{"type":"number"}"#)
    #expect(
      try store.obstacle(to: wide, abandonsRuns: false)?.contains("cannot be widened") == true)
    #expect(
      try rows("SELECT type FROM pragma_table_info('t') WHERE name = 'a'", in: store)
        == ["INTEGER"])
  }
}
