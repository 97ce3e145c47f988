import JSONStreaming
import POITestSupport
import Testing

/// Elements in several arrays or objects, at the places that a pattern matches.
@Suite struct WildcardTests {
  private static func summaries(
    _ text: String, _ pattern: String, _ chunkSizes: [Int] = [.max]
  ) throws -> [String] {
    POITestSupport.summaries(
      text, .container(try JSONPointer(parsingPattern: pattern)), chunkSizes: chunkSizes)
  }

  @Test(arguments: ElementReaderTests.chunkings)
  func `the arrays of all groups are read one after the other`(chunkSizes: [Int]) throws {
    let groups =
      #"{"n":1,"items":[1,{"a":2}]},{"items":[],"x":[7]},{},3,[8],{"items":null},{"items":[4]}"#
    for text in [#"{"h":[{"items":[0]}],"groups":[\#(groups)],"z":[{"items":[9]}]}"#] {
      #expect(
        try Self.summaries(text, "/groups/*/items", chunkSizes) == ["1", #"{"a":2}"#, "4", "end"])
    }
    #expect(
      try Self.summaries(
        #"{"a":{"items":{"p":1}},"b":{"x":2,"items":{"q":3}},"c":4}"#, "/*/items", chunkSizes)
        == ["p=1", "q=3", "end"])
    #expect(
      try Self.summaries(#"{"a":[1,2],"b":"x","c":[3]} {"d":[4]}"#, "/*", chunkSizes)
        == ["1", "2", "3", "4", "end"])
    #expect(try Self.summaries("[[[1],[2]],[[3]]]", "/*/*", chunkSizes) == ["1", "2", "3", "end"])
  }

  @Test(arguments: ElementReaderTests.chunkings)
  func `reading continues after a malformed element in one of the arrays`(chunkSizes: [Int]) throws
  {
    #expect(
      try Self.summaries(
        #"{"g":[{"i":[{"a":1},{"a":x}]},{"i":[{"a":2},,{"a":3}]}]}"#, "/g/*/i", chunkSizes)
        == [#"{"a":1}"#, #"!syntax {"a":x}"#, #"{"a":2}"#, "!syntax ", #"{"a":3}"#, "end"])
  }

  @Test(arguments: [
    (#"{"g":[]}"#, ["end"]), (#"{"g":{}}"#, ["end"]),
    (#"{"g":[{"x":1}]}"#, ["throws pointerNotFound"]), (#"{"h":[]}"#, ["throws pointerNotFound"]),
    (#"{"g":[{"i":[1]},{"i":{"a":2}}]}"#, ["1", "throws notAContainer"]),
    (#"{"g":[{"i":[1],"i":[2]}]}"#, ["1", "throws duplicateMember"]),
    (#"{"g":[]} {"g":[{"i":[1]}]} {"e":1}"#, ["1", "throws pointerNotFound"]),
  ])
  func `there are no groups, or one of them has elements`(text: String, events: [String]) throws {
    #expect(try Self.summaries(text, "/g/*/i") == events)
  }

  @Test func `a member called * needs an escape`() throws {
    let text = #"{"*":[1],"b":[2],"~2":[3],"**":[4]}"#
    #expect(try Self.summaries(text, "/~2") == ["1", "end"])
    #expect(try Self.summaries(text, "/**") == ["4", "end"])
    #expect(try Self.summaries(text, "/~02") == ["3", "end"])
    for pattern in ["/a/*/b~1~0", "/~2", "/*", "", "/**", "/~02/*/*"] {
      #expect(try JSONPointer(parsingPattern: pattern).pattern == pattern)
    }
    #expect(JSONPointer(tokens: ["*"]).pattern == "/~2")
    #expect(JSONPointer(tokens: ["*"]) != JSONPointer(tokens: ["*"], wildcards: [0]))
    #expect(throws: JSONPointerError.self) { try JSONPointer(parsing: "/~2") }
  }
}
