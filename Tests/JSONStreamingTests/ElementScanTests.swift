import POITestSupport
import Testing

@testable import JSONStreaming

/// The scan gives the same results as yajl.
///
/// If elements arrive byte by byte, yajl parses all except the first ones; this gives yajl's
/// result.
@Suite struct ElementScanTests {
  private static let whole = ElementShape.container(JSONPointer(tokens: []))

  /// Expects the same events in an array, in an object and on a line, with and without the scan.
  private func expectSameResult(
    _ element: [UInt8], limits: ReadingLimits = ReadingLimits(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let text = String(decoding: element, as: UTF8.self).debugDescription
    for (opening, endings) in [
      ("[", ["]", ",{}]", " \t\r\n]"]), ("{\"m\\n\" : ", ["}", ",\"n\":{}}", "\n}"]),
      ("", ["\n{}"]),
    ] {
      let shape = opening.isEmpty ? ElementShape.sequence : Self.whole
      for ending in endings {
        let input = Array(opening.utf8) + element + Array(ending.utf8)
        let scanned = observe(input, shape, limits: limits)
        let parsed = observe(input, shape, limits: limits, chunkSizes: [1])
        #expect(scanned == parsed, "\(text) in \(opening)", sourceLocation: sourceLocation)
      }
    }
  }

  private func expectSameResult(
    _ element: String, limits: ReadingLimits = ReadingLimits(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expectSameResult(Array(element.utf8), limits: limits, sourceLocation: sourceLocation)
  }

  @Test func `numbers and literals are scanned as yajl parses them`() {
    let values = [
      "0", "-0", "1", "-1", "10", "1234567890123456789012345", "1.5", "0.5", "-0.0e0", "1e5",
      "1E+5",
      "1e-05", "2.50E400", "01", "-01", "00", "1.", "1.e5", ".5", "-", "-.5", "+1", "1e", "1e+",
      "1.5e",
      "--1", "0x1", "1a", "1 2", "1.2.3", "1e5e5", "1-2", "Infinity", "NaN", "true", "false",
      "null",
      "tru", "truE", "trues", "fals", "falsf", "falsey", "nul", "nulls", "True", "true1", "0true",
    ]
    for value in values {
      for element in ["[\(value)]", "[ \(value) ,1]", "{\"a\":\(value)}", "{\"a\": \(value)\n}"] {
        expectSameResult(element)
      }
    }
  }

  @Test func `objects and arrays are scanned as yajl parses them`() {
    let elements = [
      "{}", "[]", "{ }", "[\n]", "[[]]", "[[],[{}],{\"a\":[]}]", "{\"a\":}", "{,}", "[,]", "[,1]",
      "[1,]",
      "[1,,2]", "{\"a\" 1}", "{\"a\"}", "{\"a\":1,}", "{\"a\":1,,\"b\":2}", "{1:2}", "{null:1}",
      "[}", "{]",
      "[1}", "{\"a\":1]", "[1 2]", "[\"a\" \"b\"]", "{\"a\":1 \"b\":2}", "[1:2]", "[{}{}]",
      "[[][]]",
      "{\"a\"::1}", "{\"a\":1:2}", "[\"a\":1]", "{\"a\",1}", "[\u{B}1]", "[1\u{C}]", "[1,\u{C}2]",
      "{\u{C}\"a\":1}", "{\"a\"\u{B}:1}", "{\"a\":1}\u{C}", "[\u{0}]", "[1\u{0}]", "[\u{FEFF}1]",
      "[/**/1]",
      "{\"a\":1,\"a\":2}", "{\"\":1}", "[\"]\",\"}\",\"{[,:\"]",
      "[\r\n\t 1 \r\n\t, \r\n\t2 \r\n\t]",
    ]
    for element in elements { expectSameResult(element) }
  }

  @Test func `every byte of a text is checked at any offset`() {
    for byte in UInt8.min...UInt8.max {
      for length in TestLength.some([0, 3, 7, 8, 12, 17], 2) {
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: length) + [byte]
        expectSameResult(Array("[\"".utf8) + text + Array("\"]".utf8))
        expectSameResult(Array("{\"".utf8) + text + Array("bcdefghij\":\"\"}".utf8))
      }
      expectSameResult(Array("[\"\\".utf8) + [byte] + Array("\"]".utf8))
      expectSameResult(Array("{\"a\\".utf8) + [byte] + Array("b\":\"\\\\\"}".utf8))
    }
  }

  @Test(arguments: 0..<UInt64(2))
  func `unicode escapes are unescaped as by yajl`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    for edge in [0, 1, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF] as [UInt16] {
      expectSameResult("[\"\(Self.escaped(edge, using: &generator))\"]")
    }
    for _ in 0..<TestLength.count(400, long: 2_000) {
      let units = [
        UInt16.random(in: 0...UInt16.max, using: &generator),
        UInt16.random(in: 0xD700...0xE0FF, using: &generator),
        UInt16.random(in: 0xD700...0xE0FF, using: &generator),
      ]
      let text = units.map { Self.escaped($0, using: &generator) }.joined()
      expectSameResult("{\"k\(text)\":\"v\(text)\"}")
    }
    for text in ["\\u", "\\u12", "\\u12g4", "\\u 123", "\\ud83d\\u", "\\ud83d\\n", "\\U0041"] {
      expectSameResult("[\"\(text)\"]")
    }
  }

