internal import CYajl

// Each of these is one callback's work; it returns 1 to go on and 0 to stop the parser.
extension ParseState {
  @inline(__always)
  mutating func takeLiteral(_ kind: Token.Kind, length: Int) -> Int32 {
    guard !open.isEmpty else {
      guard place.isInContainer, !isPriming else { return takeEnvelopeLiteral(kind) }
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
  mutating func takeText(
    _ kind: Token.Kind, _ start: UnsafePointer<UInt8>, _ length: Int
  ) -> Int32 {
    guard !open.isEmpty else { return unsafe takeOutsideText(kind, start, length) }
    guard length <= limits.stringByteCount else { return stop(.stringBytes) }
    unsafe appendText(kind, start, length)
    valueCount += 1
    return 1
  }

  @unsafe
  @inline(__always)
  mutating func takeKey(_ start: UnsafePointer<UInt8>, _ length: Int) -> Int32 {
    guard !open.isEmpty else { return unsafe takeOutsideKey(start, length) }
    guard length <= limits.stringByteCount else { return stop(.stringBytes) }
    guard valueCount < limits.keysPerObject else { return stop(.keysPerObject) }
    unsafe appendText(.key, start, length)
    return 1
  }

  @inline(__always)
  mutating func takeStart(_ kind: Token.Kind) -> Int32 {
    if open.isEmpty {
      guard place.isInContainer, !isPriming else { return takeEnvelopeStart(kind) }
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
  mutating func takeEnd(_ kind: Token.Kind) -> Int32 {
    guard !open.isEmpty else { return takeEnvelopeEnd() }
    let container = open[open.count - 1]
    open.truncate(to: open.count - 1)
    tape.tokens.append(Token(kind: kind))
    tape.tokens[container.token].close(next: tape.tokens.count, elementCount: valueCount)
    valueCount = container.outerCount
    return open.isEmpty ? endElement() : 1
  }

  @unsafe
  @inline(__always)
  private mutating func appendText(
    _ kind: Token.Kind, _ start: UnsafePointer<UInt8>, _ length: Int
  ) {
    let offset = UInt(bitPattern: start) &- UInt(bitPattern: unsafe bytes)
    if offset < UInt(bitPattern: endOffset &- bytesOffset) {
      tape.tokens.append(
        Token(kind: kind, first: bytesOffset &+ Int(bitPattern: offset), second: length))
    } else {
      tape.tokens.append(
        Token(kind: kind, first: tape.copies.count, second: length, isCopied: true))
      unsafe tape.copies.append(from: start, count: length)
    }
  }

  mutating func stop(_ reason: Stop) -> Int32 {
    stop = reason
    return 0
  }

  /// A string or number that is not inside a container of an element.
  @unsafe
  @inline(never)
  private mutating func takeOutsideText(
    _ kind: Token.Kind, _ start: UnsafePointer<UInt8>, _ length: Int
  ) -> Int32 {
    guard place.isInContainer, !isPriming else {
      guard length <= limits.stringByteCount else { return stop(.envelopeStringBytes) }
      return unsafe takeEnvelopeScalar(UnsafeBufferPointer(start: start, count: length))
    }
    // A number is written as it is read; how long a string was with its escapes is not known here.
    let valueStart = kind == .number ? consumedOffset - length : -1
    beginElement(start: valueStart)
    guard length <= limits.stringByteCount else { return stop(.stringBytes) }
    unsafe appendText(kind, start, length)
    return endElement()
  }

  /// Notes where an element begins; a negative `start` has it found from the bytes.
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

  /// Marks the element that ends with the current token.
  private mutating func endElement() -> Int32 {
    let end = consumedOffset
    guard end - boundary <= limits.elementByteCount else { return stop(.elementBytes) }
    place.needsComma = !isSequence
    tape.marks.append(
      ElementMark(
        firstToken: elementToken, endToken: tape.tokens.count, start: elementStart, end: end,
        memberStart: boundary, nameStart: nameStart, nameEnd: nameEnd,
        containerStart: containerStart, place: place))
    boundary = end
    nameStart = -1
    nameEnd = -1
    return 1
  }
}
