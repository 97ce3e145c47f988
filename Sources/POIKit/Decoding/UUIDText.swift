internal import JSONStreaming

/// Reads UUIDs in their text form (RFC 9562, section 4).
enum UUIDText {
  /// Appends `text` in upper case, if it is a UUID.
  ///
  /// - Returns: whether it is one; if not, nothing is appended.
  static func appendCanonical(
    _ text: Span<UInt8>, to output: inout GrowableBuffer<UInt8>
  ) -> Bool {
    guard text.count == 36 else { return false }
    let start = output.count
    for index in text.indices {
      let byte = text[index]
      switch (index, byte) {
      case (8, _), (13, _), (18, _), (23, _):
        guard byte == UInt8(ascii: "-") else {
          output.truncate(to: start)
          return false
        }
        output.append(byte)
      case (_, 0x30...0x39), (_, 0x41...0x46):
        output.append(byte)
      case (_, 0x61...0x66):
        output.append(byte - 0x20)
      default:
        output.truncate(to: start)
        return false
      }
    }
    return true
  }
}
