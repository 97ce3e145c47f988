extension ElementReader {
  mutating func fail(
    _ code: ReadingError.Code, at byteOffset: Int, _ message: String
  ) -> ReadingError {
    let location = buffer.location(ofByteOffset: byteOffset)
    let error = ReadingError(
      code: code, message: message, byteOffset: byteOffset, line: location.line,
      column: location.column)
    phase = .failed(error)
    return error
  }

  mutating func fail(around flaw: TextFlaw) -> ReadingError {
    fail(
      .unrecoverable, at: flaw.byteOffset,
      "the text around the elements is damaged: \(flaw.malformation.message)")
  }

  mutating func fail(notFound pointer: JSONPointer) -> ReadingError {
    let offset = buffer.endOffset
    guard offset > 0, parser.state.envelope.topLevelValueCount > 0 else {
      return fail(
        .pointerNotFound, at: offset, "the input is empty: there is nothing at \(quoted(pointer))")
    }
    return fail(
      .pointerNotFound, at: offset,
      "there is nothing at \(quoted(pointer)): give the pointer of an array or object in the input")
  }

  mutating func fail(changedFrom position: ReadingPosition) -> ReadingError {
    let end = buffer.endOffset
    let message =
      end < position.byteOffset
      ? "the input has \(end) bytes, but had at least \(position.byteOffset) before"
      : "the first \(position.byteOffset) bytes of the input have changed"
    return fail(
      .changedInput, at: min(end, position.byteOffset),
      message)
  }

  func quoted(_ pointer: JSONPointer) -> String { "\"\(pointer.pattern)\"" }

  /// The error for a failure outside the elements.
  mutating func failEnvelope(_ failure: ParseFailure) -> ReadingError {
    if !parser.state.context.isInContainer {
      parser.state.advanceEnvelopeBoundary()
    }
    // The start of the first invalid token.
    let offset = max(
      buffer.startOffset,
      min(parser.state.boundary, failure.noticedOffset - 1, parsedOffset - 1))
    switch failure.kind {
    case .truncated:
      let end = parser.state.context.isInContainer ? "before the elements do" : "inside a value"
      if !parser.state.context.isInContainer, parser.state.envelope.depth == 0,
        parser.state.envelope.topLevelValueCount > 0
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
      if parser.state.envelope.depth == 0, parser.state.envelope.topLevelValueCount > 0 {
        return fail(.trailingData, at: offset, "what follows the elements is not json: \(text)")
      }
      return fail(
        .unrecoverable, at: offset, "the text around the elements is not valid json: \(text)")
    case .stop(.notAContainer)
    where shape == .container(JSONPointer(tokens: []))
      && parser.state.envelope.topLevelValueCount > 1:
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
        parser.state.envelope.topLevelValueCount > 1
          ? "there is nothing at \(pointerText) in the value that ends here, which follows others: is "
            + "it an error response instead of a page?"
          : "there is nothing at \(pointerText): give the pointer of an array or object in the input"
      )
    case .stop(.otherContainer):
      let kinds =
        parser.state.envelope.containersAreObjects == true
        ? ("array", "object") : ("object", "array")
      return fail(
        .notAContainer, at: offset,
        "the value at \(pointerText) is an \(kinds.0), and was an \(kinds.1) before: read the two "
          + "separately, each by a pointer or input of its own")
    case .stop(.otherColumns):
      return fail(
        .invalidHeader, at: offset,
        "the columns differ from those before: read the two as separate inputs")
    case .stop(.duplicateMember):
      return fail(
        .duplicateMember, at: offset,
        "an object on the path to \(pointerText) has two members that match the pointer")
    case .stop(.envelopeDepth):
      return fail(
        .limitExceeded(rule: "depth"), at: offset,
        "the text around the elements is nested deeper than \(limits.depth) levels")
    case .stop:
      return fail(
        .limitExceeded(rule: "string-bytes"), at: offset,
        "a string or number outside the elements is longer than \(limits.stringByteCount) bytes")
    }
  }

  private var pointerText: String {
    if case .container(let pointer) = shape { return quoted(pointer) }
    return "\"\""
  }
}
