import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit

/// Records refused by a table or by a table that it refers to.
@Suite struct ImportSessionConstraintTests {
  @Test func `a trigger or a check rejects a record with its bytes and position`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("s")
    _ = try ImportSession(into: Store(path), model: .poi)
    try Connection(path: path).execute(
      """
      CREATE TRIGGER t BEFORE INSERT ON poi WHEN new.name = 'x'
      BEGIN SELECT raise(ABORT, 'no x'); END
      """)
    let store = try Store(path)
    var session = try ImportSession(into: store, model: .poi)
    let refused = ImportFixture.poi(2).replacing("\"n\"", with: "\"x\"")
    try session.append(Array((ImportFixture.poi(1) + "\n" + refused).utf8).span)
    #expect(try session.finish().rejectsByRule.map(\.rule) == ["constraint"])
    #expect(try store.integer("SELECT line FROM poikit_reject") == 3)
    #expect(
      try store.text("SELECT CAST(raw AS TEXT) FROM poikit_reject")
        == String(refused.dropLast()))
  }

  @Test func `a record that a unique index refuses is a reject with its bytes`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("s.sqlite")
    _ = try ImportSession(into: Store(path), model: .poi)
    try Connection(path: path).execute("CREATE UNIQUE INDEX u ON poi (identifier)")
    let store = try Store(path)
    var session = try ImportSession(into: store, model: .poi)
    try session.append(
      Array(
        (ImportFixture.poi(1) + ImportFixture.poi(2) + ImportFixture.poi(1)).utf8
      ).span)
    let report = try session.finish()
    #expect(report.counters.inserted == 2)
    #expect(report.rejectsByRule.map(\.rule) == ["unique"])
    #expect(
      try store.text("SELECT CAST(raw AS TEXT) FROM poikit_reject")
        == String(ImportFixture.poi(1).dropLast()))
    #expect(try store.integer("SELECT line FROM poikit_reject") == 3)
  }

  @Test(
    arguments: [
      ("CREATE UNIQUE INDEX u ON category (name COLLATE NOCASE)", ["FOOD"]),
      (
        """
        CREATE TRIGGER t BEFORE INSERT ON category WHEN new.name = 'FOOD'
        BEGIN SELECT raise(ABORT, 'no'); END
        """, ["FOOD"]
      ),
      (
        """
        CREATE TABLE folder (id INTEGER PRIMARY KEY);
        ALTER TABLE poi ADD COLUMN folder INTEGER DEFAULT 7 REFERENCES folder;
        PRAGMA foreign_keys = ON
        """, ["food", "FOOD"]
      ),
    ] as [(SQL, [String])])
  func `a record that another constraint refuses is a reject with its bytes and position`(
    change: SQL, categories: [String]
  ) throws {
    let store = try Store.inMemory()
    try store.prepareTables(for: .poi)
    try store.execute(change)
    var session = try ImportSession(into: store, model: .poi)
    let records = [
      "food": ImportFixture.poi(1, category: "food"),
      "FOOD": ImportFixture.poi(2, category: "FOOD"),
    ]
    try session.append(Array((records["food"]! + " " + records["FOOD"]!).utf8).span)
    #expect(try session.finish().counters.rejected == categories.count)
    let filled = store
    #expect(
      try POIKitTestSupport.rows(
        "SELECT record, line, \"column\", raw FROM poikit_reject ORDER BY id",
        in: filled)
        == categories.map { category in
          (category == "food" ? "1|1|1|" : "2|2|2|") + records[category]!.dropLast()
        })
  }
}
