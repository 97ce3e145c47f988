extension ElementReader {
  /// Finds out what a failure means, once all elements before it have been delivered.
  ///
  /// - Returns: the event, if the element has no bytes; otherwise nil, and its end is looked for.
  /// - Throws: the error, if no element has failed but what stands around the elements.
  mutating func beginRecovery(from failure: ParseFailure) throws(ReadingError) -> ReadingEvent? {
    if case .flaw(let flaw) = failure.kind { throw fail(around: flaw) }
    if failure.kind == .stop(.strayFeed), parser.state.place.isInContainer {
      return takeFeeds(from: parser.state.boundary, in: parser.state.place)
    }
    if parser.state.isAroundValues,
      [.syntax, .truncated, .stop(.strayFeed)].contains(failure.kind)
    {
      return try beginRecovery(aroundValues: failure)
    }
    guard parser.state.place.isInContainer, failure.kind != .stop(.notAContainer),
      failure.kind != .stop(.outOfMemory)
    else {
      throw failEnvelope(failure)
    }
    if !parser.state.isInMember { parser.state.advanceBoundary() }
    let start = parser.state.boundary
    guard start < parsedOffset else { throw failEnvelope(failure) }

    var place = parser.state.place
    if nextFlaw < flaws.count, flaws[nextFlaw].byteOffset == start,
      let (end, comma) = strayFeeds(
        in: start..<min(parsedOffset, start + limits.elementByteCount),
        passesComma: place.needsComma)
    {
      if let comma, comma < end { place.needsComma = false }
      let malformation = flaws[nextFlaw].malformation
      finishMalformed(start..<end, resumeOffset: end, in: place)
      return .malformed(malformation)
    }
    if shape == .sequence, lineMode == .firstOnOneLine { learnLineMode(from: start, to: start) }
    if let malformation = separatorFlaw(at: start) {
      place.needsComma = !place.needsComma
      finishMalformed(start..<start, resumeOffset: start, in: place)
      return .malformed(malformation)
    }
    recovery = Recovery(
      start: start, failure: failure, malformation: try malformation(of: failure, from: start),
      place: place, search: search(from: start, after: failure))
    phase = .recovering
    return nil
  }

  /// Takes form feeds and vertical tabs, and the white space between them, for a malformed element.
  private mutating func takeFeeds(from start: Int, in place: Place) -> ReadingEvent {
    let rule = buffer[start] == 0x0C ? TextFlaw.Rule.formFeed : .verticalTab
    var end = start
    scan: for offset in start..<min(parsedOffset, start + limits.elementByteCount) {
      switch buffer[offset] {
      case 0x0B, 0x0C: end = offset + 1
      case 0x0A, 0x0D, 0x20, 0x09: break
      default: break scan
      }
    }
    finishMalformed(start..<end, resumeOffset: end, in: place)
    return .malformed(TextFlaw(rule: rule, byteOffset: start, noticedOffset: start).malformation)
  }

  /// Takes form feeds, or a comment, before, between or behind the values that hold the elements for a
  /// malformed element; the comment's end is looked for.
  ///
  /// - Returns: the event of form feeds; that more input is needed to know a comment, or nil.
  /// - Throws: the error, if something else stands there.
  private mutating func beginRecovery(
    aroundValues failure: ParseFailure
  ) throws(ReadingError) -> ReadingEvent? {
    parser.state.advanceEnvelopeBoundary()
    let start = parser.state.boundary
    if buffer[start] == 0x0B || buffer[start] == 0x0C {
      var place = parser.state.place
      place.needsComma = parser.state.isTargetFound
      return takeFeeds(from: start, in: place)
    }
    guard buffer[start] == UInt8(ascii: "/") else { throw failEnvelope(failure) }
    guard start + 1 < buffer.endOffset || isFinished else { return .needsInput }
    guard start + 1 < buffer.endOffset,
      buffer[start + 1] == UInt8(ascii: "/") || buffer[start + 1] == UInt8(ascii: "*")
    else { throw failEnvelope(failure) }
    recovery = Recovery(
      start: start, failure: failure, malformation: try malformation(of: failure, from: start),
      place: parser.state.place,
      search: .sibling(
        scanner(in: .sequence, from: start, needsComma: parser.state.isTargetFound)))
    phase = .recovering
    return nil
  }

  /// Goes on looking for the end of a malformed element.
  ///
  /// - Returns: the event, or nil if more input is needed.
  mutating func recover() -> ReadingEvent? {
    guard var found = recovery.take() else {
      preconditionFailure("there is something to recover from")
    }
    while true {
      let search = found.search
      // One owner only, so that what the search has collected is not copied.
      found.search = .none
      switch consume search {
      case .lineMode(var probe):
        guard
          let mode = probe.decide(
            buffer.held, at: buffer.startOffset, isComplete: isFinished)
        else {
          found.search = .lineMode(probe)
          recovery = found
          return nil
        }
        lineMode = mode
        found.search = self.search(from: found.start, after: found.failure)
      case .sibling(var scanner):
        guard
          let outcome = scanner.scan(
            buffer.held, at: buffer.startOffset, isComplete: isFinished)
        else {
          found.search = .sibling(scanner)
          recovery = found
          return nil
        }
        examinedByteCount += scanner.takeStepCount()
        searchBudget.use(scanner.byteCount(behind: outcome))
        return finish(found, at: outcome)
      case .none:
        return finish(
          found, at: SiblingScanner.Outcome(offset: buffer.endOffset, needsComma: true))
      }
    }
  }

  /// How the end of the malformed element at `start` is looked for.
  private mutating func search(from start: Int, after failure: ParseFailure) -> Recovery.Search {
    if shape == .sequence, lineMode == .unknown {
      return .lineMode(LineModeProbe(start: start, byteLimit: limits.elementByteCount))
    }
    let surroundings: SiblingScanner.Surroundings
    if shape == .sequence {
      surroundings = lineMode == .oneEachLine ? .lines : .sequence
    } else {
      surroundings = parser.state.place.containerIsObject ? .object : .array
    }
    // In a container the next siblings may have been taken for values inside. As the elements that are
    // left open stand in one another then, no byte is read again more often than the depth allows.
    if failure.kind == .truncated, surroundings == .sequence { return .none }
    return .sibling(
      scanner(in: surroundings, from: start, needsComma: parser.state.place.needsComma))
  }

  private mutating func scanner(
    in surroundings: SiblingScanner.Surroundings, from start: Int, needsComma: Bool
  ) -> SiblingScanner {
    SiblingScanner(
      surroundings: surroundings, parents: parser.state.parents, needsComma: needsComma,
      start: start, column: buffer.location(ofByteOffset: start).column,
      byteLimit: min(limits.elementByteCount, SiblingScanner.greatestByteLimit),
      doubtLimit: searchBudget.byteCount)
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
    let limit =
      switch (lineMode, outcome.needsComma) {
      case (.oneEachLine, _): "on its line"
      case (_, false): "before the next one begins"
      case (_, true): "before the elements do"
      }
    return .malformed(
      Malformation(
        rule: "syntax", message: "not valid json: the value does not end \(limit)",
        byteOffset: max(currentBytes.lowerBound, currentBytes.upperBound - 1)))
  }

  /// Makes a malformed element the current one and has reading go on behind it.
  mutating func finishMalformed(_ bytes: Range<Int>, resumeOffset: Int, in place: Place) {
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
    advance(to: resumeOffset, in: place)
    phase = .restarting
  }

  /// Whether a byte of the malformed element is white space.
  private func isWhiteSpace(at offset: Int) -> Bool {
    let byte = oversized.map { $0.bytes[offset - $0.startOffset] } ?? buffer[offset]
    return byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  /// Lets the bytes leave that nobody needs any more, and makes room for so many.
  mutating func makeRoom(for count: Int) {
    discardUnneeded()
    guard !buffer.hasRoom(for: count) else { return }
    parserThread?.wait()
    buffer.makeRoom(for: count)
    parser.find(buffer.bytes, bufferOffset: buffer.storageOffset)
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
      if nextMark < parsed.marks.count {
        keep = parsed.marks[nextMark].memberStart
      } else if failure == nil {
        keep = parsedBoundary
      }
      // What is still to be told of has its line counted.
      if nextFlaw < flaws.count { keep = min(keep, flaws[nextFlaw].byteOffset) }
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
    guard case .sibling(let scanner) = recovery.search,
      scanner.offset - recovery.start > limits.elementByteCount
    else { return recovery.start }
    if oversized == nil {
      let location = buffer.location(ofByteOffset: recovery.start)
      let head = buffer.span(recovery.start..<(recovery.start + limits.elementByteCount))
      oversized = OversizedElement(
        bytes: head.indices.map { head[$0] }, startOffset: recovery.start, line: location.line,
        column: location.column)
    }
    return scanner.keepOffset
  }
}
