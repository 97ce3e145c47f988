// Rows of delimited text are put onto the tape as objects of texts.
extension ElementReader {
  /// Parses the rows of the next piece, after all rows before it were delivered; false if more bytes are needed.
  mutating func parseRows() throws(ReadingError) -> Bool {
    discardUnneeded()
    parsed.removeAll()
    findings.removeTaken()
    if let failure = rowParser?.failure {
      throw fail(failure.code, at: failure.offset, failure.message)
    }
    let start = rowParser?.offset ?? 0
    guard start < buffer.endOffset else {
      if buffer.isComplete { endReading() }
      return buffer.isComplete
    }
    do {
      let held = buffer.held
      let bytes = unsafe held.withUnsafeBufferPointer { unsafe $0 }
      unsafe rowParser?.parse(
        bytes, from: buffer.startOffset, pieceEnd: start + ReadBuffer.pieceSize,
        isLast: buffer.isComplete, onto: &parsed)
    }
    buffer.lineEnd = rowParser?.lineEnd ?? buffer.lineEnd
    let end = rowParser?.offset ?? start
    examinedByteCount += end - start
    findings.inspect(buffer.span(start..<end), at: start)
    if buffer.isComplete, end == buffer.endOffset { findings.finish(at: end) }
    return end > start || buffer.isComplete || rowParser?.failure != nil
  }
}
