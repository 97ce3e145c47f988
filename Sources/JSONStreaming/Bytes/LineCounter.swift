internal import POIPlatform

/// Counts lines in a stream of bytes.
struct LineCounter: Sendable {
  /// The byte that ends a line.
  var lineEnd: UInt8 = 0x0A

  private(set) var lineCount = 0

  /// The byte offset of the first byte of the current line.
  private(set) var lineStart = 0

  private(set) var byteCount = 0
}

extension LineCounter {
  /// Counts the next bytes of the stream.
  mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { raw in
      guard let base = raw.baseAddress else { return }
      var offset = 0
      while offset < raw.count,
        let feed = unsafe memchr(base + offset, Int32(lineEnd), raw.count - offset)
      {
        offset = unsafe UnsafeRawPointer(feed) - base + 1
        lineCount += 1
        lineStart = byteCount + offset
      }
    }
    byteCount += bytes.count
  }
}
