import Glibc
import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct ShippingTests {
  private static let document = #"""
    {"x-table":"place","x-key":"id","x-timestamp":"at","properties":{
      "id":{"type":"integer"},"name":{"type":["string","null"]},"at":{"type":["string","null"],"format":"date-time"},
      "lat":{"type":["number","null"],"maximum":90},"lon":{"type":["number","null"]},
      "area":{"type":["object","null"],"x-source":"/geometry"}}}
    """#

  /// A folder with `poi.sqlite`: three places, a loser in the archive and a reject.
  private struct Fixture: ~Copyable {
    let folder: ScratchFolder
    let store: Store
    let model: Model

    init() throws {
      let folder = try ScratchFolder()
      let store = try Store(folder.file("poi.sqlite"))
      let model = try Model(parsing: ShippingTests.document)
      try ShippingTests.fill(store, model)
      self.folder = folder
      self.store = store
      self.model = model
    }

    /// The shipped store.
    func copy() throws -> Connection {
      try Connection(path: folder.file("app.sqlite"), access: .readWrite, trustsSchema: true)
    }
  }

  private static func fill(_ store: Store, _ model: Model) throws {
    let area = #"{"type":"LineString","coordinates":[[10,50],[11,51]]}"#
    let report = try store.importRecords(
      from: .text(
        #"""
        {"id":1,"name":"Café Zoo","at":"2024-01-01T00:00:00Z","lat":1,"lon":2}
        {"id":1,"name":"SecretLoser","at":"2023-01-01T00:00:00Z"}
        {"id":2,"name":"Grüner Baum","lat":50.5,"lon":10.5,"geometry":\#(area)}
        {"id":3} {"id":4,"name":"SecretReject","lat":91}
        """#), model: model)
    #expect(report.counters.rejected == 1)
    var options = DeduplicationOptions()
    options.enforcement = .index
    try store.deduplicate(options: options)
  }

  @Test func `a shipped store has the records and nothing of this machine`() throws {
    let fixture = try Fixture()
    let (store, model) = (fixture.store, fixture.model)
    let digest = try store.digest(of: model)
    let report = try store.ship(to: fixture.folder.file("app.sqlite"))
    #expect(
      report.tables == [.init(name: "place", rowCount: 3, digest: digest.digest)])
    let bytes = try Files.bytes(of: fixture.folder.file("app.sqlite"))
    #expect(report.byteCount == bytes.count)
    // Byte 18 is the version of the format for writing: 1 is a rollback journal.
    #expect(bytes[18] == 1 && bytes[19] == 1)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains("Grüner Baum") && !text.contains("Secret"))
    let connection = try fixture.copy()
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
    #expect(try connection.integer("SELECT count(*) FROM poikit_run") == 0)
    #expect(
      try connection.integer(
        "SELECT count(*) FROM sqlite_schema WHERE name GLOB 'poikit_archive*'") == 0)
    #expect(Set(Files.names(in: fixture.folder.path)).isSuperset(of: ["app.sqlite", "poi.sqlite"]))
    // It takes deliveries.
    let delivery = try Store(fixture.folder.file("app.sqlite"))
    #expect(try delivery.enforcesKey(ofTable: "place"))
    try delivery.importRecords(
      from: .text(#"{"id":3,"name":"new"}"#), model: delivery.model())
    #expect(try store.digest(of: model) == digest)
  }

  @Test func `a search is of texts`() throws {
    let fixture = try Fixture()
    var options = ShippingOptions()
    options.fullText = ["lat"]
    let error = #expect(throws: StoreError.self) {
      try fixture.store.ship(to: fixture.folder.file("app.sqlite"), options: options)
    }
    #expect(error?.code == .invalidOptions)
  }

  @Test(arguments: ["rank", "RowID", "place_text"])
  func `a search has no column with a name of its own`(name: String) throws {
    let fixture = try Fixture()
    let store = try Store.inMemory()
    try store.importRecords(
      from: .text("{}"),
      model: Model(
        parsing: #"{"x-table":"place","properties":{"\#(name)":{"type":["string","null"]}}}"#))
    var options = ShippingOptions()
    options.fullText = [name]
    let error = #expect(throws: StoreError.self) {
      try store.ship(to: fixture.folder.file("app.sqlite"), options: options)
    }
    #expect(error?.code == .invalidOptions)
    #expect(error?.message.contains("cannot have a column called \"\(name)\"") == true)
  }

  @Test func `indexes follow the rows`() throws {
    let fixture = try Fixture()
    let store = fixture.store
    var options = ShippingOptions()
    options.indexes = [["name"], ["at", "id"], ["name"]]
    options.hasSpatialIndex = true
    options.fullText = ["name"]
    try store.ship(to: fixture.folder.file("app.sqlite"), options: options)
    let connection = try fixture.copy()
    func found(_ word: String) throws -> Int64? {
      try connection.integer(
        "SELECT group_concat(rowid) FROM place_text WHERE place_text MATCH \(literal: word)")
    }
    func check() throws {
      try connection.execute(
        "INSERT INTO place_text (place_text, rank) VALUES ('integrity-check', 1)")
      #expect(try connection.text("SELECT rtreecheck('place_spatial')") == "ok")
      #expect(
        try connection.text(
          "SELECT group_concat(id) FROM (SELECT id FROM place_spatial ORDER BY id)")
          == connection.text(
            "SELECT group_concat(poikit_id) FROM (SELECT poikit_id FROM place WHERE area NOT NULL)")
      )
    }
    let indexes = try connection.text(
      "SELECT group_concat(name) FROM (SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE 'place%' ORDER BY 1)"
    )
    #expect(indexes == "place_at_id,place_name")
    #expect(try found("cafe") == 1 && found("gr*") == 3)
    #expect(
      try connection.integer("SELECT id FROM place_spatial WHERE minx <= 10.2 AND maxx >= 10.1")
        == 3)
    try check()
    try connection.execute(
      """
      UPDATE place SET name = 'Zoo' WHERE poikit_id = 3; UPDATE place SET area = NULL WHERE poikit_id = 3;
      INSERT INTO place (poikit_id, id, name, area) VALUES (9, 9, 'Insel',
        '{"type":"Polygon","coordinates":[[[1,2],[3,2],[3,4],[1,2]]]}')
      """)
    try check()
    #expect(try found("gr*") == nil && found("insel") == 9)
    #expect(
      try connection.text(
        "SELECT minx || ' ' || maxx || ' ' || miny || ' ' || maxy FROM place_spatial")
        == "1.0 3.0 2.0 4.0")
    // A change that is refused changes no index.
    try connection.execute("UPDATE OR IGNORE place SET id = 1, name = 'Other' WHERE poikit_id = 3")
    #expect(try connection.integer("SELECT id FROM place WHERE poikit_id = 3") == 2)
    #expect(try found("zoo") != nil)
    try check()
    // Only the coordinates count, and only in JSON.
    try connection.execute(
      """
      UPDATE place SET area = '{"bbox":[-9,-9,9,9],"type":"GeometryCollection","geometries":[{"bbox":[-9,-9,9,9],
        "type":"Point","coordinates":[5,6]}],"x":[1,2]}' WHERE poikit_id = 9
      """)
    #expect(try connection.text("SELECT minx || ' ' || maxy FROM place_spatial") == "5.0 6.0")
    try connection.execute("UPDATE place SET area = 'none' WHERE poikit_id = 9")
    #expect(try connection.integer("SELECT count(*) FROM place_spatial") == 0)
    try connection.execute("DELETE FROM place WHERE poikit_id = 9")
    try check()
  }

  @Test func `coordinates are indexed as points`() throws {
    let store = try Store.inMemory()
    try store.importRecords(
      from: .text(#"{"lat":1,"lon":2}{"lat":null,"lon":3}{"lat":4,"lon":5}"#),
      model: Model(
        parsing:
          #"{"x-table":"p","properties":{"lat":{"type":["number","null"]},"lon":{"type":"number"}}}"#
      )
    )
    try store.execute("INSERT INTO p (lat, lon) VALUES (9e999, 1), (1, -9e999)")
    let folder = try ScratchFolder()
    var options = ShippingOptions()
    options.hasSpatialIndex = true
    try store.ship(to: folder.file("app.sqlite"), options: options)
    let connection = try Connection(
      path: folder.file("app.sqlite"), access: .readWrite, trustsSchema: true)
    try connection.execute(
      "UPDATE p SET lat = 9 WHERE lat IS NULL; UPDATE p SET lat = NULL WHERE lat = 4")
    #expect(
      try connection.text("SELECT group_concat(id || ' ' || minx || ' ' || maxy) FROM p_spatial")
        == "1 2.0 1.0,2 3.0 9.0")
  }

  @Test func `rows that are marked as removed are in no index`() throws {
    let store = try Store.inMemory()
    let document =
      #"{"x-table":"p","x-key":"id","x-tombstone":{"attribute":"gone"},"properties":{"id":{"type":"integer"},"#
      + #""name":{"type":["string","null"]},"gone":{"type":["boolean","null"]},"#
      + #""lat":{"type":["number","null"]},"lon":{"type":["number","null"]}}}"#
    try store.importRecords(
      from: .text(
        #"{"id":1,"name":"a","lat":1,"lon":1}{"id":2,"name":"a","lat":1,"lon":1,"gone":true}"#),
      model: Model(parsing: document))
    let folder = try ScratchFolder()
    var options = ShippingOptions()
    options.hasSpatialIndex = true
    options.fullText = ["name"]
    try store.ship(to: folder.file("app.sqlite"), options: options)
    let connection = try Connection(
      path: folder.file("app.sqlite"), access: .readWrite, trustsSchema: true)
    func found() throws -> String? {
      try connection.text(
        """
        SELECT (SELECT group_concat(id) FROM p_spatial) || ' ' ||
          (SELECT group_concat(rowid) FROM p_text WHERE p_text MATCH 'a OR b')
        """)
    }
    #expect(try found() == "1 1")
    try connection.execute("UPDATE p SET name = 'b', gone = NULL WHERE id = 2")
    #expect(try found() == "1,2 1,2")
    try connection.execute(
      "UPDATE p SET name = 'c', gone = 1 WHERE id = 1; DELETE FROM p WHERE id = 1")
    #expect(try found() == "2 2")
    try connection.execute("UPDATE p SET name = 'b', lat = 5 WHERE id = 2")
    #expect(try found() == "2 2")
    #expect(try connection.text("SELECT rtreecheck('p_spatial')") == "ok")
    try connection.execute("INSERT INTO p_text (p_text, rank) VALUES ('integrity-check', 1)")
  }

  @Test func `what cannot be shipped is refused, and no file is left`() throws {
    let fixture = try Fixture()
    let (store, model) = (fixture.store, fixture.model)
    let path = fixture.folder.file("app.sqlite")
    func refusal(_ change: (inout ShippingOptions) -> Void) throws -> StoreError.Code? {
      var options = ShippingOptions()
      change(&options)
      do {
        try store.ship(to: path, options: options)
        return nil
      } catch {
        #expect(!Files.names(in: fixture.folder.path).contains("app.sqlite"), "\(error)")
        return error.code
      }
    }
    #expect(try refusal { $0.indexes = [["nam"]] } == .noSuchColumn)
    #expect(try refusal { $0.fullText = ["lat"] } == .invalidOptions)
    #expect(try refusal { $0.table = "plac" } == .noSuchTable)
    try store.execute("UPDATE poikit_digest SET digest = zeroblob(16)")
    #expect(try refusal { _ in } == .database)
    try store.execute("DELETE FROM poikit_digest")
    try store.execute("CREATE TABLE PLACE_text (a)")
    #expect(try refusal { $0.fullText = ["name"] } == .invalidOptions)
    try store.execute("DROP TABLE place_text")
    try fixture.folder.write("other", to: "app.sqlite")
    #expect(throws: StoreError.self) { try store.ship(to: path) }
    #expect(try Files.bytes(of: path) == Array("other".utf8))
    unsafe unlink(path)
    // An import that stops leaves a part of the records.
    try store.importRecords(
      from: .text(#"{"id":7}{"id":8}"#), model: model, progress: { _ in .stop })
    #expect(try refusal { _ in } == .unfinishedRun)
  }
}
