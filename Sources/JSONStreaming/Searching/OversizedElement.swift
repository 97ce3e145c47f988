/// The first bytes of a malformed element that is too large for the read buffer.
struct OversizedElement {
  /// At most as many bytes as an element may have.
  var bytes: [UInt8]

  /// The position of the first byte.
  var startOffset: Int
  var line: Int
  var column: Int
}

extension OversizedElement {
  /// The 0-based line of an offset and its byte column; nil if it is after the bytes.
  func location(ofByteOffset byteOffset: Int) -> (line: Int, column: Int)? {
    let index = byteOffset - startOffset
    guard index >= 0 && index <= bytes.count else { return nil }
    var lines = LineCounter()
    lines.update(bytes.span.extracting(0..<index))
    let first = lines.lineCount == 0 ? column : 0
    return (line + lines.lineCount, first + index - lines.lineStart)
  }
}
