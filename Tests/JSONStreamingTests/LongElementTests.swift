import POITestSupport
import Testing

@testable import JSONStreaming

/// The cost of elements that arrive in many small pieces.
@Suite struct LongElementTests {
  private static let limits = ReadingLimits(
    elementByteCount: 1 << 24, stringByteCount: 1 << 24, keysPerObject: 10_000_000)

  @Test(arguments: [1_000, 4_096, 65_536])
  func `a long text is read again only after it doubles`(chunkSize: Int) throws {
    let text = String(repeating: "a", count: 1 << 22)
    let input = Array("[{\"a\":\"\(text)\",\"b\":1},{\"a\":2}]".utf8)
    var ends: Set<Int> = []
    let count = try read(input, chunkSize) { reader in
      if let end = reader.parser.state.yajl.offset { ends.insert(end) }
    }
    #expect(count == 2)
    let pieces = ReadBuffer.pieceSize / chunkSize
    #expect(ends.count <= pieces + 32, "\(ends.count) calls")
  }

  @Test(arguments: [1_000, 4_096, 65_536])
  func `the tape of an unfinished long element is not copied`(chunkSize: Int) throws {
    let numbers = String(repeating: "1,", count: 1 << 17)
    let input = Array("[{\"a\":[\(numbers)1]},{\"a\":2}]".utf8)
    var addresses: [Int] = []
    let count = try read(input, chunkSize) { reader in
      let address = unsafe reader.parser.state.tape.tokens.withUnsafeBufferPointer {
        Int(bitPattern: $0.baseAddress)
      }
      if reader.parser.state.yajl.offset != nil, addresses.last != address {
        addresses.append(address)
      }
    }
    #expect(count == 2)
    // The tape moves when it grows, and when the element begins and ends.
    #expect(addresses.count <= 10, "\(addresses.count) places")
  }

  /// Text in the middle of a long string, and after it.
  static let flaws: [(inside: String, after: String)] = [
    ("", "\"}"), ("\\u0000", "\"}"), ("\\ud800", "\"}"), ("\\x", "\"}"), ("\n", "\"}"),
    ("\"", "\"}"),
    ("", "\",}"), ("", "\"x}"), ("", ""), ("", "\"}]"), ("\",\"b\":[1,{}],\"c\":\"", "\"}"),
    ("\",\"a\":\"", "\"}"),
  ]

  @Test(arguments: TestLength.some(flaws, 4), [2_000_000, 900_000])
  func `pieces do not affect the events of long texts`(
    flaw: (inside: String, after: String), elementLimit: Int
  ) {
    let text = String(repeating: "abcdefgh", count: 64_000)
    let input = Array(
      ("[{\"a\":1},\n{\"a\":\"" + text + flaw.inside + text + flaw.after
        + ",\n{\"a\":2},\n{\"a\":3}]").utf8)
    let shape = ElementShape.container(JSONPointer(tokens: []))
    for limits in [
      ReadingLimits(elementByteCount: elementLimit, stringByteCount: 4_000_000),
      ReadingLimits(elementByteCount: elementLimit, stringByteCount: 500_000),
    ] {
      let whole = observe(input, shape, limits: limits)
      #expect(whole.count > 2)
      for chunkSize in TestLength.some([30_011, 65_536, 262_144, 300_000], 1) {
        let chunked = observe(input, shape, limits: limits, chunkSizes: [chunkSize])
        #expect(chunked == whole, "\(chunkSize)")
        let filled = observe(
          input, shape, limits: limits, chunkSizes: [chunkSize], usesFill: true)
        #expect(filled == whole, "\(chunkSize), filled")
      }
    }
  }

  /// Returns the number of elements; `look` sees the reader each time it needs input.
  private func read(
    _ input: [UInt8], _ chunkSize: Int, _ look: (borrowing ElementReader) -> Void
  ) throws -> Int {
    var reader = ElementReader(shape: .container(JSONPointer(tokens: [])), limits: Self.limits)
    var count = 0
    var offset = 0
    while true {
      switch try reader.next() {
      case .element: count += 1
      case .malformed: Issue.record("all elements are sound")
      case .end: return count
      case .needsInput:
        look(reader)
        guard offset < input.count else {
          reader.finish()
          continue
        }
        let end = min(input.count, offset + chunkSize)
        reader.append(input.span.extracting(offset..<end))
        offset = end
      }
    }
  }
}
