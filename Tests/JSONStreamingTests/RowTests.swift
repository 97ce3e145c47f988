import JSONStreaming
import POITestSupport
import Testing

/// Arrays that a header makes objects.
@Suite struct RowTests {
  private static let socrata =
    #"{"meta":{"view":{"id":"x","columns":[{"id":-1,"name":"sid","fieldName":":sid"},"#
    + #"{"name":"\u0062"},{"fieldName":"c","x":{"fieldName":"y"},"name":"z"}],"n":[]}},"data":["#

  /// The events after the header, each with the rule of a reject or the value as written.
  private static func read(
    _ text: String, _ pointer: String?, hasHeader: Bool = true, chunkSize: Int = .max,
    resumingAt position: ReadingPosition = .start
  ) -> [(summary: String, position: ReadingPosition?)] {
    observe(
      Array(text.utf8),
      pointer.map { .container(JSONPointer(tokens: $0.isEmpty ? [] : [$0])) } ?? .sequence,
      chunkSizes: [chunkSize], resumingAt: position, hasHeader: hasHeader
    ).map { ($0.summary, $0.position) }
  }

  private static let rows =
    #"[1,"A",{"x":[2,{"y":3}]}],[],[null,[[4]]],[1,2,3,4],{"d":5},6,[7,x],[8]"#
  private static func events(_ a: String, _ b: String, _ c: String) -> [String] {
    [
      "{\"\(a)\":1,\"\(b)\":\"A\",\"\(c)\":{\"x\":[2,{\"y\":3}]}}", "{}",
      "{\"\(a)\":null,\"\(b)\":[[4]]}", "!row-length [1,2,3,4]", #"{"d":5}"#, "6",
      "!syntax [7,x]", "{\"\(a)\":8}", "end",
    ]
  }

