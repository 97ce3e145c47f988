internal import JSONStreaming

enum AddressText {
  /// Whether `text` is an IPv4 address such as 127.0.0.1.
  ///
  /// Page: RFC 3986, section 3.2.2, `IPv4address`
  static func isIPv4(_ text: Span<UInt8>) -> Bool {
    var (index, octetCount) = (0, 0)
    while octetCount < 4 {
      let start = index
      var octet = 0
      while index < text.count, index - start < 3, text[index].isASCIIDigit {
        octet = octet * 10 + Int(text[index] &- 0x30)
        index += 1
      }
      let digitCount = index - start
      guard digitCount > 0, octet <= 255, digitCount == 1 || text[start] != UInt8(ascii: "0")
      else { return false }
      octetCount += 1
      if octetCount < 4 {
        guard index < text.count, text[index] == UInt8(ascii: ".") else { return false }
        index += 1
      }
    }
    return index == text.count
  }

  /// Whether `text` is an IPv6 address such as 2001:db8::7, without brackets.
  ///
  /// Page: RFC 3986, section 3.2.2, `IPv6address`
  static func isIPv6(_ text: Span<UInt8>) -> Bool {
    // Groups of 16 bits; `::` may occur once, for one or more groups of zeros.
    var (index, groupCount) = (0, 0)
    var isShortened = false
    func isColon(at index: Int) -> Bool { index < text.count && text[index] == UInt8(ascii: ":") }
    if isColon(at: 0) {
      guard isColon(at: 1) else { return false }
      isShortened = true
      index = 2
    }
    while index < text.count {
      let start = index
      while index < text.count, text[index].isHexadecimalDigit { index += 1 }
      if index < text.count, text[index] == UInt8(ascii: ".") {
        groupCount += 2
        guard isIPv4(text.extracting(start..<text.count)) else { return false }
        index = text.count
        break
      }
      guard (1...4).contains(index - start) else { return false }
      groupCount += 1
      if index == text.count { break }
      guard isColon(at: index) else { return false }
      index += 1
      if isColon(at: index) {
        guard !isShortened else { return false }
        isShortened = true
        index += 1
      } else if index == text.count {
        return false
      }
    }
    return isShortened ? groupCount < 8 : groupCount == 8
  }
}
