import JSONStreaming
import TestSupport
import Testing

/// JSON text sequences (RFC 7464), such as GeoJSON text sequences (RFC 8142).
@Suite struct TextSequenceTests {
  @Test(arguments: ElementReaderTests.chunkings)
  func `record separators before texts are skipped`(chunkSizes: [Int]) {
    let events = summaries(
      "\u{1E}{\"a\":1}\n\u{1E}\u{1E}\n[2]\n\u{1E}\"x\"\n\u{1E}4\n\u{1E}null\n\u{1E}",
      .sequence, chunkSizes: chunkSizes)
    #expect(events == [#"{"a":1}"#, "[2]", #""x""#, "4", "null", "end"])
  }

  @Test(arguments: ElementReaderTests.chunkings)
  func `a malformed text ends at the next record separator`(chunkSizes: [Int]) {
    let events = summaries(
      "\u{1E}{\"a\":\n1}\n\u{1E}{\"b\":[\n{\"c\":1},\n\u{1E}{\"d\":\"x\u{1E}{\"e\":1}\n\u{1E}{\"f\":",
      .sequence, chunkSizes: chunkSizes)
    #expect(
      events == [
        #"{"a":1}"#, "!syntax {\"b\":[\n{\"c\":1},", #"!syntax {"d":"x"#, #"{"e":1}"#,
        #"!truncated {"f":"#, "end",
      ])
  }

  @Test func `record separators are not skipped elsewhere`() throws {
    #expect(
      summaries("{\"a\":1}\n\u{1E}{\"a\":2}\n{\"a\":3}\n", .sequence)
        == [#"{"a":1}"#, "!syntax \u{1E}{\"a\":2}", #"{"a":3}"#, "end"])
    #expect(
      summaries("[1,\u{1E}2,3]", .container(try JSONPointer(parsing: "")))
        == ["1", "!syntax \u{1E}2", "3", "end"])
  }
}
