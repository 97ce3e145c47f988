/// The fast path beside yajl: puts elements that are plainly sound on the tape.
///
/// yajl takes more than twice as long for them. What a scan does not know as sound, it leaves to yajl, from
/// the first byte of the element on. So yajl alone judges what is malformed, beyond a limit or around the
/// elements.
struct SoundElements: ~Copyable {
  /// How many bytes may wait that only separate elements.
  private static let separatorLimit = 1 << 10

  private var open = GrowableBuffer<OpenContainer>(minimumCapacity: 32)

  /// Where the element began that was left to yajl last.
  private var refusedStart = -1
  /// Where the element began that was found cut off last, and how much of it there was.
  private var (cutStart, cutLength) = (-1, 0)

  /// Whether the element at an offset was left to yajl.
  func hasRefused(elementAt offset: Int) -> Bool { offset == refusedStart }

  /// Forgets where it was.
  mutating func restart() { (refusedStart, cutStart, cutLength) = (-1, -1, 0) }

  /// Puts the sound elements behind `boundary` on the tape, and moves `boundary` behind them.
  ///
  /// An element that the bytes end inside of is left where it is, to be scanned with those that
  /// follow. If these have not at least doubled it, or none follow, it is yajl's: so no element
  /// is scanned often.
  ///
  /// - Parameter hasYajlRead: whether yajl has read bytes behind `boundary`; false once it has to begin
  ///   anew there.
  /// - Returns: whether the bytes behind `boundary` wait for what follows them; if not, they are yajl's to
  ///   judge.
  mutating func scan(
    _ piece: ScannedPiece, _ limits: ReadingLimits, from boundary: inout Int, in place: inout Place,
    hasYajlRead: inout Bool, onto tape: inout TapeBuffers
  ) -> Bool {
    let end = piece.endOffset - piece.offset
    var scan = unsafe ElementScan(
      bytes: piece.bytes, end: end, offset: piece.offset, limits: limits)
    while true {
      var index = boundary - piece.offset
      var needsComma = place.needsComma
      while index < end {
        let byte = unsafe piece.bytes[index]
        if byte == UInt8(ascii: ","), needsComma {
          needsComma = false
        } else if !ElementScan.isWhiteSpace(byte) {
          break
        }
        index += 1
      }
      let start = piece.offset + index
      guard index < end else {
        // Behind a comma, which yajl alone may have seen, something must follow.
        if needsComma == place.needsComma, !hasYajlRead { boundary = start }
        let canWait = !piece.isLast && start - boundary <= Self.separatorLimit
        return canWait || start == boundary
      }
      let (token, copy) = (tape.tokens.count, tape.copies.count)
      let member =
        needsComma
        ? nil : scan.member(at: index, isNamed: place.containerIsObject, onto: &tape, &open)
      guard let member, member.end - index <= limits.elementByteCount else {
        tape.tokens.truncate(to: token)
        tape.copies.truncate(to: copy)
        open.removeAll()
        guard scan.isCut, waits(from: start, piece, limits) else {
          refusedStart = start
          return false
        }
        (boundary, place.needsComma, hasYajlRead) = (start, false, false)
        return true
      }
      place.needsComma = !piece.isSequence
      boundary = piece.offset + member.end
      hasYajlRead = false
      tape.marks.append(
        ElementMark(
          firstToken: token, endToken: tape.tokens.count, start: piece.offset + member.start,
          end: boundary, memberStart: start, nameStart: member.name?.lowerBound ?? -1,
          nameEnd: member.name?.upperBound ?? -1, containerStart: piece.containerStart,
          place: place))
    }
  }

  /// Whether to wait for more of the element at `start`, which the bytes end inside of.
  private mutating func waits(
    from start: Int, _ piece: ScannedPiece, _ limits: ReadingLimits
  ) -> Bool {
    let length = piece.endOffset - start
    guard
      !piece.isLast, length <= limits.elementByteCount,
      cutStart != start || length >= 2 * cutLength
    else { return false }
    (cutStart, cutLength) = (start, length)
    return true
  }
}