  private static func escaped(_ unit: UInt16, using generator: inout SplitMix64) -> String {
    let digits = String(unit, radix: 16, uppercase: Bool.random(using: &generator))
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }

  @Test func `the scan and yajl have the same limits`() {
    let limits = ReadingLimits(
      depth: 3, elementByteCount: 60, stringByteCount: 5, keysPerObject: 2)
    let elements = [
      "[[[]]]", "[[[[]]]]", "{\"a\":[{}]}", "{\"a\":[{\"b\":[]}]}", "[\"12345\"]", "[\"123456\"]",
      "[\"1234\\n\"]", "[\"12345\\n\"]", "[\"\\n\\n\\n\\n\\n\"]", "{\"12345\":1}", "{\"123456\":1}",
      "[12345]",
      "[123456]", "{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":2,\"c\":3}", "[1,2,3,4]",
    ]
    for element in elements { expectSameResult(element, limits: limits) }
    for (spaces, isSound) in [(57, true), (58, true), (59, false)] {
      let element = "[" + String(repeating: " ", count: spaces) + "]"
      let events = observe("[\(element),{}]", Self.whole, limits: limits)
      guard case .element = events.first else {
        #expect(!isSound, "\(spaces)")
        continue
      }
      #expect(isSound, "\(spaces)")
    }
  }

  @Test(arguments: [1, 7, 100, 4_096, .max])
  func `valid elements need no yajl parser`(chunkSize: Int) throws {
    let line = Array(
      "{\"id\":1,\"name\":\"a \\u00e9\\n\",\"in\":[true,false,null,-1.5e3,{}]}\n".utf8)
    let input = [UInt8](repeatingElements: line, count: 100)
    var reader = ElementReader(shape: .sequence)
    var count = 0
    var offset = 0
    while offset < input.count {
      let end = offset + min(chunkSize, input.count - offset)
      reader.append(input.span.extracting(offset..<end))
      offset = end
      while try reader.next() == .element { count += 1 }
    }
    reader.finish()
    #expect(try reader.next() == .end)
    #expect(count == 100)
    // Small pieces that do not double the element so far are not scanned again.
    #expect(unsafe (reader.parser.state.yajl.handle == nil) == (chunkSize > line.count))
  }

  @Test(.timeLimit(.minutes(1)))
  func `a long text around the elements is read in linear time`() throws {
    // If every few bytes caused a scan of all bytes before them, this would take minutes.
    let limits = ReadingLimits(stringByteCount: 16 << 20)
    let text = [UInt8](repeating: UInt8(ascii: "a"), count: limits.stringByteCount)
    for (opening, ending) in [("{\"a\":\"", "\",\"rows\":[{}]}"), ("{\"rows\":[{}],\"", "\":1}")] {
      var reader = ElementReader(
        shape: .container(JSONPointer(tokens: ["rows"])), limits: limits)
      reader.append(Array(opening.utf8).span)
      reader.append(text.span)
      reader.append(Array(ending.utf8).span)
      reader.finish()
      #expect(try reader.next() == .element)
      #expect(try reader.next() == .end)
    }
  }

  @Test func `separators before an incomplete element are discarded`() throws {
    let piece = ReadBuffer.pieceSize
    let input = Array(
      ("[" + String(repeating: " ", count: piece - 1_027) + "{}"
        + String(repeating: " ", count: 1_024) + "," + String(repeating: " ", count: piece - 6)
        + "{\"a\":1}]").utf8)
    var reader = ElementReader(
      shape: Self.whole, limits: ReadingLimits(elementByteCount: 1_000))
    let capacity = reader.buffer.bytes.count + reader.buffer.bytes.freeCapacity
    var offset = 0
    var count = 0
    reading: while true {
      switch try reader.next() {
      case .element: count += 1
      case .malformed: Issue.record("all elements are sound")
      case .end: break reading
      case .needsInput:
        let given = reader.fill { output in
          let end = min(input.count, offset + min(piece, output.freeCapacity))
          for index in offset..<end { output.append(input[index]) }
        }
        offset += given
        if given == 0 { reader.finish() }
      }
    }
    #expect(count == 2)
    #expect(reader.buffer.bytes.count + reader.buffer.bytes.freeCapacity == capacity)
  }

  @Test func `a flaw beyond the element limit is reported as too long, in any chunks`() {
    let input = Array(#"[{"a":"\ud83dxxxxxxxx"}]"#.utf8)
    let limits = ReadingLimits(elementByteCount: 5)
    let whole = observe(input, Self.whole, limits: limits)
    #expect(whole.first?.summary.hasPrefix("!element-bytes") == true)
    for size in 1...input.count {
      #expect(observe(input, Self.whole, limits: limits, chunkSizes: [size]) == whole, "\(size)")
    }
  }
}

extension [UInt8] {
  fileprivate init(repeatingElements elements: [UInt8], count: Int) {
    self = (0..<count).flatMap { _ in elements }
  }
}
