extension ElementReader {
  /// The error of a missing or surplus comma; its element has no bytes, since its neighbours may be
  /// valid.
  func separatorFlaw(at start: Int) -> Malformation? {
    let context = parser.state.context
    guard shape != .sequence, !parser.state.element.isInMember else { return nil }
    let byte = buffer[start]
    if context.needsComma {
      let beginsBracket = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
      guard byte == UInt8(ascii: "\"") || beginsBracket && !context.containerIsObject else {
        return nil
      }
      return .syntax("a comma is missing before \(Self.quoted(byte))", at: start)
    }
    let closer = context.containerIsObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
    guard byte == UInt8(ascii: ",") || byte == closer else { return nil }
    return .syntax("an element is missing before \(Self.quoted(byte))", at: start)
  }

  /// The error of the element at `start` that is detected first.
  mutating func malformation(of failure: ParseFailure, from start: Int) -> Malformation {
    var noticed = failure.noticedOffset
    var found: Malformation
    switch failure.kind {
    case .flaw(let flaw):
      found = flaw.malformation
    case .truncated:
      found = Malformation(
        rule: "truncated", message: "the input ends inside this element", byteOffset: noticed,
        isTruncated: true)
    case .stop(let reason):
      found = limitMalformation(reason, noticed, from: start)
    case .syntax:
      let syntax = diagnose(from: start)
      noticed = syntax.noticedOffset
      found = syntax.malformation
    }
    if noticed - start > limits.elementByteCount {
      noticed = start + limits.elementByteCount + 1
      found = limitMalformation(.elementBytes, noticed, from: start)
    }
    if let flaw = findings.first, flaw.noticedOffset < noticed { found = flaw.malformation }
    return found
  }

  private func limitMalformation(
    _ reason: ParseState.Stop, _ noticedOffset: Int, from start: Int
  ) -> Malformation {
    let offset = noticedOffset - 1
    switch reason {
    case .depth:
      return Malformation(
        rule: "depth", message: "nested deeper than \(limits.depth) levels", byteOffset: offset)
    case .keysPerObject:
      return Malformation(
        rule: "keys-per-object",
        message: "an object has more than \(limits.keysPerObject) members", byteOffset: offset)
    case .stringBytes:
      return Malformation(
        rule: "string-bytes",
        message: "a string or number is longer than \(limits.stringByteCount) bytes",
        byteOffset: offset)
    default:
      return Malformation(
        rule: "element-bytes",
        message: "longer than \(limits.elementByteCount) bytes",
        byteOffset: start + limits.elementByteCount)
    }
  }

  /// Parses the element again from its start, so that chunks do not affect the error.
  private func diagnose(from start: Int) -> (malformation: Malformation, noticedOffset: Int) {
    let isAmongElements = shape != .sequence && parser.state.context.isInContainer
    let prime = isAmongElements ? parser.state.containerPrime : []
    let span = buffer.span(start..<parsedOffset)
    // A closer is an error after a comma, but not as the first token of a container.
    guard
      let probe = SyntaxProbe(after: prime, of: span)
        ?? SyntaxProbe(after: parser.state.primeAfterComma, of: span)
    else {
      let message = "not valid json, at \(Self.quoted(span[0]))"
      return (Malformation(rule: "syntax", message: message, byteOffset: start), start + 1)
    }
    let flaw = "\(probe.text), at \(Self.quoted(span.extracting(probe.flaw)))"
    return (.syntax(flaw, at: start + probe.flaw.lowerBound), start + probe.seenByteCount)
  }

  private static func quoted(_ token: Span<UInt8>) -> String {
    guard token.count > 1 else { return quoted(token[0]) }
    let shown = (0..<min(token.count, 40)).map { token[$0] }
    return "\"" + String(decoding: shown, as: UTF8.self) + (token.count > 40 ? "…\"" : "\"")
  }

  static func quoted(_ byte: UInt8) -> String {
    if byte > 0x20 && byte < 0x7F { return "\"\(Unicode.Scalar(byte))\"" }
    let digits = String(byte, radix: 16, uppercase: true)
    return "byte 0x" + (digits.utf8.count < 2 ? "0" : "") + digits
  }
}
