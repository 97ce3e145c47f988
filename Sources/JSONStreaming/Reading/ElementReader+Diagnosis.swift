extension ElementReader {
  /// The flaw of a comma between two elements that is missing or one too many.
  ///
  /// The elements around it may be sound, so what is malformed has no bytes.
  func separatorFlaw(at start: Int) -> Malformation? {
    guard shape != .sequence else { return nil }
    let place = envelope.state.place
    let byte = buffer[start]
    if place.needsComma {
      let beginsBracket = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
      guard byte == UInt8(ascii: "\"") || beginsBracket && !place.containerIsObject else {
        return nil
      }
      return Malformation(
        rule: "syntax", message: "not valid json: a comma is missing before \(Self.quoted(byte))",
        byteOffset: start)
    }
    let closer = place.containerIsObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
    guard byte == UInt8(ascii: ",") || byte == closer else { return nil }
    return Malformation(
      rule: "syntax", message: "not valid json: an element is missing before \(Self.quoted(byte))",
      byteOffset: start)
  }

  /// What is wrong with the element at the boundary: of all that is, what shows first.
  ///
  /// - Returns: nil if more bytes are needed to know.
  mutating func diagnose(
    _ refusal: ElementScan.Refusal, _ flaw: TextFlaw?, isLast: Bool
  ) -> Malformation? {
    let start = envelope.state.boundary
    let limitOffset = start + limits.elementByteCount
    if refusal == .cut, !isLast, givenOffset <= limitOffset { return nil }
    if let flaw = separatorFlaw(at: start) { return flaw }
    var found: Malformation
    var noticedOffset: Int
    if case .limit(let limit, let offset) = refusal {
      (found, noticedOffset) = (limitMalformation(limit, at: offset - 1), offset)
    } else if let probe = SyntaxProbe(
      behind: shape == .sequence ? [] : envelope.containerPrime,
      of: buffer.span(start..<givenOffset))
    {
      (found, noticedOffset) = (malformation(probe, from: start), start + probe.seenByteCount)
    } else if isLast || givenOffset > limitOffset {
      noticedOffset = givenOffset
      found = Malformation(
        rule: "truncated", message: "the input ends inside this element",
        byteOffset: noticedOffset, isTruncated: true)
    } else {
      return nil
    }
    if noticedOffset > limitOffset {
      noticedOffset = limitOffset + 1
      found = limitMalformation(.elementBytes, at: limitOffset)
    }
    let textFlaw = textFlaw(in: start..<noticedOffset, isCut: true)
    // Behind half a surrogate pair the other half is looked for.
    if let flaw, flaw.byteOffset + 12 <= noticedOffset,
      flaw.byteOffset < textFlaw?.byteOffset ?? .max
    {
      return flaw.malformation
    }
    return textFlaw?.malformation ?? found
  }

  /// The first byte in a range of the input that is not UTF-8.
  ///
  /// - Parameter isCut: whether what follows the range may complete its last sequence.
  func textFlaw(in range: Range<Int>, isCut: Bool) -> TextFlaw? {
    let index = unsafe buffer.span(range).withUnsafeBufferPointer {
      unsafe StrictText.flaw(in: $0, isCut: isCut)
    }
    return index.map { TextFlaw(rule: .utf8, byteOffset: range.lowerBound + $0) }
  }

  private func limitMalformation(
    _ limit: ElementScan.Limit, at offset: Int
  ) -> Malformation {
    switch limit {
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
    case .elementBytes:
      return Malformation(
        rule: "element-bytes",
        message: "longer than \(limits.elementByteCount) bytes", byteOffset: offset)
    }
  }

  private func malformation(_ probe: SyntaxProbe, from start: Int) -> Malformation {
    let token = buffer.span((start + probe.flaw.lowerBound)..<(start + probe.flaw.upperBound))
    return Malformation(
      rule: "syntax", message: "not valid json: \(probe.text), at \(Self.quoted(token))",
      byteOffset: start + probe.flaw.lowerBound)
  }

  /// A number or a word, or one byte, as a message shows it.
  private static func quoted(_ token: Span<UInt8>) -> String {
    guard token.count > 1 else { return quoted(token[0]) }
    let shown = (0..<min(token.count, 40)).map { token[$0] }
    return "\"" + String(decoding: shown, as: UTF8.self) + (token.count > 40 ? "…\"" : "\"")
  }

  /// A byte as a message shows it.
  static func quoted(_ byte: UInt8) -> String {
    if byte > 0x20 && byte < 0x7F { return "\"\(Unicode.Scalar(byte))\"" }
    let digits = String(byte, radix: 16, uppercase: true)
    return "byte 0x" + (digits.utf8.count < 2 ? "0" : "") + digits
  }
}
