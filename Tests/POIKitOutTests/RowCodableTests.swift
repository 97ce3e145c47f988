import Foundation
import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit

/// Rows and records as values of `Codable` types of all shapes.
@Suite struct RowCodableTests {
  /// A record with a value that is kept as JSON.
  private struct Held<Value: Codable>: Codable {
    var id = 1
    var data: Value
  }

  private static let document = """
    {"x-table": "t", "x-key": "id", "required": ["id"], "properties": {"id": {"type": "integer"},
    "data": {"type": ["object", "array"]}, "at": {"type": "string", "format": "date-time"},
    "flag": {"type": ["boolean", "integer"]}, "open": {"type": "boolean"},
    "name": {"type": "string"}, "some": {"type": ["string", "number"]}}}
    """

  private static func store(_ text: String) throws -> Store {
    let store = try Store.inMemory()
    let report = try store.importRecords(from: .text(text), model: Model(parsing: document))
    #expect(report.counters.rejected == 0)
    return store
  }

  /// A value after it was encoded, imported, read and decoded.
  private static func returned<Value: Codable>(_ value: Value) throws -> Value? {
    let store = try Store.inMemory()
    try store.importRecords(
      from: .records([Held(data: value)]), model: Model(parsing: document))
    return try store.rows(as: Held<Value>.self).first?.data
  }

  // MARK: Values that come back

  /// A value of any type, with words of its own.
  private struct Wrapped: Codable, Equatable {
    var value: RowValue

    init(_ value: RowValue) { self.value = value }

    init(from decoder: any Decoder) throws { value = try RowValue(from: decoder) }

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
  }

  @Test func `a type may pass its decoder and encoder on to a value`() throws {
    let value = Wrapped(.array([.integer(1), .text("x"), .null]))
    #expect(try Self.returned(value) == value)
  }

  private struct Numbers: Codable, Equatable {
    var int = Int.min
    var int8 = Int8.min
    var int16 = Int16.min
    var int32 = Int32.min
    var int64 = Int64.max
    var uint = UInt(7)
    var uint8 = UInt8.max
    var uint16 = UInt16.max
    var uint32 = UInt32.max
    var uint64 = UInt64(Int64.max)
    var float = Float(0.1)
    var double = 2.5e-7
    var whole = 3.0
    var yes = true
    var no = false
    var text: String?
  }

  private struct Optionals: Codable, Equatable {
    var yes: Bool?
    var float: Float?
    var int: Int?
    var int8: Int8?
    var int16: Int16?
    var int32: Int32?
    var int64: Int64?
    var uint: UInt?
    var uint8: UInt8?
    var uint16: UInt16?
    var uint32: UInt32?
    var uint64: UInt64?
  }

  @Test func `numbers of every width come back as they were`() throws {
    #expect(try Self.returned(Numbers()) == Numbers())
    let gaps: [[Int?]?] = [[1, nil, 3], [], nil]
    #expect(try Self.returned(gaps) == gaps)
    let texts: [Int: [String]] = [-7: ["a"], 12: []]
    #expect(try Self.returned(texts) == texts)
    let all = Optionals(
      yes: true, float: 0.1, int: -1, int8: .min, int16: .min, int32: .min, int64: .max, uint: 7,
      uint8: .max, uint16: .max, uint32: .max, uint64: UInt64(Int64.max))
    for some in [all, Optionals(yes: false), Optionals()] {
      #expect(try Self.returned(some) == some)
    }
  }

  /// A type that encodes itself into containers inside of containers.
  private struct Outline: Codable, Equatable {
    enum Key: CodingKey { case size, corners, label, note }
    enum SizeKey: CodingKey { case width, height }

    var width: Int
    var height: Int?
    var corner: [Double]
    var label: String?
    var note: String

