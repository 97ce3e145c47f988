import POIKitTestSupport
import POIRecords
import POISQLite
import Testing

@testable import POIKit

/// What an app does to a tracked table, and the net changes that the log then has.
@Suite struct ChangeLogTests {
  /// A store with the places a, b and c, their categories, tags and the notes of tags.
  static func places(isStamped: Bool, recursive: Bool, references: Bool) throws -> Store {
    let timestamp = isStamped ? #""x-timestamp":"updatedAt","# : ""
    let model = try Model(
      parsing: """
        {"x-table":"poi","x-key":"id",\(timestamp)"required":["id"],"properties":{
          "id":{"type":"string"},"name":{"type":["string","null"]},"slug":{"type":["string","null"]},
          "updatedAt":{"type":["string","null"],"format":"date-time"},
          "category":{"type":["string","null"],"x-relation":{"table":"category","unique":"name"}},
          "tags":{"type":"array","x-relation":{"table":"tag","unique":"t","parent":"poi"},"items":{
            "type":"object","required":["t"],"properties":{"t":{"type":"string"},
              "notes":{"type":"array","x-relation":{"table":"note","unique":"t","parent":"tag"},
                "items":{"type":"object","required":["t"],"properties":{"t":{"type":"string"}}}}}}}}}
        """)
    let store = try Store.inMemory()
    let time = "1970-01-01T00:00:00.000100Z"
    func place(_ id: String, _ category: String, _ tags: String) -> String {
      """
      {"id":"\(id)","name":"\(id.uppercased())","slug":"s\(id)","updatedAt":"\(time)",
      "category":"\(category)","tags":[\(tags)]}
      """
    }
    var options = ImportOptions()
    options.mergePolicy = .newest
    var session = try ImportSession(into: store, model: model, options: options)
    let records = [
      place("a", "Cafe", #"{"t":"x","notes":[{"t":"n"}]},{"t":"y"}"#),
      place("b", "Cafe", #"{"t":"x"}"#),
      place("c", "Bar", ""),
    ]
    try session.append(Array("[\(records.joined(separator: ","))]".utf8).span)
    #expect(try session.finish().counters.inserted == 3)
    try store.withConnection { connection in
      try connection.execute(
        """
        ALTER TABLE poi ADD COLUMN fav INTEGER; CREATE UNIQUE INDEX app_slug ON poi(slug);
        PRAGMA recursive_triggers = \(recursive ? 1 : 0); PRAGMA foreign_keys = \(references ? 1 : 0)
        """)
    }
    #expect(try store.track().isNew)
    return store
  }

  static func changes(of store: Store) throws -> [String: String] {
    try store.leased { lease in
      let log = try ChangeLog(of: lease.model(), in: lease.connection)
      let found = try lease.connection.rows(log.netChanges()) {
        ($0.text(0), $0.integer(2) == 0 ? "delete" : $0.integer(3) == 0 ? "insert" : "update")
      }
      return Dictionary(uniqueKeysWithValues: found)
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var statements: SQL
    var expected: [String: String]
    var references = true

    init(_ name: String, _ statements: SQL, _ expected: [String: String], references: Bool = true) {
      testDescription = name
      self.statements = statements
      self.expected = expected
      self.references = references
    }
  }

  private static let (insert, update, delete) = ("insert", "update", "delete")

  static let cases = [
    Case("insert", "INSERT INTO poi(id,name) VALUES('n','N')", ["n": insert]),
    Case("update", "UPDATE poi SET name='Z' WHERE id='a'", ["a": update]),
    Case("update of the same value", "UPDATE poi SET name='A' WHERE id='a'", [:]),
    Case("update of a column of the app", "UPDATE poi SET fav=1", [:]),
    Case("delete", "DELETE FROM poi WHERE id='c'", ["c": delete]),
    Case("delete all", "DELETE FROM poi", ["a": delete, "b": delete, "c": delete]),
    Case("insert and delete", "INSERT INTO poi(id) VALUES('n'); DELETE FROM poi WHERE id='n'", [:]),
    Case(
      "delete and insert",
      "DELETE FROM poi WHERE id='c'; INSERT INTO poi(id,name) VALUES('c','new')",
      ["c": update]),
    Case(
      "keys swapped",
      """
      UPDATE poi SET id='tmp' WHERE id='a'; UPDATE poi SET id='a' WHERE id='b';
      UPDATE poi SET id='b' WHERE id='tmp'
      """, ["a": update, "b": update]),
    Case("key renamed", "UPDATE poi SET id='z' WHERE id='a'", ["a": delete, "z": insert]),
    Case(
      "REPLACE of the same key", "INSERT OR REPLACE INTO poi(id,name,slug) VALUES('a','R','r')",
      ["a": update]),
    Case(
      "REPLACE of another unique value",
      "INSERT OR REPLACE INTO poi(id,name,slug) VALUES('n','R','sb')",
      ["n": insert, "b": delete]),
    Case(
      "REPLACE of two rows", "INSERT OR REPLACE INTO poi(id,name,slug) VALUES('a','R','sb')",
      ["a": update, "b": delete]),
    Case(
      "REPLACE of a row id", "INSERT OR REPLACE INTO poi(poikit_id,id,slug) VALUES(3,'n','sn')",
      ["n": insert, "c": delete]),
    Case(
      "UPDATE OR REPLACE", "UPDATE OR REPLACE poi SET id='b' WHERE id='a'",
      ["a": delete, "b": update]),
    Case(
      "UPDATE OR REPLACE of another unique value",
      "UPDATE OR REPLACE poi SET slug='sb' WHERE id='a'",
      ["a": update, "b": delete]),
    Case(
      "UPDATE OR REPLACE of a row id", "UPDATE OR REPLACE poi SET poikit_id=2 WHERE id='a'",
      ["a": update, "b": delete],
      references: false),
    Case("INSERT OR IGNORE", "INSERT OR IGNORE INTO poi(id,name,slug) VALUES('a','R','q')", [:]),
    Case(
      "UPSERT",
      """
      INSERT INTO poi(id,name,slug) VALUES('a','R','sa') ON CONFLICT(id) DO UPDATE SET name=excluded.name
      """, ["a": update]),
    Case(
      "UPSERT that does nothing",
      "INSERT INTO poi(id,name,slug) VALUES('a','R','sa') ON CONFLICT DO NOTHING",
      [:]),
    Case(
      "UPSERT of the same value",
      "INSERT INTO poi(id,name) VALUES('a','A') ON CONFLICT(id) DO UPDATE SET name=excluded.name",
      [:]),
    Case(
      "UPSERT of a new key",
      "INSERT INTO poi(id,name) VALUES('n','A') ON CONFLICT(id) DO UPDATE SET name=excluded.name",
      ["n": insert]),
    Case(
      "IGNORE, then delete",
      "INSERT OR IGNORE INTO poi(id) VALUES('c'); DELETE FROM poi WHERE id='c'",
      ["c": delete]),
    Case("rolled back", "BEGIN; DELETE FROM poi; ROLLBACK", [:]),
    Case(
      "savepoint rolled back",
      "BEGIN; SAVEPOINT s; UPDATE poi SET name='q'; ROLLBACK TO s; RELEASE s; COMMIT", [:]),
    Case("child inserted", "INSERT INTO tag(poi,t) VALUES(2,'new')", ["b": update]),
    Case("child deleted", "DELETE FROM tag WHERE poikit_id=3", ["b": update]),
    Case("child moved", "UPDATE tag SET poi=3 WHERE poikit_id=3", ["b": update, "c": update]),
    Case(
      "child replaced by row id", "INSERT OR REPLACE INTO tag(poikit_id,poi,t) VALUES(3,3,'q')",
      ["b": update, "c": update]),
    Case("grandchild edited", "UPDATE note SET t='q'", ["a": update]),
    Case(
      "grandchild edited, child deleted",
      "UPDATE note SET t='q'; DELETE FROM tag WHERE poikit_id=1",
      ["a": update]),
    Case(
      "child deleted, a new key on the row id of its parent",
      """
      INSERT INTO tag(poi,t) VALUES(3,'q'); DELETE FROM tag WHERE poi=3; DELETE FROM poi WHERE id='c';
      INSERT INTO poi(id) VALUES('d')
      """, ["c": delete, "d": insert]),
    Case(
      "new row with a child",
      "INSERT INTO poi(id) VALUES('n'); INSERT INTO tag(poi,t) SELECT poikit_id,'t' FROM poi WHERE id='n'",
      ["n": insert]),
    Case(
      "shared row deleted",
      "UPDATE poi SET category=NULL WHERE id='c'; DELETE FROM category WHERE name='Bar'",
      ["c": update]),
    Case(
      "shared row renamed", "UPDATE category SET name='Coffee' WHERE name='Cafe'",
      ["a": update, "b": update]),
    Case(
      "shared row replaced",
      "INSERT OR REPLACE INTO category SELECT poikit_id, 'Coffee' FROM category WHERE name='Cafe'",
      ["a": update, "b": update], references: false),
    Case("delete that cascades", "DELETE FROM poi WHERE id='a'", ["a": delete]),
    Case(
      "delete without references", "DELETE FROM poi WHERE id='a'", ["a": delete], references: false),
    Case(
      "writes of the toolkit",
      """
      BEGIN; INSERT INTO poikit_own VALUES(1); DELETE FROM poi WHERE id='a'; UPDATE poi SET name='q';
      INSERT INTO poi(id) VALUES('n'); DELETE FROM poikit_own; COMMIT
      """, [:]),
    Case("VACUUM", "UPDATE poi SET name='q' WHERE id='a'; VACUUM", ["a": update]),
    Case(
      "trigger of the app that deletes another row",
      """
      CREATE TRIGGER app AFTER UPDATE ON poi BEGIN DELETE FROM poi WHERE id='c'; END;
      UPDATE poi SET name='q' WHERE id='a'
      """, ["a": update, "c": delete]),
    Case(
      "trigger of the app that ignores",
      """
      CREATE TRIGGER app BEFORE DELETE ON poi BEGIN SELECT RAISE(IGNORE); END; DELETE FROM poi WHERE id='a'
      """, [:]),
    Case(
      "trigger of the app that rewrites a key",
      """
      CREATE TRIGGER app AFTER INSERT ON poi BEGIN
        UPDATE poi SET id=upper(id) WHERE poikit_id=NEW.poikit_id; END;
      INSERT INTO poi(id) VALUES('n')
      """,
      // Its trigger runs before ours. The removal of a key that no server knows does no harm.
      ["n": delete, "N": insert]),
    Case(
      "row id used again", "DELETE FROM poi WHERE id='c'; INSERT INTO poi(id) VALUES('d')",
      ["c": delete, "d": insert]),
    Case(
      "table renamed and named back",
      """
      ALTER TABLE poi RENAME TO p2; UPDATE p2 SET name='q' WHERE id='a'; ALTER TABLE p2 RENAME TO poi
      """, ["a": update]),
    Case(
      "REPLACE of all rows", "INSERT OR REPLACE INTO poi SELECT * FROM poi",
      ["a": update, "b": update, "c": update], references: false),
  ]

  @Test(arguments: cases, [(false, false), (false, true), (true, false), (true, true)])
  func `the log has what changed`(_ one: Case, _ setting: (isStamped: Bool, recursive: Bool)) throws
  {
    let store = try Self.places(
      isStamped: setting.isStamped, recursive: setting.recursive, references: one.references)
    try store.withConnection { try $0.execute(one.statements) }
    #expect(try Self.changes(of: store) == one.expected)
  }
}
