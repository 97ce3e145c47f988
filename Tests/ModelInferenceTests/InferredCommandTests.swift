import JSONStreaming
import POITestSupport
import Testing

@testable import ModelInference
@testable import POIFiles
@testable import POIKit
@testable import POIRecords

/// The comments of `--infer` on how to import, and members with many names.
@Suite struct InferredCommandTests {
  /// The sentences in a model's comment that say how to import.
  private static func commands(
    _ inputs: (name: String, text: String)..., pointer: String? = nil
  ) throws -> [String] {
    var options = ModelInferenceTests.options
    options.pointer = pointer
    var inference = try ModelInference(options: options)
    for input in inputs {
      var source = BytesSource(Array(input.text.utf8), name: input.name)
      try inference.read(from: &source)
    }
    let comment = try ModelInferenceTests.member("$comment", of: inference.finish())?.string ?? ""
    return comment.split(separator: "Import: ").dropFirst()
      .compactMap { $0.split(separator: ", where FILE").first.map(String.init) }
  }

  @Test func `the command names the whole input if its members are the records`() throws {
    let text = #"{"x1":{"name":"a"},"x2":{"name":"b"}}"#
    #expect(
      try Self.commands(("a.json", text), pointer: "")
        == ["poi-import --model FILE --at '' a.json"])
    #expect(
      try Self.commands(("a.json", #"[{"name":"a"}]"#)) == ["poi-import --model FILE a.json"])
  }

  @Test func `the command can be given to a shell`() throws {
    for (name, word) in [
      ("a b.json", "'a b.json'"), ("it's.json", #"'it'\''s.json'"#), ("$(x).json", "'$(x).json'"),
      ("a_B-1.2/c+d,e@f:g%h=i.json", "a_B-1.2/c+d,e@f:g%h=i.json"), ("é.json", "'é.json'"),
      ("-a.json", "./-a.json"), ("~/a.json", "'~/a.json'"), ("- a", "'./- a'"),
      (FileSource.standardInputName, "-"),
    ] {
      #expect(
        try Self.commands((name, #"{"a b":[{"c":1}]}"#))
          == ["poi-import --model FILE --at '/a b' \(word)"])
    }
  }

  @Test func `inputs with records in different places have separate commands`() throws {
    #expect(
      try Self.commands(("a", #"{"r":[{"c":1}]}"#), ("b", #"[{"c":1}]"#), ("c", #"{"c":1}"#)) == [
        "poi-import --model FILE --at /r a", "poi-import --model FILE b c",
      ])
  }

  @Test func `records without a common member differ from records without members`() throws {
    func message(_ text: String) -> String? {
      #expect(throws: StoreError.self) { try ModelInferenceTests.infer(text) }?.message
    }
    #expect(message("[{},{}]")?.contains("the 2 records have no members") == true)
    let rare = (0..<2_000).map { #"{"m\#($0)":\#($0)}"# }.joined(separator: "\n")
    let told = message(rare) ?? ""
    #expect(told.contains("members that less than a quarter of the objects have"), "\(told)")
    let twice = message(#"{"a":1,"a":2,"a":3}"#) ?? ""
    #expect(twice.contains("/a (some records have it twice)"), "\(twice)")
  }

  // MARK: Many names

  @Test func `many thousands of names are distinguished up to the limit`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    // The common members are in random places among members that only one record has.
    let common = (0..<100).map { #""c\#($0)":\#($0 % 2 == 0 ? "1" : "\"x\"")"# }
    let records = (0..<200).map { record -> String in
      let others = record == 0 ? [] : (0..<400).map { #""m\#(record * 400 + $0)":{"k":1}"# }
      let members = (others + common).shuffled(using: &generator)
      return "{\(members.joined(separator: ","))}"
    }
    let document = try ModelInferenceTests.infer(
      records.joined(separator: "\n"), isStrict: true)
    let model = try Model(parsing: document)
    #expect(model.attributes.count == 100, "seed \(seed)")
    for attribute in model.attributes {
      let number = Int(String(attribute.name.dropFirst())) ?? 0
      let types: JSONTypes = number % 2 == 0 ? .integer : .string
      #expect(
        attribute.isRequired && attribute.types == types, "seed \(seed): \(attribute.name)")
    }
  }

  @Test func `names that share a hash are distinguished`() throws {
    let names = ["P!q2XK*H.{v:i^tK", "aGy0[e17{OWleeZy", "eB2TdX(%V2ibs725"]
    #expect(Set(names.map { MurmurHash3.digest(of: $0.utf8Span.span).low }).count == 1)
    let members = zip(names, ["1", #""x""#, "true"]).map { #""\#($0)":\#($1)"# }
    let orders = [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1], [1, 0, 2], [2, 0, 1]]
    let text = orders.map { "{\($0.map { members[$0] }.joined(separator: ","))}" }
      .joined(separator: "\n")
    let document = try ModelInferenceTests.infer(text, isStrict: true)
    let model = try Model(parsing: document)
    #expect(model.attributes.map { $0.types } == [.integer, .string, .boolean])
    #expect(model.attributes.allSatisfy { $0.isRequired })
    #expect(try ModelInferenceTests.rejects(text, document: document).isEmpty)
  }
}
