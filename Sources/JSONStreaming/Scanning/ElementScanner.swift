/// Puts the elements of a container or a sequence on the tape, one after the other.
///
/// yajl takes more than twice as long for that. It judges the elements that are refused here.
struct ElementScanner: ~Copyable {
  /// What the bytes came to, behind the elements that were put on the tape.
  enum Outcome {
    /// They end in front of an element, or inside one.
    case needsMore
    /// At the boundary the container ends.
    case containerEnd
    /// The element at the boundary is not known as sound.
    case refused(ElementScan.Refusal, TextFlaw?)
  }

  /// Where reading stands in the input.
  struct State {
    /// Where the next element begins, apart from separators.
    var boundary: Int
    var place: Place
  }

  /// How long an element may be that is scanned whenever more of it comes.
  private static let shortLength = 1 << 14

  private let isSequence: Bool
  private let limits: ReadingLimits
  private var open = GrowableBuffer<OpenContainer>(minimumCapacity: 32)

  /// Whether a comma is in front of the boundary, so that the container cannot end there.
  private var isBehindComma = false
  /// Where the element began that was refused last, and how many bytes of it there were.
  private var (refusedStart, refusedLength) = (-1, 0)

  init(isSequence: Bool, limits: ReadingLimits) {
    self.isSequence = isSequence
    self.limits = limits
  }

  /// Forgets where it was.
  mutating func restart() { (refusedStart, isBehindComma) = (-1, false) }

  /// Puts the elements behind the boundary on the tape, and moves the boundary behind them.
  ///
  /// A long element that the bytes end inside of is scanned again when its bytes have doubled, so that
  /// its cost is linear.
  ///
  /// - Parameters:
  ///   - bytes: the input from `offset` to `endOffset`.
  ///   - isLast: whether nothing follows them.
  @unsafe
  mutating func scan(
    _ bytes: UnsafePointer<UInt8>, from offset: Int, to endOffset: Int, isLast: Bool,
    _ state: inout State, onto tape: inout TapeBuffers
  ) -> Outcome {
    let end = endOffset - offset
    var scan = unsafe ElementScan(
      bytes: bytes, end: end, offset: offset, isLast: isLast, limits: limits)
    let closer = UInt8(ascii: state.place.containerIsObject ? "}" : "]")
    while true {
      var start = state.boundary - offset
      while start < end {
        let byte = unsafe bytes[start]
        if byte == UInt8(ascii: ","), state.place.needsComma {
          (state.place.needsComma, isBehindComma) = (false, true)
        } else if !ElementScan.isWhiteSpace(byte) {
          break
        }
        start += 1
      }
      state.boundary = offset + start
      guard start < end else { return .needsMore }
      if unsafe bytes[start] == closer, !isSequence, !isBehindComma { return .containerEnd }
      let length = end - start
      if state.boundary == refusedStart, length > Self.shortLength, length < 2 * refusedLength,
        length <= limits.elementByteCount, !isLast
      {
        return .needsMore
      }
      guard !state.place.needsComma else {
        (refusedStart, refusedLength) = (state.boundary, length)
        return .refused(.syntax, nil)
      }
      let (token, copy) = (tape.tokens.count, tape.copies.count)
      guard
        let mark = scan.member(
          at: start, isNamed: state.place.containerIsObject, onto: &tape, &open)
      else {
        tape.tokens.truncate(to: token)
        tape.copies.truncate(to: copy)
        open.removeAll()
        (refusedStart, refusedLength) = (state.boundary, length)
        return .refused(scan.refusal, scan.flaw)
      }
      tape.marks.append(mark)
      state.boundary = mark.end
      (state.place.needsComma, isBehindComma) = (!isSequence, false)
    }
  }
}
