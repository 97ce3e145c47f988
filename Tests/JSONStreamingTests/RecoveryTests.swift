import JSONStreaming
import POITestSupport
import Testing

@Suite struct RecoveryTests {
  /// Three elements, the second one damaged, in common JSON layouts.
  enum Layout: String, CaseIterable {
    case compact, spaced, lines, pretty

    /// A record with the given id, as three members.
    func record(_ id: Int) -> String {
      let members = [#""id":\#(id)"#, #""name":"n\#(id)""#, #""in":{"t":[1,2]}"#]
      switch self {
      case .compact, .lines: return "{" + members.joined(separator: ",") + "}"
      case .spaced: return "{ " + members.joined(separator: ", ") + " }"
      case .pretty: return "{\n    " + members.joined(separator: ",\n    ") + "\n  }"
      }
    }

    var separator: String {
      switch self {
      case .compact: ","
      case .spaced: ", "
      case .lines: ",\n"
      case .pretty: ",\n  "
      }
    }

    func array(_ records: [String]) -> String {
      let (open, close) = self == .pretty ? ("[\n  ", "\n]") : ("[", "]")
      return open + records.joined(separator: separator) + close
    }
  }

  /// The text that damage replaces, and its replacement.
  static let damages: [(name: String, from: String, to: String)] = [
    ("an invalid literal", ":2", ":tru"),
    ("a value is missing", ":2", ":"),
    ("a name without quotes", #""name""#, "name"),
    ("single quotes", #""name""#, "'name'"),
    ("a colon is missing", #""name":"#, #""name" "#),
    ("a comma is missing", #""id":2,"#, #""id":2 "#),
    ("two commas", #""id":2,"#, #""id":2,,"#),
    ("a comma at the end", "[1,2]}", "[1,2]},"),
    ("a comma in an array's end", "[1,2]", "[1,2,]"),
    ("the closing brace is missing", "[1,2]}", "[1,2]"),
    ("the array's closing bracket is missing", "[1,2]", "[1,2"),
    ("a bracket for a brace", "[1,2]}", "[1,2]]"),
    ("a brace for a bracket", "[1,2]", "[1,2}"),
    ("a closing brace too many", "[1,2]}", "[1,2]}}"),
    ("a closing quote is missing", #""n2""#, #""n2"#),
    ("an opening quote is missing", #""n2""#, #"n2""#),
    ("a name's closing quote is missing", #""name""#, #""name"#),
    ("a name's opening quote is missing", #""name""#, #"name""#),
    ("a quote inside a string", #""n2""#, #""n"2""#),
    ("a quote and a word inside a string", #""n2""#, #""n" 2""#),
    ("an invalid escape", #""n2""#, #""n\x2""#),
    ("a line end in a string", #""n2""#, "\"n\n2\""),
    ("a tab in a string", #""n2""#, "\"n\t2\""),
    ("a leading zero", ":2", ":02"),
    ("a number without digits", ":2", ":-"),
    ("an infinite number", ":2", ":Infinity"),
    ("a comment", #""id""#, #"/* it */ "id""#),
    ("a control byte", ":2", ":\u{1}2"),
    ("half a surrogate pair", #""n2""#, #""\ud83d""#),
    ("a form feed", ":2", ":\u{C}2"),
  ]

  @Test(arguments: Layout.allCases)
  func `only the damaged record of an array is lost`(layout: Layout) throws {
    try expectSurvivors(layout) { records in
      [
        (layout.array(records), .container(JSONPointer(tokens: []))),
        (
          #"{"meta":{"n":[0]},"data":{"rows":"# + layout.array(records) + #","x":1},"z":[{}]}"#,
          .container(JSONPointer(tokens: ["data", "rows"]))
        ),
        (
          "[0," + layout.array(records) + ",[{}]]",
          .container(JSONPointer(tokens: ["1"]))
        ),
      ]
    }
  }

  @Test(arguments: [Layout.compact, .spaced])
  func `only the damaged record of a line is lost`(layout: Layout) throws {
    try expectSurvivors(layout, exceptDamages: ["a line end in a string"]) { records in
      [(records.joined(separator: "\n") + "\n", .sequence)]
    }
  }

  @Test func `only the damaged record among pretty-printed ones is lost`() throws {
    try expectSurvivors(.pretty) { records in
      let records = records.map { $0.replacing("\n  ", with: "\n") }
      return [(records.joined(separator: "\n") + "\n", .sequence)]
    }
  }

  @Test(arguments: Layout.allCases)
  func `only the damaged member of an object is lost`(layout: Layout) throws {
    // A surplus brace ends the container, so that the rest looks like siblings of the container.
    // After a missing brace, the rest looks like members of the damaged record. Both are valid
    // JSON.
    var excluded: Set = [
      "a closing brace too many", "the closing brace is missing", "a brace for a bracket",
    ]
    if layout == .compact || layout == .spaced { excluded.insert("a bracket for a brace") }
    try expectSurvivors(layout, exceptDamages: excluded) { records in
      let members = records.enumerated().map { "\"k\($0.offset + 1)\":\($0.element)" }
      return [
        (
          "{\"o\":{" + members.joined(separator: layout.separator) + "},\"z\":{}}",
          .container(JSONPointer(tokens: ["o"]))
        )
      ]
    }
  }

  /// Damages the second of four records in every way; expects the other records and the end.
  private func expectSurvivors(
    _ layout: Layout, exceptDamages excluded: Set<String> = [],
    _ inputs: ([String]) -> [(String, ElementShape)]
  ) throws {
    for damage in Self.damages where !excluded.contains(damage.name) {
      var records = (1...4).map(layout.record)
      let sound = records[1]
      records[1] = sound.replacing(damage.from, with: damage.to)
      #expect(records[1] != sound, "\(damage.name) changes the record")
      for (input, shape) in inputs(records) {
        let events = summaries(input, shape)
        let survivors = [1, 3, 4].filter { id in
          events.contains { $0.hasSuffix(#"{"id":\#(id),"name":"n\#(id)","in":{"t":[1,2]}}"#) }
        }
        #expect(
          survivors == [1, 3, 4] && events.last == "end"
            && events.contains { $0.hasPrefix("!") },
          "\(layout), \(damage.name), \(shape): \(input)\n\(events)")
      }
    }
  }

  /// Damages one place of the second of nine records at random. Other records are lost only if the
  /// damage happens to look like valid JSON.
  @Test(arguments: Layout.allCases, ["array", "lines", "object"])
  func `random damage costs one record in nearly all cases`(layout: Layout, surroundings: String) {
    let runCount = 400
    var failures: [String] = []
    for seed in 0..<UInt64(runCount) {
      var generator = SplitMix64(seed: seed)
      var bytes = Array(layout.record(2).utf8)
      let index = Int.random(in: 0..<bytes.count, using: &generator)
      let mark = Array("{}[],:\"\\\n 01xt".utf8).randomElement(using: &generator) ?? 0
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bytes.remove(at: index)
      case 1: bytes.insert(mark, at: index)
      case 2: bytes[index] = mark
      default: bytes.removeSubrange(index..<min(bytes.count, index + 5))
      }
      var records = (1...9).map(layout.record)
      records[1] = String(decoding: bytes, as: UTF8.self)
      var shape = ElementShape.container(JSONPointer(tokens: []))
      let input: String
      switch surroundings {
      case "array": input = layout.array(records)
      case "lines": (input, shape) = (records.joined(separator: "\n") + "\n", .sequence)
      default:
        let members = records.enumerated().map { "\"k\($0.offset + 1)\":\($0.element)" }
        input = "{\n  " + members.joined(separator: layout.separator) + "}"
      }
      let events = summaries(input, shape)
      let survivors = [1, 3, 4, 5, 6, 7, 8, 9].filter { id in
        events.contains { $0.hasSuffix(#"{"id":\#(id),"name":"n\#(id)","in":{"t":[1,2]}}"#) }
      }
      if survivors.count < 8 || events.last != "end" {
        failures.append("seed \(seed): \(records[1].debugDescription)")
      }
    }
    // A surplus brace ends an object; without its brace, a record absorbs the next member.
    let limit = surroundings == "object" ? runCount / 5 : runCount / 20
    #expect(failures.count <= limit, "\(failures.count): \(failures.prefix(10))")
  }

  /// The input, the pointer of the elements, and the valid elements.
  @Test(arguments: [
    (#"[{"a":[{"x":1},{"x":tru}]},{"x":3}]"#, ["0", "a"], [1]),
    (#"[{"a":[{"x":1},{"x":2]},{"x":3}]"#, ["0", "a"], [1]),
    (#"{"a":[{"x":1},{"x":2], "#, ["a"], [1]),
    (
      "[{\"x\":1},{\"x\":\"" + String(repeating: " ", count: 2_000) + "\n\"},{\"x\":3}]", [],
      [1, 3]
    ),
    ("[{\"x\":1},{\"x\":\"\n  \n\"},{\"x\":3}]", [], [1, 3]),
    (
      #"[{"x":1},{"x":"y""# + String(repeating: " ", count: 2_000) + #"z},{"x":3}]"#, [], [1, 3]
    ),
  ])
  func `recovery works if the next element is far away or missing`(
    _ input: String, _ tokens: [String], _ survivors: [Int]
  ) {
    for chunkSizes in [[Int.max], [1], [7]] {
      let events = summaries(
        input, .container(JSONPointer(tokens: tokens)), chunkSizes: chunkSizes)
      let found = [1, 2, 3].filter { id in events.contains { $0.hasSuffix(#"{"x":\#(id)}"#) } }
      #expect(found == survivors, "\(events)")
      #expect(events.contains { $0.hasPrefix("!") }, "\(events)")
    }
  }
}
