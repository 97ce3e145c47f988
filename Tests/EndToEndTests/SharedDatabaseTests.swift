import POISQLite
import POITestSupport
import Testing

/// Imports into the database of another program.
@Suite struct SharedDatabaseTests {
  private let importer = Tool("poi-import")
  private let deduplicator = Tool("poi-dedup")

  private static let note =
    "poi-import: note: app.sqlite: belongs to another program, whose tables stay untouched; 7 tables "
    + "named poikit_… are added for resuming, rejects and undo\n"

  /// The same place twice, a photo of it, and what apps add to a schema.
  private static let schema: SQL = """
    PRAGMA user_version = 5;
    PRAGMA application_id = 7;
    CREATE TABLE migration (identifier TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE place (
      id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL, name TEXT, modified TEXT);
    CREATE TABLE photo (
      file TEXT UNIQUE, place INTEGER NOT NULL REFERENCES place (id) ON DELETE CASCADE);
    CREATE TABLE renaming (place INTEGER, old TEXT);
    CREATE INDEX place_uuid ON place (lower(uuid));
    CREATE VIEW visited AS SELECT DISTINCT name FROM place JOIN photo ON photo.place = place.id;
    CREATE TRIGGER place_renamed AFTER UPDATE OF name ON place
      BEGIN INSERT INTO renaming VALUES (old.id, old.name); END;
    INSERT INTO migration VALUES ('v1'), ('v2');
    INSERT INTO place VALUES (1, 'a', 'Dom', '2026-01-01'), (2, 'b', 'Zoo', '2026-01-01'),
      (3, 'a', 'Dom Tower', '2026-02-01');
    INSERT INTO photo VALUES ('tower.jpg', 1);
    UPDATE place SET name = 'Burgers Zoo' WHERE id = 2;
    """

  /// Makes the database `app.sqlite`.
  private static func makeApp(_ journalMode: SQL, in folder: borrowing ScratchFolder) throws {
    try Connection(path: folder.file("app.sqlite")).execute(
      "PRAGMA page_size = 1024; PRAGMA journal_mode = \(journalMode); \(schema)")
  }

  /// The app's schema, rows and settings.
  private static func app(in folder: borrowing ScratchFolder) throws -> [String] {
    try [
      "PRAGMA user_version", "PRAGMA application_id", "PRAGMA journal_mode", "PRAGMA page_size",
      "PRAGMA auto_vacuum", "PRAGMA encoding", "PRAGMA foreign_key_check",
      """
      SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema
      WHERE tbl_name IN ('migration', 'place', 'photo', 'renaming', 'visited') ORDER BY name
      """,
      "SELECT * FROM migration", "SELECT * FROM place", "SELECT * FROM photo",
      "SELECT * FROM renaming", "SELECT * FROM visited", "SELECT * FROM sqlite_sequence",
    ].flatMap { try DedupToolTests.dump(folder.file("app.sqlite"), $0) }
  }

  private static func rows(_ sql: SQL, in folder: borrowing ScratchFolder) throws -> [String] {
    try DedupToolTests.dump(folder.file("app.sqlite"), sql)
  }

  private func runImport(
    _ arguments: [String], in folder: borrowing ScratchFolder
  ) throws -> Tool.Outcome {
    try importer.run(["--store", "app.sqlite"] + arguments, in: folder.path)
  }

  private func runDedup(
    _ arguments: [String], in folder: borrowing ScratchFolder
  ) throws -> Tool.Outcome {
    try deduplicator.run(["--store", "app.sqlite"] + arguments, in: folder.path)
  }

  private static let journalModes: [SQL] = ["WAL", "DELETE"]

  @Test(arguments: journalModes)
  func `an import adds its tables and changes none of the app's`(mode: SQL) throws {
    let folder = try ScratchFolder()
    try Self.makeApp(mode, in: folder)
    let before = try Self.app(in: folder)
    #expect(before.contains(mode.text.lowercased()))
    try folder.write(
      ImportToolTests.records(0..<1200).joined(separator: "\n") + "\n{\"name\":1}\n", to: "data")
    try folder.write(ImportToolTests.array(1200..<1300), to: "more")

    let bytes = try folder.bytes("app.sqlite")
    let tried = try runImport(["--dry-run", "data"], in: folder)
    #expect(tried.exitCode == 1 && !tried.messages.contains("another program"), "\(tried)")
    #expect(try folder.bytes("app.sqlite") == bytes)

    let first = try runImport(["--batch", "100", "data"], in: folder)
    #expect(first.exitCode == 1 && first.messages.hasPrefix(Self.note), "\(first)")
    #expect(first.output.contains("inserted  1,200  into poi of app.sqlite"), "\(first)")
    #expect(try Self.app(in: folder) == before)
    #expect(
      try Self.rows("SELECT CAST(raw AS TEXT) FROM poikit_reject", in: folder)
        == ["{\"name\":1}"])

