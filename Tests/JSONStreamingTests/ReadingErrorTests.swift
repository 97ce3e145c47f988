import JSONStreaming
import POITestSupport
import Testing

@Suite struct ReadingErrorTests {
  static let rows = ElementShape.container(JSONPointer(tokens: ["data", "rows"]))
  static let top = ElementShape.container(JSONPointer(tokens: []))

  static let table: [(input: String, shape: ElementShape, events: [String])] = [
    ("", top, ["throws pointerNotFound"]),
    (" \n", rows, ["throws pointerNotFound"]),
    (#"{"data":{"other":[1]}}"#, rows, ["throws pointerNotFound"]),
    (#"{"data":[{"rows":[1]}]}"#, rows, ["throws pointerNotFound"]),
    (#"{"data":{}} {"data":{"rows":[1]}} {}"#, rows, ["1", "end"]),
    (
      #"{"data":{"rows":[1]}} {"error":{}} {"data":{"rows":[2]}}"#, rows,
      ["1", "throws pointerNotFound"]
    ),
    (#"{"data":{"rows":[1],"x":2}} {"y":3} "#, rows, ["1", "throws pointerNotFound"]),
    (#"{"error":7} {"data":{"rows":[1]}}"#, rows, ["throws pointerNotFound"]),
    (#"{"data":{"rows":[1]}} 7"#, rows, ["1", "throws pointerNotFound"]),
    (#"{"data":{"rows":[1]}} ["rows"]"#, rows, ["1", "throws pointerNotFound"]),
    (#"{"data":{"rows":[1]}} {"data":{"rows":{"a":2}}}"#, rows, ["1", "throws notAContainer"]),
    (#"[{"a":1}] {"b":{"a":2}}"#, top, [#"{"a":1}"#, "throws notAContainer"]),
    (#"{"b":{"a":2}} [{"a":1}]"#, top, [#"b={"a":2}"#, "throws notAContainer"]),
    (#"{"data":{"rows":"text"}}"#, rows, ["throws notAContainer"]),
    ("7", top, ["throws notAContainer"]),
    ("[1] 7", top, ["1", "throws notAContainer"]),
    (#"{"data":{"rows":[1],"rows":[2]}}"#, rows, ["1", "throws duplicateMember"]),
    (#"{"data":5,"data":{"rows":[2]}}"#, rows, ["throws duplicateMember"]),
    (
      #"{"data":{"rows":[{"rows":1,"rows":2}],"x":{"rows":0}}}"#, rows,
      [#"{"rows":1,"rows":2}"#, "end"]
    ),
    ("[1] x", top, ["1", "throws trailingData"]),
    ("{} // {", rows, ["throws trailingData"]),
    ("// of\n[1]", top, ["throws unrecoverable"]),
    ("[1] // end", top, ["1", "throws trailingData"]),
    ("\u{C}[1]", top, ["throws unrecoverable"]), ("[1]\n\u{C}", top, ["1", "throws trailingData"]),
    ("[1]]", top, ["1", "throws trailingData"]),
    ("[1] tru", top, ["1", "throws trailingData"]),
    ("[1] \"cut", top, ["1", "throws trailingData"]),
    ("[1] [2]", top, ["1", "2", "end"]),
    ("[1, 2", top, ["1", "2", "throws unrecoverable"]),
    ("[1, ", top, ["1", "throws unrecoverable"]),
    ("[{\"a\":1}, {\"a\"", top, [#"{"a":1}"#, "!truncated {\"a\"", "throws unrecoverable"]),
    ("[", top, ["throws unrecoverable"]),
    (#"{"data":{"rows":[1]}"#, rows, ["1", "throws unrecoverable"]),
    (#"{"data" {"rows":[1]}"#, rows, ["throws unrecoverable"]),
    (#"{"data":{/**/"rows":[1,2]}}"#, rows, ["throws unrecoverable"]),
    (#"{"data":{"rows":[1,2] // a"#, rows, ["1", "2", "throws unrecoverable"]),
    ("{\"data\":{\u{C}\"rows\":[1]}}", rows, ["throws unrecoverable"]),
    ("{\"data\":{\"rows\":[1]\u{C}}}", rows, ["1", "throws unrecoverable"]),
    ("[1,\u{C}2,3]", top, ["1", "!syntax \u{C}2", "3", "end"]),
    ("[1\u{C},2\u{B}]", top, ["1", "!syntax \u{C}", "2", "!syntax \u{B}", "end"]),
    ("{\"a\":1}\n\u{C}", .sequence, [#"{"a":1}"#, "!syntax \u{C}", "end"]),
    ("{\"a\":1}\n{\"a\"", .sequence, [#"{"a":1}"#, "!truncated {\"a\"", "end"]),
    (
      "{\"a\":1}\n{\"a\":\n{\"a\":2}\n{\"a\":[\n\n{\"a\":3}", .sequence,
      [#"{"a":1}"#, "!syntax {\"a\":", #"{"a":2}"#, "!syntax {\"a\":[", #"{"a":3}"#, "end"]
    ),
    ("{\"a\":1,\n{\"b\":2}\n", .sequence, ["!syntax {\"a\":1,", #"{"b":2}"#, "end"]),
    (
      "{\"a\":1} x y\n{\"b\":2}\n", .sequence,
      [#"{"a":1}"#, "!syntax x y", #"{"b":2}"#, "end"]
    ),
    (
      "{\"a\":1}\r\n{\"a\":x}\r\n{\"b\":2}\r\n", .sequence,
      [#"{"a":1}"#, "!syntax {\"a\":x}", #"{"b":2}"#, "end"]
    ),
    ("[1,,2]", top, ["1", "!syntax ", "2", "end"]),
    ("[1,]", top, ["1", "!syntax ", "end"]),
    ("[,1]", top, ["!syntax ", "1", "end"]),
    (#"[{"a":1} {"a":2}]"#, top, [#"{"a":1}"#, "!syntax ", #"{"a":2}"#, "end"]),
    (#"{"a":1 "b":2,}"#, top, ["a=1", "!syntax ", "b=2", "!syntax ", "end"]),
    ("[01, 2]", top, ["0", "!syntax 1", "2", "end"]),
    ("\u{FEFF}\u{FEFF}[1]", .sequence, ["!syntax \u{FEFF}[1]", "end"]),
  ]

  @Test(arguments: [[Int.max], [1], [3]])
  func `every kind of damage gives the expected events in any chunks`(chunkSizes: [Int]) {
    for row in Self.table {
      let events = summaries(row.input, row.shape, chunkSizes: chunkSizes)
      #expect(events == row.events, "\(row.input.debugDescription) as \(row.shape)")
    }
  }

  @Test func `a message says what is wrong, where, and what to do`() {
    let table: [(String, ElementShape, String)] = [
      (
        "[1,\n2]\u{C}", Self.top,
        "2:3: what follows the elements is not json: invalid char in json text, at byte 0x0C"
      ),
      (
        "[1,\n2] x", Self.top,
        #"2:4: what follows the elements is not json: invalid char in json text, at "x""#
      ),
      (
        #"{"data":{"rows":7}}"#, Self.rows,
        #"1:17: the value at "/data/rows" is neither an array nor an object: give the pointer of one"#
      ),
      (
        "{}", Self.rows,
        #"1:3: there is nothing at "/data/rows": give the pointer of an array or object in the input"#
      ),
      (
        #"{"data":{"rows":[]}} {"error":1}"#, Self.rows,
        #"1:32: there is nothing at "/data/rows" in the value that ends here, which follows others: is it an error response instead of a page?"#
      ),
      (
        "[{}]\n {}", Self.top,
        #"2:2: the value at "" is an object, and was an array before: read the two separately, each by a pointer or input of its own"#
      ),
      (
        "[{}]\n 7", Self.top,
        "2:2: what follows the elements is neither an array nor an object: remove it"
      ),
      ("[1", Self.top, "1:3: the input ends before the elements do: is it complete?"),
      (
        "{\"data\":\n /* a */ {\"rows\":[1]}}", Self.rows,
        "2:2: the text around the elements is not valid json: json allows no comment or slash here: "
          + #"remove it, at "/""#
      ),
    ]
    for (input, shape, message) in table {
      guard case .failed(let error) = observe(input, shape).last else {
        Issue.record("\(input) is read")
        continue
      }
      #expect("\(error)" == message)
    }
  }

  @Test(
    arguments: [#"\ud800"#, #"\ud800x"#, #"\ud800\u0041"#, #"\udc00"#, #"\ud83d\ud83d\ude00"#],
    [
      #"{"x":"%","data":{"rows":[1]}}"#, #"{"%":1,"data":{"rows":[1]}}"#,
      #"{"data":{"rows":[1]},"x":"%"}"#,
    ])
  func `half a surrogate pair around the elements ends reading in any chunks`(
    escapes: String, frame: String
  ) {
    let input = frame.replacing("%", with: escapes)
    for chunkSizes in [[1], [7], [input.utf8.count]] {
      guard
        case .failed(let error) = observe(Array(input.utf8), Self.rows, chunkSizes: chunkSizes).last
      else {
        Issue.record("\(input) is read")
        continue
      }
      #expect("\(error)".contains("surrogate"), "\(input): \(error)")
    }
  }

  @Test func `a malformed element says where its flaw is`() {
    let events = observe("[{\"a\":1},\n  {\"b\":nul}]", Self.top)
    guard case .malformed(let element, let flaw, let line, let column) = events[1] else {
      Issue.record("\(events)")
      return
    }
    #expect(element.byteOffset == 12)
    #expect(flaw.message == #"not valid json: invalid string in json text, at "}""#)
    #expect((flaw.byteOffset, line, column) == (20, 1, 10))
  }

  /// A malformed element, and the token in its message.
  @Test(arguments: [
    (#"{"id":1 2}"#, "2"), (#"{"id":1,"n":01}"#, "01"), (#"[1 2]"#, "2"),
    (#"[1 -2.5e3]"#, "-2.5e3"),
    (#"[true false]"#, "false"), (#"[1}"#, "}"), (#"{"a":1]"#, "]"), (#"{"a" 1}"#, "1"),
    (#"{"a":1,}"#, "}"), (#"[1,,2]"#, ","), (#"{"a":{"b":null true}}"#, "true"), (#"[nulx]"#, "x"),
    (#"{1:2}"#, "1"), ("[1 " + String(repeating: "7", count: 50) + "]", "7777"),
  ])
  func `a message names the misplaced token`(text: String, token: String) {
    for text in [text + "\n{}", text + "\n{}\n{}"] {
      guard case .malformed(_, let flaw, _, _) = observe(text, .sequence).first else {
        Issue.record("\(text) is read")
        continue
      }
      let end = token == "7777" ? "…\"" : ""
      #expect(
        flaw.message.hasSuffix("at \"\(token)\"")
          || !end.isEmpty && flaw.message.contains(", at \"7777") && flaw.message.hasSuffix(end),
        "\(text): \(flaw.message)")
    }
  }

  @Test(arguments: [1, 2, 64])
  func `utf-16 and utf-32 are refused by name`(chunkSize: Int) {
    let inputs: [([UInt8], String)] = [
      ([0xFF, 0xFE, 0x5B, 0], "utf-16"), ([0xFE, 0xFF, 0, 0x5B], "utf-16"),
      ([0x5B, 0, 0x31, 0], "utf-16le"), ([0, 0x5B, 0, 0x31], "utf-16be"),
      ([0x22, 0, 0, 0x4E], "utf-16le"), ([0x5B, 0], "utf-16le"), ([0, 0x5B], "utf-16be"),
      ([0x5B, 0, 0, 0], "utf-32le"), ([0, 0, 0, 0x5B], "utf-32be"),
      ([0xFF, 0xFE, 0, 0, 0x5B, 0, 0, 0], "utf-32"),
      ([0, 0, 0xFE, 0xFF, 0, 0, 0, 0x5B], "utf-32"),
    ]
    for (input, name) in inputs {
      let events = observe(input, .sequence, chunkSizes: [chunkSize])
      guard case .failed(let error) = events.first else {
        Issue.record("\(input) is read")
        continue
      }
      #expect(error.code == .unsupportedEncoding)
      #expect(error.message.contains("the input is \(name):"), "\(error.message)")
      #expect(error.message.contains("iconv -f \(name) -t utf-8"), "\(error.message)")
    }
  }

  @Test(arguments: [1, 2, 64])
  func `leading NUL bytes are not taken for an encoding`(chunkSize: Int) {
    let inputs: [[UInt8]] = [
      [0], [0, 0], [0, 0, 0], [0, 0, 0, 0], [0, 0, 0x5B, 0], Array(repeating: 0, count: 100),
    ]
    for input in inputs {
      let events = observe(input, .sequence, chunkSizes: [chunkSize])
      guard case .failed(let error) = events.first else {
        Issue.record("\(input) is read")
        continue
      }
      #expect(error.code == .unrecoverable)
      #expect(error.message.contains("the input begins with NUL bytes"), "\(error.message)")
    }
  }

  @Test func `a position of another shape is refused`() {
    let array: UInt64 = 1 << 5
    for (shape, state) in [
      (ElementShape.sequence, 0), (.sequence, 4 | array), (Self.top, array),
      (Self.top, 4 | 1 << 53),
    ] {
      let position = ReadingPosition(byteOffset: 3, elementCount: 1, inputHash: 0, state: state)
      let events = observe(Array("[1,2]".utf8), shape, resumingAt: position)
      #expect(events.map(\.summary) == ["throws invalidPosition"], "\(shape) \(state)")
    }
  }

  @Test func `a pointer of very many steps is refused`() {
    let pointer = JSONPointer(tokens: Array(repeating: "a", count: 49))
    #expect(summaries("{}", .container(pointer)) == ["throws pointerNotFound"])
  }

  @Test func `the error is thrown again on each call`() {
    var reader = ElementReader(shape: Self.top)
    reader.append(Array("7 ".utf8).span)
    reader.finish()
    for _ in 0..<3 {
      #expect(throws: ReadingError.self) { _ = try reader.next() }
    }
  }
}
