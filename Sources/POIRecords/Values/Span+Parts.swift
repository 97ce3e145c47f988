internal import JSONStreaming

extension Span where Element == UInt8 {
  /// The index of the first `byte`, or the count if the text does not contain it.
  func firstIndex(of byte: Unicode.Scalar) -> Int {
    var index = 0
    while index < count, self[index] != UInt8(ascii: byte) { index += 1 }
    return index
  }

  func lastIndex(of byte: Unicode.Scalar) -> Int? {
    var index = count
    while index > 0 {
      index -= 1
      if self[index] == UInt8(ascii: byte) { return index }
    }
    return nil
  }

  func isAll(_ condition: (UInt8) -> Bool) -> Bool {
    for index in indices where !condition(self[index]) { return false }
    return true
  }
}

extension UInt8 {
  var isASCIIDigit: Bool { self &- 0x30 < 10 }

  var isASCIILetter: Bool { (self | 0x20) &- 0x61 < 26 }

  var isHexadecimalDigit: Bool { isASCIIDigit || (self | 0x20) &- 0x61 < 6 }

  func isOne(of set: StaticString) -> Bool {
    set.withUTF8Buffer { unsafe $0.contains(self) }
  }
}
