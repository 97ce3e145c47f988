extension ElementReader {
  /// The flaw of a comma between two elements that is missing or one too many.
  ///
  /// The elements around it are sound, so what is malformed has no bytes.
  func separatorFlaw(at start: Int) -> Malformation? {
    let place = parser.state.place
    guard shape != .sequence, !parser.state.isInMember else { return nil }
    let byte = buffer[start]
    if place.needsComma {
      guard beginsMember(byte, isAdjacent: start == deliveredOffset) else { return nil }
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

  /// Whether a byte that follows an element without a comma begins the next element.
  private func beginsMember(_ byte: UInt8, isAdjacent: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "\""): true
    case _ where parser.state.place.containerIsObject: false
    case UInt8(ascii: "{"), UInt8(ascii: "["): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "t"),
      UInt8(ascii: "f"), UInt8(ascii: "n"):
      !isAdjacent
    default: false
    }
  }

  /// What is wrong with the element at `start`: of all that is, what shows first.
  mutating func malformation(
    of failure: ParseFailure, from start: Int
  ) throws(ReadingError) -> Malformation {
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
      guard let syntax = diagnose(from: start) else { throw failOutOfMemory(at: start) }
      noticed = syntax.noticedOffset
      found = syntax.malformation
    }
    if noticed - start > limits.elementByteCount {
      noticed = start + limits.elementByteCount + 1
      found = limitMalformation(.elementBytes, noticed, from: start)
    }
    if nextFlaw < flaws.count, flaws[nextFlaw].noticedOffset < noticed {
      found = flaws[nextFlaw].malformation
    }
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

  /// Parses the element again from its start, so that what is said of it does not depend on how the
  /// input was cut.
  ///
  /// - Returns: nil where there is no memory for it.
  private func diagnose(
    from start: Int
  ) -> (malformation: Malformation, noticedOffset: Int)? {
    let isAmongElements = shape != .sequence && parser.state.place.isInContainer
    let prime = isAmongElements ? parser.state.containerPrime : []
    let span = buffer.span(start..<parsedOffset)
    // What a comma stands before fails as the first element of a container may not.
    guard
      let probe = SyntaxProbe(behind: prime, of: span)
        ?? SyntaxProbe(behind: parser.state.primeBehindComma, of: span)
    else {
      let message = "not valid json, at \(Self.quoted(span[0]))"
      return (Malformation(rule: "syntax", message: message, byteOffset: start), start + 1)
    }
    guard !probe.isOutOfMemory else { return nil }
    let noticed = start + probe.seenByteCount
    let message = "not valid json: \(probe.text), at \(Self.quoted(span.extracting(probe.flaw)))"
    return (
      Malformation(rule: "syntax", message: message, byteOffset: start + probe.flaw.lowerBound),
      noticed
    )
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

  /// The error for a failure that no element can be blamed for.
  mutating func failEnvelope(_ failure: ParseFailure) -> ReadingError {
    if !parser.state.place.isInContainer {
      parser.state.advanceEnvelopeBoundary()
    }
    // Where the first token begins that was not understood.
    let offset = max(
      buffer.startOffset,
      min(parser.state.boundary, failure.noticedOffset - 1, parsedOffset - 1))
    switch failure.kind {
    case .truncated:
      let end = parser.state.place.isInContainer ? "before the elements do" : "inside a value"
      if !parser.state.place.isInContainer, parser.state.depth == 0,
        parser.state.topLevelValueCount > 0
      {
        return fail(
          .trailingData, at: offset, "what follows the elements is not json: remove it")
      }
      return fail(
        .unrecoverable, at: failure.noticedOffset,
        "the input ends \(end): is it complete?")
    case .flaw(let flaw):
      return fail(around: flaw)
    case .syntax:
      let text = "\(parser.failure.text), at \(Self.quoted(buffer[offset]))"
      if parser.state.depth == 0, parser.state.topLevelValueCount > 0 {
        return fail(.trailingData, at: offset, "what follows the elements is not json: \(text)")
      }
      return fail(
        .unrecoverable, at: offset, "what stands around the elements is not valid json: \(text)")
    case .stop(.notAContainer)
    where shape == .container(JSONPointer(tokens: []))
      && parser.state.topLevelValueCount > 1:
      return fail(
        .notAContainer, at: offset,
        "what follows the elements is neither an array nor an object: remove it")
    case .stop(.notAContainer):
      return fail(
        .notAContainer, at: offset,
        "the value at \(pointerText) is neither an array nor an object: give the pointer of one")
    case .stop(.targetMissing):
      return fail(
        .pointerNotFound, at: offset,
        parser.state.topLevelValueCount > 1
          ? "there is nothing at \(pointerText) in the value that ends here, which follows others: is "
            + "it an error in the place of a page?"
          : "there is nothing at \(pointerText): give the pointer of an array or object in the input"
      )
    case .stop(.otherContainer):
      let kinds =
        parser.state.containersAreObjects == true ? ("array", "object") : ("object", "array")
      return fail(
        .notAContainer, at: offset,
        "the value at \(pointerText) is an \(kinds.0), and was an \(kinds.1) before: read the two as "
          + "inputs of their own")
    case .stop(.duplicateMember):
      return fail(
        .duplicateMember, at: offset,
        "an object on the way to \(pointerText) has the member that the pointer names twice")
    case .stop(.outOfMemory):
      return failOutOfMemory(at: offset)
    case .stop(.envelopeDepth):
      return fail(
        .limitExceeded(rule: "depth"), at: offset,
        "what stands around the elements is nested deeper than \(limits.depth) levels")
    case .stop:
      return fail(
        .limitExceeded(rule: "string-bytes"), at: offset,
        "a string or number outside the elements is longer than \(limits.stringByteCount) bytes")
    }
  }

  private var pointerText: String {
    if case .container(let pointer) = shape { return "\"\(pointer)\"" }
    return "\"\""
  }
}