  @Test(arguments: [1, 3, 64, .max])
  func `rows are objects with the names of the header`(chunkSize: Int) {
    let array = "[[\"a\",\"\\u0062\",\"c\"],\(Self.rows)]"
    #expect(
      Self.read(array, "", chunkSize: chunkSize).map(\.summary) == Self.events("a", "b", "c"))
    let lines =
      "[\"a\",\"b\",\"c\"]\n"
      + Self.rows.replacing("],", with: "]\n").replacing("},6", with: "}\n6")
    #expect(
      Self.read(lines, nil, chunkSize: chunkSize).map(\.summary).first
        == Self.events("a", "b", "c")[0])
    #expect(
      Self.read(Self.socrata + Self.rows + "]}", "data", hasHeader: false, chunkSize: chunkSize)
        .map(\.summary) == Self.events(":sid", "b", "c"))
  }

  @Test func `reading resumes after each row`() throws {
    for (text, pointer, hasHeader) in [
      ("[[\"a\",\"b\",\"c\"],\(Self.rows)]", "", true),
      (Self.socrata + Self.rows + "]}", "data", false),
    ] {
      let whole = Self.read(text, pointer, hasHeader: hasHeader)
      for (index, event) in whole.enumerated() {
        guard let position = event.position else { continue }
        // The position knows that there is a header.
        let rest = Self.read(text, pointer, hasHeader: false, chunkSize: 5, resumingAt: position)
        #expect(rest.map(\.summary) == whole[(index + 1)...].map(\.summary))
        let changed = Self.read(
          text.replacing("\"A\"", with: "\"B\""), pointer, hasHeader: false, resumingAt: position)
        #expect(changed.map(\.summary) == ["throws changedInput"])
        if index > 0, let end = whole[index - 1].position?.byteOffset {
          let shorter = String(decoding: Array(text.utf8).prefix(end), as: UTF8.self) + "]"
          let cut = Self.read(shorter, pointer, hasHeader: false, resumingAt: position)
          #expect(cut.map(\.summary).last?.hasPrefix("throws") == true, "\(cut)")
        }
      }
    }
  }

  @Test func `a header alone is no place to resume at`() throws {
    var reader = ElementReader(shape: .container(JSONPointer(tokens: [])), hasHeader: true)
    reader.append(Array(#"[["a"],"#.utf8).span)
    #expect(try reader.next() == .needsInput)
    let position = reader.position
    #expect(position.byteOffset == 0 && position.elementCount == 0)
    let rest = Self.read(#"[["a"],[1]]"#, "", hasHeader: false, resumingAt: position)
    #expect(rest.map(\.summary) == [#"{"a":1}"#, "end"])
  }

  @Test(arguments: [
    "[[]]", "[[1]]", #"[["a","a"]]"#, #"[["a",""]]"#, #"[{"a":1}]"#, #"["a"]"#, "[x]",
  ])
  func `a header is an array of different names`(text: String) {
    #expect(Self.read(text, "").map(\.summary) == ["throws invalidHeader"])
  }

  @Test(arguments: [1, 7, 64, .max])
  func `columns behind the rows are not theirs`(chunkSize: Int) {
    let rows = (0..<20).map { "[\($0),\"n\"]" }
    let text =
      "{\"data\":[\(rows.joined(separator: ","))],"
      + #""meta":{"view":{"columns":[{"name":"id"},{"name":"n"}]}}}"#
    #expect(
      Self.read(text, "data", hasHeader: false, chunkSize: chunkSize).map(\.summary)
        == rows + ["end"])
  }

  @Test func `columns that change are an error`() {
    let page = Self.socrata + "[1]]}"
    #expect(
      Self.read(page + page, "data", hasHeader: false).map(\.summary)
        == [#"{":sid":1}"#, #"{":sid":1}"#, "end"])
    let other = page.replacing("\"c\"", with: "\"d\"")
    #expect(
      Self.read(page + other, "data", hasHeader: false).map(\.summary).last
        == "throws invalidHeader")
  }

  @Test(arguments: [
    (#"[["a","b"],[1,"A"]]"#, true), (#" [ ["a\"]","b"] , [ "]" , null ] ,3]"#, true),
    (#"[["a","b"],["1","A"]]"#, false), (#"[["a","b"],[1]]"#, false),
    (#"[["a","a"],[1,2]]"#, false),
    (#"[["a",""],[1,2]]"#, false), (#"[["a"]]"#, false), (#"[[1],[2]]"#, false), ("[[]", false),
    (#"["a",1]"#, false), ("[", false), (#"[["a"],{"a":1}]"#, false), (#"[["a"},[1]]"#, false),
  ])
  func `a header before a row that is not texts is detected`(text: String, isHeader: Bool) {
    for size in [1, 2, 100] {
      var detector = ShapeDetector()
      let bytes = Array(text.utf8)
      for start in stride(from: 0, to: bytes.count, by: size) {
        detector.append(bytes[start..<min(start + size, bytes.count)].span)
      }
      detector.finish()
      #expect(detector.outcome == .container(JSONPointer(tokens: [])))
      #expect(detector.beginsWithHeader == isHeader)
    }
  }

  @Test(arguments: [
    ("[\"a\"]\n[1]", ShapeDetector.Outcome.sequence),
    ("[[\"a\"],[\"b\"]]", .container(JSONPointer(tokens: []))),
    ("[]", .container(JSONPointer(tokens: []))),
  ])
  func `with a header, arrays of scalars are lines`(text: String, outcome: ShapeDetector.Outcome) {
    var detector = ShapeDetector(hasHeader: true)
    detector.append(Array(text.utf8).span)
    detector.finish()
    #expect(detector.outcome == outcome)
  }

  @Test func `the columns of an export are not its records`() {
    for (end, outcome) in [
      ("[1]]}", ShapeDetector.Outcome.container(JSONPointer(tokens: ["data"]))),
      ("]}", .container(JSONPointer(tokens: ["data"]))),
    ] {
      for names in [[], ["name"]] {
        var detector = ShapeDetector(elementNames: names)
        detector.append(Array((Self.socrata + end).utf8).span)
        detector.finish()
        #expect(detector.outcome == outcome)
      }
    }
    var detector = ShapeDetector()
    detector.append(Array(#"{"meta":{"view":{"columns":[{"name":"a"}]}}}"#.utf8).span)
    detector.finish()
    #expect(detector.outcome == .sequence)
  }
}
