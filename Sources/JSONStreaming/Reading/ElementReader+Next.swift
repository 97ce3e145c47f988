extension ElementReader {
  /// Goes on to the next element.
  ///
  /// On the way through sound arrays and objects it allocates nothing once the buffers have grown;
  /// for what is left to yajl it may make a parser.
  ///
  /// - Returns: what was found; ``ReadingEvent/needsInput`` until ``finish()`` was called.
  /// - Throws: ``ReadingError`` when reading cannot go on: what stands around the elements is
  ///   damaged, or nothing stands at the pointer. It is thrown after all elements before it were
  ///   delivered, and again whenever the reader is asked.
  /// - Complexity: amortised O(n) in the bytes of the element.
  public mutating func next() throws(ReadingError) -> ReadingEvent {
    if recovery == nil { oversized = nil }
    while true {
      switch phase {
      case .parsing:
        if nextMark < elements.marks.count { return deliver() }
        if let found = failure {
          if let event = beginRecovery(from: found) { return event }
        } else if givenOffset < buffer.endOffset || (isFinished && parsedOffset < buffer.endOffset)
        {
          discardUnneeded()
          if envelope.state.place.isInContainer { scanPiece() } else { try parseEnvelope() }
        } else if !isFinished {
          return .needsInput
        } else {
          try complete()
        }
      case .recovering:
        guard let event = recover() else { return .needsInput }
        return event
      case .restarting:
        restart()
      case .starting:
        guard try start() else { return .needsInput }
      case .resuming:
        guard try resume() else { return .needsInput }
      case .ended:
        return .end
      case .failed(let error):
        throw error
      }
    }
  }

  /// Makes the first mark the current element.
  private mutating func deliver() -> ReadingEvent {
    let mark = elements.marks[nextMark]
    nextMark += 1
    isCut = false
    if lineMode.rawValue < Place.LineMode.oneEachLine.rawValue, shape == .sequence {
      learnLineMode(from: mark.start, to: mark.end)
    }
    var place = envelope.state.place
    place.needsComma = shape != .sequence
    advance(to: mark.end, in: place)
    if let flaw = mark.flaw {
      (elementTokens, memberName, holdsNUL) = (0..<0, nil, false)
      elementRange = mark.memberStart..<mark.end
      return .malformed(flaw.malformation)
    }
    (memberName, holdsNUL) = (mark.name, mark.holdsNUL)
    elementTokens = mark.firstToken..<mark.endToken
    elementRange = mark.start..<mark.end
    return .element
  }

  /// Counts one more element, which ends at `offset`.
  mutating func advance(to offset: Int, in place: Place) {
    elementIndex = deliveredCount
    deliveredCount += 1
    deliveredOffset = offset
    deliveredPlace = place
    deliveredHash = nil
  }

  /// Learns from the first two elements of a sequence whether it holds one a line.
  ///
  /// A value without brackets tells nothing: it may be the end of an element whose beginning is missing.
  mutating func learnLineMode(from start: Int, to end: Int) {
    guard
      buffer[start] == UInt8(ascii: "{") || buffer[start] == UInt8(ascii: "[")
        || lineMode != .unknown
    else { return }
    let line = buffer.location(ofByteOffset: start).line
    switch lineMode {
    case .unknown:
      firstEndLine = buffer.location(ofByteOffset: end).line
      lineMode = line == firstEndLine ? .firstOnOneLine : .free
    case .firstOnOneLine:
      lineMode = line > firstEndLine ? .oneEachLine : .free
    case .oneEachLine, .free:
      break
    }
  }

  /// Scans the next piece of what is in the buffer for elements.
  private mutating func scanPiece() {
    let pieceStart = givenOffset
    givenOffset = min(pieceStart + pieceSize, buffer.endOffset)
    pieceSize = min(4 * pieceSize, ReadBuffer.pieceSize)
    examinedByteCount += givenOffset - pieceStart
    let isLast = isFinished && givenOffset == buffer.endOffset
    elements.removeAll()
    nextMark = 0
    let bytes = unsafe buffer.bytes.withUnsafeBufferPointer { $0.baseAddress }
    let outcome = unsafe scanner.scan(
      bytes.unsafelyUnwrapped, from: buffer.storageOffset, to: givenOffset, isLast: isLast,
      &envelope.state,
      onto: &elements)
    parsedOffset = envelope.state.boundary
    switch outcome {
    case .needsMore: break
    case .refused(let refusal, let flaw):
      failure = diagnose(refusal, flaw, isLast: isLast)
      if failure == nil { examinedByteCount += givenOffset - envelope.state.boundary }
    case .containerEnd:
      // The elements are delivered first.
      if elements.marks.isEmpty { envelope.leaveContainer() }
      givenOffset = envelope.state.boundary
    }
  }

  /// Has yajl parse a piece of what stands around the elements: few bytes, or as many as it has seen of an
  /// unfinished token, since a token that a call cuts off costs all of its bytes again.
  private mutating func parseEnvelope() throws(ReadingError) {
    let step = max(1 << 8, givenOffset - envelope.state.boundary)
    let piece = givenOffset..<min(givenOffset + step, buffer.endOffset)
    let stop = envelope.parse(buffer.span(piece), at: piece.lowerBound)
    givenOffset = piece.upperBound
    parsedOffset = givenOffset
    if stop == .found {
      givenOffset = envelope.state.boundary
      parsedOffset = givenOffset
    } else if let stop {
      throw fail(envelope: stop, noticedOffset: envelope.noticedOffset(of: stop))
    } else if isEnvelopeTextTooLong(upTo: parsedOffset) {
      throw fail(envelope: .stringBytes, noticedOffset: parsedOffset)
    }
  }

  /// Whether the bytes behind the last token around the elements are too many for one.
  mutating func isEnvelopeTextTooLong(upTo offset: Int) -> Bool {
    advanceEnvelopeBoundary()
    // An escape takes up to six bytes for one.
    return offset - envelope.state.boundary > 6 * limits.stringByteCount + 2
  }

  /// Moves the boundary over white space, and inside a value over commas and colons, to where the next
  /// token around the elements begins.
  mutating func advanceEnvelopeBoundary() {
    while envelope.state.boundary < parsedOffset {
      let byte = buffer[envelope.state.boundary]
      let isSeparator = byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":")
      guard ElementScan.isWhiteSpace(byte) || isSeparator && envelope.depth > 0 else { return }
      envelope.state.boundary += 1
    }
  }

  /// Checks that the input may end where it does.
  ///
  /// yajl's own answer is not enough: it takes no value at all for one that is cut off, and a
  /// string that is cut off behind another value for white space.
  private mutating func complete() throws(ReadingError) {
    if case .container(let pointer) = shape {
      if envelope.state.place.isInContainer {
        throw fail(envelope: .truncated, noticedOffset: parsedOffset)
      }
      if let stop = envelope.complete(at: parsedOffset), stop != .syntax {
        throw fail(envelope: stop, noticedOffset: parsedOffset)
      }
      advanceEnvelopeBoundary()
      guard envelope.depth == 0, envelope.state.boundary == parsedOffset else {
        throw fail(envelope: .truncated, noticedOffset: parsedOffset)
      }
      if !envelope.isTargetFound { throw fail(notFound: pointer) }
    }
    phase = .ended
  }

  /// Looks at the first bytes; false while there are too few.
  private mutating func start() throws(ReadingError) -> Bool {
    guard buffer.bytes.count >= 4 || isFinished else { return false }
    if case .container(let pointer) = shape, pointer.tokens.count > Place.stepLimit {
      throw fail(tooManySteps: pointer)
    }
    if let name = Self.wideEncoding(buffer.bytes.span) { throw fail(encoding: name) }
    if Self.beginsWithNULs(buffer.bytes.span) { throw failOfNULs() }
    if Self.hasByteOrderMark(buffer.bytes.span) {
      givenOffset = 3
      parsedOffset = 3
      envelope.state.boundary = 3
    }
    phase = .parsing
    return true
  }

  private static func hasByteOrderMark(_ bytes: Span<UInt8>) -> Bool {
    bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
  }

  /// The name of the encoding that the first bytes betray, if it is not UTF-8. Without a byte-order
  /// mark it says the order of the bytes, which `iconv` could only guess.
  private static func wideEncoding(_ bytes: Span<UInt8>) -> String? {
    guard bytes.count >= 2 else { return nil }
    let next = bytes.count >= 4 ? (bytes[2], bytes[3]) : nil
    switch (bytes[0], bytes[1]) {
    case (0xFF, 0xFE): return next.map { $0 == (0, 0) } == true ? "utf-32" : "utf-16"
    case (0xFE, 0xFF): return "utf-16"
    case (0, 0):
      guard let next else { return nil }
      if next == (0xFE, 0xFF) { return "utf-32" }
      return next.0 == 0 && next.1 != 0 ? "utf-32be" : nil
    case (0, _): return "utf-16be"
    case (_, 0): return next.map { $0 == (0, 0) } == true ? "utf-32le" : "utf-16le"
    default: return nil
    }
  }

  /// Whether the first bytes are NUL, and not those of an encoding.
  private static func beginsWithNULs(_ bytes: Span<UInt8>) -> Bool {
    bytes.count > 0 && bytes[0] == 0 && (bytes.count == 1 || bytes[1] == 0)
  }

  /// Lets the input before the position pass; false while it has not all come.
  private mutating func resume() throws(ReadingError) -> Bool {
    guard
      let place = Place(state: resumed.state), resumed.byteOffset > 0, place.isInContainer,
      shape != .sequence
        || !(place.needsComma || place.containerIsObject || place.arrayLevels != 0)
    else { throw failInvalidPosition() }
    buffer.discard(before: min(resumed.byteOffset, buffer.endOffset))
    guard buffer.startOffset == resumed.byteOffset else {
      guard isFinished else { return false }
      throw fail(changedFrom: resumed)
    }
    guard buffer.hash(before: resumed.byteOffset) == resumed.inputHash else {
      throw fail(changedFrom: resumed)
    }
    firstEndLine = buffer.location(ofByteOffset: resumed.byteOffset).line
    restart()
    return true
  }

  /// Goes on behind what was last delivered, without what is known of the bytes there.
  private mutating func restart() {
    envelope.restart(at: deliveredOffset, in: deliveredPlace)
    scanner.restart()
    elements.removeAll()
    nextMark = 0
    failure = nil
    givenOffset = deliveredOffset
    parsedOffset = deliveredOffset
    pieceSize = ReadBuffer.firstPieceSize
    phase = .parsing
  }
}
