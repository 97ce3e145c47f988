package import JSONStreaming

/// Validates UUIDs in text form (RFC 9562, section 4).
package enum UUIDText {
  /// Appends `text` in upper case if it is a UUID; returns whether it is one.
  package static func appendCanonical(
    _ text: Span<UInt8>, to output: inout GrowableBuffer<UInt8>
  ) -> Bool {
    guard text.count == 36 else { return false }
    return unsafe text.withUnsafeBytes { text in
      guard let bytes = text.baseAddress else { return false }
      // 8-4-4-4-12 digits; the last word overlaps the word before it.
      let part1 = unsafe EightBytes(bytes, at: 0).hexadecimalDigits
      let word2 = unsafe EightBytes(bytes, at: 8).word ^ hyphens2
      let word3 = unsafe EightBytes(bytes, at: 16).word ^ hyphens3
      let part2 = EightBytes(word2).hexadecimalDigits
      let part3 = EightBytes(word3).hexadecimalDigits
      let part4 = unsafe EightBytes(bytes, at: 24).hexadecimalDigits
      let part5 = unsafe EightBytes(bytes, at: 28).hexadecimalDigits
      // The XOR has turned hyphens into the digit 0.
      let wrongHyphens = (word2 ^ zeros) & mask2 | (word3 ^ zeros) & mask3
      guard part1.flaws | part2.flaws | part3.flaws | part4.flaws | part5.flaws | wrongHyphens == 0
      else { return false }
      unsafe output.appendUnchecked(room: 36) { start in
        let place = UnsafeMutableRawPointer(start)
        unsafe part1.upperCase.store(to: place, at: 0)
        unsafe EightBytes(part2.upperCase.word ^ hyphens2).store(to: place, at: 8)
        unsafe EightBytes(part3.upperCase.word ^ hyphens3).store(to: place, at: 16)
        unsafe part4.upperCase.store(to: place, at: 24)
        unsafe part5.upperCase.store(to: place, at: 28)
        return unsafe start + 36
      }
      return true
    }
  }

  /// Whether `text` is a UUID in upper or lower case.
  static func isUUID(_ text: Span<UInt8>) -> Bool {
    guard text.count == 36 else { return false }
    for index in text.indices {
      let isHyphen = index == 8 || index == 13 || index == 18 || index == 23
      guard isHyphen ? text[index] == UInt8(ascii: "-") : text[index].isHexadecimalDigit else {
        return false
      }
    }
    return true
  }

  // The lanes of the hyphens in the second and third word, and the XOR of a hyphen with the digit 0.
  private static let mask2: UInt64 = 0x0000_FF00_0000_00FF
  private static let mask3: UInt64 = 0xFF00_0000_00FF_0000
  private static let hyphens2: UInt64 = 0x0000_1D00_0000_001D
  private static let hyphens3: UInt64 = 0x1D00_0000_001D_0000
  private static let zeros: UInt64 = 0x3030_3030_3030_3030
}