    init(width: Int, height: Int?, corner: [Double], label: String?, note: String) {
      self.width = width
      self.height = height
      self.corner = corner
      self.label = label
      self.note = note
    }

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: Key.self)
      let size = try members.nestedContainer(keyedBy: SizeKey.self, forKey: .size)
      width = try size.decode(Int.self, forKey: .width)
      height =
        try size.decodeNil(forKey: .height) ? nil : size.decode(Int.self, forKey: .height)
      var corners = try members.nestedUnkeyedContainer(forKey: .corners)
      #expect(corners.count == 4)
      var pair = try corners.nestedUnkeyedContainer()
      corner = [try pair.decode(Double.self), try pair.decode(Double.self)]
      #expect(pair.isAtEnd)
      let named = try corners.nestedContainer(keyedBy: Key.self)
      label = try named.decodeIfPresent(String.self, forKey: .label)
      let isNull = try corners.decodeNil()
      #expect(isNull)
      let isNullAgain = try corners.decodeNil()
      #expect(!isNullAgain)
      let text = try String(from: corners.superDecoder())
      #expect(corners.isAtEnd)
      let copy = try String(from: members.superDecoder(forKey: .note))
      #expect(copy == text)
      note = text
    }

    func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: Key.self)
      var size = members.nestedContainer(keyedBy: SizeKey.self, forKey: .size)
      try size.encode(width, forKey: .width)
      if let height {
        try size.encode(height, forKey: .height)
      } else {
        try size.encodeNil(forKey: .height)
      }
      var corners = members.nestedUnkeyedContainer(forKey: .corners)
      var pair = corners.nestedUnkeyedContainer()
      for number in corner { try pair.encode(number) }
      #expect(pair.count == 2)
      var named = corners.nestedContainer(keyedBy: Key.self)
      try named.encodeIfPresent(label, forKey: .label)
      try corners.encodeNil()
      try note.encode(to: corners.superEncoder())
      try note.encode(to: members.superEncoder(forKey: .note))
    }
  }

  @Test(arguments: [nil, 5] as [Int?])
  func `containers inside of containers come back as they were`(height: Int?) throws {
    let outline = Outline(
      width: 3, height: height, corner: [1.5, -2], label: height.map { "\($0)" }, note: "n")
    #expect(try Self.returned(outline) == outline)
  }

  private class Thing: Codable {
    var id: Int

    init(id: Int) { self.id = id }
  }

  private final class Shop: Thing {
    enum Key: CodingKey { case name }

    var name: String

    init(id: Int, name: String) {
      self.name = name
      super.init(id: id)
    }

    required init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: Key.self)
      name = try members.decode(String.self, forKey: .name)
      try super.init(from: members.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: Key.self)
      try members.encode(name, forKey: .name)
      try super.encode(to: members.superEncoder())
    }
  }

  @Test func `the members of a class and of its superclass are attributes of one row`() throws {
    let store = try Store.inMemory()
    try store.importRecords(
      from: .records([Shop(id: 4, name: "Kiosk")]), model: Model(parsing: Self.document))
    let shops = try store.rows(as: Shop.self)
    #expect(shops.map(\.id) == [4])
    #expect(shops.map(\.name) == ["Kiosk"])
  }

  @Test func `values of any type are written as JSON and read from it`() throws {
    struct Unexpected: Error {}
    let values: [String: RowValue] = [
      "null": .null, "boolean": .boolean(true), "integer": .integer(-5), "real": .real(0.25),
      "text": .text("ä\""), "array": .array([.null, .integer(1), .array([])]),
      "object": .object(["a": .object([:]), "b": .boolean(false)]),
    ]
    #expect(try Self.returned(values) == values)
    let moment = ["at": RowValue.instant(Instant(microseconds: 1_500_000))]
    let written = ["at": RowValue.text("1970-01-01T00:00:01.500000Z")]
    #expect(try Self.returned(moment) == written)

    let store = try Self.store(
      #"{"id":1,"data":{"large":18446744073709551616,"whole":2.0},"name":"x"}"#)
    let rows = try store.rows(as: [String: RowValue].self)
    #expect(rows.first?["name"] == RowValue.text("x"))
    #expect(rows.first?["open"] == RowValue.null)
    guard case .object(let members) = rows.first?["data"] ?? .null else { throw Unexpected() }
    #expect(members["large"] == RowValue.real(18_446_744_073_709_551_616.0))
    #expect(try store.rows(as: Held<[String: Double]>.self).first?.data["whole"] == 2)
    struct Whole: Codable { var whole: Int }
    #expect(try store.rows(as: Held<Whole>.self).first?.data.whole == 2)
  }

  @Test func `a value of any type is coded only by the toolkit, and with finite numbers`() {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([RowValue].self, from: Data("[1]".utf8))
    }
    #expect(throws: EncodingError.self) { try JSONEncoder().encode([RowValue.integer(1)]) }
    #expect(throws: EncodingError.self) {
      try ImportSource.records([["a": RowValue.object(["b": .real(.nan)])]])
    }
    #expect(throws: EncodingError.self) { try ImportSource.records([[Float.infinity]]) }
  }

  @Test func `a moment is RFC 3339 text for the coders of other libraries`() throws {
    let moments = [Instant(microseconds: 1_500_000)]
    let data = try JSONEncoder().encode(moments)
    #expect(String(decoding: data, as: UTF8.self) == #"["1970-01-01T00:00:01.500000Z"]"#)
    #expect(try JSONDecoder().decode([Instant].self, from: data) == moments)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([Instant].self, from: Data(#"["x"]"#.utf8))
    }
  }

  @Test func `a moment is read as an instant, a text and a number`() throws {
    struct Timed: Decodable { var at: Instant }
    struct Written: Decodable { var at: String }
    struct Counted: Decodable { var at: Int64 }
    let store = try Self.store(#"{"id":1,"at":"2026-01-01T00:00:00.25Z"}"#)
    let microseconds: Int64 = 1_767_225_600_250_000
    #expect(try store.rows(as: Timed.self).map(\.at.microseconds) == [microseconds])
    #expect(try store.rows(as: Written.self).map(\.at) == ["2026-01-01T00:00:00.250Z"])
    #expect(try store.rows(as: Counted.self).map(\.at) == [microseconds])
  }

  @Test func `booleans are read and selected from attributes of one and of several types`() throws {
    struct Flagged: Decodable { var flag: Bool }
    let store = try Self.store(
      """
      {"id":1,"flag":true,"open":true}
      {"id":2,"flag":false,"open":false}
      """)
    #expect(try store.rows(as: Flagged.self).map(\.flag) == [true, false])
    #expect(try store.rows(where: [.equal("open", true)]).map { $0["id"] } == [.integer(1)])
    #expect(try store.rows(where: [.equal("flag", false)]).map { $0["id"] } == [.integer(2)])
    #expect(
      try store.rows(where: [.notEqual("open", false)]).map { $0["open"] } == [.boolean(true)])
  }

  @Test func `values that several rows share are read with each of them`() throws {
    struct Tagged: Decodable { var tags: [String] }
    let model = try Model(
      parsing: """
        {"x-table": "t", "properties": {"tags": {"type": "array", "items": {"type": "string"},
        "x-relation": {"table": "tag", "unique": "name", "join": "t_tag"}}}}
        """)
    let store = try Store.inMemory()
    try store.importRecords(from: .text(#"{"tags":["a","b"]}{"tags":["b","c"]}{}"#), model: model)
    #expect(try store.rows(as: Tagged.self).map(\.tags) == [["a", "b"], ["b", "c"], []])
  }

  @Test func `a blob that another program stored is no value`() throws {
    let store = try Self.store(#"{"id":1,"some":"text"}"#)
    try store.execute("UPDATE t SET some = x'00'")
    #expect(try store.rows().map { $0["some"] } == [.null])
  }

  // MARK: Values that do not fit

  private struct One<Value: Decodable>: Decodable { var a: Value }

  private struct Outer<Value: Decodable>: Decodable { var data: One<Value> }

  /// Two numbers in an array.
  private struct Pair: Decodable {
    init(from decoder: any Decoder) throws {
      var elements = try decoder.unkeyedContainer()
      _ = try elements.decode(Int.self)
      _ = try elements.decode(Int.self)
    }
  }

  /// What is wrong with the member `a` of a JSON value, for a member of type `type`.
  private static func flaw<Value: Decodable>(of a: String, as type: Value.Type) throws -> String? {
    let store = try store(#"{"id":1,"data":{"a":\#(a)}}"#)
    let error = storeError { _ = try store.rows(as: Outer<Value>.self) }
    #expect(error?.code == .undecodable)
    return error.flatMap { error in
      error.message.range(of: ": data.").map { String(error.message[$0.upperBound...]) }
    }
  }

  @Test func `a value of another type is an error that says where it is and what it is`() throws {
    let flaws = [
      try Self.flaw(of: #""x""#, as: Int.self),
      try Self.flaw(of: "1.5", as: Int32.self),
      try Self.flaw(of: "300", as: UInt8.self),
      try Self.flaw(of: "true", as: Double.self),
      try Self.flaw(of: "2", as: Bool.self),
      try Self.flaw(of: "null", as: String.self),
      try Self.flaw(of: "[1]", as: [String: Int].self),
      try Self.flaw(of: "{}", as: [Int].self),
      try Self.flaw(of: #"[1,"y"]"#, as: [Int].self),
      try Self.flaw(of: "[1]", as: Pair.self),
      try Self.flaw(of: #"{"5":{"b":"z"}}"#, as: [Int: [String: Int]].self),
      try Self.flaw(of: #""today""#, as: Instant.self),
    ]
    #expect(
      flaws == [
        "a: an integer of the type Int is expected, and it is a text",
        "a: an integer of the type Int32 is expected, and it is a real number",
        "a: an integer of the type UInt8 is expected, and it is an integer",
        "a: a number is expected, and it is a boolean",
        "a: a boolean is expected, and it is an integer",
        "a: a text is expected, and it is null",
        "a: an object is expected, and it is an array",
        "a: an array is expected, and it is an object",
        "a.1: an integer of the type Int is expected, and it is a text",
        "a.1: the array has no more elements",
        "a.5.b: an integer of the type Int is expected, and it is a text",
        "a: \"today\" is no RFC 3339 date-time",
      ])
  }

  @Test func `an error of the type itself is told, and a moment is no boolean`() throws {
    struct Refusal: Error {}
    struct Picky: Decodable {
      init(from decoder: any Decoder) throws { throw Refusal() }
    }
    struct Flagged: Decodable { var at: Bool }
    let store = try Self.store(#"{"id":1,"at":"2026-01-01T00:00:00Z"}"#)
    let refused = storeError { _ = try store.rows(as: Picky.self) }
    #expect(refused?.code == .undecodable)
    #expect(refused?.message.hasSuffix("row 1 is no Picky: Refusal()") == true)
    let mistaken = storeError { _ = try store.rows(as: Flagged.self) }
    #expect(
      mistaken?.message.hasSuffix("at: a boolean is expected, and it is an instant") == true)
  }

  /// Its place in the row or record.
  private struct Located: Codable {
    var path: [String]

    init() { path = [] }

    init(from decoder: any Decoder) throws {
      let names = try decoder.singleValueContainer().codingPath.map(\.stringValue)
      if let members = try? decoder.container(keyedBy: Outline.Key.self) {
        #expect(members.codingPath.map(\.stringValue) == names)
      }
      path = names
    }

    func encode(to encoder: any Encoder) throws {
      let path = encoder.codingPath.map(\.stringValue)
      if path.last == "list" {
        let elements = encoder.unkeyedContainer()
        #expect(elements.codingPath.map(\.stringValue) == path)
      } else if path.last == "object" {
        let members = encoder.container(keyedBy: Outline.Key.self)
        #expect(members.codingPath.map(\.stringValue) == path)
      } else {
        var value = encoder.singleValueContainer()
        #expect(value.codingPath.map(\.stringValue) == path)
        try value.encodeNil()
      }
    }
  }

  @Test func `a value is told its place`() throws {
    let store = try Self.store(#"{"id":1,"data":{"a":[{},2]}}"#)
    let row = try #require(try store.rows(as: Outer<[Located]>.self).first)
    #expect(row.data.a.map(\.path) == [["data", "a", "0"], ["data", "a", "1"]])

    let source = try ImportSource.records([
      ["list": Located(), "object": Located(), "value": Located()]
    ])
    let bytes: [UInt8] = if case .bytes(let bytes) = source.content { bytes } else { [] }
    #expect(
      String(decoding: bytes, as: UTF8.self) == "{\"list\":[],\"object\":{},\"value\":null}\n")
  }

  @Test func `the reading of rejects ends with the error of the program`() throws {
    struct Enough: Error {}
    let store = try Store.inMemory()
    try store.importRecords(
      from: .text(#"{"id":1}{"id":"a"}{"id":"b"}"#), model: Model(parsing: Self.document))
    var records: [Int] = []
    try store.forEachReject { records.append($0.record) }
    #expect(records == [2, 3])
    #expect(throws: Enough.self) { try store.forEachReject { _ in throw Enough() } }
    #expect(try store.rows().count == 1)
  }
}
