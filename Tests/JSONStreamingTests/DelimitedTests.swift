import JSONStreaming
import POITestSupport
import Testing

/// Rows of delimited text.
@Suite struct DelimitedTests {
  private static let comma = ElementShape.delimited(by: UInt8(ascii: ","))

  private static func read(
    _ text: String, by delimiter: Character = ",", chunkSize: Int = .max, columns: [String] = [],
    places: [[UInt8]: [String]] = [:], limits: ReadingLimits = ReadingLimits()
  ) -> [String] {
    observe(
      Array(text.utf8), .delimited(by: delimiter.asciiValue ?? 0), limits: limits,
      chunkSizes: [chunkSize], columns: columns, places: places
    ).map(\.summary)
  }

  /// An input, its delimiter and its events.
  private static let table: [(text: String, delimiter: Character, events: [String])] = [
    ("a,b\n1,x\n2,y\n", ",", [#"{"a":"1","b":"x"}"#, #"{"a":"2","b":"y"}"#, "end"]),
    ("\u{FEFF}a,b\r\n1,x\r\n2,y", ",", [#"{"a":"1","b":"x"}"#, #"{"a":"2","b":"y"}"#, "end"]),
    ("a;b\r1;x\r2;y\r", ";", [#"{"a":"1","b":"x"}"#, #"{"a":"2","b":"y"}"#, "end"]),
    ("a,b\n\n\n1,x\n\r\n", ",", [#"{"a":"1","b":"x"}"#, "end"]),
    ("sep=;\na;b\n1;x\n", ";", [#"{"a":"1","b":"x"}"#, "end"]),
    ("2019,2020\n1,x\n", ",", [#"{"2019":"1","2020":"x"}"#, "end"]),
    ("4006381333931,5\n1,x\n", ",", [#"{"4006381333931":"1","5":"x"}"#, "end"]),
    ("sep=;\na,b\n1,x\n", ",", [#"{"a":"1","b":"x"}"#, "end"]),
    // An empty field is null, and quotes alone are an empty text.
    ("a,b,c\n,\"\",\n", ",", [#"{"a":null,"b":"","c":null}"#, "end"]),
    (
      "a,b\n\"x\ny, \"\"q\"\"\",\" \"\n\"\"\"\",z\n", ",",
      [#"{"a":"x\ny, \"q\"","b":" "}"#, #"{"a":"\"","b":"z"}"#, "end"]
    ),
    // A quote that does not begin a field is text.
    ("a\tb\nx\"y\"\t \"z\"\n", "\t", [#"{"a":"x\"y\"","b":" \"z\""}"#, "end"]),
    (
      "a,b\n1\n2,x\n3,y,z\n4,x,,\"\"\n", ",",
      ["!row-length 1", #"{"a":"2","b":"x"}"#, "!row-length 3,y,z", #"{"a":"4","b":"x"}"#, "end"]
    ),
    // Reading goes on at the next line that gives a whole row.
    (
      "a,b\n1,\"x\"y\n2,z\n", ",", ["!syntax 1,\"x\"y", #"{"a":"2","b":"z"}"#, "end"]
    ),
    (
      "a,b\n1,\"x\n2\n3,y\n4,\"z\"\n", ",",
      ["!syntax 1,\"x\n2", #"{"a":"3","b":"y"}"#, #"{"a":"4","b":"z"}"#, "end"]
    ),
    ("a,b\n1,\"x\n\n", ",", ["!syntax 1,\"x", "end"]),
    ("a,,b,\n1,,x,\n2,\"\",y,\n", ",", [#"{"a":"1","b":"x"}"#, #"{"a":"2","b":"y"}"#, "end"]),
    ("a,,b\n1,,x\n2,q,y\n3,,z\n", ",", [#"{"a":"1","b":"x"}"#, "throws invalidHeader"]),
    ("a,b,a\n1,2,3\n", ",", ["throws invalidHeader"]),
    (",\n1,2\n", ",", ["throws invalidHeader"]),
    ("\"a,b\n1,2\n", ",", ["throws invalidHeader"]),
    ("a,b\n", ",", ["end"]), ("", ",", ["end"]), ("\n\n", ",", ["end"]),
  ]

  @Test(arguments: [1, 2, 3, 5, .max])
  func `rows are objects of texts with the names of the header`(chunkSize: Int) {
    for (text, delimiter, events) in Self.table {
      let read = Self.read(text, by: delimiter, chunkSize: chunkSize)
      #expect(read == events, "\(text.debugDescription)")
    }
  }

  @Test func `names can be given, and lead to places inside`() {
    #expect(
      Self.read("1,x\n2,y\n", columns: ["a", "b"])
        == [#"{"a":"1","b":"x"}"#, #"{"a":"2","b":"y"}"#, "end"])
    let places: [[UInt8]: [String]] = [
      Array("c.n".utf8): ["c", "n"], Array("c.m".utf8): ["c", "m"], Array("lat".utf8): ["g", "1"],
      Array("x.y".utf8): ["x", "y"],
    ]
    #expect(
      Self.read("c.n,a,c.m,lat,x,x.y\n1,2,3,4,5,6\n", places: places)
        == [
          #"{"c":{"n":"1","m":"3"},"a":"2","g":[null,"4"],"x":"5","x.y":"6"}"#, "end",
        ])
  }

  @Test func `a line that names the delimiter is no row if columns are given`() {
    #expect(
      Self.read("sep=;\n1;x\n", by: ";", columns: ["a", "b"]) == [#"{"a":"1","b":"x"}"#, "end"])
    let far: [[UInt8]: [String]] = [Array("a".utf8): ["g", "1000000000"]]
    #expect(
      Self.read("a,b\n1,x\n", places: far) == [#"{"g":{"1000000000":"1"},"b":"x"}"#, "end"])
  }

  /// Each line opens a quote that the next one does not close. Without a limit this takes hours.
  @Test(arguments: [1_000, .max])
  func `damaged rows are searched in linear time`(chunkSize: Int) {
    let text = "a,b,c\n1,\"x\"y,2\n" + String(repeating: "a\",\"\n", count: 60_000) + "1,2,3\n"
    let read = Self.read(text, chunkSize: chunkSize)
    #expect(read.suffix(2) == [#"{"a":"1","b":"2","c":"3"}"#, "end"])
  }

  @Test func `a reject has the physical line on which its row begins`() throws {
    for (end, isCR) in [("\n", false), ("\r\n", false), ("\r", true)] {
      let lines = ["a,b", "1,\"x", "y", "z\"", "", "2", "3,w"]
      let events = observe(
        Array(lines.joined(separator: end).utf8), Self.comma, chunkSizes: [4])
      guard case .malformed(let element, let flaw, let line, let column) = events[1] else {
        Issue.record("\(events)")
        continue
      }
      #expect(flaw.rule == "row-length" && line == 5 && column == 0, "\(isCR)")
      #expect(String(decoding: element.bytes, as: UTF8.self) == "2")
    }
  }

  @Test(arguments: [1, 7, .max])
  func `bytes that are not UTF-8 reject their row, and no backslash is an escape`(chunkSize: Int) {
    let input = Array("a,b\n1,".utf8) + [0xE9] + Array(",\n2,\\ud800\\u\n3,\0\n".utf8)
    let events = observe(input, Self.comma, chunkSizes: [chunkSize])
    let summaries = events.map(\.summary)
    #expect(summaries[0].hasPrefix("!utf-8") && summaries.count == 4, "\(summaries)")
    guard case .element(let second) = events[1], case .element(let third) = events[2] else {
      Issue.record("\(summaries)")
      return
    }
    #expect(second.value == #"{"a":"2","b":"\\ud800\\u"}"# && !second.holdsNUL)
    #expect(third.holdsNUL)
    let header = observe(Array("\u{E9}".utf8.dropFirst()) + Array(",b\n1,2\n".utf8), Self.comma)
    #expect(header.map(\.summary) == ["throws unsupportedEncoding"])
  }

  @Test(arguments: [1, 10, .max])
  func `long fields and rows are rejected, and memory is bounded`(chunkSize: Int) {
    var limits = ReadingLimits(elementByteCount: 40, stringByteCount: 12, keysPerObject: 3)
    let long = String(repeating: "x", count: 13)
    let text =
      "a,b,c\n1,\(long),2\n2,\"\(long)\",3\n4,y,z\n5,\"" + String(repeating: "y", count: 60)
      + "\n6,v,w\n7," + String(repeating: "y\n", count: 60) + "8,v,w\n"
    let read = Self.read(text, chunkSize: chunkSize, limits: limits)
    #expect(read[0].hasPrefix("!string-bytes 1,") && read[1].hasPrefix("!string-bytes 2,"))
    #expect(read[2] == #"{"a":"4","b":"y","c":"z"}"#)
    #expect(read[3].hasPrefix("!element-bytes 5,\"yyy"), "\(read[3])")
    #expect(read[4] == #"{"a":"6","b":"v","c":"w"}"#)
    #expect(read[5] == "!row-length 7,y" && read[6] == "!row-length y")
    #expect(read.suffix(2) == [#"{"a":"8","b":"v","c":"w"}"#, "end"])
    limits.keysPerObject = 2
    #expect(Self.read(text, chunkSize: chunkSize, limits: limits).first?.contains("limit") == true)
  }

  /// Random fields, written in random form.
  @Test(arguments: 0..<UInt64(20))
  func `what was written is read`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let delimiter = [",", ";", "\t", "|"].randomElement(using: &generator) ?? ","
    let end = ["\n", "\r\n", "\r"].randomElement(using: &generator) ?? "\n"
    let pieces = ["x", "\"", "\n", "\r", " ", delimiter, "é", "🗺", "0", "\\", "{"]
    let columnCount = Int.random(in: 2...5, using: &generator)
    let columns = (0..<columnCount).map { "c\($0)" }
    var expected: [String] = []
    var lines = [columns.joined(separator: delimiter)]
    for _ in 0..<50 {
      var fields: [String] = []
      var members: [String] = []
      for column in columns {
        let count = Int.random(in: 0...6, using: &generator)
        let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
        let mustQuote =
          text.first == "\"" || text.contains(delimiter)
          || text.unicodeScalars.contains { $0 == "\n" || $0 == "\r" }
        let isNull = text.isEmpty && Bool.random(using: &generator)
        let isQuoted = mustQuote || !isNull && (text.isEmpty || Bool.random(using: &generator))
        let quoted = "\"" + text.replacing("\"", with: "\"\"") + "\""
        fields.append(isQuoted ? quoted : text)
        members.append("\"\(column)\":" + (isNull ? "null" : text.debugDescription))
      }
      lines.append(fields.joined(separator: delimiter))
      expected.append("{" + members.joined(separator: ",") + "}")
    }
    let text = lines.joined(separator: end) + end
    for chunkSize in [1, 3, 64, .max] {
      let read = Self.read(text, by: Character(delimiter), chunkSize: chunkSize)
      #expect(read == expected + ["end"], "seed \(seed), \(text.debugDescription)")
    }
  }

  @Test func `delimited text is told from JSON by its first rows`() {
    for (text, outcome) in [
      ("a,b\n1,2\n", ShapeDetector.Outcome.delimited(by: 0x2C)),
      ("a;b\n1;2,5\n2;3,5\n", .delimited(by: 0x3B)),
      ("a\tb,c\n1\t2\n", .delimited(by: 0x09)), ("a|b\n\"x|y\"|2\n", .delimited(by: 0x7C)),
      ("sep=#\na#b\n", .delimited(by: 0x23)), ("\u{FEFF}a,b\r\n1,2\r\n", .delimited(by: 0x2C)),
      ("a,b,c\n", .delimited(by: 0x2C)), ("a,b\n1,2\n3\n4,5\n", .delimited(by: 0x2C)),
      // Most rows have another number of fields.
      ("a,b\n1\n2\n3\n", .sequence), ("x\n", .sequence), ("", .sequence), ("a,\n", .sequence),
      ("a,b\n1,\u{1}\n", .sequence), ("a\nb\nc;d\n", .sequence),
      ("a,b\n{\"a\":1,\"b\":2}\n", .sequence),
      ("{\"a\":1}\n{\"b\":1}\n", .sequence), ("\"b\":2,\"c\":3}\n{\"b\":2,\"c\":3}\n", .sequence),
      ("[1,2]\n[3,4]\n", .container(JSONPointer(tokens: []))), ("// a,b\n// 1,2\n{}", .sequence),
    ] {
      for size in [1, 4, 1 << 20] {
        var detector = ShapeDetector()
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
          detector.append(bytes.span.extracting(start..<min(start + size, bytes.count)))
        }
        detector.finish()
        #expect(detector.outcome == outcome, "\(text.debugDescription)")
      }
    }
    var named = ShapeDetector(delimiter: 0x3A)
    named.append(Array("{".utf8).span)
    #expect(named.outcome == .delimited(by: 0x3A))
  }
}
