import POITestSupport
import Testing

@testable import JSONStreaming

/// The cost of reading after malformed elements.
@Suite struct RecoveryCostTests {
  /// The text before the elements, and a malformed element.
  static let unclosed: [(head: String, element: String)] = [
    ("", "[\n"), ("[\n", "[\n"), ("[", "["), ("", "[\n[1]\n"), ("[\n", "[1,\"a\"\n"),
    ("", "{"), ("[", "{"), ("[\n", "{[\n"), ("[\n", "[{\"id\":1,\"t\":[\"a\"\n"),
    ("[\n", "{\"id\":1,\"t\":[\"a\"\n"), ("[\n", "{\"id\":1,\"t\":[{},\n"),
    ("[\n", "[[tru],\n"), ("[", "1,/*\n"), ("{\n", "// {\n"), ("", "x\n"),
    ("[\n", "x,\n"), ("{", "\"a\":{\n"),
    ("{\n", "\"a\":[\n"), ("{", "\"a\":x,"), ("", "{\"a\":\"\n"),
    ("", "\u{C}\n1\n"), ("[0", "\u{C}\n,1"), ("", "\u{C}\n"), ("[", "{\"a\":\"}"), ("[", "\"a\"b"),
    ("[", "{\"a\" \"},"),
  ]

  @Test(arguments: TestLength.some(unclosed, 6))
  func `many elements without an end cost two small pieces each`(head: String, element: String) {
    let input = Array((head + String(repeating: element, count: 8_000)).utf8)
    let shape: ElementShape = head.isEmpty ? .sequence : .container(JSONPointer(tokens: []))
    let count = examined(input, shape)
    #expect(count <= 8_000 * 6_144, "\(count)")
  }

  @Test func `random bytes cost a small piece for each element`() {
    var generator = SplitMix64(seed: 7)
    let bytes = (0..<(1 << 16)).map { _ in UInt8.random(in: 0...255, using: &generator) }
    for head in ["1 1\n", "["] {
      let shape: ElementShape = head == "[" ? .container(JSONPointer(tokens: [])) : .sequence
      let count = examined(Array(head.utf8) + bytes, shape)
      #expect(count <= 64 * bytes.count, "\(shape): \(count)")
    }
  }

  @Test(arguments: ["[": "}", "{\"a\":": "]", "{[": "}]", "[{": "]}"])
  func `closers without an open bracket are scanned once`(openers: String, closers: String) {
    let count = 16_000 / openers.utf8.count
    let input =
      "[{\"id\":1},\n" + String(repeating: openers, count: count)
      + String(repeating: closers, count: count) + ",\n{\"id\":2}]"
    let examinedCount = examined(Array(input.utf8), .container(JSONPointer(tokens: [])))
    #expect(examinedCount <= 1 << 23, "\(examinedCount)")
  }

  /// The text before the elements, two parts to repeat one after the other, and the end.
  static let distantEnds: [(head: String, first: String, second: String, end: String)] = [
    ("", "{", "}] ", "\n"), ("", "{", "}] ", ""), ("{\"data\":{\"x\":[", "{", "}] ", "\n"),
    ("", "{", "  {\"a\":[", ""), ("[", "{", "  {\"a\":[", "\n"), ("[", "[\n", " [\n", "]"),
    ("[{\"id\":1},\n", "\\{}{", "\n}", "]"), ("", "{{1", "\n", "]"), ("{", "\"a\":{{", "}] ", "\n"),
    ("[{\"", "},{\\\"", "x", "\"x]"), ("[{\"", "},{\\\"},{\\\"},{\\\"},{\\\"},{\"x{\"", "x", "]"),
  ]

  @Test(arguments: TestLength.some(distantEnds, 3))
  func `many elements with a distant end cost a small piece each`(
    head: String, first: String, second: String, end: String
  ) {
    let input = Array(
      (head + String(repeating: first, count: 8_000 / first.utf8.count)
        + String(repeating: second, count: 8_000 / max(1, second.utf8.count)) + end).utf8)
    let shape: ElementShape =
      switch head {
      case "": .sequence
      case "{\"data\":{\"x\":[": .container(JSONPointer(tokens: ["data", "x"]))
      default: .container(JSONPointer(tokens: []))
      }
    let (count, eventCount) = cost(of: input, shape)
    #expect(eventCount > 0)
    #expect(count <= 4 * input.count + eventCount * 2_560, "\(count), \(eventCount) events")
  }

