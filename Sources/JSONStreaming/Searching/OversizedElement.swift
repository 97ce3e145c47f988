/// The first bytes of a malformed element that is longer than `ReadingLimits.elementByteCount`;
/// the read buffer holds its later bytes only.
struct OversizedElement {
  /// At most `elementByteCount` bytes.
  var bytes: [UInt8]

  /// The 0-based offset, line and byte column of the first byte.
  var startOffset: Int
  var line: Int
  var column: Int
}

extension OversizedElement {
  /// The 0-based line of an offset and its byte column; nil before `bytes` or after their end.
  func location(ofByteOffset byteOffset: Int) -> (line: Int, column: Int)? {
    let index = byteOffset - startOffset
    guard index >= 0 && index <= bytes.count else { return nil }
    var lines = LineCounter()
    lines.update(bytes.span.extracting(0..<index))
    let first = lines.lineCount == 0 ? column : 0
    return (line + lines.lineCount, first + index - lines.lineStart)
  }
}
