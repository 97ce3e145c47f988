import JSONStreaming

/// Checks that bytes are one JSON document (RFC 8259), and strictly so.
///
/// - Parameters:
///   - bytes: the whole document; a byte-order mark in front of it is skipped.
///   - limits: how large it may be.
///   - chunkSize: how many bytes are parsed at a time; the answer does not depend on it.
/// - Returns: the first flaw, or nil if there is none.
func flaw(
  inDocument bytes: Span<UInt8>, limits: ReadingLimits = ReadingLimits(), chunkSize: Int = .max
) -> String? {
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
      case .element:
        valueCount += 1
        if valueCount > 1 { return "a second value follows the first" }
      case .malformed(let flaw): return flaw.message
      case .end: return valueCount == 0 ? "there is no value" : nil
      }
    } catch {
      return error.message
    }
  }
}
