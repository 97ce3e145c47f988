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

  mutating func fail(around flaw: TextFlaw) -> ReadingError {
    fail(
      .unrecoverable, at: flaw.byteOffset,
      "what stands around the elements is damaged: \(flaw.malformation.message)")
  }

  mutating func failOutOfMemory(at byteOffset: Int) -> ReadingError {
    fail(
      .outOfMemory, at: byteOffset,
      "there is no memory to read on: free some, or allow only shorter strings and elements")
  }

  mutating func fail(notFound pointer: JSONPointer) -> ReadingError {
    let offset = buffer.endOffset
    guard offset > 0, parser.state.topLevelValueCount > 0 else {
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
}
