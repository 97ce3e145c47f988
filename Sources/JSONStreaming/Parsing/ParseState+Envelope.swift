internal import CPOIYajl

// The text around the elements.
extension ParseState {
  /// Handles a value that is neither an array nor an object; `text` is nil for null.
  @unsafe
  mutating func readEnvelopeScalar(_ text: UnsafeBufferPointer<UInt8>?) -> Int32 {
    guard !yajl.isPriming else { return 1 }
    boundary = consumedOffset
    return unsafe stop(envelope.readScalar(text))
  }

  mutating func readEnvelopeLiteral(_ kind: Token.Kind) -> Int32 {
    guard kind != .null else { return unsafe readEnvelopeScalar(nil) }
    let word: StaticString = kind == .true ? "true" : "false"
    return unsafe readEnvelopeScalar(
      UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
  }

  mutating func readEnvelopeStart(_ kind: Token.Kind) -> Int32 {
    guard !yajl.isPriming else { return 1 }
    guard envelope.depth < limits.depth else { return stop(.envelopeDepth) }
    boundary = consumedOffset
    return stop(envelope.open(isArray: kind == .startArray, at: boundary, in: &context))
  }

  mutating func readEnvelopeEnd() -> Int32 {
    guard !yajl.isPriming else { return 1 }
    boundary = consumedOffset
    return stop(envelope.close(in: &context))
  }

  /// Handles a member name outside an element: the element's own or one in the envelope.
  @unsafe
  mutating func readOutsideKey(_ start: UnsafePointer<UInt8>, _ length: Int) -> Int32 {
    guard !yajl.isPriming else { return 1 }
    guard context.isInContainer else {
      guard length <= limits.stringByteCount else { return stop(.envelopeStringBytes) }
      boundary = consumedOffset
      return unsafe stop(envelope.readKey(UnsafeBufferPointer(start: start, count: length)))
    }
    advanceBoundary()
    element.copies = tape.copies.count
    guard length <= limits.stringByteCount else { return stop(.stringBytes) }
    unsafe tape.copies.append(from: start, count: length)
    element.name = Token(kind: .key, first: element.copies, second: length, isCopied: true)
    element.nameEndOffset = consumedOffset
    return 1
  }
}

extension ParseState {
  /// Moves `boundary` to the next token, over white space and, inside a value, commas and colons.
  mutating func advanceEnvelopeBoundary() {
    while boundary < piece.endOffset {
      switch unsafe piece.byte(at: boundary) {
      case 0x20, 0x09, 0x0A, 0x0D: boundary += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        guard envelope.depth > 0 else { return }
        boundary += 1
      default: return
      }
    }
  }

  /// JSON that puts a new parser into this state's context.
  var prime: [UInt8] {
    parents.flatMap { Array(($0 == .array ? "[" : "{\"\":").utf8) } + containerPrime
  }

  var containerPrime: [UInt8] {
    switch (context.containerIsObject, context.needsComma) {
    case (false, false): Array("[".utf8)
    case (false, true): Array("[null".utf8)
    case (true, false): Array("{".utf8)
    case (true, true): Array("{\"\":null".utf8)
    }
  }

  /// JSON that puts a new parser into a container like this state's, after an element and a comma.
  var primeAfterComma: [UInt8] {
    Array((context.containerIsObject ? "{\"\":null," : "[null,").utf8)
  }

  /// The containers around the container of the elements, outermost first.
  var parents: [ElementContext.Container] {
    envelope.path.pointer.tokens.indices.map { context.isArray(atStep: $0) ? .array : .object }
  }
}
