import Testing

@testable import POIKit

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

  @Test func `a long array of arrays is printed on lines of its own`() throws {
    let value = try JSONValue(parsing: #"{"a":[[1,2],[3,4]]}"#)
    let text = value.indented(width: 12)
    #expect(text.contains("[\n    [1"), "\(text)")
    #expect(try JSONValue(parsing: text) == value)
  }
}
