import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// The spatial index and the search of a shipped store, while an app changes the rows.
@Suite struct ShippedIndexTests {
  private static let document = #"""
    {"x-table":"p","x-key":"id","x-tombstone":{"attribute":"gone"},"properties":{
      "id":{"type":"integer"},"name":{"type":["string","null"]},"code":{"type":["string","null"]},
      "gone":{"type":["boolean","null"]},"area":{"type":["object","null"],"x-source":"/geometry"}}}
    """#

  private static let words = ["red", "blue", "green", "red blue", "Ä ö", ""]

  /// Geometries, and values that are not one.
  private static let areas = [
    #"{"type":"Point","coordinates":[1,2]}"#, #"{"type":"Point","coordinates":[13.4,52.5,30]}"#,
    #"{"type":"LineString","coordinates":[[10,50],[11.1,51.7]]}"#,
    #"{"type":"Polygon","coordinates":[[[0.1,0.2],[3,0.2],[3,4],[0.1,0.2]]]}"#,
    #"{"type":"MultiPolygon","coordinates":[[[[1,2],[3,2],[3,4],[1,2]]]]}"#,
    #"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[5,6]}]}"#,
    #"{"type":"GeometryCollection","geometries":[]}"#,
    #"{"type":"MultiPoint","coordinates":[]}"#,
    #"{"type":"Point","coordinates":[[1,2]]}"#, #"{"type":"Point","coordinates":[1e308,2]}"#,
    #"{"type":"Point","coordinates":[-1e308,-1e308]}"#,
    #"{"type":"Point","coordinates":[1e400,2]}"#,
    #"{"type":"Point","coordinates":[3e38,1]}"#, #"{"type":"Point","coordinates":[9e37,1]}"#,
    #"{"type":"Point","coordinates":[-9223372036854775808,9223372036854775807]}"#,
    #"{"type":"Point","coordinates":[1]}"#, #"{"type":"Point","coordinates":["1",2]}"#,
    #"{"type":"Point","coordinates":[1,2],"coordinates":[3,4]}"#,
    #"{"type":"Point","coordinates":[1,2],"geometries":[{"coordinates":[8,9]}]}"#,
    #"{"type":"Point","coordinates":[1,2],"bbox":[7,7,9,9]}"#,
    #"{"type":"Dot","coordinates":[1,2]}"#,
    #"{"type":"LineString","coordinates":[[1,2],{"a":[3,4]},5]}"#, #"{"coordinates":[1,2]}"#,
    #"{"type":"Point","coordinates":[0.1,1e-320]}"#, #"{"type":"Point"}"#,
    "[[1,2]]", "[1,2]", "{", "7",
    #"{"type":"Point","coordinates":[16777217,-16777217]}"#,
  ]

  private static func options() -> ShippingOptions {
    var options = ShippingOptions()
    options.hasSpatialIndex = true
    options.fullText = ["name", "code"]
    return options
  }

  /// Ships a store without rows, or with the rows that a shipped one has.
  private static func ship(
    rowsOf path: String? = nil, to name: String, in folder: borrowing ScratchFolder
  ) throws -> Connection {
    let store = try Store.inMemory()
    try store.importRecords(from: .text(#"{"id":0}"#), model: Model(parsing: document))
    try store.execute(
      """
      DELETE FROM p; ALTER TABLE p ADD COLUMN up INTEGER REFERENCES p ON DELETE SET NULL;
      CREATE UNIQUE INDEX p_key ON p (id);
      CREATE UNIQUE INDEX p_code ON p (code COLLATE NOCASE) WHERE code <> ''
      """)
    if let path {
      try store.execute(
        "ATTACH \(literal: path) AS old; INSERT INTO p SELECT * FROM old.p; DETACH old")
    }
    var options = ShippingOptions()
    options.hasSpatialIndex = true
    options.fullText = ["name", "code"]
    try store.ship(to: folder.file(name), options: options)
    return try Connection(path: folder.file(name), access: .readWrite, trustsSchema: true)
  }

  /// The content of the indexes, whatever their structure is.
  private static func entries(in connection: Connection) throws -> [String] {
    try connection.execute(
      """
      INSERT INTO p_text (p_text) VALUES ('integrity-check');
      CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab('main', 'p_text', 'instance')
      """)
    #expect(try connection.text("SELECT rtreecheck('p_spatial')") == "ok")
    return try rows(
      "SELECT doc, col, \"offset\", term FROM temp.words ORDER BY 1, 2, 3", in: connection)
      + rows(
        "SELECT id, quote(minx), quote(maxx), quote(miny), quote(maxy) FROM p_spatial ORDER BY 1",
        in: connection)
  }

  /// Random statements of an app.
  private struct Statements {
    var generator: SplitMix64

    mutating func one<Value>(of values: [Value]) -> Value {
      values.randomElement(using: &generator)!
    }

    mutating func number() -> SQL { "\(Int.random(in: -1...9, using: &generator))" }

    mutating func text() -> SQL {
      Bool.random(using: &generator) ? "NULL" : "\(literal: one(of: ShippedIndexTests.words))"
    }

    /// A value of the columns in their order.
    mutating func value(of column: Int) -> SQL {
      switch column {
      case 0: Int.random(in: 0...2, using: &generator) == 0 ? number() : "NULL"
      case 1: number()
      case 2, 3: text()
      case 4: one(of: ["NULL", "NULL", "NULL", "0", "1"])
      case 5: "\(literal: one(of: ShippedIndexTests.areas))"
      default: "(SELECT max(poikit_id) FROM p WHERE poikit_id < \(number()))"
      }
    }

    static let columns: [SQL] = ["poikit_id", "id", "name", "code", "gone", "area", "up"]

    mutating func assignments() -> SQL {
      let chosen = Self.columns.indices.shuffled(using: &generator).prefix(one(of: [1, 2, 3]))
      return chosen.map { column in
        let value = column == 0 ? number() : value(of: column)
        let name = column == 0 ? one(of: ["poikit_id", "rowid"] as [SQL]) : Self.columns[column]
        return "\(name) = \(value)" as SQL
      }.joined(separator: ", ")
    }

    mutating func next() -> SQL {
      let clause = one(of: ["", "OR IGNORE", "OR REPLACE", "OR REPLACE", "OR FAIL"] as [SQL])
      let condition: SQL = "poikit_id % \(one(of: [1, 2, 5])) = \(one(of: [0, 1]))"
      let values = (0..<one(of: [1, 1, 3])).map { _ in
        "(\(Self.columns.indices.map { value(of: $0) }.joined(separator: ", ")))" as SQL
      }.joined(separator: ", ")
      let insertion: SQL = "INTO p (\(Self.columns.joined(separator: ", "))) VALUES \(values)"
      return switch Int.random(in: 0..<9, using: &generator) {
      case 0: "DELETE FROM p WHERE \(condition) AND id < 5"
      case 1: "INSERT \(insertion) ON CONFLICT DO NOTHING"
      case 2: "INSERT \(insertion) ON CONFLICT (id) DO UPDATE SET \(assignments())"
      case 3:
        "INSERT \(clause) \(insertion) ON CONFLICT (poikit_id) DO UPDATE SET name = excluded.name"
      case 4, 5: "UPDATE \(clause) p SET \(assignments()) WHERE \(condition)"
      default: "INSERT \(clause) \(insertion)"
      }
    }
  }

  @Test(arguments: [false, true])
  func `after any statements the indexes equal a rebuild`(isRecursive: Bool) throws {
    let folder = try ScratchFolder()
    var doneCount = 0
    for round in 0..<TestLength.count(25, long: 1_000) {
      let seed = UInt64.random(in: 0...UInt64.max)
      var statements = Statements(generator: SplitMix64(seed: seed))
      let connection = try Self.ship(to: "app\(round).sqlite", in: folder)
      try connection.execute(
        "PRAGMA foreign_keys = ON; PRAGMA synchronous = OFF; PRAGMA recursive_triggers = \(isRecursive ? 1 : 0)"
      )
      for _ in 0..<40 {
        let statement = statements.next()
        do {
          try connection.execute(statement)
          doneCount += 1
        } catch  where error.isConstraint {
        } catch {
          Issue.record("\(error), seed \(seed)")
        }
      }
      let rebuilt = try Self.ship(
        rowsOf: folder.file("app\(round).sqlite"), to: "again\(round).sqlite", in: folder)
      let (found, expected) = try (Self.entries(in: connection), Self.entries(in: rebuilt))
      #expect(found == expected, "seed \(seed)")
      guard found == expected else { return }
      #expect(
        try connection.integer("SELECT count(*) FROM p_text_replaced") ?? 99 < 20, "seed \(seed)")
    }
    #expect(doneCount > 0)
  }

  @Test func `an app that replaces a row leaves no entry of the old one`() throws {
    let folder = try ScratchFolder()
    let connection = try Self.ship(to: "app.sqlite", in: folder)
    let area = Self.areas[0]
    for word in ["old", "new"] {
      try connection.execute(
        """
        INSERT OR REPLACE INTO p (id, name, area) VALUES (1, \(literal: word), \(literal: area)),
          (2, \(literal: word), \(literal: area))
        """)
    }
    #expect(try connection.integer("SELECT count(*) FROM p_text WHERE p_text MATCH 'old'") == 0)
    #expect(
      try rows("SELECT id FROM p_spatial ORDER BY 1", in: connection)
        == rows("SELECT poikit_id FROM p ORDER BY 1", in: connection))
    try connection.execute("INSERT INTO p_text (p_text, rank) VALUES ('integrity-check', 1)")
  }

  @Test func `a unique index on an expression is refused`() throws {
    let store = try Store.inMemory()
    try store.importRecords(from: .text(#"{"id":0}"#), model: Model(parsing: Self.document))
    try store.execute("CREATE UNIQUE INDEX odd ON p (lower(code))")
    let folder = try ScratchFolder()
    var options = ShippingOptions()
    options.indexes = [["name"]]
    try store.ship(to: folder.file("a.sqlite"), options: options)
    options.fullText = ["name"]
    let error = #expect(throws: StoreError.self) {
      try store.ship(to: folder.file("b.sqlite"), options: options)
    }
    #expect(error?.code == .invalidOptions && error?.message.contains("\"odd\"") == true)
  }
}
