import Foundation
import POIKitTestSupport
import POITestSupport
import Testing

@testable import POIKit

/// Rows, rejects and records as values of a program.
@Suite struct StoreRowsTests {
  private struct Place: Codable, Equatable {
    var identifier: UUID
    var name: String
    var latitude: Double
    var longitude: Double
    var city: String?
    var updatedAt: Date?
  }

  private static let places = [
    Place(
      identifier: UUID(uuidString: "1975DB51-5A45-4FD6-AC54-46CA6042C710")!, name: "Dom",
      latitude: 52.0907, longitude: 5.1214, city: "Utrecht",
      updatedAt: Date(timeIntervalSince1970: 1_767_225_600.25)),
    Place(
      identifier: UUID(uuidString: "2975DB51-5A45-4FD6-AC54-46CA6042C710")!, name: "Weltuhr",
      latitude: 52.5, longitude: 13, city: "Berlin", updatedAt: nil),
    Place(
      identifier: UUID(uuidString: "3975DB51-5A45-4FD6-AC54-46CA6042C710")!, name: "Zoo \"nul\"",
      latitude: -52.5, longitude: 13.33, city: "Berlin",
      updatedAt: Date(timeIntervalSince1970: 1_600_000_000)),
  ]

  private static func store() throws -> Store {
    let store = try Store.inMemory()
    let report = try store.importRecords(from: .records(places))
    #expect(report.counters.inserted == 3)
    return store
  }

  @Test func `a program's values go in and come out as they were`() throws {
    #expect(try Self.store().rows(as: Place.self) == Self.places)
  }

