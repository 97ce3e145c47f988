extension ElementReader {
  /// Begins to look for the end of the malformed element, once all elements before it have been
  /// delivered.
  ///
  /// - Returns: the event, if the element has no bytes; otherwise nil.
  mutating func beginRecovery(from malformation: Malformation) -> ReadingEvent? {
    let start = envelope.state.boundary
    if shape == .sequence, lineMode == .firstOnOneLine { learnLineMode(from: start, to: start) }
    var place = envelope.state.place
    if separatorFlaw(at: start) != nil {
      place.needsComma = !place.needsComma
      finishMalformed(start..<start, resumeOffset: start, in: place)
      return .malformed(malformation)
    }
    let surroundings: SiblingScanner.Surroundings =
      switch (shape, lineMode) {
      case (.sequence, .oneEachLine): .lines
      case (.sequence, _): .sequence
      case (.container, _): place.containerIsObject ? .object : .array
      }
    recovery = Recovery(
      start: start, malformation: malformation, place: place,
      scanner: SiblingScanner(
        surroundings: surroundings, parents: envelope.parents, start: start,
        column: buffer.location(ofByteOffset: start).column,
        isTruncated: malformation.isTruncated))
    phase = .recovering
    return nil
  }

  /// Goes on looking for the end of a malformed element.
  ///
  /// - Returns: the event, or nil if more input is needed.
  mutating func recover() -> ReadingEvent? {
    // One owner only, so that what the scan has collected is not copied.
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
    _ recovery: Recovery, at outcome: SiblingScanner.Outcome
  ) -> ReadingEvent {
    var place = recovery.place
    place.needsComma = outcome.needsComma && shape != .sequence
    finishMalformed(recovery.start..<outcome.offset, resumeOffset: outcome.offset, in: place)
    let malformation = recovery.malformation
    let isAtEnd = outcome.offset == buffer.endOffset && isFinished
    guard malformation.byteOffset >= outcome.offset, !(isAtEnd && malformation.isTruncated) else {
      return .malformed(malformation)
    }
    // What the value lacks showed only further on.
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
        byteOffset: max(elementRange.lowerBound, elementRange.upperBound - 1)))
  }

  /// Makes a malformed element the current one and has reading go on behind it.
  mutating func finishMalformed(_ bytes: Range<Int>, resumeOffset: Int, in place: Place) {
    (elementTokens, memberName, holdsNUL) = (0..<0, nil, false)
    var end = min(bytes.upperBound, bytes.lowerBound + limits.elementByteCount)
    isCut = end < bytes.upperBound
    if !isCut {
      while end > bytes.lowerBound, isWhiteSpace(at: end - 1) { end -= 1 }
    }
    elementRange = bytes.lowerBound..<end
    oversized?.bytes.removeSubrange(elementRange.count...)
    advance(to: resumeOffset, in: place)
    phase = .restarting
  }

  /// Whether a byte of the malformed element is white space.
  private func isWhiteSpace(at offset: Int) -> Bool {
    ElementScan.isWhiteSpace(
      oversized.map { $0.bytes[offset - $0.startOffset] } ?? buffer[offset])
  }

  /// Lets the bytes leave that nobody needs any more.
  mutating func discardUnneeded() {
    var keep = deliveredOffset
    switch phase {
    case .resuming:
      return
    case .starting, .restarting, .ended, .failed:
      break
    case .parsing:
      keep =
        nextMark < elements.marks.count
        ? elements.marks[nextMark].memberStart : envelope.state.boundary
    case .recovering:
      keep = recoveryKeepOffset()
    }
    guard keep > buffer.startOffset else { return }
    if deliveredHash == nil, keep > deliveredOffset {
      deliveredHash = buffer.hash(before: deliveredOffset)
    }
    buffer.discard(before: keep)
  }

  /// What the search needs; it moves an element that becomes too long out of the buffer.
  private mutating func recoveryKeepOffset() -> Int {
    guard let recovery else { return deliveredOffset }
    guard recovery.scanner.offset - recovery.start > limits.elementByteCount else {
      return recovery.start
    }
    if oversized == nil {
      let location = buffer.location(ofByteOffset: recovery.start)
      let head = buffer.span(recovery.start..<(recovery.start + limits.elementByteCount))
      oversized = OversizedElement(
        bytes: head.indices.map { head[$0] }, startOffset: recovery.start, line: location.line,
        column: location.column)
    }
    return recovery.scanner.keepOffset
  }
}
