import TestSupport
import Testing

@testable import JSONStreaming

/// What going on after malformed elements costs.
@Suite struct RecoveryCostTests {
  /// What stands before the elements, and an element that is malformed.
  static let unclosed: [(head: String, element: String)] = [
    ("", "[\n"), ("[\n", "[\n"), ("[", "["), ("", "[\n[1]\n"), ("[\n", "[1,\"a\"\n"),
    ("", "{"), ("[", "{"), ("[\n", "{[\n"), ("[\n", "[{\"id\":1,\"t\":[\"a\"\n"),
    ("[\n", "{\"id\":1,\"t\":[\"a\"\n"), ("[\n", "{\"id\":1,\"t\":[{},\n"),
    ("[\n", "[[tru],\n"), ("", "x\n"), ("[\n", "x,\n"), ("{", "\"a\":{\n"),
    ("{\n", "\"a\":[\n"), ("{", "\"a\":x,"), ("", "{\"a\":\"\n"),
  ]

  @Test(arguments: unclosed)
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

  /// How many bytes a reader looks at, each as often as it does.
  private func examined(_ input: [UInt8], _ shape: ElementShape) -> Int {
    var reader = ElementReader(shape: shape)
    reader.append(input.span)
    reader.finish()
    while let event = try? reader.next(), event != .end {}
    return reader.examinedByteCount
  }

  /// Elements without an end in all ways, of which the next ones are doubtful.
  private func brackets(using generator: inout SplitMix64) -> [UInt8] {
    let parts = [
      "[", "[", "[\n", "[\n", "{", "{\n", "]", "}", "\n", "\n", "\n[", "\n{", ",", ":", "\"",
      "\"a\"", "\"b\"", "\"a\":", "\"b\":", "{\"a\":", "{\"b\":", "1", " ", "\\", "},{", "],[",
      "{\"a\":[", "\n  [", "\n  {", "\n{\"a\":[",
    ]
    // Few kinds of parts in one input, so that some come often.
    let kinds = (0..<Int.random(in: 1...8, using: &generator)).compactMap { _ in
      parts.randomElement(using: &generator)
    }
    let count = Int.random(in: 1...60, using: &generator)
    let text = (0..<count).compactMap { _ in kinds.randomElement(using: &generator) }
    let head = ["", "[", "[\n", "{\"k\":", "{\"rows\":[\n"].randomElement(using: &generator)
    return Array(((head ?? "") + text.joined()).utf8)
  }

  @Test(arguments: 0..<UInt64(4))
  func `what an earlier search has seen changes no event`(seed: UInt64) {
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
          // A reader that resumes has seen nothing of it.
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
