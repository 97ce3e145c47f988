extension ElementReader {
  /// Advances to the next element.
  ///
  /// Valid arrays and objects cause no allocations once the buffers have grown; for anything else a
  /// yajl parser may be created.
  ///
  /// - Returns: the event; ``ReadingEvent/needsInput`` only before ``finish()``.
  /// - Throws: ``ReadingError`` if reading cannot continue: the text around the elements is
  ///   malformed, or there is no value at the pointer. It is thrown after all elements before it
  ///   were delivered, and again on each later call.
  /// - Complexity: amortised O(n) in the bytes of the element.
  public mutating func next() throws(ReadingError) -> ReadingEvent {
    let event = try nextElement()
    return headerKind == .none ? event : try row(event)
  }

  /// Advances to the next element, whether it is a row or not.
  mutating func nextElement() throws(ReadingError) -> ReadingEvent {
    if recovery == nil { oversized = nil }
    while true {
      switch phase {
      case .parsing:
        if nextMark < parsed.marks.count { return try deliver() }
        if let found = failure {
          if let event = try beginRecovery(from: found) { return event }
        } else if givenOffset < buffer.endOffset || (isFinished && parsedOffset < buffer.endOffset)
        {
          parsePiece()
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
  private mutating func deliver() throws(ReadingError) -> ReadingEvent {
    let mark = parsed.marks[nextMark]
    nextMark += 1
    let flaw = try firstFlaw(before: mark)
    currentHoldsNUL = false
    currentIsCut = false
    while nextNUL < nulOffsets.count, nulOffsets[nextNUL] < mark.end {
      if nulOffsets[nextNUL] >= mark.memberStart { currentHoldsNUL = true }
      nextNUL += 1
    }
    if lineMode.rawValue < ElementContext.LineMode.oneEachLine.rawValue, shape == .sequence {
      learnLineMode(from: mark.start, to: mark.end)
    }
    advance(to: mark.end, in: mark.context)
    if let flaw {
      currentTokens = 0..<0
      currentName = nil
      currentBytes = mark.memberStart..<mark.end
      return .malformed(flaw.malformation)
    }
    currentTokens = mark.firstToken..<mark.endToken
    currentName =
      mark.nameStart < 0
      ? nil
      : Token(
        kind: .key, first: mark.nameStart, second: mark.nameEnd - mark.nameStart, isCopied: true)
    currentBytes = mark.start..<mark.end
    return .element
  }

  /// Counts one more element, which ends at `offset`.
  mutating func advance(to offset: Int, in context: ElementContext) {
    currentIndex = deliveredCount
    deliveredCount += 1
    deliveredOffset = offset
    deliveredContext = context
    deliveredHash = nil
    if pendingSkippedCount > 0 { countSkipped() }
  }

  private mutating func countSkipped() {
    skippedCount += pendingSkippedCount
    pendingSkippedCount = 0
  }

  /// The first flaw before the end of the element; later flaws in the element are dropped.
  private mutating func firstFlaw(before mark: ElementMark) throws(ReadingError) -> TextFlaw? {
    var first: TextFlaw?
    while nextFlaw < flaws.count, flaws[nextFlaw].byteOffset < mark.end {
      let flaw = flaws[nextFlaw]
      guard flaw.byteOffset >= mark.containerStart else { throw fail(around: flaw) }
      if first == nil { first = flaw }
      nextFlaw += 1
    }
    return first
  }

  /// Learns from the first two elements of a sequence whether it has one element a line.
  ///
  /// A value without brackets is ignored: it may be the end of an element whose start is missing.
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
    case .oneEachLine, .free, .textSequence:
      break
    }
  }

  /// Parses the next piece of the buffer and collects the elements.
  private mutating func parsePiece() {
    discardUnneeded()
    let start = givenOffset
    let range = start..<min(start + pieceSize, buffer.endOffset)
    parser.setPiece(
      buffer.bytes, bufferOffset: buffer.storageOffset, endOffset: range.upperBound,
      isLast: isFinished && range.upperBound == buffer.endOffset)
    givenOffset = range.upperBound
    pieceSize = min(4 * pieceSize, ReadBuffer.pieceSize)
    inspect(range)
    parser.parsePiece()
    parsedOffset = parser.state.parsedOffset
    exchangeTape()
    switch parser.state.outcome {
    case .done:
      if parsedOffset == range.upperBound { limitUnfinished() }
    case .stopped:
      failure = ParseFailure(
        kind: .stop(parser.state.stop), noticedOffset: parser.state.consumedOffset)
    case .failed:
      let noticedOffset = parser.state.callOffset + parser.failure.byteIndex + 1
      let isTooLong = isEnvelopeTextTooLong(upTo: noticedOffset - 1)
      failure = ParseFailure(
        kind: isTooLong ? .stop(.envelopeStringBytes) : .syntax, noticedOffset: noticedOffset)
    }
    parsedBoundary = parser.state.boundary
    pruneFindings()
    noticeOutsideFlaw()
  }

  private mutating func inspect(_ range: Range<Int>) {
    examinedByteCount += range.count
    unsafe buffer.span(range).withUnsafeBufferPointer { bytes in
      unsafe strictText.inspect(
        bytes, byteOffset: range.lowerBound, flaws: &flaws, nuls: &nulOffsets)
    }
  }

  /// Replaces the delivered elements and their findings by newly parsed elements.
  private mutating func exchangeTape() {
    parser.state.exchangeTape(for: &parsed)
    rowPlace = nil
    if shape == .container(ColumnNames.rows) { noteColumns() }
    watchedBytes = parser.watchedBytes
    otherWatchedKind = parser.otherWatchedKind
    nextMark = 0
    flaws.removeFirst(nextFlaw)
    nextFlaw = 0
    nulOffsets.removeFirst(nextNUL)
    nextNUL = 0
  }

  /// Limits the size of an unfinished token or element in yajl, and of the separators kept.
  private mutating func limitUnfinished() {
    let reason: ParseState.Stop
    if parser.state.context.isInContainer {
      if !parser.state.isInMember { parser.state.advanceBoundary() }
      guard parsedOffset - parser.state.boundary > limits.elementByteCount else { return }
      reason = .elementBytes
    } else {
      guard isEnvelopeTextTooLong(upTo: parsedOffset) else { return }
      reason = .envelopeStringBytes
    }
    failure = ParseFailure(kind: .stop(reason), noticedOffset: parsedOffset)
  }

  /// Whether the text around the elements after the last token is too long for one token.
  private mutating func isEnvelopeTextTooLong(upTo offset: Int) -> Bool {
    guard !parser.state.context.isInContainer else { return false }
    parser.state.advanceEnvelopeBoundary()
    // An escape has up to six bytes for one byte of text.
    return offset - parser.state.boundary > 6 * limits.stringByteCount + 2
  }

  /// Keeps one finding of each kind after the last complete element.
  private mutating func pruneFindings() {
    let marks = parsed.marks.count
    let end = marks == 0 ? 0 : parsed.marks[marks - 1].end
    while flaws.count - nextFlaw >= 2, flaws[flaws.count - 2].byteOffset >= end {
      flaws.truncate(to: flaws.count - 1)
    }
    while nulOffsets.count - nextNUL >= 2, nulOffsets[nulOffsets.count - 2] >= end {
      nulOffsets[nulOffsets.count - 2] = nulOffsets[nulOffsets.count - 1]
      nulOffsets.truncate(to: nulOffsets.count - 1)
    }
  }

  /// Stops at a flaw outside all elements, complete or not.
  private mutating func noticeOutsideFlaw() {
    let marks = parsed.marks.count
    let elementEnd = marks == 0 ? 0 : parsed.marks[marks - 1].end
    guard flaws.count > nextFlaw else { return }
    let flaw = flaws[flaws.count - 1]
    guard flaw.byteOffset >= elementEnd else { return }
    let context = parser.state.context
    // It is unknown whether an unfinished token is allowed at all.
    if !context.isInContainer { parser.state.advanceEnvelopeBoundary() }
    let end = context.isInContainer ? parser.state.containerStart : parser.state.boundary
    guard flaw.byteOffset < end else { return }
    if let failure, failure.noticedOffset <= flaw.noticedOffset { return }
    failure = ParseFailure(kind: .flaw(flaw), noticedOffset: flaw.noticedOffset)
  }

  /// Ends the input for the parser and checks that it can end there.
  ///
  /// yajl's own check is not sufficient: it reports an empty input as truncated, and takes a
  /// truncated string after another value for white space.
  private mutating func complete() throws(ReadingError) {
    guard isCompleted else {
      isCompleted = true
      strictText.finish(byteOffset: parsedOffset, flaws: &flaws)
      parser.complete(buffer.bytes, bufferOffset: buffer.storageOffset)
      exchangeTape()
      if parser.state.outcome == .stopped {
        failure = ParseFailure(kind: .stop(parser.state.stop), noticedOffset: parsedOffset)
      } else if !parser.state.isBetweenValues() {
        failure = ParseFailure(kind: .truncated, noticedOffset: parsedOffset)
      }
      return
    }
    if nextFlaw < flaws.count { throw fail(around: flaws[nextFlaw]) }
    if case .container(let pointer) = shape, !parser.state.isTargetFound {
      throw fail(notFound: pointer)
    }
    countSkipped()
    phase = .ended
  }

  /// Checks the first bytes of the input; false if there are too few.
  private mutating func start() throws(ReadingError) -> Bool {
    guard buffer.bytes.count >= 4 || isFinished else { return false }
    if case .container(let pointer) = shape, pointer.tokens.count > ElementContext.stepLimit {
      throw fail(tooManySteps: pointer)
    }
    if let name = Self.wideEncoding(buffer.bytes.span) { throw fail(encoding: name) }
    if Self.beginsWithNULs(buffer.bytes.span) { throw failNULs() }
    if Self.hasByteOrderMark(buffer.bytes.span) {
      givenOffset = 3
      parsedOffset = 3
      parser.state.boundary = 3
    }
    if buffer.bytes.count > givenOffset,
      buffer.bytes[givenOffset] == ElementContext.recordSeparator
    {
      guard shape == .sequence else { throw failTextSequence() }
      lineMode = .textSequence
      deliveredContext.lineMode = lineMode
      parser.state.context.lineMode = lineMode
    }
    phase = .parsing
    return true
  }

  private static func hasByteOrderMark(_ bytes: Span<UInt8>) -> Bool {
    bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
  }

  /// The name of the encoding if the first bytes are not UTF-8. Without a byte-order mark the name
  /// includes the byte order, which `iconv` could only guess.
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

  /// Whether the first bytes are NUL, and not part of a wide encoding.
  private static func beginsWithNULs(_ bytes: Span<UInt8>) -> Bool {
    bytes.count > 0 && bytes[0] == 0 && (bytes.count == 1 || bytes[1] == 0)
  }

  /// Skips the input before the position; false until all of it has arrived.
  private mutating func resume() throws(ReadingError) -> Bool {
    guard
      let context = ElementContext(state: resumed.state), resumed.byteOffset > 0,
      context.isInContainer, !isHeaderDue,
      shape == .sequence
        ? !context.needsComma && context.arrayLevels == 0 : context.lineMode != .textSequence
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

  /// Continues after the last delivered element or skipped text with a new parser state.
  private mutating func restart() {
    let (offset, context) = skipped.take() ?? (deliveredOffset, deliveredContext)
    parser.state.restart(at: offset, in: context)
    strictText = StrictText()
    flaws.removeAll()
    nulOffsets.removeAll()
    parsed.removeAll()
    rowPlace = nil
    (nextFlaw, nextNUL, nextMark) = (0, 0, 0)
    failure = nil
    givenOffset = offset
    parsedOffset = offset
    parsedBoundary = offset
    isCompleted = false
    pieceSize = ReadBuffer.firstPieceSize
    phase = .parsing
  }
}
