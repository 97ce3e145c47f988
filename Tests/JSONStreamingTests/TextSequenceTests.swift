import JSONStreaming
import POITestSupport
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
  func `a byte-order mark may be before the first record separator`(chunkSizes: [Int]) {
    let events = summaries(
      "\u{FEFF}\u{1E}{\"a\":1}\n\u{1E}{\"b\":\n\u{1E}3\n", .sequence, chunkSizes: chunkSizes)
    #expect(events == [#"{"a":1}"#, "!syntax {\"b\":", "3", "end"])
  }

  @Test(arguments: ["\u{1E}[{\"a\":1}]\n", "\u{FEFF}\u{1E}[]\n"])
  func `a text sequence has no place below its texts`(text: String) {
    let events = summaries(text, .container(JSONPointer(tokens: [])))
    #expect(events == ["throws notAContainer"])
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
    for (text, offset) in [("\u{1E}1\n", 1), ("\u{FEFF}\u{1E}1\n", 4)] {
      #expect(ElementReader.flaw(inDocument: Array(text.utf8).span)?.byteOffset == offset)
    }
    #expect(
      summaries("{\"a\":1}\n\u{1E}{\"a\":2}\n{\"a\":3}\n", .sequence)
        == [#"{"a":1}"#, "!syntax \u{1E}{\"a\":2}", #"{"a":3}"#, "end"])
    #expect(
      summaries("[1,\u{1E}2,3]", .container(try JSONPointer(parsing: "")))
        == ["1", "!syntax \u{1E}2", "3", "end"])
  }
}
