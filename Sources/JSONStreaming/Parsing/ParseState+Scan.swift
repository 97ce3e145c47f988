// Elements that are plainly sound are put on the tape without yajl, which would take more than twice
// as long for them. What a scan does not know as sound, it leaves to yajl, from the element's first
// byte: so yajl alone judges what is malformed, beyond a limit or around the elements.
extension ParseState {
  /// How a scan for sound elements ended.
  enum ScanOutcome {
    /// With the bytes, of which those behind `boundary` wait for what follows them.
    case waiting
    /// In front of something that is yajl's to judge.
    case refused
  }

  /// How many bytes may wait that only separate elements.
  private static let separatorLimit = 1 << 10

  /// Whether the bytes behind `boundary` may be scanned: yajl goes on with an element that was
  /// left to it.
  var canScan: Bool { place.isInContainer && boundary != refusedStart }

  /// Puts the sound elements behind `boundary` on the tape.
  ///
  /// An element that the bytes end inside of is left where it is, to be scanned with those that
  /// follow. Where these have not at least doubled it, or none follow, it is yajl's: so no element
  /// is scanned often.
  mutating func scanElements() -> ScanOutcome {
    guard let bytes = unsafe bytes else { preconditionFailure("there are bytes to scan") }
    if isInMember { forgetElement() }
    let end = endOffset - bytesOffset
    var scan = unsafe ElementScan(bytes: bytes, end: end, offset: bytesOffset, limits: limits)
    while true {
      var index = boundary - bytesOffset
      var needsComma = place.needsComma
      while index < end {
        let byte = unsafe bytes[index]
        if byte == UInt8(ascii: ","), needsComma {
          needsComma = false
        } else if !ElementScan.isWhiteSpace(byte) {
          break
        }
        index += 1
      }
      let start = bytesOffset + index
      guard index < end else {
        // Behind a comma, which yajl alone may have seen, something must follow.
        if needsComma == place.needsComma, yajlOffset == nil { boundary = start }
        let canWait = !isLastPiece && start - boundary <= Self.separatorLimit
        return canWait || start == boundary ? .waiting : .refused
      }
      let (token, copy) = (tape.tokens.count, tape.copies.count)
      let member =
        needsComma
        ? nil : scan.member(at: index, isNamed: place.containerIsObject, onto: &tape, &open)
      guard let member, member.end - index <= limits.elementByteCount else {
        tape.tokens.truncate(to: token)
        tape.copies.truncate(to: copy)
        open.removeAll()
        guard scan.isCut, waits(from: start) else {
          refusedStart = start
          return .refused
        }
        (boundary, place.needsComma, yajlOffset) = (start, false, nil)
        return .waiting
      }
      place.needsComma = !isSequence
      boundary = bytesOffset + member.end
      yajlOffset = nil
      tape.marks.append(
        ElementMark(
          firstToken: token, endToken: tape.tokens.count, start: bytesOffset + member.start,
          end: boundary, memberStart: start, nameStart: member.name?.lowerBound ?? -1,
          nameEnd: member.name?.upperBound ?? -1, containerStart: containerStart, place: place))
    }
  }

  /// Whether to wait for more of the element at `start`, which the bytes end inside of.
  private mutating func waits(from start: Int) -> Bool {
    let length = endOffset - start
    guard
      !isLastPiece, length <= limits.elementByteCount,
      cutStart != start || length >= 2 * cutLength
    else { return false }
    (cutStart, cutLength) = (start, length)
    return true
  }

  /// Takes back what yajl has found of an unfinished element.
  private mutating func forgetElement() {
    if !open.isEmpty { tape.tokens.truncate(to: elementToken) }
    tape.copies.truncate(to: elementCopies)
    open.removeAll()
    (valueCount, nameStart, nameEnd) = (0, -1, -1)
    yajlOffset = nil
  }
}
