internal import JSONStreaming

enum URIText {
  /// Whether `text` is a URI with a scheme.
  ///
  /// Page: RFC 3986, appendix A, `URI`
  static func isURI(_ text: Span<UInt8>) -> Bool {
    let colon = text.firstIndex(of: ":")
    guard colon < text.count, colon > 0, text[0].isASCIILetter,
      text.extracting(0..<colon).isAll({
        $0.isASCIILetter || $0.isASCIIDigit || $0.isOne(of: "+-.")
      })
    else { return false }
    let rest = text.extracting(colon + 1..<text.count)
    let hash = rest.firstIndex(of: "#")
    if hash < rest.count {
      guard hasOnly(rest.extracting(hash + 1..<rest.count), beside: "!$&'()*+,;=:@/?") else {
        return false
      }
    }
    let beforeFragment = rest.extracting(0..<hash)
    let question = beforeFragment.firstIndex(of: "?")
    if question < beforeFragment.count {
      guard
        hasOnly(
          beforeFragment.extracting(question + 1..<beforeFragment.count),
          beside: "!$&'()*+,;=:@/?")
      else { return false }
    }
    return isHierarchical(beforeFragment.extracting(0..<question))
  }

  private static func isHierarchical(_ text: Span<UInt8>) -> Bool {
    let slash = UInt8(ascii: "/")
    guard text.count >= 2, text[0] == slash, text[1] == slash else {
      return hasOnly(text, beside: "!$&'()*+,;=:@/")
    }
    let rest = text.extracting(2..<text.count)
    let end = rest.firstIndex(of: "/")
    return isAuthority(rest.extracting(0..<end))
      && hasOnly(rest.extracting(end..<rest.count), beside: "!$&'()*+,;=:@/")
  }

  private static func isAuthority(_ text: Span<UInt8>) -> Bool {
    var host = text
    if let at = text.lastIndex(of: "@") {
      guard hasOnly(text.extracting(0..<at), beside: "!$&'()*+,;=:") else { return false }
      host = text.extracting(at + 1..<text.count)
    }
    var port = host.count
    if host.count > 0, host[0] == UInt8(ascii: "[") {
      let end = host.firstIndex(of: "]")
      guard end < host.count, isLiteral(host.extracting(1..<end)) else { return false }
      port = end + 1
    } else {
      port = host.firstIndex(of: ":")
      guard hasOnly(host.extracting(0..<port), beside: "!$&'()*+,;=") else { return false }
    }
    guard port < host.count else { return true }
    return host[port] == UInt8(ascii: ":")
      && host.extracting(port + 1..<host.count).isAll(\.isASCIIDigit)
  }

  /// Whether `text` is a valid IP literal, without its brackets.
  private static func isLiteral(_ text: Span<UInt8>) -> Bool {
    guard text.count > 0, text[0] | 0x20 == UInt8(ascii: "v") else {
      return AddressText.isIPv6(text)
    }
    let dot = text.firstIndex(of: ".")
    return dot > 1 && dot < text.count - 1
      && text.extracting(1..<dot).isAll(\.isHexadecimalDigit)
      && text.extracting(dot + 1..<text.count).isAll {
        isUnreserved($0) || $0.isOne(of: "!$&'()*+,;=:")
      }
  }

  /// Whether `text` has only unreserved characters, percent-encoded bytes and characters of `others`.
  private static func hasOnly(_ text: Span<UInt8>, beside others: StaticString) -> Bool {
    var index = 0
    while index < text.count {
      if text[index] == UInt8(ascii: "%") {
        guard index + 2 < text.count, text[index + 1].isHexadecimalDigit,
          text[index + 2].isHexadecimalDigit
        else { return false }
        index += 3
      } else {
        guard isUnreserved(text[index]) || text[index].isOne(of: others) else { return false }
        index += 1
      }
    }
    return true
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    byte.isASCIILetter || byte.isASCIIDigit || byte.isOne(of: "-._~")
  }
}
