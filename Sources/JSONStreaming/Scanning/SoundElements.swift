/// The fast path beside yajl, for valid elements.
///
/// yajl takes more than twice as long for them. From the first byte of any other element on, the
/// bytes are left to yajl. So yajl alone judges malformed elements, limits and the text around the
/// elements.
struct SoundElements: ~Copyable {
  /// The most separator bytes that can wait for an element.
  private static let separatorLimit = 1 << 10

  private let limits: ReadingLimits
  private let isSequence: Bool
  private var open = GrowableBuffer<OpenContainer>(minimumCapacity: 32)

  /// The start of the last element left to yajl.
  private var refusedStart = -1
  /// The start of the last element that was cut off, and its length so far.
  private var (cutStart, cutLength) = (-1, 0)

  init(limits: ReadingLimits, isSequence: Bool) {
    self.limits = limits
    self.isSequence = isSequence
  }

  func hasRefused(elementAt offset: Int) -> Bool { offset == refusedStart }

  mutating func restart() { (refusedStart, cutStart, cutLength) = (-1, -1, 0) }

  /// Puts the valid elements after `boundary` on the tape and moves `boundary` after them.
  ///
  /// An element that is cut off is scanned again with the bytes that follow. If they do not at
  /// least double it, or if the input ends, yajl gets it. So no element is scanned often.
  ///
  /// - Parameter hasYajlRead: whether yajl has read past `boundary`; false if it must start again
  ///   there.
  /// - Returns: whether the rest must wait for more bytes; otherwise yajl must parse it.
  mutating func scan(
    _ piece: Piece, containerStart: Int, from boundary: inout Int,
    in context: inout ElementContext, hasYajlRead: inout Bool, onto tape: inout TapeBuffers
  ) -> Bool {
    guard let bytes = unsafe piece.bytes else { preconditionFailure("there are bytes to scan") }
    let end = piece.endOffset - piece.offset
    var scan = unsafe ElementScan(bytes: bytes, end: end, offset: piece.offset, limits: limits)
    while true {
      var index = boundary - piece.offset
      var needsComma = context.needsComma
      while index < end {
        let byte = unsafe bytes[index]
        if byte == UInt8(ascii: ","), needsComma {
          needsComma = false
        } else if !ElementScan.isWhiteSpace(byte),
          byte != ElementContext.recordSeparator || !context.isTextSequence
        {
          break
        }
        index += 1
      }
      let start = piece.offset + index
      guard index < end else {
        // After a comma, which only yajl may have seen, an element must follow.
        if needsComma == context.needsComma, !hasYajlRead { boundary = start }
        let canWait = !piece.isLast && start - boundary <= Self.separatorLimit
        return canWait || start == boundary
      }
      let (token, copy) = (tape.tokens.count, tape.copies.count)
      let member =
        needsComma
        ? nil : scan.member(at: index, isNamed: context.containerIsObject, onto: &tape, &open)
      guard let member, member.end - index <= limits.elementByteCount else {
        tape.tokens.truncate(to: token)
        tape.copies.truncate(to: copy)
        open.removeAll()
        guard scan.isCut, waits(from: start, piece) else {
          refusedStart = start
          return false
        }
        (boundary, context.needsComma, hasYajlRead) = (start, false, false)
        return true
      }
      context.needsComma = !isSequence
      boundary = piece.offset + member.end
      hasYajlRead = false
      tape.marks.append(
        ElementMark(
          firstToken: token, endToken: tape.tokens.count, start: piece.offset + member.start,
          end: boundary, memberStart: start, name: member.name, containerStart: containerStart,
          context: context))
    }
  }

  /// Whether to wait for more bytes of the element at `start`, which is cut off.
  private mutating func waits(from start: Int, _ piece: Piece) -> Bool {
    let length = piece.endOffset - start
    guard
      !piece.isLast, length <= limits.elementByteCount,
      cutStart != start || length >= 2 * cutLength
    else { return false }
    (cutStart, cutLength) = (start, length)
    return true
  }
}
