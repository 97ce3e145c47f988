extension ElementReader {
  /// Interprets a failure after all elements before it have been delivered.
  ///
  /// - Returns: the event of an element without bytes, or the need for more input; otherwise nil, and
  ///   the search for the element's end begins, or reading continues after skipped text.
  /// - Throws: the error if the failure is outside the elements.
  mutating func beginRecovery(from failure: ParseFailure) throws(ReadingError) -> ReadingEvent? {
    if case .flaw(let flaw) = failure.kind { throw fail(around: flaw) }
    switch insertion(at: failure) {
    case .needsMore: return .needsInput
    case .none: break
    case .end(let offset, let context):
      skipped = (offset, context)
      pendingSkippedCount += 1
      self.failure = nil
      phase = .restarting
      return nil
    }
    guard parser.state.context.isInContainer, failure.kind != .stop(.notAContainer) else {
      throw failEnvelope(failure)
    }
    if !parser.state.isInMember { parser.state.advanceBoundary() }
    let start = parser.state.boundary
    guard start < parsedOffset else { throw failEnvelope(failure) }

    if shape == .sequence, lineMode == .firstOnOneLine { learnLineMode(from: start, to: start) }
    var context = parser.state.context
    if let malformation = separatorFlaw(at: start) {
      context.needsComma = !context.needsComma
      finishMalformed(start..<start, resumeOffset: start, in: context)
      return .malformed(malformation)
    }
    let siblings: RecoveryScanner.Siblings =
      switch (shape, lineMode) {
      case (.sequence, .oneEachLine): .lines
      case (.sequence, .textSequence): .texts
      case (.sequence, _): .sequence
      case (.container, _): context.containerIsObject ? .object : .array
      }
    recovery = Recovery(
      start: start, malformation: malformation(of: failure, from: start), context: context,
      scanner: RecoveryScanner(
        siblings: siblings, parents: parser.state.parents, start: start,
        column: buffer.location(ofByteOffset: start).column,
        isTruncated: failure.kind == .truncated))
    phase = .recovering
    return nil
  }

  /// Continues the search for a malformed element's end; returns nil if more input is needed.
  mutating func recover() -> ReadingEvent? {
    // A single owner avoids a copy of what the scan has collected.
    guard var found = recovery.take() else {
      preconditionFailure("there is something to recover from")
    }
    let outcome = found.scanner.scan(
      buffer.held, at: buffer.startOffset, isComplete: isFinished)
    examinedByteCount += found.scanner.resetStepCount()
    guard let outcome else {
      recovery = found
      return nil
    }
    return finish(found, at: outcome)
  }

  /// Delivers the malformed element whose end has been found.
  private mutating func finish(
    _ recovery: Recovery, at outcome: RecoveryScanner.Outcome
  ) -> ReadingEvent {
    var context = recovery.context
    context.needsComma = outcome.needsComma && shape != .sequence
    finishMalformed(recovery.start..<outcome.offset, resumeOffset: outcome.offset, in: context)
    let malformation = recovery.malformation
    if malformation.rule == "syntax", !currentIsCut, oversized == nil,
      let text = textWithNullForNaN(), readAgain(text, isMember: context.containerIsObject)
    {
      if limits.readsNaNAsNull { return .element }
      return .malformed(
        Malformation(
          rule: "nan", message: "not valid json: NaN and Infinity are not values",
          byteOffset: malformation.byteOffset))
    }
    let isAtEnd = outcome.offset == buffer.endOffset && isFinished
    guard malformation.byteOffset >= outcome.offset, !(isAtEnd && malformation.isTruncated) else {
      return .malformed(malformation)
    }
    // yajl detected the missing end only after the end of the element.
    let flaw =
      if recovery.scanner.endedInString(at: outcome) {
        "a string in it does not end"
      } else if lineMode == .oneEachLine {
        "the value does not end on its line"
      } else {
        "the value does not end before the "
          + (outcome.needsComma ? "elements do" : "next one begins")
      }
    return .malformed(
      Malformation(
        rule: "syntax", message: "not valid json: \(flaw)",
        byteOffset: max(currentBytes.lowerBound, currentBytes.upperBound - 1)))
  }

  /// Makes a malformed element the current one and resumes reading at `resumeOffset`.
  mutating func finishMalformed(
    _ bytes: Range<Int>, resumeOffset: Int, in context: ElementContext
  ) {
    currentTokens = 0..<0
    currentName = nil
    currentHoldsNUL = false
    failure = nil
    var end = min(bytes.upperBound, bytes.lowerBound + limits.elementByteCount)
    currentIsCut = end < bytes.upperBound
    if !currentIsCut {
      while end > bytes.lowerBound, isWhiteSpace(at: end - 1) { end -= 1 }
    }
    currentBytes = bytes.lowerBound..<end
    oversized?.bytes.removeSubrange(currentBytes.count...)
    advance(to: resumeOffset, in: context)
    phase = .restarting
  }

  private func isWhiteSpace(at offset: Int) -> Bool {
    let byte = oversized.map { $0.bytes[offset - $0.startOffset] } ?? buffer[offset]
    return byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  mutating func makeRoom(for count: Int) {
    discardUnneeded()
    guard !buffer.hasRoom(for: count) else { return }
    buffer.makeRoom(for: count)
    parser.setAddress(of: buffer.bytes, bufferOffset: buffer.storageOffset)
  }

  mutating func discardUnneeded() {
    var keep = deliveredOffset
    switch phase {
    case .resuming:
      return
    case .starting, .restarting, .ended, .failed:
      break
    case .parsing:
      if nextMark < parsed.marks.count {
        keep = parsed.marks[nextMark].memberStart
      } else if failure == nil {
        keep = parsedBoundary
      }
      // The line of a flaw that has not been delivered must still be counted.
      if nextFlaw < flaws.count { keep = min(keep, flaws[nextFlaw].byteOffset) }
    case .recovering:
      keep = firstOffsetNeededForRecovery()
    }
    guard keep > buffer.startOffset else { return }
    if deliveredHash == nil, keep > deliveredOffset {
      deliveredHash = buffer.hash(before: deliveredOffset)
    }
    buffer.discard(before: keep)
  }

  /// The first offset that the search needs; moves an oversized element out of the buffer.
  private mutating func firstOffsetNeededForRecovery() -> Int {
    guard let recovery else { return deliveredOffset }
    let scanner = recovery.scanner
    guard scanner.offset - recovery.start > limits.elementByteCount else { return recovery.start }
    if oversized == nil {
      let location = buffer.location(ofByteOffset: recovery.start)
      let head = buffer.span(recovery.start..<(recovery.start + limits.elementByteCount))
      oversized = OversizedElement(
        bytes: head.indices.map { head[$0] }, startOffset: recovery.start, line: location.line,
        column: location.column)
    }
    return scanner.firstNeededOffset
  }
}

/// The state of the search for the end of a malformed element.
struct Recovery {
  /// The offset of the element; in an object, of its member name.
  var start: Int

  /// The error to report. If yajl noticed it only behind the element's end, the reader reports a
  /// missing end instead.
  var malformation: Malformation

  /// The context after the element; its `needsComma` is set when the end is found.
  var context: ElementContext

  var scanner: RecoveryScanner
}

/// The first bytes of a malformed element that is longer than `ReadingLimits.elementByteCount`;
/// the read buffer holds its later bytes only.
struct OversizedElement {
  /// At most `elementByteCount` bytes.
  var bytes: [UInt8]

  /// The 0-based offset, line and byte column of the first byte.
  var startOffset: Int
  var line: Int
  var column: Int

  /// The 0-based line of an offset and its byte column; nil before `bytes` or after their end.
  func location(ofByteOffset byteOffset: Int) -> (line: Int, column: Int)? {
    let index = byteOffset - startOffset
    guard index >= 0 && index <= bytes.count else { return nil }
    var lines = LineCounter()
    lines.update(bytes.span.extracting(0..<index))
    let first = lines.lineCount == 0 ? column : 0
    return (line + lines.lineCount, first + index - lines.lineStart)
  }
}
