import JSONStreaming
import POITestSupport
import Testing

@Suite struct ReadingLimitsTests {
  static let top = ElementShape.container(JSONPointer(tokens: []))

  @Test(arguments: [[Int.max], [1], [10], [64]])
  func `only the element beyond a limit is lost`(chunkSizes: [Int]) {
    let limits = ReadingLimits(
      depth: 3, elementByteCount: 100, stringByteCount: 20, keysPerObject: 3)
    let long = String(repeating: "x", count: 21)
    let longEscaped = String(repeating: #"\u0078"#, count: 14)
    let table: [(element: String, rule: String?)] = [
      ("[[[1]]]", nil), ("[[[[1]]]]", "depth"), ("{\"a\":{\"b\":{\"c\":[]}}}", "depth"),
      ("\"\(long.dropLast())\"", nil), ("\"\(long)\"", "string-bytes"),
      ("{\"\(long)\":1}", "string-bytes"), ("[\"\(longEscaped)\"]", nil),
      ("[123456789012345678901]", "string-bytes"),
      (#"{"a":1,"b":2,"c":3}"#, nil), (#"{"a":1,"b":2,"c":3,"d":4}"#, "keys-per-object"),
      ("[" + String(repeating: "1,", count: 49) + "1]", "element-bytes"),
      ("[" + String(repeating: "1,", count: 48) + "12]", nil),
      ("{\"a\":\"" + String(repeating: "y", count: 500) + "\"}", "element-bytes"),
    ]
    for (element, rule) in table {
      for (input, shape) in [
        ("[{\"ok\":1},\(element),{\"ok\":2}]", Self.top),
        ("{\"ok\":1}\n\(element)\n{\"ok\":2}\n", .sequence),
        ("{\"ok\":1} \(element) {\"ok\":2}\n", .sequence),
      ] {
        let events = observe(input, shape, limits: limits, chunkSizes: chunkSizes)
        guard events.count == 4, events[0].summary == #"{"ok":1}"#,
          events[2].summary == #"{"ok":2}"#, events[3] == .end
        else {
          Issue.record("\(input): \(events)")
          continue
        }
        switch (events[1], rule) {
        case (.element, nil): break
        case (.malformed(let malformed, let flaw, _, _), let rule):
          #expect(flaw.rule == rule, "\(input)")
          #expect(malformed.bytes.elementsEqual(element.utf8.prefix(100)), "\(input)")
        default: Issue.record("\(input): \(events)")
        }
      }
    }
  }

  @Test(arguments: [[Int.max], [1], [10]])
  func `limits apply to the text around the elements`(chunkSizes: [Int]) {
    let limits = ReadingLimits(depth: 3, stringByteCount: 20)
    let rows = ElementShape.container(JSONPointer(tokens: ["rows"]))
    let long = String(repeating: "x", count: 400)
    for (input, event) in [
      ("{\"a\":\"\(long)\",\"rows\":[1]}", #"throws limitExceeded(rule: "string-bytes")"#),
      ("{\"\(long)\":1,\"rows\":[1]}", #"throws limitExceeded(rule: "string-bytes")"#),
      ("{\"a\":[[[1]]],\"rows\":[1]}", #"throws limitExceeded(rule: "depth")"#),
      ("{\"a\":[[1]],\"rows\":[1]}", "1"),
    ] {
      let events = summaries(input, rows, limits: limits, chunkSizes: chunkSizes)
      #expect(events.first == event, "\(input)")
    }
  }

  @Test func `white space between elements is not kept`() throws {
    let limits = ReadingLimits(elementByteCount: 1_000)
    let blank = [UInt8](repeating: 0x20, count: 100_000)
    var reader = ElementReader(shape: Self.top, limits: limits)
    reader.append([UInt8(ascii: "["), UInt8(ascii: "1")].span)
    for _ in 0..<20 {
      while try reader.next() != .needsInput {}
      reader.append(blank.span)
    }
    reader.append([UInt8(ascii: "]")].span)
    reader.finish()
    let event = try reader.next()
    #expect(event == .end)
    #expect(reader.position.byteOffset == 2)
  }

  @Test func `a very long element is skipped in bounded memory`() {
    let limits = ReadingLimits(elementByteCount: 10_000)
    var input = Array("[{\"id\":1},{\"id\":2,\"data\":[".utf8)
    for index in 0..<200_000 { input += Array("{\"n\":\(index)},".utf8) }
    input += Array("0]},{\"id\":3}]".utf8)
    let events = observe(input, Self.top, limits: limits, chunkSizes: [9_999])
    #expect(events.count == 4)
    #expect(events[2].summary == #"{"id":3}"#)
    guard case .malformed(let element, let flaw, _, _) = events[1] else {
      Issue.record("\(events[1].summary.prefix(100))")
      return
    }
    #expect(flaw.rule == "element-bytes")
    #expect(element.bytes == Array(input[10..<10_010]))
  }
}
