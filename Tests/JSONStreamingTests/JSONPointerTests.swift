import JSONStreaming
import Testing

@Suite struct JSONPointerTests {
  /// The examples of RFC 6901, section 5, and a few others.
  static let table: [(text: String, tokens: [String])] = [
    ("", []), ("/foo", ["foo"]), ("/foo/0", ["foo", "0"]), ("/", [""]), ("/a~1b", ["a/b"]),
    ("/c%d", ["c%d"]), ("/e^f", ["e^f"]), ("/g|h", ["g|h"]), (#"/i\j"#, [#"i\j"#]),
    ("/k\"l", ["k\"l"]), ("/ ", [" "]), ("/m~0n", ["m~n"]), ("/~01", ["~1"]), ("//", ["", ""]),
    ("/é/東京", ["é", "東京"]),
  ]

  @Test func `pointers are parsed and printed according to RFC 6901`() throws {
    for (text, tokens) in Self.table {
      let pointer = try JSONPointer(parsing: text)
      #expect(pointer.tokens == tokens)
      #expect("\(pointer)" == text)
      #expect(pointer == JSONPointer(tokens: tokens))
    }
  }

  @Test func `an invalid pointer is refused with advice`() {
    for (text, code) in [
      ("data", JSONPointerError.Code.missingSlash), ("#/data", .missingSlash),
      ("/a~", .invalidEscape), ("/a~2", .invalidEscape), ("/~~0", .invalidEscape),
      ("/a~/b", .invalidEscape),
    ] {
      let error = #expect(throws: JSONPointerError.self) { try JSONPointer(parsing: text) }
      #expect(error?.code == code)
      #expect(error.map { "\($0)".contains("\"\(text)\" is not a JSON pointer: ") } == true)
    }
  }
}
