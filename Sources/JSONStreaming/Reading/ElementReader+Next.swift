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
    return rows.place == .none ? event : try row(event)
  }

  /// Advances to the next element, whether it is a row or not.
  mutating func nextElement() throws(ReadingError) -> ReadingEvent {
    if head != nil { head = nil }
    while true {
      // A phase is not copied for each element.
      if case .parsing = phase, parsed.hasNextMark { return try deliver() }
      switch phase {
      case .parsing where rowParser != nil:
        guard try parseRows() else { return .needsInput }
      case .parsing:
        if let failure = window.failure {
          if let event = try beginRecovery(from: failure) { return event }
        } else if window.givenOffset < buffer.endOffset
          || (buffer.isComplete && parsedOffset < buffer.endOffset)
        {
          parsePiece()
        } else if !buffer.isComplete {
          return .needsInput
        } else {
          try complete()
        }
      case .recovering:
        guard let event = recover() else { return .needsInput }
        return event
      case .restarting(let offset, let context):
        restart(at: offset, in: context)
      case .starting:
        guard try start() else { return .needsInput }
      case .resuming(let position):
        guard try resume(at: position) else { return .needsInput }
      case .ended:
        return .end
      case .failed(let error):
        throw error
      }
    }
  }

  /// Makes the next marked element the current one.
  private mutating func deliver() throws(ReadingError) -> ReadingEvent {
    let mark = parsed.nextMark
    parsed.takenCount += 1
    let flaw = try firstFlaw(before: mark)
    let holdsNUL = findings.takeNULs(in: mark.memberStart..<mark.end)
    if lineMode.rawValue < ElementContext.LineMode.oneEachLine.rawValue, shape == .sequence {
      learnLineMode(from: mark.start, to: mark.end)
    }
    advance(to: mark.end, in: mark.context)
    if mark.firstToken == mark.endToken, let malformation = rowParser?.takeMalformation() {
      let end = min(mark.end, mark.start + limits.elementByteCount)
      current = Current(bytes: mark.start..<end, holdsNUL: holdsNUL, isCut: end < mark.end)
      return .malformed(malformation)
    }
    if let flaw {
      current = Current(bytes: mark.memberStart..<mark.end, holdsNUL: holdsNUL)
      return .malformed(flaw.malformation)
    }
    current = Current(
      tokens: mark.firstToken..<mark.endToken, bytes: mark.start..<mark.end, name: mark.name,
      holdsNUL: holdsNUL)
    return .element
  }

  /// Counts one more element, which ends at `offset`.
  mutating func advance(to offset: Int, in context: ElementContext) {
    delivered = Delivered(offset: offset, count: delivered.count + 1, context: context)
    countSkipped()
  }

  private mutating func countSkipped() {
    skippedCount += pendingSkippedCount
    pendingSkippedCount = 0
  }

  /// The first flaw before the end of the element; later flaws in the element are dropped.
  private mutating func firstFlaw(before mark: ElementMark) throws(ReadingError) -> TextFlaw? {
    var first: TextFlaw?
    while let flaw = findings.takeFlaw(before: mark.end) {
      guard flaw.byteOffset >= mark.containerStart else { throw fail(around: flaw) }
      if first == nil { first = flaw }
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

  /// The offset of the first byte that has not been parsed; elements that end before it are found.
  var parsedOffset: Int { parser.state.parsedOffset }

  /// Parses the next piece of the buffer and collects the elements.
  private mutating func parsePiece() {
    discardUnneeded()
    let start = window.givenOffset
    let range = start..<min(start + window.pieceSize, buffer.endOffset)
    parser.setPiece(buffer, endOffset: range.upperBound)
    window.givenOffset = range.upperBound
    window.pieceSize = min(4 * window.pieceSize, ReadBuffer.pieceSize)
    examinedByteCount += range.count
    findings.inspect(buffer.span(range), at: start)
    parser.parsePiece()
    exchangeTape()
    switch parser.state.outcome {
    case .done:
      if parsedOffset == range.upperBound { limitUnfinished() }
    case .stopped:
      window.failure = ParseFailure(
        kind: .stop(parser.state.stop), noticedOffset: parser.state.consumedOffset)
    case .failed:
      let noticedOffset = parser.state.yajl.callOffset + parser.failure.byteIndex + 1
      let isTooLong = isEnvelopeTextTooLong(upTo: noticedOffset - 1)
      window.failure = ParseFailure(
        kind: isTooLong ? .stop(.envelopeStringBytes) : .syntax, noticedOffset: noticedOffset)
    }
    findings.prune(after: parsed.markedEnd)
    noticeOutsideFlaw()
  }

  /// Replaces the delivered elements and their findings by newly parsed elements.
  private mutating func exchangeTape() {
    parser.state.exchangeTape(for: &parsed)
    if shape == .container(ColumnNames.rows) { noteColumns() }
    findings.removeTaken()
  }

  /// Limits the size of an unfinished token or element in yajl, and of the separators kept.
  private mutating func limitUnfinished() {
    let reason: ParseState.Stop
    if parser.state.context.isInContainer {
      if !parser.state.element.isInMember { parser.state.advanceBoundary() }
      guard parsedOffset - parser.state.boundary > limits.elementByteCount else { return }
      reason = .elementBytes
    } else {
      guard isEnvelopeTextTooLong(upTo: parsedOffset) else { return }
      reason = .envelopeStringBytes
    }
    window.failure = ParseFailure(kind: .stop(reason), noticedOffset: parsedOffset)
  }

  /// Whether the text around the elements after the last token is too long for one token.
  private mutating func isEnvelopeTextTooLong(upTo offset: Int) -> Bool {
    guard !parser.state.context.isInContainer else { return false }
    parser.state.advanceEnvelopeBoundary()
    // An escape has up to six bytes for one byte of text.
    return offset - parser.state.boundary > 6 * limits.stringByteCount + 2
  }

  /// Stops at a flaw outside all elements, complete or not.
  private mutating func noticeOutsideFlaw() {
    guard let flaw = findings.last, flaw.byteOffset >= parsed.markedEnd else { return }
    let context = parser.state.context
    // It is unknown whether an unfinished token is allowed at all.
    if !context.isInContainer { parser.state.advanceEnvelopeBoundary() }
    let end = context.isInContainer ? parser.state.envelope.containerStart : parser.state.boundary
    guard flaw.byteOffset < end else { return }
    if let failure = window.failure, failure.noticedOffset <= flaw.noticedOffset { return }
    window.failure = ParseFailure(kind: .flaw(flaw), noticedOffset: flaw.noticedOffset)
  }

  /// Ends the input for the parser and checks that it can end there.
  ///
  /// yajl's own check is not sufficient: it reports an empty input as truncated, and takes a
  /// truncated string after another value for white space.
  private mutating func complete() throws(ReadingError) {
    guard window.isCompleted else {
      window.isCompleted = true
      findings.finish(at: parsedOffset)
      parser.complete(buffer)
      exchangeTape()
      if parser.state.outcome == .stopped {
        window.failure = ParseFailure(
          kind: .stop(parser.state.stop), noticedOffset: parsedOffset)
      } else if !parser.state.isBetweenValues() {
        window.failure = ParseFailure(kind: .truncated, noticedOffset: parsedOffset)
      }
      return
    }
    if let flaw = findings.first { throw fail(around: flaw) }
    if case .container(let pointer) = shape, !parser.state.envelope.isTargetFound {
      throw fail(notFound: pointer)
    }
    endReading()
  }

  mutating func endReading() {
    countSkipped()
    phase = .ended
  }

  /// Checks the first bytes of the input; false if there are too few.
  private mutating func start() throws(ReadingError) -> Bool {
    guard buffer.bytes.count >= 4 || buffer.isComplete else { return false }
    if case .container(let pointer) = shape, pointer.tokens.count > ElementContext.stepLimit {
      throw fail(
        .pointerNotFound, at: 0,
        "the pointer \(quoted(pointer)) has more than \(ElementContext.stepLimit) steps: elements nested that"
          + " deeply cannot be read")
    }
    if let name = Self.wideEncoding(buffer.bytes.span) {
      throw fail(
        .unsupportedEncoding, at: 0,
        "the input is \(name): convert it first, for example with iconv -f \(name) -t utf-8")
    }
    if Self.beginsWithNULs(buffer.bytes.span) {
      throw fail(
        .unrecoverable, at: 0,
        "the input begins with NUL bytes, like a file that was not completely written: fetch it again"
      )
    }
    if Self.hasByteOrderMark(buffer.bytes.span) {
      rowParser?.offset = 3
      restart(at: 3, in: parser.state.context)
    }
    guard rowParser == nil else {
      phase = .parsing
      return true
    }
    if buffer.bytes.count > window.givenOffset,
      buffer.bytes[window.givenOffset] == ElementContext.recordSeparator
    {
      guard shape == .sequence else {
        throw fail(
          .notAContainer, at: window.givenOffset,
          "the input is a text sequence, and each of its texts is an element: give no pointer")
      }
      lineMode = .textSequence
      delivered.context.lineMode = lineMode
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
  private mutating func resume(at resumed: ReadingPosition) throws(ReadingError) -> Bool {
    guard
      let context = ElementContext(state: resumed.state), resumed.byteOffset > 0,
      context.isInContainer, !rows.isHeaderDue,
      shape == .sequence
        ? !context.needsComma && context.arrayLevels == 0 : context.lineMode != .textSequence
    else {
      throw fail(
        .invalidPosition, at: 0,
        "the position \(resumed.byteOffset) with state \(resumed.state) does not belong to this shape"
          + " of input: start again")
    }
    buffer.discard(before: min(resumed.byteOffset, buffer.endOffset))
    guard buffer.startOffset == resumed.byteOffset else {
      guard buffer.isComplete else { return false }
      throw fail(changedFrom: resumed)
    }
    guard buffer.hash(before: resumed.byteOffset) == resumed.inputHash else {
      throw fail(changedFrom: resumed)
    }
    firstEndLine = buffer.location(ofByteOffset: resumed.byteOffset).line
    restart(at: resumed.byteOffset, in: context)
    return true
  }

  /// Continues at an offset with a new parser state.
  private mutating func restart(at offset: Int, in context: ElementContext) {
    parser.state.restart(at: offset, in: context)
    findings.removeAll()
    parsed.removeAll()
    window = Window(givenOffset: offset, pieceSize: ReadBuffer.firstPieceSize)
    phase = .parsing
  }
}
