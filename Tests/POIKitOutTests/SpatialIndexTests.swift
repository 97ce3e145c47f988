import JSONStreaming
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct SpatialIndexTests {
  private static func envelope(using generator: inout SplitMix64) -> Envelope {
    var envelope = Envelope()
    for _ in 0..<Int.random(in: 1...2, using: &generator) {
      envelope.include(
        longitude: Double.random(in: -180...180, using: &generator),
        latitude: Double.random(in: -90...90, using: &generator))
    }
    return envelope
  }

  @Test(arguments: [0, 1, 51, 52, 102, 2_601, 2_602, 20_000], [512, 4_096])
  func `SQLite finds in a packed index what a scan finds`(count: Int, pageSize: Int64) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SplitMix64(seed: seed)
    let connection = try Connection.inMemory()
    connection.trustOwnFile()
    try connection.execute("PRAGMA page_size = \(pageSize)")
    var index = try PackedSpatialIndex("i", in: connection)
    var entries: [(row: Int64, envelope: Envelope)] = []
    for number in 0..<count {
      entries.append((Int64(number * 3 - count), Self.envelope(using: &generator)))
    }
    entries.shuffle(using: &generator)
    for entry in entries { try index.add(row: entry.row, entry.envelope) }
    try index.finish()
    #expect(try connection.text("SELECT rtreecheck('i')") == "ok", "seed \(seed)")
    #expect(try connection.integer("SELECT count(*) FROM i") == Int64(count))
    var search = try connection.prepare(
      "SELECT id FROM i WHERE maxx >= ?1 AND minx <= ?2 AND maxy >= ?3 AND miny <= ?4 ORDER BY id")
    for _ in 0..<20 {
      let box = Self.envelope(using: &generator)
      let edges = [box.west, box.east, box.south, box.north]
      for (place, edge) in edges.enumerated() { try search.bind(place + 1, real: edge) }
      var found: Set<Int64> = []
      while try search.step() { found.insert(search.integer(0)) }
      let query = GeographicBox(
        west: box.west, south: box.south, east: box.east, north: box.north)
      let expected = Set(entries.filter { query.touches($0.envelope) }.map(\.row))
      // The index rounds outwards, so it may find more at the edges.
      #expect(found.isSuperset(of: expected) && found.count <= expected.count + 1, "seed \(seed)")
    }
    // Rows can still come and go.
    for entry in entries.prefix(300) {
      try connection.execute("DELETE FROM i WHERE id = \(entry.row)")
      try connection.execute("INSERT INTO i VALUES (\(entry.row + 1), 1, 2, 3, 4)")
    }
    #expect(try connection.text("SELECT rtreecheck('i')") == "ok", "seed \(seed)")
  }

  @Test func `a rectangle may cross the 180th meridian`() {
    func point(_ longitude: Double, _ latitude: Double) -> Envelope {
      var envelope = Envelope()
      envelope.include(longitude: longitude, latitude: latitude)
      return envelope
    }
    let fiji = GeographicBox(west: 177, south: -20, east: -178, north: -12)
    #expect(fiji.touches(point(177, -20)) && fiji.touches(point(-178, -12)))
    #expect(fiji.touches(point(180, -15)) && fiji.touches(point(-180, -15)))
    #expect(!fiji.touches(point(176.9, -15)) && !fiji.touches(point(0, -15)))
    #expect(!fiji.touches(point(178, -11.9)))
    let europe = GeographicBox(west: -10, south: 35, east: 30, north: 70)
    #expect(europe.touches(point(-10, 35)) && !europe.touches(point(-10.1, 35)))
    #expect(!europe.touches(Envelope()))
  }
}
