import JSONStreaming
import TestSupport
import Testing

@testable import POIKit

/// What `--infer` says of how to import, and of members with many names.
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

  @Test func `the command names the whole input where its members are the records`() throws {
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

  @Test func `inputs whose records stand in different places have commands of their own`() throws {
    #expect(
      try Self.commands(("a", #"{"r":[{"c":1}]}"#), ("b", #"[{"c":1}]"#), ("c", #"{"c":1}"#)) == [
        "poi-import --model FILE --at /r a", "poi-import --model FILE b c",
      ])
  }

  @Test func `records without a member that is common are told from those without any`() throws {
    func message(_ text: String) -> String? {
      #expect(throws: ImportError.self) { try ModelInferenceTests.infer(text) }?.message
    }
    #expect(message("[{},{}]")?.contains("the 2 records have no members") == true)
    let rare = (0..<300).map { #"{"m\#($0)":\#($0)}"# }.joined(separator: "\n")
    let told = message(rare) ?? ""
    #expect(told.contains("300 members that less than a quarter of the objects have"), "\(told)")
    #expect(told.contains("--at"), "\(told)")
    let twice = message(#"{"a":1,"a":2}"#) ?? ""
    #expect(twice.contains("/a (some records have it twice)"), "\(twice)")
  }
}
