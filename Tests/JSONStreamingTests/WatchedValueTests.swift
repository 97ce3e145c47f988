import JSONStreaming
import Testing

@Suite struct WatchedValueTests {
  /// The watched value at the end of the input.
  private func watched(
    _ input: String, elements: String, at pointer: String, chunkSize: Int = .max,
    resumingAfter elementCount: Int? = nil
  ) throws -> String? {
    let bytes = Array(input.utf8)
    let shape = ElementShape.container(try JSONPointer(parsing: elements))
    var position = ReadingPosition.start
    if let elementCount {
      var reader = ElementReader(shape: shape)
      reader.append(bytes.span)
      for _ in 0..<elementCount { _ = try reader.next() }
      position = reader.position
    }
    var reader = ElementReader(
      shape: shape, resumingAt: position, watching: [try JSONPointer(parsing: pointer)])
    var offset = 0
    while true {
      switch try reader.next() {
      case .needsInput where offset < bytes.count:
        let end = min(offset + min(chunkSize, bytes.count), bytes.count)
        reader.append(bytes[offset..<end].span)
        offset = end
      case .needsInput: reader.finish()
      case .element, .malformed: break
      case .end: return reader.watchedText(0)
      }
    }
  }

  /// The input, the pointer of the elements, the watched pointer and the expected value.
  private static let cases: [(String, String, String, String?)] = [
    (#"{"meta":{"next":"a\u00e9\n"},"data":[{"meta":{"next":1}}]}"#, "/data", "/meta/next", "aé\n"),
    (
      #"{"data":[1,[2],{"next":3}],"meta":{"x":{"next":4},"next":-5.50,"y":[6]}}"#, "/data",
      "/meta/next", "-5.50"
    ),
    (#"{"data":{"items":[1],"next":true},"next":false}"#, "/data/items", "/data/next", "true"),
    (#"{"data":{"items":[1],"next":true},"next":false}"#, "/data/items", "/next", "false"),
    (#"{"data":[{"items":[1],"next":"n"},{"next":"m"}]}"#, "/data/0/items", "/data/0/next", "n"),
    (#"{"data":[{"items":[1],"next":"n"},{"next":"m"}]}"#, "/data/0/items", "/data/1/next", "m"),
    (#"{"data":[{"next":"m"},{"items":[1],"next":"n"}]}"#, "/data/1/items", "/data/0/next", "m"),
    (#"{"items":[1],"next":null}"#, "/items", "/next", nil),
    (#"{"next":"a","items":[1],"next":"b"}"#, "/items", "/next", "b"),
    (#"{"items":[1],"next":["a"]}"#, "/items", "/next", nil),
    (#"{"next":"a","items":[1],"next":{}}"#, "/items", "/next", nil),
    (#"{"items":[1],"next":["a","b"]}"#, "/items", "/next/1", "b"),
    (#"{"items":[1],"a/b":{"":"c"}}"#, "/items", "/a~1b/", "c"),
    (#"{"items":[1]}"#, "/items", "/next", nil),
    (#"{"items":[nul,{"a":1},2 3],"next":"n"}"#, "/items", "/next", "n"),
    (#"{"a":{"items":[{"a":tru}]},"b":1,"next":{"n":"n"}}"#, "/a/items", "/next/n", "n"),
  ]

  @Test(arguments: cases)
  func `a value around the elements is kept in any chunks`(
    input: String, elements: String, pointer: String, value: String?
  ) throws {
    for chunkSize in [.max, 1, 2, 7] {
      #expect(
        try watched(input, elements: elements, at: pointer, chunkSize: chunkSize) == value,
        "in chunks of \(chunkSize)")
    }
  }

  @Test func `a resumed reader knows values after its position`() throws {
    let input = #"{"first":"f","data":[{"items":[1,2,3],"next":"n"},{"last":"l"}]}"#
    for (pointer, value) in [
      ("/data/0/next", "n"), ("/data/1/last", "l"), ("/first", nil), ("/data/2/last", nil),
    ] {
      #expect(
        try watched(input, elements: "/data/0/items", at: pointer, resumingAfter: 2) == value,
        "\(pointer)")
    }
  }
}
