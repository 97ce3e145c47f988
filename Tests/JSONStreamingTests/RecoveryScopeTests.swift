import JSONStreaming
import POITestSupport
import Testing

/// The extent of a malformed element.
@Suite struct RecoveryScopeTests {
  typealias Row = (input: String, shape: ElementShape, events: [String])

  static let top = ElementShape.container(JSONPointer(tokens: []))
  static let rows = ElementShape.container(JSONPointer(tokens: ["rows"]))

  static let noJSON: [Row] = [
    (
      "[\n{\"id\":1},\n// {\"id\":2},\n{\"id\":3}, /* and {\"id\":4}, */\n{\"id\":5}\n]\n", top,
      [
        #"{"id":1}"#, #"!syntax // {"id":2}"#, #"{"id":3}"#, #"!syntax /* and {"id":4}"#,
        "!syntax */\n{\"id\":5}", "end",
      ]
    ),
    (
      "{\"id\":1}\n// {\"id\":2}\n{\"id\":3}\n", .sequence,
      [#"{"id":1}"#, #"!syntax // {"id":2}"#, #"{"id":3}"#, "end"]
    ),
    (
      "{\n\"id\":1}\n// {\"id\":2}\n{\"id\":3} // x\n", .sequence,
      [#"{"id":1}"#, #"!syntax // {"id":2}"#, #"{"id":3}"#, "!syntax // x", "end"]
    ),
    (
      "{\"id\":1}\n\u{C}{\"id\":2}\n{\"id\":\u{B}3}\n{\"id\":\"\u{C}\"}\n{\"id\":5}\n", .sequence,
      [
        #"{"id":1}"#, "!syntax \u{C}{\"id\":2}", "!syntax {\"id\":\u{B}3}",
        "!syntax {\"id\":\"\u{C}\"}", #"{"id":5}"#, "end",
      ]
    ),
    (
      "[{\"id\":1}\u{C},\u{B}{\"id\":2},{\"id\":\u{C}3},{\"id\":4}\u{B}]", top,
      [
        #"{"id":1}"#, "!syntax \u{C}", "!syntax \u{B}{\"id\":2}", "!syntax {\"id\":\u{C}3}",
        #"{"id":4}"#, "!syntax \u{B}", "end",
      ]
    ),
    (
      "{\"a\":{\"id\":1},\n// \"b\":{\"id\":2},\n\"c\":{\"id\":3},\u{C}\"d\":4}", top,
      [
        #"a={"id":1}"#, #"!syntax // "b":{"id":2}"#, #"c={"id":3}"#, "!syntax \u{C}\"d\":4", "end",
      ]
    ),
    ("[{\"id\":1},\n x y,\n{\"id\":2}]", top, [#"{"id":1}"#, "!syntax x y", #"{"id":2}"#, "end"]),
  ]

  @Test func `text that is not JSON costs the record around or after it`() {
    expect(Self.noJSON)
  }

  static let firstLines: [Row] = [
    (
      "{\"id\":1,\"a\":[\r\n{\"id\":2}\r\n{\"id\":3}\r\n{\"id\":x}\r\n", .sequence,
      [
        "!syntax {\"id\":1,\"a\":[\r\n{\"id\":2}\r\n{\"id\":3}\r\n{\"id\":x}", "end",
      ]
    ),
    (
      "{\"id\":1,\"a\":[7\n{\"id\":2}\n{\"id\":3}\n{\"id\":x\n{\"id\":4}", .sequence,
      [
        #"!syntax {"id":1,"a":[7"#, #"{"id":2}"#, #"{"id":3}"#, #"!syntax {"id":x"#, #"{"id":4}"#,
        "end",
      ]
    ),
    (
      "{\"id\":1,\"c\":[{\"id\":8,\"n\":\"x\",{\"id\":9}]}\n{\"id\":2}\n{\"id\":3}\n", .sequence,
      [#"!syntax {"id":1,"c":[{"id":8,"n":"x",{"id":9}]}"#, #"{"id":2}"#, #"{"id":3}"#, "end"]
    ),
    (
      "{\"id\":1,\"a\":x,\"b\":\n{\"id\":2}\n}\n{\"id\":3}", .sequence,
      ["!syntax {\"id\":1,\"a\":x,\"b\":\n{\"id\":2}\n}", #"{"id":3}"#, "end"]
    ),
    // The beginning of the input is missing: the rest of the line contains no element.
    (
      ": {\"id\": 900}, \"k\": 1}\n{\"id\": 2}\n", .sequence,
      [#"!syntax : {"id": 900}, "k": 1}"#, #"{"id":2}"#, "end"]
    ),
  ]

  @Test func `only the damaged first line is lost`() {
    expect(Self.firstLines)
  }

  static let surplus: [Row] = [
    (
      #"{"a":{"x":1 2,"t":[1}}},"b":{"x":3}}"#, top,
      [#"!syntax "a":{"x":1 2,"t":[1}}}"#, #"b={"x":3}"#, "end"]
    ),
    (#"[{"x":1}},{"x":2}]"#, top, [#"{"x":1}"#, "!syntax }", #"{"x":2}"#, "end"]),
    (#"[{{"x":1},{"x":2}]"#, top, ["!syntax {", #"{"x":1}"#, #"{"x":2}"#, "end"]),
  ]

  @Test func `a surplus bracket loses no other element`() {
    expect(Self.surplus)
  }

  static let unclosed: [Row] = [
    (
      "[\n{\"id\":1},\n{\"id\":2,\"a\":[1,\n{\"id\":3},\n{\"id\":4}\n]\n", top,
      [#"{"id":1}"#, #"!syntax {"id":2,"a":[1,"#, #"{"id":3}"#, #"{"id":4}"#, "end"]
    ),
    (
      "[\n  {\n    \"id\":2,\n    \"a\":[\n      1,\n  {\n    \"id\":3\n  },\n  {\n    \"id\":4\n  }\n]",
      top, ["!syntax {\n    \"id\":2,\n    \"a\":[\n      1,", #"{"id":3}"#, #"{"id":4}"#, "end"]
    ),
    (
      "{\n\"a\":{\"id\":1},\n\"b\":{\"id\":2,\"o\":[1,\n\"c\":{\"id\":3},\n\"d\":{\"id\":4}\n}\n",
      top,
      [
        #"a={"id":1}"#, #"!syntax "b":{"id":2,"o":[1,"#, #"c={"id":3}"#, #"d={"id":4}"#, "end",
      ]
    ),
    (
      "{\n\"a\":{\"id\":1},\n\"b\":{\"id\":2,\"o\":{\"x\":1,\n\"c\":{\"id\":3},\n\"d\":{\"id\":4}\n}\n",
      top,
      [
        #"a={"id":1}"#, #"!syntax "b":{"id":2,"o":{"x":1,"#, #"c={"id":3}"#, #"d={"id":4}"#, "end",
      ]
    ),
    (
      #"[{"id":1},{"id":2,"o":{"x":1},{"id":3},{"id":4}]"#, top,
      [#"{"id":1}"#, #"!syntax {"id":2,"o":{"x":1},"#, #"{"id":3}"#, #"{"id":4}"#, "end"]
    ),
    // An inner object in place of a name is not a sibling.
    (
      #"[{"id":1},{"id":2,"c":[{"x":1,{"x":2}],"n":5},{"id":3}]"#, top,
      [#"{"id":1}"#, #"!syntax {"id":2,"c":[{"x":1,{"x":2}],"n":5}"#, #"{"id":3}"#, "end"]
    ),
    // The input ends inside an element whose layout shows no siblings.
    (
      "[\n{\n\"id\":1,\n\"c\":[\n{\n\"x\":1\n},\n{\n\"x\"", top,
      ["!truncated {\n\"id\":1,\n\"c\":[\n{\n\"x\":1\n},\n{\n\"x\"", "throws unrecoverable"]
    ),
    (
      "[{\"id\":1},{\"id\":2,\"c\":[{\"id\":3},{\"id\":4}", top,
      [#"{"id":1}"#, #"!truncated {"id":2,"c":[{"id":3},{"id":4}"#, "throws unrecoverable"]
    ),
    // The content of the last string is text.
    (
      "[{\"id\":1},{\"id\":2,\"n\":\"},{", top,
      [#"{"id":1}"#, #"!truncated {"id":2,"n":"},{"#, "throws unrecoverable"]
    ),
  ]

  @Test func `an element without an end ends before the next`() {
    expect(Self.unclosed)
  }

  @Test func `after many bytes an object in place of a name is the next element`() {
    let numbers = String(repeating: "{\"x\":1},", count: 10_000)
    let long = "{\"id\":2,\"o\":{\"p\":{\"c\":[\(numbers)0],"
    let events = summaries("[{\"id\":1}," + long + "{\"id\":3},{\"id\":4}]", Self.top)
    #expect(events == [#"{"id":1}"#, "!syntax " + long, #"{"id":3}"#, #"{"id":4}"#, "end"])
  }

  static let strayClosers: [Row] = [
    (
      "[\n{\"id\":1},\n{\"id\":2,]\"n\":5},\n{\"id\":3},\n{\"id\":4}\n]\n", top,
      [#"{"id":1}"#, #"!syntax {"id":2,]"n":5}"#, #"{"id":3}"#, #"{"id":4}"#, "end"]
    ),
    (
      #"[{"id":1},{"id":2],"n":5},{"id"]:3},{"id":]4,"n":5},{"id":5}]"#, top,
      [
        #"{"id":1}"#, #"!syntax {"id":2],"n":5}"#, #"!syntax {"id"]:3}"#,
        #"!syntax {"id":]4,"n":5}"#,
        #"{"id":5}"#, "end",
      ]
    ),
    (
      #"{"rows":[{"id":1},{"id":2 ] "n":5},{"id":3}]}"#, rows,
      [#"{"id":1}"#, #"!syntax {"id":2 ] "n":5}"#, #"{"id":3}"#, "end"]
    ),
    // Such a bracket may replace a brace, or end the list.
    (
      #"[{"id":1},{"id":2],{"id":3}]"#, top,
      [#"{"id":1}"#, #"!syntax {"id":2],"#, #"{"id":3}"#, "end"]
    ),
    (
      #"{"rows":[{"id":1},{"id":2],"n":5}"#, rows, [#"{"id":1}"#, #"!syntax {"id":2"#, "end"]
    ),
    (
      "[{\"id\":1},{\"id\":2] [{\"id\":3}]", top,
      [#"{"id":1}"#, #"!syntax {"id":2"#, #"{"id":3}"#, "end"]
    ),
  ]

  @Test func `a list without the end of its last element may end in much white space`() {
    let input = "[{\"id\":1},{\"id\":2]" + String(repeating: " ", count: 3000)
    expect([(input, Self.top, [#"{"id":1}"#, #"!syntax {"id":2"#, "end"])])
  }

  @Test func `a stray closing bracket inside an object does not end the list`() {
    expect(Self.strayClosers)
  }

  static let quotes: [Row] = [
    (
      #"[{"id":1},{"id":2,"n":"b},{"id":3,"n":"c"},{"id":4}]"#, top,
      [#"{"id":1}"#, #"!syntax {"id":2,"n":"b}"#, #"{"id":3,"n":"c"}"#, #"{"id":4}"#, "end"]
    ),
    (
      #"[{"id":1},{"id":2,"n":"the "{x" and "y"","m":3},{"id":4}]"#, top,
      [#"{"id":1}"#, #"!syntax {"id":2,"n":"the "{x" and "y"","m":3},"#, #"{"id":4}"#, "end"]
    ),
    (
      "[{\"id\":1,\"n\":\"a\n,[b,\nc\",\"m\":2},{\"id\":3}]", top,
      ["!syntax {\"id\":1,\"n\":\"a\n,[b,\nc\",\"m\":2}", #"{"id":3}"#, "end"]
    ),
    (
      "{\n\"a\":{\"n\":\"x\n\",\"t\":[1]},\n\"b\":2\n}", top,
      ["!syntax \"a\":{\"n\":\"x\n\",\"t\":[1]}", "b=2", "end"]
    ),
    (
      #"[{"id":1},{"id":2,"n":x","m":"b}]"#, top,
      [#"{"id":1}"#, #"!syntax {"id":2,"n":x","m":"b}"#, "end"]
    ),
    (
      #"["a"b",{"id":1},"c\x",{"id":2}]"#, top,
      [#""a""#, #"!syntax b""#, #"{"id":1}"#, #"!syntax "c\x""#, #"{"id":2}"#, "end"]
    ),
  ]

  @Test func `an unclosed string loses no other element`() {
    expect(Self.quotes)
  }

  /// The input with one malformed element, its message, and the 1-based byte of the flaw in it.
  @Test(arguments: [
    ("[{\"id\":1,\n{\"id\":2}]", 1, "the value does not end before the next one begins", 8),
    ("[{\"id\":2]", 1, "the value does not end before the elements do", 7),
    (
      "{\n  \"id\":1,\n{\n  \"id\":2}\n", 0, "the value does not end before the next one begins", 11
    ),
    ("{\"id\":1, \r\n{\"id\":2}\n", 0, "the value does not end before the next one begins", 8),
    ("[{\"id\":\"a},{\"id\":2}]", 1, "a string in it does not end", 9),
  ])
  func `a message says where an element without an end should end`(
    input: String, steps: Int, words: String, byteNumber: Int
  ) {
    let events = observe(input, steps == 0 ? .sequence : Self.top)
    guard case .malformed(let element, let flaw, _, _) = events.first else {
      Issue.record("\(events)")
      return
    }
    #expect(flaw.message == "not valid json: \(words)")
    #expect(flaw.byteOffset - element.byteOffset == byteNumber - 1, "\(flaw)")
  }

  /// Expects the same events in any chunks and from any position.
  private func expect(_ table: [Row]) {
    for row in table {
      let input = Array(row.input.utf8)
      let whole = observe(input, row.shape)
      #expect(whole.map(\.summary) == row.events, "\(row.input.debugDescription) as \(row.shape)")
      for chunkSizes in [[1], [2], [7, 1]] {
        let events = observe(input, row.shape, chunkSizes: chunkSizes)
        #expect(events == whole, "\(row.input.debugDescription) in chunks of \(chunkSizes)")
      }
      for (index, event) in whole.enumerated() {
        guard let position = event.position else { continue }
        let rest = observe(input, row.shape, resumingAt: position)
        #expect(
          rest == Array(whole[(index + 1)...]), "\(row.input.debugDescription) from \(position)")
      }
    }
  }
}
