internal import JSONStreaming

extension JSONPointer {
  /// Whether `text` is a JSON pointer (RFC 6901, section 3).
  static func isPointer(_ text: Span<UInt8>) -> Bool {
    guard text.count > 0 else { return true }
    guard text[0] == UInt8(ascii: "/") else { return false }
    for index in text.indices where text[index] == UInt8(ascii: "~") {
      guard index + 1 < text.count,
        text[index + 1] == UInt8(ascii: "0") || text[index + 1] == UInt8(ascii: "1")
      else { return false }
    }
    return true
  }
}
