internal import JSONStreaming

enum EmailText {
  /// Whether `text` is an ASCII e-mail address such as name@example.org.
  ///
  /// Page: RFC 5321, section 4.1.2, `Mailbox`
  static func isAddress(_ text: Span<UInt8>) -> Bool {
    // Only the part before the last @ can contain another @, in quotes.
    guard let at = text.lastIndex(of: "@") else { return false }
    let local = text.extracting(0..<at)
    let domain = text.extracting(at + 1..<text.count)
    return
      (isDotted(local) { $0.isASCIIDigit || $0.isASCIILetter || $0.isOne(of: atomMarks) }
      || isQuoted(local)) && (isDomain(domain) || isLiteral(domain))
  }

  private static var atomMarks: StaticString { "!#$%&'*+-/=?^_`{|}~" }

  /// Whether `text` consists of non-empty parts, separated by dots, whose characters meet a condition.
  private static func isDotted(_ text: Span<UInt8>, _ condition: (UInt8) -> Bool) -> Bool {
    var partCount = 0
    for index in text.indices {
      if text[index] == UInt8(ascii: ".") {
        guard partCount > 0 else { return false }
        partCount = 0
      } else {
        guard condition(text[index]) else { return false }
        partCount += 1
      }
    }
    return partCount > 0
  }

  private static func isQuoted(_ text: Span<UInt8>) -> Bool {
    guard text.count >= 2, text[0] == UInt8(ascii: "\""),
      text[text.count - 1] == UInt8(ascii: "\"")
    else { return false }
    var index = 1
    while index < text.count - 1 {
      if text[index] == UInt8(ascii: "\\") {
        index += 1
        guard index < text.count - 1 else { return false }
      } else if text[index] == UInt8(ascii: "\"") {
        return false
      }
      guard (0x20...0x7E).contains(text[index]) else { return false }
      index += 1
    }
    return true
  }

  private static func isDomain(_ text: Span<UInt8>) -> Bool {
    let hyphen = UInt8(ascii: "-")
    guard isDotted(text, { $0.isASCIIDigit || $0.isASCIILetter || $0 == hyphen }) else {
      return false
    }
    // A label neither begins nor ends with a hyphen.
    for index in text.indices where text[index] == hyphen {
      guard index > 0, index < text.count - 1, text[index - 1] != UInt8(ascii: "."),
        text[index + 1] != UInt8(ascii: ".")
      else { return false }
    }
    return true
  }

  private static func isLiteral(_ text: Span<UInt8>) -> Bool {
    guard text.count > 2, text[0] == UInt8(ascii: "["), text[text.count - 1] == UInt8(ascii: "]")
    else { return false }
    let address = text.extracting(1..<text.count - 1)
    let tag: StaticString = "ipv6:"
    guard address.count > 5 else { return false }
    for index in 0..<5 {
      let letter = tag.withUTF8Buffer { unsafe $0[index] }
      if address[index] | 0x20 != letter | 0x20 { return AddressText.isIPv4(address) }
    }
    return AddressText.isIPv6(address.extracting(5..<address.count))
  }
}
