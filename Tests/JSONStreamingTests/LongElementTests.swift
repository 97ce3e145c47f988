import Testing

@testable import JSONStreaming

/// What elements cost that come in many small pieces.
@Suite struct LongElementTests {
  private static let limits = ReadingLimits(
    elementByteCount: 1 << 24, stringByteCount: 1 << 24, keysPerObject: 10_000_000)

  @Test(arguments: [1_000, 4_096, 65_536])
  func `a long text is read again only as it doubles`(chunkSize: Int) throws {
    let text = String(repeating: "a", count: 1 << 22)
    let input = Array("[{\"a\":\"\(text)\",\"b\":1},{\"a\":2}]".utf8)
    var ends: Set<Int> = []
    let count = try read(input, chunkSize) { reader in
      if let end = reader.parser.state.yajlOffset { ends.insert(end) }
    }
    #expect(count == 2)
    let pieces = ReadBuffer.pieceSize / chunkSize
    #expect(ends.count <= pieces + 32, "\(ends.count) calls")
  }

  @Test(arguments: [1_000, 4_096, 65_536])
  func `what there is of a long element stays on its tape`(chunkSize: Int) throws {
    let numbers = String(repeating: "1,", count: 1 << 17)
    let input = Array("[{\"a\":[\(numbers)1]},{\"a\":2}]".utf8)
    var addresses: [Int] = []
    let count = try read(input, chunkSize) { reader in
      let address = unsafe reader.parser.state.tape.tokens.withUnsafeBufferPointer {
        Int(bitPattern: $0.baseAddress)
      }
      if reader.parser.state.yajlOffset != nil, addresses.last != address {
        addresses.append(address)
      }
    }
    #expect(count == 2)
    // It moves where it grows, which doubles it, and where the element begins and ends.
    #expect(addresses.count <= 10, "\(addresses.count) places")
  }

  /// The number of elements; `look` sees the reader each time that it waits for more.
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
