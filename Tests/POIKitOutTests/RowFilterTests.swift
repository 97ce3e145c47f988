import POIKitTestSupport
import POITestSupport
import Testing

@testable import POIKit

/// Conditions on rows, as values and as people type them.
@Suite struct RowFilterTests {
  private static let model = try? Model(
    parsing: #"""
      {"x-table":"t","x-key":"id","type":"object","required":["id"],"properties":{"id":{"type":"integer"},
      "name":{"type":["string","null"]},"area":{"type":["number","null"]},"open":{"type":["boolean","null"]},
      "at":{"type":["string","null"],"format":"date-time"},"a b":{"type":["string","null"]}}}
      """#)

  private static let records = #"""
    {"id":1,"name":"Marks and Spencer","area":5,"open":true,"at":"2026-01-01T00:00:00Z","a b":"x"}
    {"id":2,"name":"O'Brien","area":20.5,"open":false,"at":"2026-02-01T00:00:00Z","a b":null}
    {"id":3,"name":"amsel","area":null,"open":null,"at":null,"a b":"10"}
    {"id":4,"name":null,"area":100,"open":true,"at":"2026-03-01T00:00:00Z","a b":"true"}
    """#

  private static func store() throws -> Store {
    let store = try Store.inMemory()
    try store.importRecords(
      from: .bytes(Array(records.utf8), named: "t"), model: #require(model))
    return store
  }

  private func ids(_ store: Store, _ filters: [RowFilter]) throws -> [Int64] {
    try store.rows(where: filters).compactMap { $0["id"].integer }
  }

  @Test(arguments: [
    ("name=Marks and Spencer", [1]), ("name = O'Brien", [2]), ("name='O''Brien'", [2]),
    ("name = 'amsel'", [3]), ("\"a b\"='x'", [1]), ("\"a b\" = 10", [3]), ("name=\"amsel\"", [3]),
    ("area > 10", [2, 4]), ("area>10 and open=false", [2]),
    ("area>10 AND open = TRUE and id=4", [4]),
    ("area is null", [3]), ("area IS NOT NULL", [1, 2, 4]), ("name=", [4]), ("name!=", [1, 2, 3]),
    ("name = null", [4]), ("name <> null or id = 4", [1, 2, 3, 4]), ("id in (1, 3,9)", [1, 3]),
    ("id not in (1,3)", [2, 4]), ("name in ('amsel', 'O''Brien')", [2, 3]),
    ("name like 'M%r'", [1]), ("name like 'AM_el'", [3]), ("name not like 'M%'", [2, 3]),
    ("name ~ an", [1]), ("name ~ 'AND'", [1]), ("not area > 10", [1]),
    ("(id=1 or id=2) and open=true", [1]), ("id=1 or id=2 and open=true", [1]),
    ("not (id=1 or id=2)", [3, 4]), ("((id == 3))", [3]), ("at >= 2026-02-01 and id < 4", [2]),
    ("at < 2026-01-31T00:00:00Z", [1]), ("id != 1 and id<=3", [2, 3]),
    ("name=Marks or Spencer", []), ("\"a b\"=true", [4]),
  ])
  func `a typed condition selects rows`(text: String, expected: [Int64]) throws {
    #expect(try ids(Self.store(), [RowFilter(parsing: text)]) == expected, "\(text)")
  }

  @Test(arguments: [
    ("", "the name of an attribute is expected", 0), ("name", "an operator is expected", 4),
    ("=x", "the name of an attribute is expected", 0), ("id === 3", "=== is no operator", 3),
    ("id > ", "a value is expected", 5),
    ("id = '1' id = 2", "'and', 'or' or the end is expected", 9),
    ("(id = 1", "this parenthesis is not closed", 0), ("id = 1)", "the end is expected", 6),
    ("(name=a or id=2)", "this parenthesis is not closed", 0), ("id is 3", "'null' is expected", 6),
    ("name = 'x", "this quote is not closed", 7), ("id in 3", "'(' is expected", 6),
    ("id in (a)", "a number or a text in single quotes is expected", 7),
    ("id in (1", "',' or ')' is expected", 8), ("id not 3", "'in' or 'like' is expected", 7),
    ("a b = 3", "an operator is expected", 2),
    ("id = 1 and", "the name of an attribute is expected", 10),
  ])
  func `a text that is no condition is refused with the place`(
    text: String, message: String, place: Int
  ) {
    let error = storeError { _ = try RowFilter(parsing: text) }
    #expect(error?.code == .invalidOptions)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    let caret = "\n  \(text)\n  \(String(repeating: " ", count: place))^"
    #expect(error?.message.hasSuffix(caret) == true, "\(error?.message ?? "")")
  }

  @Test func `long conditions are answered and deep ones refused`() throws {
    let store = try Self.store()
    let numbers = (1...5_000).map(String.init).joined(separator: ",")
    #expect(try store.count(where: [RowFilter(parsing: "id in (\(numbers))")]) == store.count())
    let chain = (1...3_000).map { "id = \($0)" }.joined(separator: " or ")
    #expect(try store.count(where: [RowFilter(parsing: chain)]) == store.count())
    let deep = String(repeating: "(", count: 100_000)
    #expect(storeError { _ = try RowFilter(parsing: deep) }?.message.contains("too deep") == true)
    let many = RowFilter.any((0..<40_000).map { .equal("id", $0) })
    #expect(storeError { _ = try store.count(where: [many]) }?.code == .invalidOptions)
  }

  @Test func `conditions are combined, counted and paged`() throws {
    let store = try Self.store()
    #expect(try ids(store, [.any([.equal("id", 1), .isNull("name")])]) == [1, 4])
    #expect(try ids(store, [.any([])]) == [])
    #expect(try ids(store, [.all([])]) == [1, 2, 3, 4])
    #expect(try ids(store, [.not(.any([.equal("id", 1), .equal("id", 2)]))]) == [3, 4])
    #expect(try store.count() == 4)
    #expect(try store.count(where: [.greater("area", 10), .equal("open", true)]) == 1)
    #expect(
      try store.rows(orderedBy: [.descending("id")], limit: 2, offset: 1).map { $0["id"].integer }
        == [3, 2])
    #expect(try store.rows(offset: 3).count == 1)
    #expect(storeError { _ = try store.rows(offset: -1) }?.code == .invalidOptions)
  }

  @Test func `a store without tables has no rows`() throws {
    let store = try Store.inMemory()
    #expect(try store.rows() == [])
    #expect(try store.count() == 0)
    #expect(try store.find(key: "a") == nil)
    #expect(storeError { _ = try store.rows(of: "t") }?.code == .noSuchTable)
  }

  /// Points and geometries at random places, by the condition and by hand, without and with a spatial index.
  @Test func `the rows in a rectangle are found in every way`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    let folder = try ScratchFolder()
    for isPoint in [true, false] {
      let document =
        isPoint
        ? #"""
        {"x-table":"t","x-key":"id","type":"object","required":["id"],"properties":{"id":{"type":"integer"},
        "latitude":{"type":["number","null"]},"longitude":{"type":["number","null"]}}}
        """#
        : #"""
        {"x-table":"t","x-key":"id","type":"object","required":["id"],"properties":{"id":{"type":"integer"},
        "geometry":{"type":["object","null"]}}}
        """#
      var places: [(id: Int64, west: Double, east: Double, south: Double, north: Double)] = []
      var lines: [String] = []
      for id in 0..<400 {
        let (x, y) = (
          Double.random(in: -180...180, using: &random), Double.random(in: -90...90, using: &random)
        )
        let (w, h) = isPoint ? (0, 0) : (Double(id % 5), Double(id % 3))
        if id % 20 == 7 {
          lines.append(#"{"id":\#(id)}"#)
          continue
        }
        places.append((Int64(id), x, x + w, y, y + h))
        lines.append(
          isPoint
            ? #"{"id":\#(id),"latitude":\#(y),"longitude":\#(x)}"#
            : #"{"id":\#(id),"geometry":{"type":"LineString","coordinates":[[\#(x),\#(y)],[\#(x + w),\#(y + h),7]]}}"#
        )
      }
      let path = folder.file("\(isPoint).sqlite")
      let store = try Store(path)
      try store.importRecords(
        from: .bytes(Array(lines.joined(separator: "\n").utf8), named: "t"),
        model: Model(parsing: document))
      var shipping = ShippingOptions()
      shipping.hasSpatialIndex = true
      _ = try store.ship(to: path + ".shipped", options: shipping)
      let shipped = try Store(path + ".shipped")
      for _ in 0..<40 {
        let ends = [
          Double.random(in: -180...180, using: &random),
          Double.random(in: -180...180, using: &random),
        ]
        let south = Double.random(in: -90...80, using: &random)
        let box = GeographicBox(west: ends[0], south: south, east: ends[1], north: south + 10)
        let expected = places.filter { place in
          place.south <= box.north && place.north >= box.south
            && (box.west <= box.east
              ? place.west <= box.east && place.east >= box.west
              : place.west <= box.east || place.east >= box.west)
        }.map(\.id)
        for store in [store, shipped] {
          #expect(try ids(store, [.within(box)]) == expected, "seed \(seed)")
          #expect(try store.count(where: [.within(box)]) == expected.count)
          let either: RowFilter = .any([.within(box), .equal("id", 7)])
          #expect(try ids(store, [either]) == (expected + [7]).sorted())
        }
      }
    }
    // The index of another program, and one that is behind because its triggers are gone.
    let store = try Store(folder.file("true.sqlite"))
    try store.execute("CREATE VIRTUAL TABLE t_spatial USING rtree(id, minx, maxx, miny, maxy)")
    let shipped = try Store(folder.file("true.sqlite.shipped"))
    try shipped.execute("DROP TRIGGER t_spatial_after_insert; DELETE FROM t_spatial")
    let world = GeographicBox(west: -180, south: -90, east: 180, north: 90)
    for store in [store, shipped] { #expect(try store.count(where: [.within(world)]) == 380) }
    let error = storeError { [store = try Self.store()] in
      _ = try store.rows(where: [.within(GeographicBox(west: 0, south: 0, east: 1, north: 1))])
    }
    #expect(error?.message.contains("has no geometry") == true)
  }

  @Test(arguments: ["WAL", "DELETE"])
  func `rows are read at any moment of an import`(mode: String) throws {
    let folder = try ScratchFolder()
    let path = folder.file("s.sqlite")
    if mode == "DELETE" { try folder.write("", to: "s.sqlite") }
    let store = try Store(path)
    try store.execute("PRAGMA journal_mode = \(literal: mode)")
    var options = ImportOptions()
    options.batchSize = 1
    options.mergePolicy = .newest
    try store.importRecords(
      from: .bytes(Array(Self.records.utf8), named: "t"), model: #require(Self.model),
      options: options)
    let digest = try store.digest()
    var counts: [Int] = []
    let later = (5..<30).map { #"{"id":\#($0),"name":"n"}"# }.joined(separator: "\n") + "\n{}\n"
    try store.importRecords(
      from: .bytes(Array(later.utf8), named: "later"), model: #require(Self.model), options: options
    ) { _ in
      do {
        counts.append(try store.rows().count)
        #expect(try store.count() == counts.last)
        _ = try store.digest()
        _ = try store.rejects()
        #expect(try store.tables() == ["t"])
        try store.forEachRow(limit: 1) { _ in counts.append(try store.count()) }
      } catch { Issue.record(error) }
      return .proceed
    }
    #expect(counts.count > 1 && counts == counts.sorted() && counts.last ?? 0 <= 29, "\(counts)")
    #expect(try store.count() == 29)
    #expect(try store.digest() != digest)
    #expect(try store.withConnection { try $0.text("PRAGMA journal_mode") } == mode.lowercased())
  }
}