  @Test func `rows are selected, ordered and limited by attributes`() throws {
    let store = try Self.store()
    func names(
      _ filters: [RowFilter], _ orders: [RowOrder] = [], limit: Int? = nil
    ) throws -> [String?] {
      try store.rows(where: filters, orderedBy: orders, limit: limit).map { $0["name"].text }
    }
    let moment = Instant(microseconds: 1_600_000_000_000_000)
    #expect(try names([.equal("city", "Berlin")]) == ["Weltuhr", "Zoo \"nul\""])
    #expect(try names([.notEqual("city", "Berlin")]) == ["Dom"])
    #expect(try names([.equal("updatedAt", RowValue.null)]) == ["Weltuhr"])
    #expect(try names([.atLeast("updatedAt", moment)]) == ["Dom", "Zoo \"nul\""])
    #expect(try names([.greater("updatedAt", moment)]) == ["Dom"])
    #expect(try names([.less("updatedAt", "2021-01-01T01:00:00+01:00")]) == ["Zoo \"nul\""])
    #expect(try names([.atMost("latitude", 0)]) == ["Zoo \"nul\""])
    #expect(
      try names([.equal("identifier", "1975db51-5a45-4fd6-ac54-46ca6042c710")]) == ["Dom"])
    #expect(
      try names([.equal("city", "Berlin"), .greater("latitude", 0.5)]) == ["Weltuhr"])
    #expect(
      try names([], [.ascending("city"), .descending("name")])
        == ["Zoo \"nul\"", "Weltuhr", "Dom"])
    #expect(try names([], [.descending("updatedAt")], limit: 1) == ["Dom"])
  }

  @Test func `a wrong attribute, value or type is an error that names it`() throws {
    struct Wrong: Decodable { var updatedAt: Int }
    struct Missing: Decodable { var height: Double }
    let store = try Self.store()
    let errors = [
      storeError { _ = try store.rows(where: [.equal("town", "Berlin")]) },
      storeError { _ = try store.rows(where: [.less("updatedAt", 5)]) },
      storeError { _ = try store.rows(of: "pois") },
      storeError { _ = try store.rows(as: Wrong.self) },
      storeError { _ = try store.rows(as: Missing.self) },
    ]
    #expect(
      errors.map { $0?.code } == [
        .noSuchColumn, .invalidOptions, .noSuchTable, .undecodable, .undecodable,
      ])
    #expect(errors[0]?.message.contains("no attribute \"town\"") == true)
    #expect(
      errors[3]?.message.hasSuffix(
        "row 2 is no Wrong: updatedAt: an integer of the type Int is expected, and it is null")
        == true, "\(errors[3]?.message ?? "")")
    #expect(
      errors[4]?.message.hasSuffix("row 1 is no Missing: height: the model has no such attribute")
        == true, "\(errors[4]?.message ?? "")")
  }

  @Test func `moments inside JSON come back as they were, and no number is taken for one`() throws {
    struct Opening: Codable, Equatable {
      struct Hours: Codable, Equatable {
        var from: Date
        var to: Instant
      }
      var id: Int
      var hours: Hours
      var seconds: Double
    }
    struct Misread: Decodable { var seconds: Date }
    let model = try Model(
      parsing: """
        {"x-table": "t", "x-key": "id", "required": ["id"], "properties": {"id": {"type": "integer"},
        "hours": {"type": "object"}, "seconds": {"type": "number"}}}
        """)
    let opening = Opening(
      id: 1,
      hours: .init(
        from: Date(timeIntervalSince1970: 1_767_225_600), to: Instant(microseconds: 1_500_000)),
      seconds: 12.5)
    let store = try Store.inMemory()
    _ = try store.importRecords(from: .records([opening]), model: model)
    #expect(try store.rows(as: Opening.self) == [opening])
    #expect(storeError { _ = try store.rows(as: Misread.self) }?.code == .undecodable)
    #expect(
      storeError { _ = try store.rows(where: [.equal("hours", "x")]) }?.code == .invalidOptions)
    #expect(
      storeError { _ = try store.rows(where: [.equal("seconds", Double.nan)]) }?.code
        == .invalidOptions)
    #expect(storeError { _ = try store.rows(limit: -1) }?.code == .invalidOptions)
  }

  @Test func `related rows, arrays, JSON and removed records are read by the model`() throws {
    struct City: Decodable, Equatable {
      struct Country: Decodable, Equatable { var code: String }
      struct Stop: Decodable, Equatable {
        var line: Int
        var open: Bool?
      }
      var id: Int
      var country: Country?
      var names: [String]
      var stops: [Stop]
      var tags: [String: Int]?
    }
    let model = try Model(
      parsing: """
        {"type": "object", "x-table": "city", "x-key": "id", "x-tombstone": {"attribute": "gone"},
        "properties": {"id": {"type": "integer"}, "gone": {"type": "boolean"},
          "country": {"type": "object", "x-relation": {"table": "country", "unique": ["code"]},
            "properties": {"code": {"type": "string"}}, "required": ["code"]},
          "tags": {"type": "object"},
          "names": {"type": "array", "x-relation": {"table": "name", "unique": "v"}, "items": {"type": "string"}},
          "stops": {"type": "array", "x-relation": {"table": "stop", "unique": "line"},
            "items": {"type": "object", "required": ["line"],
            "properties": {"line": {"type": "integer"}, "open": {"type": "boolean"}}}}},
        "required": ["id"]}
        """)
    let store = try Store.inMemory()
    let report = try store.importRecords(
      from: .text(
        """
        {"id":1,"country":{"code":"NL"},"names":["a","b"],"tags":{"x":2},
          "stops":[{"line":4,"open":true},{"line":5}]}
        {"id":2,"gone":true}
        {"id":3,"country":{"code":"DE"}}
        {"id":"four"}
        """), model: model)
    #expect(report.counters.inserted == 3)
    #expect(
      try store.rows(as: City.self) == [
        City(
          id: 1, country: .init(code: "NL"), names: ["a", "b"],
          stops: [.init(line: 4, open: true), .init(line: 5, open: nil)], tags: ["x": 2]),
        City(id: 3, country: .init(code: "DE"), names: [], stops: [], tags: nil),
      ])
    #expect(try store.rows(where: [.equal("country.code", "DE")]).map { $0["id"] } == [.integer(3)])

    let rejects = try store.rejects(ofRun: report.runID)
    #expect(rejects.map(\.record) == [4])
    #expect(rejects.first?.issues.map(\.rule) == ["type"])
    #expect(rejects.first.map { String(decoding: $0.bytes, as: UTF8.self) } == "{\"id\":\"four\"}")
    #expect(try store.rejects(ofRun: 77).isEmpty)
  }

  @Test func `an error of the program ends the reading and leaves the store usable`() throws {
    struct Enough: Error {}
    let store = try Self.store()
    var count = 0
    #expect(throws: Enough.self) {
      try store.forEachRow { _ in
        count += 1
        throw Enough()
      }
    }
    #expect(throws: StoreError.self) { try store.forEachRow(of: "none") { _ in } }
    #expect(count == 1)
    #expect(try store.rows().count == 3)
  }

  @Test func `a number that JSON cannot write is refused before the import`() throws {
    #expect(throws: EncodingError.self) { try ImportSource.records([["latitude": Double.nan]]) }
    #expect(throws: EncodingError.self) { try ImportSource.records([["n": UInt64.max]]) }
    #expect(throws: EncodingError.self) {
      try ImportSource.records([["a": RowValue.array([.real(.infinity)])]])
    }
    #expect(throws: EncodingError.self) {
      try ImportSource.records([["at": Date(timeIntervalSince1970: 9e11)]])
    }
  }
}
