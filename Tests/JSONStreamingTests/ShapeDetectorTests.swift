import Testing

@testable import JSONStreaming

@Suite struct ShapeDetectorTests {
  static let table: [(input: String, outcome: String)] = [
    ("", "sequence"),
    ("  \n", "sequence"),
    ("[1,2]", "\"\""),
    ("\u{FEFF} [", "\"\""),
    ("42", "sequence"),
    ("\"text\"", "sequence"),
    ("{}", "sequence"),
    ("{\"a\":1}\n{\"a\":2}\n", "sequence"),
    ("{\"a\":1}{\"a\":2}", "sequence"),
    ("{\"a\":[{\"x\":1}]}\n{\"a\":[{\"x\":1}]}", "sequence"),
    (#"{"data":{"stations":[{"id":1},{"id":2}]},"ttl":5}"#, "\"/data/stations\""),
    (#"{"a/b":{"c~d":[{}]}}"#, "\"/a~1b/c~0d\""),
    (#"{"\u00e9\"":[{"x":[{}]}]}"#, "\"/é\"\""),
    (#"{"numbers":[1,2],"empty":[],"rows":[ {"id":1}, 7 ]}"#, "\"/rows\""),
    (#"{"list":[[{"id":1}]],"n":null}"#, "sequence"),
    (#"{"a":[{"x":","},{"x":"]"}],"b":{"c":[{}]}}"#, "ambiguous /a:2 /b/c:1"),
    (#"{"type":"FeatureCollection","features":[],"other":[{}]}"#, "\"/features\""),
    (#"{"other":[{}],"type":"FeatureCollection""#, "\"/features\""),
    (#"{"type":"Feature","properties":{"rows":[{}]}}"#, "sequence"),
    (#"{"meta":{"type":"Feature"},"rows":[{}]}"#, "\"/rows\""),
    (#"{"name":"x","tags":[{"k":1}],"identifier":"1"}"#, "sequence"),
    (#"{"name":"x","tags":[{"k":1}]}"#, "\"/tags\""),
    (#"{"name":"x","identifier":"1","features":[{}],"type":"FeatureCollection"}"#, "\"/features\""),
    ("{\"name\":\"x\",\"identifier\":1,\"t\":}\n[7]", "sequence"),
    (#"{"columns":["a","b\u0031"],"rows":[[1,2]"#, "\"/rows\" a b1"),
    (#"{"n":1,"data":[[1,[2]],[]],"index":[0],"columns":["a"]"#, "\"/data\" a"),
    (#"{"columns":["a"],"rows":[]}"#, "\"/rows\" a"),
    ("{\"columns\":[\"a\"],\"rows\":[[1]]}\n{\"columns\":[\"a\"],\"rows\":[[1]]}", "sequence"),
    (#"{"identifier":1,"name":2,"columns":["a"],"rows":[[1]]}"#, "sequence"),
    (#"{"columns":["a","a"],"rows":[[1,2]]}"#, "sequence"),
    (#"{"columns":["a",1],"rows":[[1,2]]}"#, "sequence"),
    (#"{"columns":[["a"]],"rows":[[1,2]]}"#, "sequence"),
    (#"{"columns":["a"],"rows":[{"x":1}]}"#, "\"/rows\""),
    (#"{"x":{"columns":["a"],"rows":[[1]]}}"#, "sequence"),
    (#"{"n":{"0":"a","1":"b"},"l":{"0":1,"1":[2]}}"#, "column-wise"),
    (#"{"n":{"0":"a","1":"b"},"l":{"0":1,"2":2}}"#, "sequence"),
    (#"{"n":{"0":"a"},"l":{"0":{}}}"#, "sequence"), (#"{"n":{"0":"a"},"l":{}}"#, "sequence"),
    (#"{"n":{"0":"a"},"l":{"0":1},"m":2}"#, "sequence"), (#"{"n":{"0":"a"}}"#, "sequence"),
    (#"{"data":{"rows":[{"id":1},{"id":2"#, "\"/data/rows\""),
    (#"{"data":{"rows":[{"id":1},{"id":2}}]},"more":[{}]}"#, "\"/data/rows\""),
    ("{\"a\":1,\n{\"a\":2}\n", "sequence"),
    ("{\"a\":\"x\n{\"a\":2}\n", "sequence"),
    ("{\"t\":[{\"k\":1}],\"a\":1 \"b\"}\n{\"t\":[{\"k\":1}]}\n", "sequence"),
    ("{\"t\":[{\"k\":1}]\n{\"t\":[{\"k\":1}]}\n", "sequence"),
    ("{\"t\":[{\"k\":1}\n{\"t\":[{\"k\":1}]}\n", "\"/t\""),
    ("{\"marker\":1,\"t\":[{\"k\":1}]}", "sequence"),
    ("}{", "sequence"),
    ("{\"a\":}\n{\"a\":2}\n", "sequence"),
    ("{\"a\":1 \"b\":2}\n{\"a\":2}\n", "sequence"),
    ("{\"a\":1{}}\n{\"a\":2}\n", "sequence"),
    ("{\"t\":[{}],\"a\":}\n7", "\"/t\""),
    ("{\n\"t\":[{}],\"a\":]", "\"/t\""),
    ("{\"\\\\\\/\\b\\f\\n\\r\\t\":[{}]}", "\"/\\~1\u{8}\u{C}\n\r\t\""),
    ("{\"\\u00gg\":[{}]}", "\"/\\u00gg\""), ("{\"\\x\":[{}]}", "\"/\\x\""),
    ("\u{C}\n{\"t\":[{}]}\u{C}", "\"/t\""), ("\u{B}\n{}\n\u{C}\n{}", "sequence"),
    ("// of\n{\"t\":[{}]}", "\"/t\""), ("\u{FEFF}/* \n */ /**/[7]", "\"\""), ("// x", "sequence"),
    ("// [ {\n{\"a\":1}", "sequence"), ("/* [ */\n// {\n{\"t\":[{}]}", "\"/t\""),
    ("// x\n{\"a\":1}\n// y\n{\"a\":2}", "sequence"),
    ("{\"t\":[{}]}\n// y", "\"/t\""), ("{\"t\":[{}]} x\n[7]/", "\"/t\""),
    ("{\"t\":[{}]},\n{\"t\":[{}]}", "sequence"), ("{\"t\":[\n{\"t\":[{}]}", "\"/t\""),
    ("{\"t\":[{\"u\":http://x}]}]}\n{\"t\":[{}]}", "sequence"),
    ("{\"t\":[{}],\"a\":" + String(repeating: "{\"a\":", count: 10_001), "\"/t\""),
    ("{\"t\":[{}],\"a\":" + String(repeating: "[", count: 10_001), "\"/t\""),
  ]

  /// Inputs whose elements may have members named `id` or `name`.
  static let namedTable: [(input: String, outcome: String)] = [
    (#"{"data":[]}"#, "\"/data\""),
    (#"{"a":{"b":[ ]},"c":[]} "#, "\"/a/b\""),
    (#"{"id":1,"data":[]}"#, "sequence"),
    (#"{"\u0069d":1,"data":[]}"#, "sequence"),
    (#"{"data":[],"meta":{"name":1}}"#, "ambiguous /data:0"),
    (#"{"data":[]"#, "sequence"), ("{\"data\":[]} // x", "\"/data\""),
    ("{\"id\":1,\"data\":[{}]} x", "sequence"), ("{\"data\":[{}]} x", "ambiguous /data:1"),
    ("{\"data\":[]}\n{}", "sequence"),
    ("{\"data\":[],\"a\":1 \"b\"}\n7", "sequence"),
    (#"{"data":[1],"n":null}"#, "sequence"),
    (
      #"{"links":[{"x":"id"},{"x":{"id":1}},{"x":[{"id":1}],"y":0},["id"],"id",{}]}"#,
      "ambiguous /links:6"
    ),
    (#"{"links":[{"x":"id"},{"x":{"id":1},"name":2}]}"#, "\"/links\""),
    (#"{"links":[{},{"x":[1,{"y":2}],"\u0069d":1}],"e":[]}"#, "\"/links\""),
    (#"{"e":[],"links":[{"x":1}]}"#, "ambiguous /links:1 /e:0"),
    (#"{"e":[],"links":[{"x":1}],"id":1}"#, "sequence"),
    (#"{"name":[{"x":1}]}"#, "sequence"),
    (#"{"name":[{"x":1}],"links":[{"x":1}]}"#, "ambiguous /name:1 /links:1"),
    (#"{"links":[{"x":1"#, "\"/links\""),
    (#"{"a":[{"x":1}],"a":[{"id":1}],"a":[]}"#, "\"/a\""),
    (#"{"a":[],"a":[{"id":1}],"b":[],"b":[]}"#, "\"/a\""),
    (#"{"a":[],"a":[]}"#, "\"/a\""),
    (#"{"a":[{}],"b":[{}],"c":[],"a":[{},{}]}"#, "ambiguous /a:3 /b:1 /c:0"),
  ]

  private func detect(
    _ input: String, chunkSize: Int, elementNames: [String] = [], knownPlaces: [JSONPointer] = []
  ) -> String {
    let bytes = Array(input.utf8)
    var detector = ShapeDetector(
      elementMarkers: [["identifier", "name"], [], ["marker"]], elementNames: elementNames,
      knownPlaces: knownPlaces)
    var offset = 0
    while offset < bytes.count {
      let end = min(bytes.count, offset + chunkSize)
      detector.append(bytes.span.extracting(offset..<end))
      offset = end
    }
    detector.finish()
    switch detector.outcome {
    case nil: return "none"
    case .sequence: return "sequence"
    case .delimited(let delimiter): return "delimited by \(Character(Unicode.Scalar(delimiter)))"
    case .container(let pointer):
      return (["\"\(pointer)\""] + detector.columns).joined(separator: " ")
    case .columnWise: return "column-wise"
    case .ambiguous(let candidates):
      return candidates.reduce("ambiguous") { $0 + " \($1.pointer):\($1.elementCount)" }
    }
  }

  @Test(arguments: [1, 2, 3, 1_000])
  func `every kind of input gives the expected shape in any chunks`(chunkSize: Int) {
    for (input, outcome) in Self.table {
      #expect(detect(input, chunkSize: chunkSize) == outcome, "\(input)")
    }
    for (input, outcome) in Self.namedTable {
      #expect(
        detect(input, chunkSize: chunkSize, elementNames: ["id", "name"]) == outcome, "\(input)")
    }
  }

  @Test func `a certain outcome is available at once`() {
    for (input, outcome) in [
      ("[7", ShapeDetector.Outcome.container(JSONPointer(tokens: []))),
      ("{} {", .sequence),
      (#"{"type":"FeatureCollection""#, .container(JSONPointer(tokens: ["features"]))),
    ] {
      var detector = ShapeDetector()
      detector.append(Array(input.utf8).span)
      #expect(detector.outcome == outcome, "\(input)")
    }
  }

  @Test func `the array at a known place is the elements, beside the names of one`() {
    let places = [
      JSONPointer(tokens: ["result"]),
      JSONPointer(tokens: ["groups", "*", "rows"], wildcards: [1]),
    ]
    for (input, outcome) in [
      (#"{"identifier":7,"name":"x","tags":[{}],"result":[]}"#, "\"/result\""),
      (#"{"identifier":7,"name":"x","groups":{"a":{"rows":[{}]"#, "\"/groups/*/rows\""),
      (#"{"identifier":7,"name":"x","groups":{"rows":[{}]}}"#, "sequence"),
    ] {
      #expect(detect(input, chunkSize: 1, knownPlaces: places) == outcome, "\(input)")
    }
  }

  @Test func `arrays after a very long name are not candidates`() {
    let name = String(repeating: "n", count: 5_000)
    var detector = ShapeDetector()
    detector.append(Array("{\"\(name)\":{\"a\":[{}]},\"b\":[{}]}".utf8).span)
    detector.finish()
    #expect(detector.outcome == .container(JSONPointer(tokens: ["b"])))
  }

  @Test func `pointers have limited steps and bytes`() {
    for (name, stepCount) in [
      ("n", ElementContext.stepLimit), (String(repeating: "n", count: 1_000), 8),
    ] {
      let open = String(repeating: "{\"\(name)\":", count: stepCount)
      let close = String(repeating: "}", count: stepCount)
      let tokens = Array(repeating: name, count: stepCount)
      for (input, outcome) in [
        (open + "[{}]" + close, ShapeDetector.Outcome.container(JSONPointer(tokens: tokens))),
        (open + "{\"\(name)\":[{}]}" + close, .sequence),
        (
          open + "{\"\(name)\":[{}],\"b\":[{}],\"\(name)\":{\"c\":[{}]}}" + close,
          stepCount < ElementContext.stepLimit
            ? .container(JSONPointer(tokens: tokens + ["b"])) : .sequence
        ),
        (
          "{\"a\":" + open + "{\"\(name)\":[{}]}" + close + ",\"b\":[{}]}",
          .container(JSONPointer(tokens: ["b"]))
        ),
      ] {
        var detector = ShapeDetector()
        detector.append(Array(input.utf8).span)
        detector.finish()
        #expect(detector.outcome == outcome, "\(stepCount) steps of \(name.utf8.count) bytes")
      }
    }
  }

  @Test func `many rows below their columns are detected before their end`() {
    for (count, isFound) in [(1_000, false), (1_001, true)] {
      let rows = Array(repeating: "[1,[2,3]]", count: count).joined(separator: ",")
      var detector = ShapeDetector()
      detector.append(Array(#"{"columns":["a","b"],"rows":[\#(rows)"#.utf8).span)
      #expect((detector.outcome != nil) == isFound, "\(count)")
      detector.finish()
      #expect(detector.outcome == .container(JSONPointer(tokens: ["rows"])))
      #expect(detector.columns == ["a", "b"])
    }
  }

  @Test func `an object with very many arrays is ambiguous before its end`() {
    var detector = ShapeDetector()
    detector.append([UInt8(ascii: "{")].span)
    var count = 0
    while detector.outcome == nil, count < 1_000 {
      detector.append(Array("\"m\(count)\":[{}],".utf8).span)
      count += 1
    }
    #expect(count == ShapeDetector.candidateLimit + 1)
  }
}
