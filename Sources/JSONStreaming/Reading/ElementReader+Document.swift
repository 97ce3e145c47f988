extension ElementReader {
  /// Checks strictly that bytes are one JSON document (RFC 8259).
  ///
  /// - Parameters:
  ///   - bytes: the whole document; a byte-order mark at its start is skipped.
  ///   - limits: the limits on its size.
  ///   - chunkSize: the number of bytes parsed at a time; it does not affect the result.
  /// - Returns: the first flaw; nil for a valid document.
  /// - Complexity: O(n) in the number of bytes.
  public static func flaw(
    inDocument bytes: Span<UInt8>, limits: ReadingLimits = ReadingLimits(), chunkSize: Int = .max
  ) -> Malformation? {
    precondition(chunkSize > 0)
    var reader = ElementReader(shape: .sequence, limits: limits)
    var offset = 0
    var valueCount = 0
    while true {
      do throws(ReadingError) {
        switch try reader.next() {
        case .needsInput where offset == bytes.count:
          reader.finish()
        case .needsInput:
          let end = offset + min(chunkSize, bytes.count - offset)
          reader.append(bytes.extracting(offset..<end))
          offset = end
        case .element where reader.lineMode == .textSequence:
          return .syntax(
            "a record separator before the value begins a text sequence",
            at: reader.elementByteOffset)
        case .element:
          valueCount += 1
          guard valueCount > 1 else { continue }
          return .syntax("a second value follows the first", at: reader.elementByteOffset)
        case .malformed(let flaw):
          return flaw
        case .end where valueCount == 0:
          return .syntax("there is no value", at: bytes.count)
        case .end:
          return nil
        }
      } catch {
        return Malformation(rule: "syntax", message: error.message, byteOffset: error.byteOffset)
      }
    }
  }
}
