internal import JSONStreaming

/// Parts of ASCII texts.
extension Span where Element == UInt8 {
  /// The index of the first of `byte`; the count where there is none.
  func firstIndex(of byte: Unicode.Scalar) -> Int {
    var index = 0
    while index < count, self[index] != UInt8(ascii: byte) { index += 1 }
    return index
  }

  /// The index of the last of `byte`, or nil.
  func lastIndex(of byte: Unicode.Scalar) -> Int? {
    var index = count
    while index > 0 {
      index -= 1
      if self[index] == UInt8(ascii: byte) { return index }
    }
    return nil
  }

  /// Whether `condition` holds for all bytes.
  func isAll(_ condition: (UInt8) -> Bool) -> Bool {
    for index in indices where !condition(self[index]) { return false }
    return true
  }
}

/// Classes of ASCII characters.
extension UInt8 {
  var isASCIIDigit: Bool { self &- 0x30 < 10 }

  var isASCIILetter: Bool { (self | 0x20) &- 0x61 < 26 }

  var isHexadecimalDigit: Bool { isASCIIDigit || (self | 0x20) &- 0x61 < 6 }

  /// Whether it is one of the ASCII characters of `set`.
  func isOne(of set: StaticString) -> Bool {
    set.withUTF8Buffer { unsafe $0.contains(self) }
  }
}
