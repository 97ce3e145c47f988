/// Counts lines in a stream of bytes.
struct LineCounter: Sendable {
  /// The number of line feeds seen.
  private(set) var lineCount = 0

  /// The offset in the stream of the first byte of the current line.
  private(set) var lineStart = 0

  /// The number of bytes seen.
  private(set) var byteCount = 0
}

extension LineCounter {
  /// Takes the next bytes of the stream.
  ///
  /// - Complexity: O(n) in the number of bytes.
  mutating func update(_ bytes: Span<UInt8>) {
    let feeds = Self.lineFeedCount(in: bytes)
    if feeds > 0 {
      lineCount += feeds
      var last = bytes.count - 1
      while bytes[last] != 0x0A { last -= 1 }
      lineStart = byteCount + last + 1
    }
    byteCount += bytes.count
  }

  private static func lineFeedCount(in bytes: Span<UInt8>) -> Int {
    unsafe bytes.withUnsafeBytes { raw in
      guard let base = raw.baseAddress else { return 0 }
      var count = 0
      var index = 0
      while raw.count - index >= 32 {
        var found: UInt64 = 0
        for lane in 0..<4 {
          found |= unsafe ByteLanes(base, at: index + 8 * lane).anyEqual(0x0A)
        }
        if found != 0 {
          var lanes: UInt64 = 0
          for lane in 0..<4 {
            lanes &+= unsafe ByteLanes(base, at: index + 8 * lane).ones(where: 0x0A)
          }
          count += ByteLanes.sum(lanes)
        }
        index += 32
      }
      while index < raw.count {
        if unsafe raw[index] == 0x0A { count += 1 }
        index += 1
      }
      return count
    }
  }
}
