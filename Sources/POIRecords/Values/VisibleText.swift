internal import JSONStreaming

enum VisibleText {
  /// Whether UTF-8 text has only white space (Unicode `White_Space`), zero-width spaces and joiners, and
  /// byte-order marks.
  static func isBlank(_ text: Span<UInt8>) -> Bool {
    var index = 0
    while index < text.count {
      let lead = text[index]
      switch lead {
      case 0x20, 0x09...0x0D: index += 1
      case 0xC2, 0xE1, 0xE2, 0xE3, 0xEF:
        let length = lead == 0xC2 ? 2 : 3
        guard index + length <= text.count else { return false }
        var scalar = UInt32(lead == 0xC2 ? lead & 0x1F : lead & 0x0F)
        for place in index + 1..<index + length {
          scalar = scalar << 6 | UInt32(text[place] & 0x3F)
        }
        guard isInvisible(scalar) else { return false }
        index += length
      default: return false
      }
    }
    return true
  }

  private static func isInvisible(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x85, 0xA0, 0x1680, 0x2000...0x200D, 0x2028, 0x2029, 0x202F, 0x205F, 0x2060, 0x3000,
      0xFEFF:
      true
    default: false
    }
  }

  /// Whether UTF-8 text contains a control character (U+0000 to U+001F, U+007F to U+009F) other than tab,
  /// line feed and carriage return.
  static func holdsControl(_ text: Span<UInt8>) -> Bool {
    for index in text.indices {
      let byte = text[index]
      if byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D { return true }
      if byte == 0x7F { return true }
      if byte == 0xC2, index + 1 < text.count, text[index + 1] < 0xA0 { return true }
    }
    return false
  }
}
