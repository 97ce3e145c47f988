import JSONStreaming
import POITestSupport
import Testing

/// Text between elements that is not JSON and costs no element, and NaN.
@Suite struct InsertionTests {
  static let top = ElementShape.container(JSONPointer(tokens: []))
  static let rows = ElementShape.container(JSONPointer(tokens: ["rows"]))

  static var limits: ReadingLimits {
    var limits = ReadingLimits()
    limits.skipsInsertions = true
    return limits
  }

  static let cases: [(input: String, shape: ElementShape, events: [String], count: Int)] = [
    ("[1,{\"a\":2},]", top, ["1", #"{"a":2}"#, "end"], 1),
    ("{\"rows\":[[],\n]\n}", rows, ["[]", "end"], 1),
    (#"{"a":1,"b":2, }"#, top, ["a=1", "b=2", "end"], 1),
    ("[,1,,2]", top, ["!syntax ", "1", "!syntax ", "2", "end"], 0),
    ("[1]\u{FEFF}[2]\n\u{FEFF}\n", top, ["1", "2", "end"], 2),
    ("// x\n{\"rows\":[1]}/**/ \u{FEFF}{\"rows\":[2]} // y", rows, ["1", "2", "end"], 4),
    ("{/**/\"rows\":[1]}", rows, ["throws unrecoverable"], 0),
    ("[1]\u{FEFE}[2]", top, ["1", "throws trailingData"], 0),
    ("[1] ,", top, ["1", "throws trailingData"], 0),
    ("{\"a\":1},\n{\"a\":2} ,\n[],\n", .sequence, [#"{"a":1}"#, #"{"a":2}"#, "[]", "end"], 3),
    ("{\"a\":1},{\"a\":2}", .sequence, [#"{"a":1}"#, #"{"a":2}"#, "end"], 1),
    ("1,2\n3,4\n", .sequence, ["1", "!syntax ,2", "3", "!syntax ,4", "end"], 0),
    ("{}\n\u{FEFF}{}\n\u{FEFF}", .sequence, ["{}", "{}", "end"], 2),
    ("{}\u{FEFE}\n{}", .sequence, ["{}", "!syntax \u{FEFE}", "{}", "end"], 0),
    (
      "[ // {\n{\"id\":1}, // a, \"b\n/* {\"id\":2}, */ {\"id\":3}/**/,\n{\"id\":4} /* x\n */ // \n]",
      top, [#"{"id":1}"#, #"{"id":3}"#, #"{"id":4}"#, "end"], 6
    ),
    (
      "{\"a\":{} /*,*/,// z\n\"b\" : {}}", top, ["a={}", "b={}", "end"], 2
    ),
    ("/*/ */{}\n// {}\n{} //", .sequence, ["{}", "{}", "end"], 3),
    ("{} /x\n{}\n/* {}\n", .sequence, ["{}", "!syntax /x", "{}", "!syntax /* {}", "end"], 0),
    ("{\"a\" /**/ :1}\n{}", .sequence, ["!syntax {\"a\" /**/ :1}", "{}", "end"], 0),
    ("[{\"a\":1} // x\n{\"a\":2}]", top, [#"{"a":1}"#, "!syntax ", #"{"a":2}"#, "end"], 1),
    ("[/**/]", top, ["end"], 1),
    ("// nothing", .sequence, ["end"], 1),
    ("\u{1E}{}\n\u{1E}// x\n\u{1E}{}\n", .sequence, ["{}", "!syntax // x", "{}", "end"], 0),
  ]

  @Test func `commas, comments and byte-order marks between elements cost none of them`() {
    for (input, shape, events, count) in Self.cases {
      for chunkSizes in [[Int.max], [1], [7]] {
        #expect(
          summaries(input, shape, limits: Self.limits, chunkSizes: chunkSizes) == events,
          "\(input.debugDescription) in chunks of \(chunkSizes)")
      }
      #expect(skippedCount(input, shape) == count, "\(input.debugDescription)")
    }
  }

  /// The number of skipped texts, asked after each event, in a reader given one byte at a time.
  private func skippedCount(_ input: String, _ shape: ElementShape) -> Int {
    var reader = ElementReader(shape: shape, limits: Self.limits)
    var bytes = Array(input.utf8)[...]
    var count = 0
    while true {
      let event = try? reader.next()
      count += reader.takeSkippedCount()
      guard event != nil, event != .end else { return count }
      guard event == .needsInput else { continue }
      guard let byte = bytes.popFirst() else {
        reader.finish()
        continue
      }
      reader.append([byte].span)
    }
  }

  /// Each separator has one skipped text more than is needed.
  @Test func `skipped text anywhere between elements changes none of them`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    for _ in TestLength.some(0..<200, 50) {
      let isArray = Bool.random(using: &generator)
      let elements = (0..<Int.random(in: 1..<6, using: &generator)).map { index in
        ["{\"a\":\(index)}", "[\"//\",\(index)]", "{\"b\":[{},\",\"]}"][
          Int.random(in: 0..<3, using: &generator)]
      }
      let separators =
        isArray
        ? [", // [\n", " /* \" */,", ",/**/", "//\n,"]
        : [",\n", ",", "\n// {\n", "/* [ */", "\n\u{FEFF}", "\n/***/\n"]
      var text = isArray ? "[" : ""
      for (index, element) in elements.enumerated() {
        text += element
        guard index < elements.count - 1 || !isArray else { continue }
        text += separators.randomElement(using: &generator) ?? ""
      }
      text += isArray ? ", ]" : ""
      let shape = isArray ? Self.top : .sequence
      let chunkSize = Int.random(in: 1..<20, using: &generator)
      let events = summaries(text, shape, limits: Self.limits, chunkSizes: [chunkSize])
      #expect(
        events == elements + ["end"],
        "seed \(seed), chunks of \(chunkSize): \(text.debugDescription)")
      #expect(skippedCount(text, shape) == elements.count, "seed \(seed): \(text.debugDescription)")
    }
  }

  @Test func `a long comment is skipped, and a longer one is malformed`() {
    for (length, isSkipped) in [(10_000, true), (20_000, false)] {
      let comment = "/*" + String(repeating: "{", count: length) + "*/"
      let events = summaries("[{},\(comment){}]", Self.top, limits: Self.limits, chunkSizes: [9])
      #expect((events == ["{}", "{}", "end"]) == isSkipped, "\(length)")
    }
  }

  static let notNumbers: [(input: String, shape: ElementShape, events: [String])] = [
    (
      #"[{"a":NaN},{"b":"NaN","c":[-Infinity,1,Infinity]},NaN,{"d":2}]"#, top,
      [#"{"a":null}"#, #"{"b":"NaN","c":[null,1,null]}"#, "null", #"{"d":2}"#, "end"]
    ),
    (
      "{\"a\":\"\\\"\",\"b\":NaN}\n{\"a\":-NaN}\n{\"NaN\":NaN}\n{NaN:1}\n{\"a\":NaN,}\n", .sequence,
      [
        #"{"a":"\"","b":null}"#, #"!syntax {"a":-NaN}"#, #"{"NaN":null}"#, "!syntax {NaN:1}",
        #"!syntax {"a":NaN,}"#, "end",
      ]
    ),
    (
      #"{"x":{"k":1},"é\n":{"a":NaN},"z":Infinity}"#, top,
      [#"x={"k":1}"#, "é\n={\"a\":null}", "z=null", "end"]
    ),
  ]

  @Test func `NaN and infinities are null if that is allowed, and a rule of their own if not`() {
    var limits = ReadingLimits()
    limits.readsNaNAsNull = true
    for (input, shape, events) in Self.notNumbers {
      for chunkSizes in [[Int.max], [1], [7]] {
        #expect(summaries(input, shape, limits: limits, chunkSizes: chunkSizes) == events)
      }
      let strict = summaries(input, shape)
      #expect(strict.count == events.count)
      #expect(
        strict.count { $0.hasPrefix("!nan") }
          == events.count { $0.contains("null") && !$0.hasPrefix("!") })
    }
  }

  @Test func `a comma behind an element with NaN is skipped`() {
    var limits = Self.limits
    limits.readsNaNAsNull = true
    let events = summaries(
      "{\"a\":1},\n{\"a\":2},\n{\"a\":NaN}, // x\n", .sequence, limits: limits, chunkSizes: [5])
    #expect(events == [#"{"a":1}"#, #"{"a":2}"#, #"{"a":null}"#, "end"])
  }

  @Test func `rows with NaN are rows`() {
    var limits = ReadingLimits()
    limits.readsNaNAsNull = true
    let events = observe(
      Array("[[\"a\",\"b\"],[1,2],[NaN,3],[4,NaN],[5]]".utf8), Self.top, limits: limits,
      chunkSizes: [3], hasHeader: true)
    #expect(
      events.map(\.summary) == [
        #"{"a":1,"b":2}"#, #"{"a":null,"b":3}"#, #"{"a":4,"b":null}"#, #"{"a":5}"#, "end",
      ])
  }
}
