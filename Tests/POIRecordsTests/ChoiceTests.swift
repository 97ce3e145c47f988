import JSONStreaming
import POIKitTestSupport
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// `enum` and `const`, which are looked up by a hash.
@Suite struct ChoiceTests {
  /// A random value; a few of them are often equal, written in one way or another.
  private static func value(depth: Int, using generator: inout SplitMix64) -> String {
    let scalars = [
      "null", "true", "false", "0", "-0", "0.0", "0e9", "1", "1.0", "10e-1", "0.1e1", "1e2", "100",
      "100.0", "-1", "-1.0", "9007199254740993", "9007199254740993.0", "9007199254740992",
      "123456789012345678901", "123456789012345678901.0", "123456789012345678902", "1e400",
      "10e399",
      "1e-400", "0.1e-399", "1e20", "100000000000000000000", "12345678901234567890e3",
      "12345678901234567890000", #""""#, #""a""#, #""\u0061""#, #""é""#, #""e\u0301""#, #""1""#,
      #""a\u0000""#, #""null""#,
    ]
    // A constant has no name twice.
    let names = [
      Bool.random(using: &generator) ? #""a""# : #""\u0061""#, #""b""#, #""é""#, #""e\u0301""#,
      #""c""#,
    ]
    let count = Int.random(in: 0...3, using: &generator)
    switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &generator) {
    case 4:
      let elements = (0..<count).map { _ in value(depth: depth - 1, using: &generator) }
      return "[\(elements.joined(separator: ", "))]"
    case 5:
      let members = names.shuffled(using: &generator).prefix(count).map {
        "\($0):\(value(depth: depth - 1, using: &generator))"
      }
      return "{\(members.joined(separator: " , "))}"
    default: return scalars.randomElement(using: &generator) ?? ""
    }
  }

  private static func hash(ofNumber lexeme: String) -> UInt64 {
    JSONScalar.hash(.number, lexeme.utf8Span.span)
  }

  @Test func `numbers that share a bucket under a known factor use as many buckets as others`() {
    let inverse = UInt64(0xD6E8_FEB8_6659_FD93).inverse
    let digits = (1..<2000).map { (UInt64($0) << 48) &* inverse }
      .filter { $0 < 10_000_000_000_000_000_000 && !$0.isMultiple(of: 10) }.prefix(800)
    #expect(digits.count == 800)
    #expect(digits.map { Self.hash(ofNumber: "\($0)") }.bucketCount > 600)
  }

  @Test func `numbers that begin with the same digits have hashes of their own`() {
    let texts = (1001..<2000).filter { $0 % 10 > 0 }.map { "-0.001234567890123456789\($0)" }
    #expect(Set(texts.map(Self.hash)).count == texts.count)
  }

  @Test(arguments: [
    ("12345678901234567890.5", "1234567890123456789050e-2"),
    ("0.00123456789012345678900070", "12345678901234567890007e-25"),
  ])
  func `a long number has one hash, however it is written`(_ left: String, _ right: String) {
    let areEqual = ExactNumber(left.utf8Span.span) == ExactNumber(right.utf8Span.span)
    #expect(areEqual)
    #expect(Self.hash(ofNumber: left) == Self.hash(ofNumber: right))
  }

  @Test func `a text that is read as a number is one of the constants as well`() throws {
    let numbers = (0..<20).map { "\($0)" }.joined(separator: ",")
    let model = try Model(
      parsing: #"""
        {"x-table":"t","properties":{
        "a":{"type":"integer","x-lenient":true,"enum":[\#(numbers)]},
        "b":{"type":["boolean","null"],"x-lenient":true,"enum":[\#(numbers),false,null]}}}
        """#)
    var session = try ImportSession(checking: model)
    let texts = [
      #"{"a":"7"}"#, #"{"a":7.0}"#, #"{"b":"false"}"#, #"{"b":null}"#,
      #"{"a":"70"}"#, #"{"b":"true"}"#,
    ]
    try session.append(Array(texts.joined(separator: "\n").utf8).span)
    let report = try session.finish()
    #expect(report.counters.inserted == 4)
    #expect(report.rejectsByRule.map { "\($0.rule) \($0.count)" } == ["enum 2"])
  }

  @Test func `a message lists ten of many constants`() throws {
    func message(_ count: Int) throws -> String {
      let numbers = (0..<count).map { "\($0)" }.joined(separator: ",")
      let model = try Model(
        parsing: #"{"x-table":"t","properties":{"a":{"enum":[\#(numbers)]}}}"#)
      return try ImportFixture.importText(#"[{"a":-1}]"#, model: model).1.joined()
    }
    #expect(try message(10).contains("is not one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9"))
    #expect(try !message(10).contains("more"))
    #expect(
      try message(20_000).contains("is not one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 19990 more"))
  }

  @Test func `a value is one of the constants exactly if it equals one of them`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    var acceptedCount = 0
    let roundCount = TestLength.count(60, long: 300)
    for round in 0..<roundCount {
      let count = Int.random(in: 1...40, using: &generator)
      let constants = (0..<count).map { _ in Self.value(depth: 2, using: &generator) }
      let values = (0..<40).map { _ in Self.value(depth: 2, using: &generator) }
      let model = try Model(
        parsing:
          #"{"x-table":"t","properties":{"a":{"items":{"enum":[\#(constants.joined(separator: ","))]}}}}"#
      )
      var options = ImportOptions()
      options.batchSize = 1
      var accepted: [Bool] = []
      for value in values {
        var session = try ImportSession(checking: model, options: options)
        try session.append(Array(#"[{"a":[\#(value)]}]"#.utf8).span)
        accepted.append(try session.finish().counters.rejected == 0)
      }
      let expected = try values.map { try Self.isOne(of: constants, $0) }
      for index in values.indices where accepted[index] != expected[index] {
        Issue.record("seed \(seed), round \(round): \(values[index]) in \(constants)")
      }
      acceptedCount += accepted.count { $0 }
    }
    #expect(acceptedCount > roundCount * 3)
  }

  /// Whether a value equals one of the constants, by looking at one after the other.
  private static func isOne(of constants: [String], _ value: String) throws -> Bool {
    var reader = ElementReader(shape: .container(JSONPointer(tokens: [])), isResumable: false)
    reader.append(Array("[[\((constants + [value]).joined(separator: ","))]]".utf8).span)
    reader.finish()
    _ = try reader.next()
    let tape = reader.tape
    var places: [Int] = []
    var place = reader.elementTokens.lowerBound + 1
    while tape[place].kind != .endArray {
      places.append(place)
      place = tape.end(ofValueAt: place)
    }
    let last = places.removeLast()
    return places.contains { tape.hasValue(at: $0, equalTo: last, of: tape) }
  }
}