    let second = try runImport(["more"], in: folder)
    #expect(second.exitCode == 0 && second.messages.isEmpty, "\(second)")
    #expect(try Self.app(in: folder) == before)
    #expect(try Self.rows("SELECT count(*) FROM poi", in: folder) == ["1300"])

    _ = try importer.run(["-q", "data", "more"], in: folder.path)
    #expect(
      try deduplicator.run(["--digest"], in: folder.path).output
        == runDedup(["--digest"], in: folder).output)
    let enforced = try runDedup(["--enforce"], in: folder)
    #expect(enforced.exitCode == 0, "\(enforced)")
    let merged = try runImport(["more"], in: folder)
    #expect(merged.exitCode == 0 && merged.output.contains("100"), "\(merged)")
    #expect(try Self.rows("SELECT count(*) FROM poi", in: folder) == ["1300"])
    #expect(try Self.app(in: folder) == before)
  }

  @Test(arguments: journalModes)
  func `an import that fails is resumed`(mode: SQL) throws {
    let folder = try ScratchFolder()
    try Self.makeApp(mode, in: folder)
    let before = try Self.app(in: folder)
    try folder.write(
      ImportToolTests.records(0..<30).joined(separator: "\n") + "\n{}\n"
        + ImportToolTests.records(30..<40).joined(separator: "\n"), to: "data")
    // With nothing to resume the import begins.
    let first = try runImport(
      ["--resume", "--batch", "10", "--max-rejects", "0", "data"], in: folder)
    #expect(first.exitCode == 65 && first.messages.hasPrefix(Self.note), "\(first)")
    #expect(try Self.rows("SELECT count(*) FROM poi", in: folder) != ["40"])
    let resumed = try runImport(["--resume", "data"], in: folder)
    #expect(resumed.exitCode == 1 && !resumed.messages.contains("another program"), "\(resumed)")
    #expect(try Self.rows("SELECT count(*) FROM poi", in: folder) == ["40"])
    #expect(try Self.app(in: folder) == before)
  }

  @Test func `an inferred table is added beside the app's`() throws {
    let folder = try ScratchFolder()
    try Self.makeApp("WAL", in: folder)
    let before = try Self.app(in: folder)
    try folder.write(#"[{"id":1,"label":"A"},{"id":2,"label":"B"}]"#, to: "notes.json")
    let unfit = try runImport(["notes.json"], in: folder)
    #expect(unfit.exitCode == 65 && !unfit.messages.contains("another program"), "\(unfit)")
    #expect(try Self.rows("SELECT 1 FROM sqlite_schema WHERE name GLOB 'poi*'", in: folder) == [])

    let first = try runImport(["--infer", "--table", "remark", "notes.json"], in: folder)
    #expect(first.exitCode == 0 && first.messages.contains(Self.note), "\(first)")
    #expect(try Self.rows("SELECT label FROM remark", in: folder) == ["A", "B"])
    let printed = try runImport(["--print-model", "remark"], in: folder)
    #expect(printed.exitCode == 0 && printed.output.contains("label"), "\(printed)")
    #expect(try Self.app(in: folder) == before)
  }

  @Test(arguments: journalModes)
  func `the app's table and the imported one are deduplicated and restored`(mode: SQL) throws {
    let folder = try ScratchFolder()
    try Self.makeApp(mode, in: folder)
    let before = try Self.app(in: folder)
    let own = ["--table", "place", "--key", "uuid", "--timestamp", "modified"]
    try folder.write(ImportToolTests.array(0..<20), to: "data")

    let first = try runDedup(own, in: folder)
    #expect(first.exitCode == 0 && first.output.contains("1 archived in run 1"), "\(first)")
    // An archive does not make a store.
    let unnamed = try runDedup(["--digest"], in: folder)
    #expect(unnamed.exitCode == 64 && unnamed.messages.contains("--table"), "\(unnamed)")
    let imported = try runImport(["data", "data"], in: folder)
    #expect(
      imported.exitCode == 0
        && imported.messages.hasPrefix(
          "poi-import: note: app.sqlite: belongs to another program, whose tables stay untouched\n"),
      "\(imported)")

    let digest = try runDedup(["--digest", "--table", "place"], in: folder)
    #expect(digest.exitCode == 0 && digest.output.contains("of 2 rows"), "\(digest)")
    let own2 = try runDedup(own, in: folder)
    #expect(own2.exitCode == 0 && own2.output.contains("losers     0\n"), "\(own2)")
    let removed = try runDedup([], in: folder)
    #expect(removed.exitCode == 0 && removed.output.contains("20 archived in run"), "\(removed)")
    #expect(try Self.rows("SELECT count(*) FROM poi", in: folder) == ["20"])

    #expect(try runDedup(["--undo"], in: folder).exitCode == 0)
    #expect(try Self.rows("SELECT count(*) FROM poi", in: folder) == ["40"])
    let undone = try runDedup(["--undo", "1"], in: folder)
    #expect(undone.output == "run 1 undone: 1 rows and 1 references put back\n", "\(undone)")
    #expect(try Self.app(in: folder) == before)
  }

  @Test(
    arguments: [
      ("CREATE TABLE POI (a)", "poi"), ("CREATE VIEW poi AS SELECT 1", "poi"),
      ("CREATE TABLE category (id INTEGER PRIMARY KEY, name TEXT)", "category"),
    ] as [(SQL, String)])
  func `a name that the app has is refused before anything changes`(
    creation: SQL, name: String
  ) throws {
    let folder = try ScratchFolder()
    try Self.makeApp("DELETE", in: folder)
    try Connection(path: folder.file("app.sqlite")).execute(creation)
    let bytes = try folder.bytes("app.sqlite")
    try folder.write(ImportToolTests.array(0..<2), to: "data")
    for arguments in [["data"], ["--model", "poi", "data"]] {
      let outcome = try runImport(arguments, in: folder)
      #expect(outcome.exitCode == 64, "\(outcome)")
      #expect(
        outcome.messages
          == "poi-import: error: app.sqlite: the store has another table or view called \"\(name)\"; "
          + "name another one in the model\n")
      #expect(try folder.bytes("app.sqlite") == bytes)
    }
  }

  @Test func `a database without a table of records is read as a store without one`() throws {
    let folder = try ScratchFolder()
    try Self.makeApp("DELETE", in: folder)
    let bytes = try folder.bytes("app.sqlite")
    for (arguments, code, message) in [
      (["--print-token"], 0, "no import from this source has finished"),
      (["--print-model", "poi"], 0, ""),
      (["--print-model", "place"], 64, "there is no store app.sqlite with a table of that name"),
      (["--print-swift"], 0, ""),
    ] as [([String], Int32, String)] {
      let outcome = try runImport(arguments, in: folder)
      #expect(outcome.exitCode == code && outcome.messages.contains(message), "\(outcome)")
    }
    #expect(try folder.bytes("app.sqlite") == bytes)
  }

  @Test func `a database that cannot be written is reported`() throws {
    let folder = try ScratchFolder()
    try Self.makeApp("DELETE", in: folder)
    // The write version: a larger one than 2 makes SQLite open the file read-only.
    var bytes = try folder.bytes("app.sqlite")
    bytes[18] = 3
    try folder.write(bytes, to: "app.sqlite")
    try folder.write(ImportToolTests.array(0..<2), to: "data")
    let outcome = try runImport(["data"], in: folder)
    #expect(outcome.exitCode == 74, "\(outcome)")
    #expect(outcome.messages.contains("the store cannot be written"), "\(outcome)")
    #expect(try folder.bytes("app.sqlite") == bytes)
  }

  @Test(arguments: journalModes)
  func `an app that reads during an import blocks it only without a write-ahead log`(
    mode: SQL
  ) throws {
    let folder = try ScratchFolder()
    try Self.makeApp(mode, in: folder)
    let before = try Self.app(in: folder)
    try folder.write(ImportToolTests.array(0..<40), to: "data")
    #expect(try runImport(["data"], in: folder).exitCode == 0)
    let reader = try Connection(path: folder.file("app.sqlite"))
    try reader.begin(.deferred)
    #expect(try reader.integer("SELECT count(*) FROM place") == 3)
    try folder.write(ImportToolTests.array(40..<80), to: "more")
    let outcome = try runImport(["more"], in: folder)
    #expect(try reader.integer("SELECT count(*) FROM poi") == 40)
    reader.rollback()
    if mode.text == "WAL" {
      #expect(outcome.exitCode == 0, "\(outcome)")
    } else {
      #expect(outcome.exitCode == 74, "\(outcome)")
      #expect(outcome.messages.contains("another program holds the store"), "\(outcome)")
      #expect(try runImport(["more"], in: folder).exitCode == 0)
    }
    #expect(try reader.integer("SELECT count(*) FROM poi") == 80)
    #expect(try Self.app(in: folder) == before)
  }
}
