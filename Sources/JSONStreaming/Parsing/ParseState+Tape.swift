internal import CPOIYajl

// Each function does the work of one callback; it returns 1 to continue and 0 to stop the parser.
//
// The common path of a text or key makes no calls, so that no registers are saved. Everything else
// is in functions called last, with the callback's own arguments.
extension ParseState {
  @inline(__always)
  mutating func addLiteral(_ kind: Token.Kind, length: Int) -> Int32 {
    guard !element.open.isEmpty else {
      guard context.isInContainer, !yajl.isPriming else { return readEnvelopeLiteral(kind) }
      beginElement(start: consumedOffset - length)
      tape.tokens.append(Token(kind: kind))
      return endElement()
    }
    tape.tokens.append(Token(kind: kind))
    element.valueCount += 1
    return 1
  }

  @unsafe
  @inline(__always)
  static func addText(
    _ state: UnsafeMutablePointer<ParseState>, _ kind: Token.Kind, _ start: UnsafePointer<UInt8>,
    _ length: Int
  ) -> Int32 {
    guard unsafe !state.pointee.element.open.isEmpty,
      unsafe state.pointee.appendIfPlain(kind, start, length)
    else { return unsafe addUncommonText(state, kind, start, length) }
    unsafe state.pointee.element.valueCount &+= 1
    return 1
  }

  @unsafe
  @inline(__always)
  static func addKey(
    _ state: UnsafeMutablePointer<ParseState>, _ start: UnsafePointer<UInt8>, _ length: Int
  ) -> Int32 {
    guard
      unsafe !state.pointee.element.open.isEmpty,
      unsafe state.pointee.element.valueCount < state.pointee.limits.keysPerObject,
      unsafe state.pointee.appendIfPlain(.key, start, length)
    else { return unsafe addUncommonKey(state, start, length) }
    return 1
  }

  @inline(__always)
  mutating func addStart(_ kind: Token.Kind) -> Int32 {
    if element.open.isEmpty {
      guard context.isInContainer, !yajl.isPriming else { return readEnvelopeStart(kind) }
      beginElement(start: consumedOffset - 1)
    } else {
      guard element.open.count < limits.depth else { return stop(.depth) }
      element.valueCount += 1
    }
    element.open.append(OpenContainer(token: tape.tokens.count, outerCount: element.valueCount))
    element.valueCount = 0
    tape.tokens.append(Token(kind: kind))
    return 1
  }

  @inline(__always)
  mutating func addEnd(_ kind: Token.Kind) -> Int32 {
    guard !element.open.isEmpty else { return readEnvelopeEnd() }
    let container = element.open[element.open.count - 1]
    element.open.truncate(to: element.open.count - 1)
    tape.tokens.append(Token(kind: kind))
    tape.tokens[container.token].close(next: tape.tokens.count, elementCount: element.valueCount)
    element.valueCount = container.outerCount
    return element.open.isEmpty ? endElement() : 1
  }

  /// Appends a text that points into the input, if it is within the limit and fits; otherwise
  /// false.
  @unsafe
  @inline(__always)
  private mutating func appendIfPlain(
    _ kind: Token.Kind, _ start: UnsafePointer<UInt8>, _ length: Int
  ) -> Bool {
    let offset = UInt(bitPattern: start) &- UInt(bitPattern: unsafe piece.bytes)
    guard length <= limits.stringByteCount,
      offset < UInt(bitPattern: piece.endOffset &- piece.offset)
    else { return false }
    return tape.tokens.appendIfFitting(
      Token(kind: kind, first: piece.offset &+ Int(bitPattern: offset), second: length))
  }

  @unsafe
  private mutating func appendText(
    _ kind: Token.Kind, _ start: UnsafePointer<UInt8>, _ length: Int
  ) {
    tape.tokens.reserve(1)
    if unsafe appendIfPlain(kind, start, length) { return }
    tape.tokens.append(
      Token(kind: kind, first: tape.copies.count, second: length, isCopied: true))
    unsafe tape.copies.append(from: start, count: length)
  }

  @unsafe
  @inline(never)
  private static func addUncommonText(
    _ state: UnsafeMutablePointer<ParseState>, _ kind: Token.Kind, _ start: UnsafePointer<UInt8>,
    _ length: Int
  ) -> Int32 {
    unsafe state.pointee.addUncommonText(kind, start, length)
  }

  @unsafe
  private mutating func addUncommonText(
    _ kind: Token.Kind, _ start: UnsafePointer<UInt8>, _ length: Int
  ) -> Int32 {
    guard !element.open.isEmpty else { return unsafe readOutsideText(kind, start, length) }
    guard length <= limits.stringByteCount else { return stop(.stringBytes) }
    unsafe appendText(kind, start, length)
    element.valueCount += 1
    return 1
  }

  @unsafe
  @inline(never)
  private static func addUncommonKey(
    _ state: UnsafeMutablePointer<ParseState>, _ start: UnsafePointer<UInt8>, _ length: Int
  ) -> Int32 {
    unsafe state.pointee.addUncommonKey(start, length)
  }

  @unsafe
  private mutating func addUncommonKey(_ start: UnsafePointer<UInt8>, _ length: Int) -> Int32 {
    guard !element.open.isEmpty else { return unsafe readOutsideKey(start, length) }
    guard length <= limits.stringByteCount else { return stop(.stringBytes) }
    guard element.valueCount < limits.keysPerObject else { return stop(.keysPerObject) }
    unsafe appendText(.key, start, length)
    return 1
  }

  mutating func stop(_ reason: Stop) -> Int32 {
    stop = reason
    return reason == .none ? 1 : 0
  }

  /// Handles a string or number that is not inside a container of an element.
  @unsafe
  private mutating func readOutsideText(
    _ kind: Token.Kind, _ start: UnsafePointer<UInt8>, _ length: Int
  ) -> Int32 {
    guard context.isInContainer, !yajl.isPriming else {
      guard length <= limits.stringByteCount else { return stop(.envelopeStringBytes) }
      return unsafe readEnvelopeScalar(UnsafeBufferPointer(start: start, count: length))
    }
    // The length of a string with its escapes is unknown here.
    let valueStart = kind == .number ? consumedOffset - length : -1
    beginElement(start: valueStart)
    guard length <= limits.stringByteCount else { return stop(.stringBytes) }
    unsafe appendText(kind, start, length)
    return endElement()
  }

  /// Registers the start of an element; if `start` is negative, it is found from the bytes.
  private mutating func beginElement(start: Int) {
    element.token = tape.tokens.count
    if element.name == nil {
      advanceBoundary()
      element.copies = tape.copies.count
      element.start = boundary
    }
    if start >= 0 {
      element.start = start
    } else {
      if element.name != nil { element.start = element.nameEndOffset }
      while element.start < piece.endOffset,
        unsafe piece.byte(at: element.start) != UInt8(ascii: "\"")
      {
        element.start += 1
      }
    }
  }

  private mutating func endElement() -> Int32 {
    let end = consumedOffset
    guard end - boundary <= limits.elementByteCount else { return stop(.elementBytes) }
    context.needsComma = !isSequence
    tape.marks.append(
      ElementMark(
        firstToken: element.token, endToken: tape.tokens.count, start: element.start, end: end,
        memberStart: boundary, name: element.name, containerStart: envelope.containerStart,
        context: context))
    boundary = end
    element.name = nil
    return 1
  }
}
