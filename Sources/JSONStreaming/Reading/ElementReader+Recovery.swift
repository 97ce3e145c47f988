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
      pendingSkippedCount += 1
      phase = .restarting(at: offset, in: context)
      return nil
    }
    guard parser.state.context.isInContainer, failure.kind != .stop(.notAContainer) else {
      throw failEnvelope(failure)
    }
    if !parser.state.element.isInMember { parser.state.advanceBoundary() }
    let start = parser.state.boundary
    guard start < parsedOffset else { throw failEnvelope(failure) }

    if shape == .sequence, lineMode == .firstOnOneLine { learnLineMode(from: start, to: start) }
    var context = parser.state.context
    if let malformation = separatorFlaw(at: start) {
      context.needsComma = !context.needsComma
      finishMalformed(start..<start, in: context)
      return .malformed(malformation)
    }
    let siblings: RecoveryScanner.Siblings =
      switch (shape, lineMode) {
      case (.sequence, .oneEachLine): .lines
      case (.sequence, .textSequence): .texts
      case (.sequence, _): .sequence
      case (.container, _), (.delimited, _): context.containerIsObject ? .object : .array
      }
    phase = .recovering(
      Recovery(
        start: start, malformation: malformation(of: failure, from: start), context: context,
        scanner: RecoveryScanner(
          siblings: siblings, parents: parser.state.parents, start: start,
          column: buffer.location(ofByteOffset: start).column,
          isTruncated: failure.kind == .truncated)))
    return nil
  }

  /// Continues the search for a malformed element's end; returns nil if more input is needed.
  mutating func recover() -> ReadingEvent? {
    guard case .recovering(var recovery) = phase else {
      preconditionFailure("there is something to recover from")
    }
    // A single owner avoids a copy of what the scan has collected.
    phase = .parsing
    let outcome = recovery.scanner.scan(
      buffer.held, at: buffer.startOffset, isComplete: buffer.isComplete)
    examinedByteCount += recovery.scanner.resetStepCount()
    guard let outcome else {
      phase = .recovering(recovery)
      return nil
    }
    return finish(recovery, at: outcome)
  }

  /// Delivers the malformed element whose end has been found.
  private mutating func finish(
    _ recovery: Recovery, at outcome: RecoveryScanner.Outcome
  ) -> ReadingEvent {
    var context = recovery.context
    context.needsComma = outcome.needsComma && shape != .sequence
    finishMalformed(recovery.start..<outcome.offset, recovery.head, in: context)
    let malformation = recovery.malformation
    if malformation.rule == "syntax", !current.isCut, head == nil,
      let text = textWithNullForNaN(), readAgain(text, isMember: context.containerIsObject)
    {
      if limits.readsNaNAsNull { return .element }
      return .malformed(
        Malformation(
          rule: "nan", message: "not valid json: NaN and Infinity are not values",
          byteOffset: malformation.byteOffset))
    }
    let isAtEnd = outcome.offset == buffer.endOffset && buffer.isComplete
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
      .syntax(flaw, at: max(current.bytes.lowerBound, current.bytes.upperBound - 1)))
  }

  /// Makes a malformed element the current one and resumes reading after it.
  private mutating func finishMalformed(
    _ bytes: Range<Int>, _ head: ElementHead? = nil, in context: ElementContext
  ) {
    current = Current()
    self.head = head
    var end = min(bytes.upperBound, bytes.lowerBound + limits.elementByteCount)
    current.isCut = end < bytes.upperBound
    if !current.isCut {
      while end > bytes.lowerBound, isWhiteSpace(at: end - 1) { end -= 1 }
    }
    current.bytes = bytes.lowerBound..<end
    self.head?.bytes.removeSubrange(current.bytes.count...)
    advance(to: bytes.upperBound, in: context)
    phase = .restarting(at: bytes.upperBound, in: context)
  }

  private func isWhiteSpace(at offset: Int) -> Bool {
    let byte = head.map { $0.bytes[offset - $0.startOffset] } ?? buffer[offset]
    return byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  mutating func makeRoom(for count: Int) {
    discardUnneeded()
    buffer.makeRoom(for: count)
    parser.setAddress(of: buffer)
  }

  mutating func discardUnneeded() {
    var keep = delivered.offset
    switch phase {
    case .resuming:
      return
    case .starting, .restarting, .ended, .failed:
      break
    case .parsing:
      if parsed.hasNextMark {
        keep = parsed.nextMark.memberStart
      } else if let offset = rowParser?.offset {
        keep = offset
      } else if window.failure == nil {
        keep = parser.state.boundary
      }
      // The line of a flaw that has not been delivered must still be counted.
      if let flaw = findings.first { keep = min(keep, flaw.byteOffset) }
    case .recovering(let recovery):
      keep = firstOffset(neededBy: recovery)
    }
    guard keep > buffer.startOffset else { return }
    if delivered.hash == nil, keep > delivered.offset {
      delivered.hash = buffer.hash(before: delivered.offset)
    }
    buffer.discard(before: keep)
  }

  /// The first offset that the search needs; moves the head of a long element out of the buffer.
  private mutating func firstOffset(neededBy recovery: Recovery) -> Int {
    let start = recovery.start
    guard recovery.scanner.offset - start > limits.elementByteCount else { return start }
    if recovery.head == nil {
      let location = buffer.location(ofByteOffset: start)
      let head = buffer.span(start..<(start + limits.elementByteCount))
      var recovery = recovery
      recovery.head = ElementHead(
        bytes: head.indices.map { head[$0] }, startOffset: start, line: location.line,
        column: location.column)
      phase = .recovering(recovery)
    }
    return recovery.scanner.firstNeededOffset
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

  /// The first bytes of the element, once it is too long for the buffer.
  var head: ElementHead?
}

/// The first bytes of a malformed element that is longer than `ReadingLimits.elementByteCount`;
/// the read buffer holds its later bytes only.
struct ElementHead {
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
