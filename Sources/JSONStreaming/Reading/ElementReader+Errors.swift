extension ElementReader {
  /// Ends the reading with an error.
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

  mutating func fail(notFound pointer: JSONPointer) -> ReadingError {
    let offset = buffer.endOffset
    guard envelope.topLevelValueCount > 0 else {
      return fail(
        .pointerNotFound, at: offset, "the input is empty: there is nothing at \(quoted(pointer))")
    }
    return fail(
      .pointerNotFound, at: offset,
      "there is nothing at \(quoted(pointer)): give the pointer of an array or object in the input")
  }

  mutating func fail(tooManySteps pointer: JSONPointer) -> ReadingError {
    fail(
      .pointerNotFound, at: 0,
      "the pointer \(quoted(pointer)) has more than \(Place.stepLimit) steps: elements nested as"
        + " deeply cannot be read")
  }

  mutating func fail(encoding name: String) -> ReadingError {
    fail(
      .unsupportedEncoding, at: 0,
      "the input is \(name): convert it first, for example with iconv -f \(name) -t utf-8")
  }

  mutating func failOfNULs() -> ReadingError {
    fail(
      .unrecoverable, at: 0,
      "the input begins with NUL bytes, as a file does that was not written to its end: fetch it again"
    )
  }

  mutating func fail(changedFrom position: ReadingPosition) -> ReadingError {
    let end = buffer.endOffset
    let message =
      end < position.byteOffset
      ? "the input has \(end) bytes, the one that was begun had at least \(position.byteOffset)"
      : "the first \(position.byteOffset) bytes of the input are not what they were"
    return fail(
      .changedInput, at: min(end, position.byteOffset),
      message)
  }

  mutating func failInvalidPosition() -> ReadingError {
    fail(
      .invalidPosition, at: 0,
      "the position \(resumed.byteOffset) with state \(resumed.state) does not belong to this shape"
        + " of input: start again")
  }

  private func quoted(_ pointer: JSONPointer) -> String { "\"\(pointer)\"" }

  /// The error for a failure around the elements, for which so many bytes of the input had to be seen.
  mutating func fail(envelope stop: Envelope.Stop, noticedOffset: Int) -> ReadingError {
    let isInContainer = envelope.state.place.isInContainer
    if !isInContainer { advanceEnvelopeBoundary() }
    // Where the first token begins that was not understood.
    let offset = max(
      buffer.startOffset, min(envelope.state.boundary, noticedOffset - 1, parsedOffset - 1))
    let isBehindValue = envelope.depth == 0 && envelope.topLevelValueCount > 0
    switch stop {
    case .found: preconditionFailure("it is no failure to find the elements")
    case .truncated:
      if !isInContainer, isBehindValue {
        return fail(
          .trailingData, at: offset, "what follows the elements is not json: remove it")
      }
      let end = isInContainer ? "before the elements do" : "inside a value"
      return fail(
        .unrecoverable, at: noticedOffset, "the input ends \(end): is it complete?")
    case .utf8:
      // Of an escape of half a surrogate pair yajl makes bytes that are not UTF-8.
      let flaw =
        textFlaw(in: offset..<noticedOffset, isCut: false)
        ?? TextFlaw(rule: .surrogateEscape, byteOffset: offset)
      return fail(
        .unrecoverable, at: flaw.byteOffset,
        "what stands around the elements is damaged: \(flaw.malformation.message)")
    case .syntax:
      let text = "\(envelope.failure.text), at \(Self.quoted(buffer[offset]))"
      if isEnvelopeTextTooLong(upTo: noticedOffset - 1) {
        return fail(envelope: .stringBytes, noticedOffset: noticedOffset)
      }
      if isBehindValue {
        return fail(.trailingData, at: offset, "what follows the elements is not json: \(text)")
      }
      return fail(
        .unrecoverable, at: offset, "what stands around the elements is not valid json: \(text)")
    case .notAContainer where shape.pointer?.tokens == [] && envelope.topLevelValueCount > 1:
      return fail(
        .notAContainer, at: offset,
        "what follows the elements is neither an array nor an object: remove it")
    case .notAContainer:
      return fail(
        .notAContainer, at: offset,
        "the value at \(pointerText) is neither an array nor an object: give the pointer of one")
    case .targetMissing:
      return fail(
        .pointerNotFound, at: offset,
        envelope.topLevelValueCount > 1
          ? "there is nothing at \(pointerText) in the value that ends here, which follows others: is "
            + "it an error in the place of a page?"
          : "there is nothing at \(pointerText): give the pointer of an array or object in the input"
      )
    case .otherContainer:
      let kinds =
        envelope.containersAreObjects == true ? ("array", "object") : ("object", "array")
      return fail(
        .notAContainer, at: offset,
        "the value at \(pointerText) is an \(kinds.0), and was an \(kinds.1) before: read the two as "
          + "inputs of their own")
    case .duplicateMember:
      return fail(
        .duplicateMember, at: offset,
        "an object on the way to \(pointerText) has the member that the pointer names twice")
    case .depth:
      return fail(
        .limitExceeded(rule: "depth"), at: offset,
        "what stands around the elements is nested deeper than \(limits.depth) levels")
    case .stringBytes:
      return fail(
        .limitExceeded(rule: "string-bytes"), at: offset,
        "a string or number outside the elements is longer than \(limits.stringByteCount) bytes")
    }
  }

  private var pointerText: String { quoted(shape.pointer ?? JSONPointer(tokens: [])) }
}
