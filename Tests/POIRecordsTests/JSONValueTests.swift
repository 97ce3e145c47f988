import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct JSONValueTests {
  @Test func `a document in another encoding is reported`() {
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
    #expect(JSONValue.stored(twice) == nil)
  }

  @Test func `texts in two normal forms are two values`() {
    #expect(JSONValue.string("\u{e9}") != .string("e\u{301}"))
    #expect(JSONValue.object(["\u{e9}": .null]) != .object(["e\u{301}": .null]))
    #expect(JSONValue.array([.string("\u{e9}")]) == .array([.string("\u{e9}")]))
    #expect(JSONValue.array([.null]) == .array([.null]) && JSONValue.null != .bool(false))
  }

  @Test func `a long array of arrays is printed on separate lines`() throws {
    let value = try JSONValue(parsing: #"{"a":[[1,2],[3,4]]}"#)
    let text = value.indented(width: 12)
    #expect(text.contains("[\n    [1"), "\(text)")
    #expect(try JSONValue(parsing: text) == value)
  }

  @Test func `with a width of 0, members and elements are on separate lines, in their order`() {
    let value = JSONValue.object([
      "version": .number(1), "digest": .string(nil), "run": .number(Int64?.none),
      "files": .array([
        .string("a.json"), .object(["rows": .array([.number(1), .number(Int64.max)])]),
      ]),
      "empty": .object([]), "none": .array([]), "counts": .counts([("a\"\u{1b}", -2)]),
    ])
    #expect(
      value.indented(width: 0) == #"""
        {
          "version": 1,
          "digest": null,
          "run": null,
          "files": [
            "a.json",
            {
              "rows": [
                1,
                9223372036854775807
              ]
            }
          ],
          "empty": {},
          "none": [],
          "counts": {
            "a\"\u001b": -2
          }
        }
        """#)
  }
}
