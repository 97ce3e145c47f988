import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct JSONValueTests {
  @Test func `a document in another encoding is told`() {
    let error = #expect(throws: JSONValueError.self) {
      try JSONValue(parsing: [0xFF, 0xFE, 0x7B, 0, 0x7D, 0].span)
    }
    guard case .malformed(let message, _, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(message.contains("utf-16"), "\(message)")
  }

  @Test func `names in two normal forms are two names`() throws {
    let value = try JSONValue(parsing: "{\"\u{e9}\":1,\"e\u{301}\":2}")
    #expect(value["\u{e9}"] == .number("1"))
    #expect(value["e\u{301}"] == .number("2"))
    #expect(try JSONValue(parsing: value.description).description == value.description)
    let twice = "{\"\u{e9}\":1,\"\u{e9}\":2}"
    #expect(throws: JSONValueError.self) { try JSONValue(parsing: twice) }
    #expect(try JSONValue.stored(twice) == nil)
  }

  @Test func `texts in two normal forms are two values`() {
    #expect(JSONValue.string("\u{e9}") != .string("e\u{301}"))
    #expect(JSONValue.object(["\u{e9}": .null]) != .object(["e\u{301}": .null]))
    #expect(JSONValue.array([.string("\u{e9}")]) == .array([.string("\u{e9}")]))
    #expect(JSONValue.array([.null]) == .array([.null]) && JSONValue.null != .bool(false))
  }

  @Test func `a long array of arrays is printed on lines of its own`() throws {
    let value = try JSONValue(parsing: #"{"a":[[1,2],[3,4]]}"#)
    let text = value.indented(width: 12)
    #expect(text.contains("[\n    [1"), "\(text)")
    #expect(try JSONValue(parsing: text) == value)
  }
}
