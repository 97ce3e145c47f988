/// The first bytes of a malformed element that does not fit into the read buffer.
struct OversizedElement {
  /// As many bytes as an element may have.
  var bytes: [UInt8]

  /// Where they begin in the input, and on which line and column.
  var startOffset: Int
  var line: Int
  var column: Int
}

extension OversizedElement {
  /// The 0-based line and the bytes before the offset in that line; nil if the bytes do not reach
  /// it.
  func location(ofByteOffset byteOffset: Int) -> (line: Int, column: Int)? {
    let index = byteOffset - startOffset
    guard index >= 0 && index <= bytes.count else { return nil }
    var lines = LineCounter()
    lines.update(bytes.span.extracting(0..<index))
    let first = lines.lineCount == 0 ? column : 0
    return (line + lines.lineCount, first + index - lines.lineStart)
  }
}
