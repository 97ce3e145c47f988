import JSONStreaming
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct LineEmitterTests {
  private static let document =
    #"{"x-table":"t","x-key":["id","on"],"x-timestamp":"at","x-tombstone":{"attribute":"gone","removal":"mark"},"#
    + #""properties":{"id":{"type":["string","null"]},"on":{"type":["boolean","null"]},"#
    + #""at":{"type":["string","null"],"format":"date-time"},"gone":{"type":["boolean","null"]},"#
    + #""n":{"type":["number","null"],"maximum":9}}}"#

  /// The lines of the output, each as its fields.
  private static func fields(
    of input: [UInt8], pieces: [Int] = [], shards: Int = 1,
    _ change: (inout ImportOptions) -> Void = { _ in }
  ) throws -> [[String]] {
    var options = ImportOptions()
    change(&options)
    var emitter = LineEmitter(
      try Model(parsing: document), options: options, shardCount: shards)
    var output = GrowableBuffer<UInt8>()
    var start = 0
    for end in pieces + [input.count] {
      emitter.append(input.span.extracting(start..<end), to: &output)
      start = end
    }
    emitter.finish(to: &output)
    return String(copying: output.span).split(separator: "\n").map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }

  @Test func `each line says what a line of the input is`() throws {
    let lines = [
      #"  { "id" : "a\tb",\#t"on":true , "at":"1970-01-01T00:00:01Z", "more":[1, 2.50] } "#, "",
      " \r",
      #"{"id":"a","on":false,"gone":true}"#, #"{"on":true}"#, #"{"id":"x","on":true,"n":10}"#,
      "{\"id\":",
      "{} {}", "1", "\u{1}7b0a226964223a2278222c226f6e223a747275657d", "\u{1}7b2", "null",
    ]
    let fields = try Self.fields(of: Array(lines.joined(separator: "\n").utf8))
    #expect(
      fields.map { $0[0] } == [
        "record", "record", "keyless", "reject", "reject", "reject", "reject", "record", "reject",
        "reject", "end",
      ])
    #expect(fields[0][1...3] == [#"["a\tb",true]"#, "1000000", "0"])
    #expect(
      fields[0][5...] == [
        "0", #"{"id":"a\tb","on":true,"at":"1970-01-01T00:00:01Z","more":[1,2.50]}"#,
      ])
    #expect(fields[1][1...3] == [#"["a",false]"#, #"\N"#, "1"])
    #expect(fields[2][1...3] == [#"\N"#, #"\N"#, "0"])
    #expect(fields[3..<7].map { $0[1] } == ["maximum", "syntax", "syntax", "not-an-object"])
    #expect(fields[7][1] == #"["x",true]"#)
    #expect(try JSONValue(parsing: fields[3][2])["raw"]?.string == lines[5])
    #expect(try JSONValue(parsing: fields[4][2])["line"]?.integer == 7)
    #expect(fields[10][1...5] == ["12", "2", "3", "1", "6"])
  }

  @Test func `shards together are one store`() throws {
    for _ in 0..<TestLength.count(20, long: 1_000) {
      let seed = UInt64.random(in: 0...UInt64.max)
      var generator = SplitMix64(seed: seed)
      var lines: [String] = []
      for _ in 0..<60 {
        let members = [
          "\"id\":\"\(Int.random(in: 0..<9, using: &generator))\"", "\"on\":true",
          "\"n\":\(Int.random(in: 0..<12, using: &generator))",
          "\"at\":\"2024-01-0\(Int.random(in: 0..<9, using: &generator))T00:00:00Z\"",
          "\"gone\":true",
        ]
        let some = members.filter { _ in Int.random(in: 0..<5, using: &generator) > 0 }
        lines.append("{\(some.joined(separator: ","))}")
        if Int.random(in: 0..<9, using: &generator) == 0 { lines.append("{\"id\":") }
      }
      let input = Array(lines.joined(separator: "\n").utf8)
      let model = try Model(parsing: Self.document)
      let whole = try Store.inMemory()
      let report = try whole.importRecords(from: .bytes(input), model: model)
      let fields = try Self.fields(of: input, shards: 3)
      // Where the input is split changes nothing.
      let pieces = (0..<5).map { _ in Int.random(in: 0...input.count, using: &generator) }.sorted()
      #expect(try Self.fields(of: input, pieces: pieces, shards: 3) == fields, "seed \(seed)")
      let records = fields.filter { $0[0] == "record" || $0[0] == "keyless" }
      #expect(fields.last?[6] == report.digest.description, "seed \(seed)")
      #expect(
        fields.count(where: { $0[0] == "reject" }) == report.counters.rejected, "seed \(seed)")
      // The shards' stores together are the one store, and the records of a key are in one shard.
      var sum = Digest.zero
      for shard in 0..<3 {
        let part = records.filter { $0[5] == "\(shard)" }.map { $0[6] }.joined(separator: "\n")
        let store = try Store.inMemory()
        try store.importRecords(from: .text(part), model: model)
        let digest = try store.digest(of: model).digest
        sum += digest
        // An import of the shard keeps the same records.
        var options = ImportOptions()
        options.shard = .init(shard, of: 3)
        options.batchSize = Int.random(in: 1...70, using: &generator)
        options.jobCount = Int.random(in: 1...2, using: &generator)
        let own = try Store.inMemory()
        let report = try own.importRecords(from: .bytes(input), model: model, options: options)
        #expect(report.digest == digest, "seed \(seed)")
        #expect(
          report.counters.elsewhere
            == records.count - part.split(separator: "\n").count, "seed \(seed)")
      }
      #expect(sum == report.digest, "seed \(seed)")
      let keyed = records.filter { $0[0] == "record" }
      #expect(
        Set(keyed.map { $0[1] }).count == Set(keyed.map { "\($0[1]) \($0[5])" }).count,
        "seed \(seed)")
    }
  }

  @Test func `a line that is too long is rejected wherever it is split, and the next one is not`()
    throws
  {
    let record = #"{"id":"a","on":true}"#
    let long = "{\"id\":\"" + String(repeating: "x", count: 5_000) + "\",\"on\":true}"
    let spaces = String(repeating: " ", count: 2_000)
    for line in [
      long, spaces + record, record + spaces + record, record + spaces, "\u{1}" + spaces + spaces,
    ] {
      let input = Array("\(line)\n\(record)\n".utf8)
      let expected = try Self.fields(of: input) { $0.limits.byteCount = 1_000 }
      #expect(expected.map { $0[0] } == ["reject", "record", "end"])
      #expect(expected[0][1] == "element-bytes")
      for pieces in [[100, 1_010], [1], [1_000, 1_001, 1_500], [input.count - 5]] {
        #expect(
          try Self.fields(of: input, pieces: pieces) { $0.limits.byteCount = 1_000 } == expected)
      }
    }
    // As hexadecimal digits, a record of the limit's length.
    let whole = record + String(repeating: " ", count: 1_000 - record.utf8.count)
    let digits = whole.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    for pieces in [[], [900, 1_900]] {
      let fields = try Self.fields(of: Array("\u{1}\(digits)\r\n".utf8), pieces: pieces) {
        $0.limits.byteCount = 1_000
      }
      #expect(fields.map { $0[0] } == ["record", "end"] && fields[0][6] == record)
    }
  }

  @Test(arguments: [("integer", "-7"), ("number", "2.5")])
  func `a key of a number is a number`(type: String, number: String) throws {
    let model = try Model(
      parsing: #"{"x-table":"t","x-key":"id","properties":{"id":{"type":"\#(type)"}}}"#)
    var emitter = LineEmitter(model, options: ImportOptions(), shardCount: 1)
    var output = GrowableBuffer<UInt8>()
    emitter.append(#"{"id":\#(number)}"#.utf8Span.span, to: &output)
    emitter.finish(to: &output)
    #expect(String(copying: output.span).hasPrefix("record\t[\(number)]\t"))
  }

  @Test func `a line of other characters than hexadecimal digits is rejected`() throws {
    let fields = try Self.fields(of: Array("\u{1}7g\n\u{1}7b7d\n".utf8))
    #expect(fields.map { $0[0] } == ["reject", "keyless", "end"])
    #expect(fields[0][1] == "syntax" && fields[0][2].contains("not hexadecimal"))
  }

  @Test func `a byte order mark and white space around a line do not count`() throws {
    let record = #"{"id":"a","on":true}"#
    let input = "\u{FEFF}\(record)\r\n\u{1}\n\u{1}EFbbbf20\n \(record)\t\n"
    let fields = try Self.fields(of: Array(input.utf8))
    #expect(fields.map { $0[0] } == ["record", "record", "end"])
    #expect(fields[0][6] == record && fields[2][1...3] == ["4", "2", "2"])
  }
}
