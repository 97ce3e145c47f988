import JSONStreaming
import TestSupport
import Testing

/// What a malformed element takes along.
@Suite struct RecoveryScopeTests {
  typealias Row = (input: String, shape: ElementShape, events: [String])

  static let top = ElementShape.container(JSONPointer(tokens: []))
  static let rows = ElementShape.container(JSONPointer(tokens: ["rows"]))

  static let comments: [Row] = [
    (
      "[\n{\"id\":1},\n// {\"id\":2},\n/* {\"id\":9}, */\n{\"id\":3}\n]\n", top,
      [#"{"id":1}"#, #"!syntax // {"id":2},"#, #"!syntax /* {"id":9}, */"#, #"{"id":3}"#, "end"]
    ),
    (
      "{\"rows\":[\n// {\"id\":2},\n{\"id\":1} /* {\"id\":\n7} */,\n{\"id\":3}\n]}", rows,
      [#"!syntax // {"id":2},"#, #"{"id":1}"#, "!syntax /* {\"id\":\n7} */", #"{"id":3}"#, "end"]
    ),
    (
      "{\"a\":{\"id\":1},\n// \"b\":{\"id\":2},\n/* \"c\":{\"id\":9}, */\n\"d\":{\"id\":3}\n}", top,
      [
        #"a={"id":1}"#, #"!syntax // "b":{"id":2},"#, #"!syntax /* "c":{"id":9}, */"#,
        #"d={"id":3}"#, "end",
      ]
    ),
    (
      "{\n\"id\":1}\n// {\"id\":2}\n/*/{\"id\":9} */\n{\"id\":3}\n// {\"id\":4}\n", .sequence,
      [
        #"{"id":1}"#, #"!syntax // {"id":2}"#, #"!syntax /*/{"id":9} */"#, #"{"id":3}"#,
        #"!syntax // {"id":4}"#, "end",
      ]
    ),
    ("{\n\"id\":1}\n// {\"id\":2}", .sequence, [#"{"id":1}"#, #"!syntax // {"id":2}"#, "end"]),
    (
      #"[{"id":2, /* {"id":7}, */ "name":"b"},{"id":3}]"#, top,
      [#"!syntax {"id":2, /* {"id":7}, */ "name":"b"}"#, #"{"id":3}"#, "end"]
    ),
    (
      "[{\"id\" /* \" */ :2, // {\"id\":7}, {\n\"n\":\"/*\" // \"}\n},{\"id\":3}]", top,
      [
        "!syntax {\"id\" /* \" */ :2, // {\"id\":7}, {\n\"n\":\"/*\" // \"}\n}", #"{"id":3}"#,
        "end",
      ]
    ),
    (
      "[{'a':'b/*c'},\n{\"id\":2,\"n\":\"*/\"},\n{\"id\":3}]", top,
      ["!syntax {'a':'b/*c'}", #"{"id":2,"n":"*/"}"#, #"{"id":3}"#, "end"]
    ),
    // What has no end is no comment.
    (
      #"[{"id":2, /* x, "n":1},{"id":3}]"#, top,
      [#"!syntax {"id":2, /* x, "n":1}"#, #"{"id":3}"#, "end"]
    ),
    (
      "[{\"id\":2, // x, \"n\":1},{\"id\":3}]\n \n", top,
      [#"!syntax {"id":2, // x, "n":1}"#, #"{"id":3}"#, "end"]
    ),
    (
      "[{\"id\":2,\"u\":http://x},{\"id\":3}\n]", top,
      [#"!syntax {"id":2,"u":http://x}"#, #"{"id":3}"#, "end"]
    ),
  ]

  @Test func `a comment is one malformed element, or in one, whatever it holds`() {
    expect(Self.comments)
  }

  static let commentsAround: [Row] = [
    (
      "// of [\n/* {\n\" */[{\"id\":1}]\n// end\n/**/[2] //", top,
      [
        "!syntax // of [", "!syntax /* {\n\" */", #"{"id":1}"#, "!syntax // end", "!syntax /**/",
        "2",
        "!syntax //", "end",
      ]
    ),
    (
      "\u{FEFF}// of\n{\"n\":1,\"rows\":[1,2],\"m\":[]}// \u{C}\"\n{\"rows\":[3]}", rows,
      ["!syntax // of", "1", "2", "!syntax // \u{C}\"", "3", "end"]
    ),
    ("{\"a\":1}\n// end", top, ["a=1", "!syntax // end", "end"]),
    ("{\"a\":1}//\n[2]", top, ["a=1", "!syntax //", "throws notAContainer"]),
    ("[1]/* no end\n]", top, ["1", "!syntax /* no end\n]", "end"]),
    ("// [1]\n", top, ["!syntax // [1]", "throws pointerNotFound"]),
    ("[1] // x\n y", top, ["1", "!syntax // x", "throws trailingData"]),
    ("[1], // x", top, ["1", "throws trailingData"]),
    ("[1] /x", top, ["1", "throws trailingData"]),
    ("[1] /", top, ["1", "throws trailingData"]),
    ("{\"e\":1} // x", rows, ["throws pointerNotFound"]),
    ("{\"rows\":[1] // x\n}", rows, ["1", "throws unrecoverable"]),
  ]

  @Test func `a comment around the values that hold the elements is a malformed element`() {
    expect(Self.commentsAround)
  }

  static let formFeeds: [Row] = [
    (
      "{\"id\":1}\n\u{C}\n{\"id\":2}\n{\"id\":3}\n", .sequence,
      [#"{"id":1}"#, "!form-feed \u{C}", #"{"id":2}"#, #"{"id":3}"#, "end"]
    ),
    (
      "{\"id\":1}\u{C}\r\n{\"id\":2}\n{\"id\":3}\n", .sequence,
      [#"{"id":1}"#, "!form-feed \u{C}", #"{"id":2}"#, #"{"id":3}"#, "end"]
    ),
    (
      "\u{C}\n{\"id\":1}\n\u{B}\n \u{C}\n\u{C}{\"id\":2}\n{\"id\":3}\u{C}\n{\"id\":x}", .sequence,
      [
        "!form-feed \u{C}", #"{"id":1}"#, "!vertical-tab \u{B}\n \u{C}",
        "!form-feed \u{C}{\"id\":2}", #"{"id":3}"#, "!form-feed \u{C}", #"!syntax {"id":x}"#, "end",
      ]
    ),
    (
      "1\n\u{C}\n\"\u{C}\"\n3", .sequence,
      ["1", "!form-feed \u{C}", "!form-feed \"\u{C}\"", "3", "end"]
    ),
    (
      "[\u{C}\n{\"id\":1}\u{C},\n{\"id\":2},\n\u{C}\n{\"id\":3}]", top,
      [
        "!form-feed \u{C}", #"{"id":1}"#, "!form-feed \u{C}", #"{"id":2}"#, "!form-feed \u{C}",
        #"{"id":3}"#, "end",
      ]
    ),
    (
      "{\"a\":1\u{C}\n,\u{B}\n\"b\":2,\u{C}\"c\":3,\n\"d\"\u{C}\n:4}", top,
      [
        "a=1", "!form-feed \u{C}\n,\u{B}", "b=2", "!form-feed \u{C}\"c\":3",
        "!form-feed \"d\"\u{C}\n:4", "end",
      ]
    ),
    (
      "{\"rows\":[1]}\n{\"rows\":[\u{C}\n2]}", rows, ["1", "!form-feed \u{C}", "2", "end"]
    ),
  ]

  @Test func `a form feed costs what stands on its line`() {
    expect(Self.formFeeds)
  }

  static let formFeedsAlone: [Row] = [
    ("[1,2\u{C}]", top, ["1", "2", "!form-feed \u{C}", "end"]),
    ("[1\n\u{C}\n \u{B}\n] ", top, ["1", "!form-feed \u{C}\n \u{B}", "end"]),
    ("[\u{B}]\u{C}", top, ["!vertical-tab \u{B}", "!form-feed \u{C}", "end"]),
    ("{\"a\":1\u{C}}", top, ["a=1", "!form-feed \u{C}", "end"]),
    ("{\"rows\":[1\u{C}],\"m\":2}", rows, ["1", "!form-feed \u{C}", "end"]),
    ("[1,\u{C}]", top, ["1", "!form-feed \u{C}", "end"]),
    (
      "\u{C}\n\u{B} [1]\u{C}\n\u{C}[2]\n\u{C}// x\n\u{B}", top,
      [
        "!form-feed \u{C}\n\u{B}", "1", "!form-feed \u{C}\n\u{C}", "2", "!form-feed \u{C}",
        "!syntax // x", "!vertical-tab \u{B}", "end",
      ]
    ),
    ("\u{FEFF}\u{C}{\"rows\":[1]}", rows, ["!form-feed \u{C}", "1", "end"]),
    ("[1]\u{C} x", top, ["1", "!form-feed \u{C}", "throws trailingData"]),
    ("[1],\u{C}", top, ["1", "throws trailingData"]),
    ("\u{C}", top, ["!form-feed \u{C}", "throws pointerNotFound"]),
    (
      "[1\u{C},2,3 \u{C}, \u{C}4\u{B}\u{C} ,x,5\u{C},x]", top,
      [
        "1", "!form-feed \u{C}", "2", "3", "!form-feed \u{C}", "!form-feed \u{C}4",
        "!vertical-tab \u{B}\u{C}", "!syntax x", "5", "!form-feed \u{C}", "!syntax x", "end",
      ]
    ),
    (
      "{\"a\":1\u{C},\"b\":2\n\u{C}\n,\u{C}\n}", top,
      ["a=1", "!form-feed \u{C}", "b=2", "!form-feed \u{C}\n,\u{C}", "end"]
    ),
  ]

  @Test func `a form feed that a comma or the end parts from the next element costs itself`() {
    expect(Self.formFeedsAlone)
  }

  static let firstLines: [Row] = [
    (
      "{\"id\":1,\"a\":\n{\"id\":2}\n{\"id\":3}\n{\"id\":4}\n", .sequence,
      [#"!syntax {"id":1,"a":"#, #"{"id":2}"#, #"{"id":3}"#, #"{"id":4}"#, "end"]
    ),
    (
      "{\"id\":1,\"a\":[\r\n\r\n{\"id\":\"\\\"2}\"}\r\n{\"id\":3}]\r\n{\"id\":x}\r\n", .sequence,
      [
        #"!syntax {"id":1,"a":["#, #"{"id":"\"2}"}"#, #"{"id":3}"#, "!syntax ]",
        #"!syntax {"id":x}"#, "end",
      ]
    ),
    // The second line belongs to the first element.
    (
      "{\"id\":1,\"a\":x,\"b\":\n{\"id\":2}\n}\n{\"id\":3}", .sequence,
      ["!syntax {\"id\":1,\"a\":x,\"b\":\n{\"id\":2}\n}", #"{"id":3}"#, "end"]
    ),
    (
      "{\"id\":x,\"b\":[\n{\"id\":2},\n{\"id\":4}]}\n{\"id\":3}", .sequence,
      ["!syntax {\"id\":x,\"b\":[\n{\"id\":2},\n{\"id\":4}]}", #"{"id":3}"#, "end"]
    ),
  ]

  @Test func `the lines behind a damaged first one tell whether each holds an element`() {
    expect(Self.firstLines)
  }

  static let nested: [Row] = [
    (
      "{\"id\":1,\"c\":[{\"id\":8,\"n\":\"x\",{\"id\":9}]}\n{\"id\":2}\n{\"id\":3}\n", .sequence,
      [#"!syntax {"id":1,"c":[{"id":8,"n":"x",{"id":9}]}"#, #"{"id":2}"#, #"{"id":3}"#, "end"]
    ),
    (
      "\"parent\": {\"id\": 900}, \"k\": 1}\n{\"id\": 2}\n", .sequence,
      [#""parent""#, #"!syntax : {"id": 900}, "k": 1}"#, #"{"id":2}"#, "end"]
    ),
    (
      "00, \"a\": {\"id\": 900}, \"k\": 1}\n{\"id\": 2}\n", .sequence,
      ["0", "0", #"!syntax , "a": {"id": 900}, "k": 1}"#, #"{"id":2}"#, "end"]
    ),
  ]

  @Test func `nothing inside a damaged first line is an element`() {
    expect(Self.nested)
  }

  static let unclosed: [Row] = [
    (
      "[\n{\"id\":1},\n{\"id\":2,\"a\":[1,\n{\"id\":3},\n{\"id\":4}\n]\n", top,
      [#"{"id":1}"#, #"!syntax {"id":2,"a":[1,"#, #"{"id":3}"#, #"{"id":4}"#, "end"]
    ),
    (
      "[\n{\"id\":1},\n{\"id\":2,\"a\":{\"b\":[\n{\"id\":3},\n{\"id\":4,\"c\":[\n{\"id\":5}\n]\n",
      top,
      [
        #"{"id":1}"#, #"!syntax {"id":2,"a":{"b":["#, #"{"id":3}"#, #"!syntax {"id":4,"c":["#,
        #"{"id":5}"#, "end",
      ]
    ),
    (
      "[\n  {\n    \"id\":2,\n    \"a\":[\n      1,\n  {\n    \"id\":3\n  },\n  {\n    \"id\":4\n  }\n]",
      top, ["!syntax {\n    \"id\":2,\n    \"a\":[\n      1,", #"{"id":3}"#, #"{"id":4}"#, "end"]
    ),
    (
      "{\n\"a\":{\"id\":1},\n\"b\":{\"id\":2,\"o\":{\n\"c\":{\"id\":3},\n\"d\":{\"id\":4}\n}\n",
      top,
      [#"a={"id":1}"#, #"!syntax "b":{"id":2,"o":{"#, #"c={"id":3}"#, #"d={"id":4}"#, "end"]
    ),
    // The input ends inside an element whose layout tells nothing.
    (
      "[\n{\n\"id\":1,\n\"c\":[\n{\n\"x\":1\n},\n{\n\"x\"", top,
      ["!truncated {\n\"id\":1,\n\"c\":[\n{\n\"x\":1\n},\n{\n\"x\"", "throws unrecoverable"]
    ),
    (
      "[{\"id\":1},{\"id\":2,\"c\":[{\"id\":3},{\"id\":4}", top,
      [#"{"id":1}"#, #"!truncated {"id":2,"c":[{"id":3},{"id":4}"#, "throws unrecoverable"]
    ),
  ]

  @Test func `an element that has no end ends before the next in its column`() {
    expect(Self.unclosed)
  }

  static let flush: [Row] = [
    (
      "[\n{\n\"id\":1 2,\n\"c\":[\n{\n\"id\":7\n}]\n},\n{\n\"id\":3\n}]", top,
      [
        "!syntax {\n\"id\":1 2,\n\"c\":[\n{\n\"id\":7\n}]\n}", #"{"id":3}"#, "end",
      ]
    ),
    (
      "[\n{\n\"id\":1 2,\n\"c\":[\n{\n\"x\":7\n}]\n},\n{\n\"id\":3\n}]", top,
      [
        "!syntax {\n\"id\":1 2,\n\"c\":[\n{\n\"x\":7\n}]\n}", #"{"id":3}"#, "end",
      ]
    ),
    // Without an end it ends before what has its first name in its column.
    (
      "[\n{\n\"id\":1,\n\"c\":[\n{\n\"x\":7\n},\n{\n\"id\":3\n}\n]", top,
      [
        "!syntax {\n\"id\":1,\n\"c\":[\n{\n\"x\":7\n},", #"{"id":3}"#, "end",
      ]
    ),
  ]

  @Test func `where all stands in one column a first name tells what has no end`() {
    expect(Self.flush)
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
    // Such a bracket may stand for a brace, or be the end.
    (
      #"[{"id":1},{"id":2],{"id":3}]"#, top,
      [#"{"id":1}"#, #"!syntax {"id":2]"#, #"{"id":3}"#, "end"]
    ),
    (
      #"{"rows":[{"id":1},{"id":2],"n":5}"#, rows, [#"{"id":1}"#, #"!syntax {"id":2"#, "end"]
    ),
    (
      "[{\"id\":1},{\"id\":2] [{\"id\":3}]", top,
      [#"{"id":1}"#, #"!syntax {"id":2"#, #"{"id":3}"#, "end"]
    ),
  ]

  @Test func `a closing bracket before more of an object is not the end of the list`() {
    expect(Self.strayClosers)
  }

  /// Inputs of one malformed element, what is said of it, and the byte of it where the flaw is.
  @Test(arguments: [
    ("[{\"id\":1,\n{\"id\":2}]", 1, "the value does not end before the next one begins", 8),
    ("[{\"id\":2]", 1, "the value does not end before the elements do", 7),
    (
      "{\n  \"id\":1,\n{\n  \"id\":2}\n", 0, "the value does not end before the next one begins", 11
    ),
    ("{\"id\":1, \r\n{\"id\":2}\n", 0, "the value does not end on its line", 8),
  ])
  func `a message says what an element without an end ends before`(
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

  /// Expects the events however the input is cut, parsed ahead or resumed.
  private func expect(_ table: [Row]) {
    for row in table {
      let input = Array(row.input.utf8)
      let whole = observe(input, row.shape)
      #expect(whole.map(\.summary) == row.events, "\(row.input.debugDescription) as \(row.shape)")
      for chunkSizes in [[1], [2], [7, 1]] {
        for parsesAhead in [false, true] {
          let events = observe(
            input, row.shape, chunkSizes: chunkSizes, parsesAhead: parsesAhead)
          #expect(events == whole, "\(row.input.debugDescription) in chunks of \(chunkSizes)")
        }
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