  @Test(arguments: 0..<UInt64(4))
  func `an input that is twice as long costs twice as much`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    for run in 0..<TestLength.count(4, long: 100) {
      let part = brackets(using: &generator)
      let shape: ElementShape = run % 2 == 0 ? .sequence : .container(JSONPointer(tokens: []))
      // Open containers nest up to the depth limit, and are read once for each level.
      let limits = ReadingLimits(depth: 4)
      func cost(byteCount: Int) -> Int {
        let parts = repeatElement(part, count: byteCount / part.count).joined()
        return self.cost(of: (shape == .sequence ? [] : [0x5B]) + parts, shape, limits: limits)
          .examinedByteCount
      }
      let (one, two) = (cost(byteCount: 80_000), cost(byteCount: 160_000))
      // Pieces grow up to a limit, and some bytes of a piece may be examined in vain.
      #expect(
        two <= 2 * one + one / 4 + 4 * ReadBuffer.pieceSize,
        "seed \(seed), run \(run): \(String(decoding: part, as: UTF8.self).debugDescription)")
    }
  }

  /// The number of bytes examined, repeated ones included.
  private func examined(_ input: [UInt8], _ shape: ElementShape) -> Int {
    cost(of: input, shape).examinedByteCount
  }

  private func cost(
    of input: [UInt8], _ shape: ElementShape, limits: ReadingLimits = ReadingLimits()
  ) -> (examinedByteCount: Int, eventCount: Int) {
    var reader = ElementReader(shape: shape, limits: limits)
    reader.append(input.span)
    reader.finish()
    var eventCount = 0
    while let event = try? reader.next(), event != .end { eventCount += 1 }
    return (reader.examinedByteCount, eventCount)
  }

  /// Elements with missing ends of every kind, followed by ambiguous elements.
  private func brackets(using generator: inout SplitMix64) -> [UInt8] {
    let parts = [
      "[", "[", "[\n", "[\n", "{", "{\n", "]", "}", "\n", "\n", "\n[", "\n{", ",", ":", "\"",
      "\"a\"", "\"b\"", "\"a\":", "\"b\":", "{\"a\":", "{\"b\":", "1", " ", "\\", "},{", "],[",
      "{\"a\":[", "//", "/*", "*/", "/", "\n  [", "\n  {", "\n{\"a\":[",
    ]
    // Each input has few kinds of parts, so that some of them repeat.
    let kinds = (0..<Int.random(in: 1...8, using: &generator)).compactMap { _ in
      parts.randomElement(using: &generator)
    }
    let count = Int.random(in: 1...60, using: &generator)
    let text = (0..<count).compactMap { _ in kinds.randomElement(using: &generator) }
    let head = ["", "[", "[\n", "{\"k\":", "{\"rows\":[\n"].randomElement(using: &generator)
    return Array(((head ?? "") + text.joined()).utf8)
  }

  @Test(arguments: 0..<UInt64(4))
  func `a reader that resumes at an element gives the same events`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let shapes: [ElementShape] = [
      .sequence, .container(JSONPointer(tokens: [])), .container(JSONPointer(tokens: ["rows"])),
    ]
    for run in 0..<60 {
      let input = brackets(using: &generator)
      let limits = ReadingLimits(
        depth: [3, 128][run % 2], elementByteCount: [10, 40, 1 << 20][run / 2 % 3])
      for shape in shapes {
        let whole = observe(input, shape, limits: limits)
        for (index, event) in whole.enumerated() {
          guard let position = event.position else { continue }
          let rest = observe(
            input, shape, limits: limits, chunkSizes: [run % 3 == 0 ? 3 : .max],
            resumingAt: position)
          guard rest != Array(whole[(index + 1)...]) else { continue }
          Issue.record(
            """
            seed \(seed), run \(run), from \(position), \(shape), \(limits):
            \(String(decoding: input, as: UTF8.self).debugDescription)
            expected: \(whole[(index + 1)...])
            got: \(rest)
            """)
          return
        }
      }
    }
  }
}
