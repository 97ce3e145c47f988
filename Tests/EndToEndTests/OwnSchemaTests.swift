import POISQLite
import POITestSupport
import Testing

@Suite struct OwnSchemaTests {
  private let importer = Tool("poi-import")
  private let deduplicator = Tool("poi-dedup")

  @Test func `an untrusted schema is reported, and trusted on request`() throws {
    let folder = try ScratchFolder()
    try folder.write(
      #"{"x-table":"t","x-key":"id","properties":{"id":{"type":"integer"}}}"#, to: "m")
    try folder.write("{\"id\":1}\n{\"id\":1}", to: "data")
    let options = ["--store", "s.sqlite"]
    let importing = ["--model", "m", "data"] + options
    #expect(try importer.run(importing, in: folder.path).exitCode == 0)
    try Connection(path: folder.file("s.sqlite"), trustsSchema: true).execute(
      """
      CREATE VIRTUAL TABLE found USING fts5 (id);
      CREATE TRIGGER entered AFTER INSERT ON t BEGIN
        INSERT INTO found (rowid, id) VALUES (new.poikit_id, new.id);
      END;
      CREATE TRIGGER removed AFTER DELETE ON t BEGIN
        DELETE FROM found WHERE rowid = old.poikit_id;
      END
      """)
    for (tool, arguments, code) in [
      (importer, importing, Int32(65)), (deduplicator, ["--key", "id"] + options, 65),
    ] {
      let refused = try tool.run(arguments, in: folder.path)
      #expect(refused.exitCode == code)
      #expect(refused.messages.contains("unsafe use of"), "\(refused.messages)")
      #expect(refused.messages.contains("--trust-schema allows it"), "\(refused.messages)")
    }
    let again = importing + ["--trust-schema", "--restart"]
    #expect(try importer.run(again, in: folder.path).exitCode == 0)
    let trusting = options + ["--trust-schema"]
    let dedup = try deduplicator.run(["--key", "id"] + trusting, in: folder.path)
    #expect(dedup.exitCode == 0, "\(dedup.messages)")
    #expect(try deduplicator.run(["--undo"] + options, in: folder.path).exitCode == 65)
    #expect(try deduplicator.run(["--undo"] + trusting, in: folder.path).exitCode == 0)
    #expect(
      try DedupToolTests.dump(folder.file("s.sqlite"), "SELECT count(*) FROM t") == ["4"])
  }

  @Test func `an app's own table with untrusted triggers ends with 65`() throws {
    let folder = try ScratchFolder()
    try Connection(path: folder.file("app.db"), trustsSchema: true).execute(
      """
      CREATE TABLE t (k); INSERT INTO t VALUES (1), (1);
      CREATE VIRTUAL TABLE found USING fts5 (k);
      CREATE TRIGGER removed AFTER DELETE ON t BEGIN DELETE FROM found WHERE rowid = old.rowid; END
      """)
    let outcome = try deduplicator.run(["-s", "app.db", "-t", "t", "-k", "k"], in: folder.path)
    #expect(outcome.exitCode == 65)
    #expect(outcome.messages.contains("--trust-schema allows it"), "\(outcome)")
  }

  @Test func `a trigger that refuses a change ends with 65`() throws {
    let folder = try ScratchFolder()
    try Connection(path: folder.file("app.db")).execute(
      """
      CREATE TABLE t (k); INSERT INTO t VALUES (1), (1);
      CREATE TRIGGER stay BEFORE DELETE ON t BEGIN SELECT RAISE(ABORT, 'rows stay'); END
      """)
    let outcome = try deduplicator.run(["-s", "app.db", "-t", "t", "-k", "k"], in: folder.path)
    #expect(outcome.exitCode == 65)
    #expect(outcome.messages.contains("rows stay (SQLITE_CONSTRAINT): a trigger"), "\(outcome)")
  }
}
