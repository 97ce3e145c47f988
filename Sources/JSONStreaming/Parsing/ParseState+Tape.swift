internal import CPOIYajl

// Each function does the work of one callback; it returns 1 to continue and 0 to stop the parser.
//
// The common path of a text or key makes no calls, so that no registers are saved. Everything else
// is in functions called last, with the callback's own arguments.
extension ParseState {
  @inline(__always)
  mutating func addLiteral(_ kind: Token.Kind, length: Int) -> Int32 {
    guard !open.isEmpty else {
      guard context.isInContainer, !isPriming else { return readEnvelopeLiteral(kind) }
      beginElement(start: consumedOffset - length)
      tape.tokens.append(Token(kind: kind))
      return endElement()
    }
    tape.tokens.append(Token(kind: kind))
    valueCount += 1
    return 1
  }

  @unsafe
  @inline(__always)
  static func addText(
    _ state: UnsafeMutablePointer<ParseState>, _ kind: Token.Kind, _ start: UnsafePointer<UInt8>,
    _ length: Int
  ) -> Int32 {
    guard unsafe !state.pointee.open.isEmpty,
      unsafe state.pointee.appendIfPlain(kind, start, length)
    else { return unsafe addUncommonText(state, kind, start, length) }
    unsafe state.pointee.valueCount &+= 1
    return 1
  }

  @unsafe
  @inline(__always)
  static func addKey(
    _ state: UnsafeMutablePointer<ParseState>, _ start: UnsafePointer<UInt8>, _ length: Int
  ) -> Int32 {
    guard
      unsafe !state.pointee.open.isEmpty,
      unsafe state.pointee.valueCount < state.pointee.limits.keysPerObject,
      unsafe state.pointee.appendIfPlain(.key, start, length)
    else { return unsafe addUncommonKey(state, start, length) }
    return 1
  }

  @inline(__always)
  mutating func addStart(_ kind: Token.Kind) -> Int32 {
    if open.isEmpty {
      guard context.isInContainer, !isPriming else { return readEnvelopeStart(kind) }
      beginElement(start: consumedOffset - 1)
    } else {
      guard open.count < limits.depth else { return stop(.depth) }
      valueCount += 1
    }
    open.append(OpenContainer(token: tape.tokens.count, outerCount: valueCount))
    valueCount = 0
    tape.tokens.append(Token(kind: kind))
    return 1
  }

  @inline(__always)
  mutating func addEnd(_ kind: Token.Kind) -> Int32 {
    guard !open.isEmpty else { return readEnvelopeEnd() }
    let container = open[open.count - 1]
    open.truncate(to: open.count - 1)
    tape.tokens.append(Token(kind: kind))
    tape.tokens[container.token].close(next: tape.tokens.count, elementCount: valueCount)
    valueCount = container.outerCount
    return open.isEmpty ? endElement() : 1
  }

  /// Appends a text that points into the input, if it is within the limit and fits; otherwise
  /// false.
  @unsafe
  @inline(__always)
  private mutating func appendIfPlain(
    _ kind: Token.Kind, _ start: UnsafePointer<UInt8>, _ length: Int
  ) -> Bool {
    let offset = UInt(bitPattern: start) &- UInt(bitPattern: unsafe bytes)
    guard length <= limits.stringByteCount, offset < UInt(bitPattern: endOffset &- bytesOffset)
    else { return false }
    return tape.tokens.appendIfFitting(
      Token(kind: kind, first: bytesOffset &+ Int(bitPattern: offset), second: length))
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
    guard !open.isEmpty else { return unsafe readOutsideText(kind, start, length) }
    guard length <= limits.stringByteCount else { return stop(.stringBytes) }
    unsafe appendText(kind, start, length)
    valueCount += 1
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
  private mutating func addUncommonKey(
    _ start: UnsafePointer<UInt8>, _ length: Int
  ) -> Int32 {
    guard !open.isEmpty else { return unsafe readOutsideKey(start, length) }
    guard length <= limits.stringByteCount else { return stop(.stringBytes) }
    guard valueCount < limits.keysPerObject else { return stop(.keysPerObject) }
    unsafe appendText(.key, start, length)
    return 1
  }

  mutating func stop(_ reason: Stop) -> Int32 {
    stop = reason
    return 0
  }

  /// Handles a string or number that is not inside a container of an element.
  @unsafe
  private mutating func readOutsideText(
    _ kind: Token.Kind, _ start: UnsafePointer<UInt8>, _ length: Int
  ) -> Int32 {
    guard context.isInContainer, !isPriming else {
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
    elementToken = tape.tokens.count
    if nameStart < 0 {
      advanceBoundary()
      elementCopies = tape.copies.count
      elementStart = boundary
    }
    if start >= 0 {
      elementStart = start
    } else {
      if nameStart >= 0 { elementStart = nameEndOffset }
      while elementStart < endOffset, unsafe byte(at: elementStart) != UInt8(ascii: "\"") {
        elementStart += 1
      }
    }
  }

  private mutating func endElement() -> Int32 {
    let end = consumedOffset
    guard end - boundary <= limits.elementByteCount else { return stop(.elementBytes) }
    context.needsComma = !isSequence
    tape.marks.append(
      ElementMark(
        firstToken: elementToken, endToken: tape.tokens.count, start: elementStart, end: end,
        memberStart: boundary, nameStart: nameStart, nameEnd: nameEnd,
        containerStart: containerStart, context: context))
    boundary = end
    nameStart = -1
    nameEnd = -1
    return 1
  }
}
