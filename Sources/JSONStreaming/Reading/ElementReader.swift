/// Reads the elements of a JSON input one after the other, each onto a tape.
///
/// Bytes are pushed with ``append(_:)`` or pulled with ``fill(_:)``; ``next()`` then says what they
/// came to. However the input is cut into pieces, the events, tapes and positions are the same.
///
/// A malformed element costs that element: it is delivered as ``ReadingEvent/malformed(_:)`` with
/// its raw bytes, and reading goes on at the next one.
///
/// In a sequence with one element a line reading goes on at the next line, otherwise where `SiblingScanner` finds
/// the next sibling. A missing or surplus comma between two elements is delivered as a malformed element of no
/// bytes.
///
/// Memory does not depend on the size of the input. It is bounded by the sum of 768 KiB, or twice the
/// largest span appended if that is larger; the bytes of one element, twice while a malformed one is
/// skipped; its tape, at most 16 times its bytes; and six times ``ReadingLimits/stringByteCount``, twice,
/// for a string that stands around the elements.
@safe
public struct ElementReader: ~Copyable {
  enum Phase {
    /// The input before the position to resume at is passing.
    case resuming
    /// The first bytes tell the encoding.
    case starting
    case parsing
    /// The next sibling of a malformed element is being looked for.
    case recovering
    /// A fresh parser has to go on at `deliveredOffset`.
    case restarting
    case ended
    case failed(ReadingError)
  }

  let shape: ElementShape
  let limits: ReadingLimits
  var parser: YajlParser
  var buffer: ReadBuffer
  var phase: Phase

  /// The elements of the pieces that were parsed, to be delivered.
  var parsed = TapeBuffers()
  /// Where the unfinished element behind them, or what is between elements, begins.
  var parsedBoundary = 0
  /// The value around the elements that was asked for, once it has passed.
  var watchedBytes: [UInt8]?
  /// What passed in its place: the start of an array or object, or null.
  public internal(set) var otherWatchedKind: Token.Kind?

  /// How many bytes the next piece has at most. Behind a malformed element it is few at first, so
  /// that many of them do not cost a whole piece each.
  var pieceSize = ReadBuffer.pieceSize

  /// The input up to here has been given to the parser.
  var givenOffset = 0
  /// The elements that end before here have been found; the bytes behind it are given to the
  /// parser again.
  var parsedOffset = 0
  var isFinished = false
  /// Whether the parser has been told that the input is at its end.
  var isCompleted = false

  var strictText = StrictText()
  var flaws = GrowableBuffer<TextFlaw>()
  var nulOffsets = GrowableBuffer<Int>()
  var nextFlaw = 0
  var nextNUL = 0

  /// The index of the first mark that has not been delivered.
  var nextMark = 0
  var failure: ParseFailure?
  var recovery: Recovery?

  /// How many bytes were looked at for flaws and in search of siblings, each as often as it was.
  var examinedByteCount = 0

  // What the last event delivered.
  var currentTokens = 0..<0
  var currentBytes = 0..<0
  var currentName: Token?
  var currentHoldsNUL = false
  var currentIsCut = false
  var currentIndex = 0
  /// The first bytes of a malformed element that is too long to stay in the buffer.
  var oversized: OversizedElement?

  // The position after it.
  var deliveredOffset = 0
  var deliveredCount = 0
  var deliveredPlace = Place()
  /// The hash of the input before `deliveredOffset`, when those bytes have left the buffer.
  var deliveredHash: UInt64?
  let resumed: ReadingPosition

  var lineMode = Place.LineMode.unknown
  /// The line that the first element ended on.
  var firstEndLine = 0

  /// A reader of an input of the given shape.
  ///
  /// - Parameters:
  ///   - shape: where in the input the elements stand.
  ///   - limits: how large one element may be.
  ///   - position: where an earlier reader of the same input, shape and limits stopped. The input
  ///     is given from its first byte all the same; the bytes before the position are hashed and
  ///     not parsed.
  ///   - isResumable: whether another reader is to go on from ``position``: without it the input is
  ///     not hashed.
  ///   - watchedPointer: where a string, number or boolean stands around the elements that is to be
  ///     known as ``watchedText``.
  public init(
    shape: ElementShape, limits: ReadingLimits = ReadingLimits(),
    resumingAt position: ReadingPosition = .start, isResumable: Bool = true,
    watching watchedPointer: JSONPointer? = nil
  ) {
    self.shape = shape
    self.limits = limits
    buffer = ReadBuffer(hashes: isResumable || position != .start)
    parser = YajlParser(
      shape: shape, limits: limits, watching: watchedPointer.map { WatchedValue(at: $0) })
    resumed = position
    if position == .start {
      phase = .starting
    } else {
      phase = .resuming
      deliveredOffset = position.byteOffset
      deliveredCount = position.elementCount
      deliveredHash = position.inputHash
    }
    deliveredPlace = Place(state: position.state) ?? Place()
    lineMode = deliveredPlace.lineMode
  }
}

extension ElementReader {
  /// Appends the next bytes of the input, which are copied.
  ///
  /// - Complexity: O(n) in the number of bytes.
  public mutating func append(_ bytes: Span<UInt8>) {
    precondition(!isFinished, "nothing can follow the end of the input")
    makeRoom(for: bytes.count)
    buffer.append(bytes)
  }

  /// Lets `body` write the next bytes of the input straight into the read buffer.
  ///
  /// - Parameter body: gets free space for 512 KiB, at first for 256 KiB, and fills its front.
  /// - Returns: how many bytes it gave; 0 does not finish the input.
  /// - Throws: what `body` throws; then nothing that it wrote counts.
  public mutating func fill<Failure: Error>(
    _ body: (inout OutputSpan<UInt8>) throws(Failure) -> Void
  ) throws(Failure) -> Int {
    precondition(!isFinished, "nothing can follow the end of the input")
    makeRoom(for: ReadBuffer.readSize)
    return try buffer.fill(body)
  }

  /// Says that no more bytes will come.
  public mutating func finish() {
    isFinished = true
  }

  /// The tape; it holds the current element and may hold others.
  ///
  /// It is valid until the reader is next changed.
  public var tape: Tape {
    @_lifetime(borrow self)
    get {
      let (tokens, copies) = (parsed.tokens.span, parsed.copies.span)
      let input = buffer.bytes.span
      return Tape(
        tokens: unsafe _overrideLifetime(tokens, borrowing: self),
        input: unsafe _overrideLifetime(input, borrowing: self),
        inputOffset: buffer.storageOffset,
        copies: unsafe _overrideLifetime(copies, borrowing: self))
    }
  }

  /// The current element's tokens on the tape; none when it is malformed.
  public var elementTokens: Range<Int> { currentTokens }

  /// The current element as the input writes it.
  ///
  /// Of a malformed one: everything from its start (in an object, from its member's name) up to
  /// where reading goes on, without the white space at its end, at most
  /// ``ReadingLimits/elementByteCount`` bytes. They are valid until the reader is next changed.
  public var elementBytes: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      if let oversized {
        let span = oversized.bytes.span
        return unsafe _overrideLifetime(span, borrowing: self)
      }
      let span = buffer.span(currentBytes)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// Whether ``elementBytes`` are only the beginning of the current element.
  public var isCut: Bool { currentIsCut }

  /// The 0-based number of the current element, malformed ones counted.
  public var elementIndex: Int { currentIndex }

  /// Where ``elementBytes`` begin, in bytes from the start of the input.
  public var elementByteOffset: Int { currentBytes.lowerBound }

  /// The name of the current element's member, whose text the tape knows; nil in arrays and
  /// sequences, and when the element is malformed.
  public var memberName: Token? { currentName }

  /// Whether a string in the current element or its member's name holds U+0000.
  public var holdsNUL: Bool { currentHoldsNUL }

  /// The value around the elements that was asked for, once it has passed: a string's text, or a
  /// number or boolean as the input writes it. A reader that resumes does not know what stands before
  /// its position.
  public var watchedText: String? {
    watchedBytes.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The place just after the element that was last delivered.
  ///
  /// - Complexity: O(n) in the bytes since the position that was asked for last.
  public var position: ReadingPosition {
    mutating get {
      var place = deliveredPlace
      place.lineMode = lineMode
      return ReadingPosition(
        byteOffset: deliveredOffset, elementCount: deliveredCount,
        inputHash: deliveredHash ?? buffer.hash(before: deliveredOffset),
        state: deliveredOffset == 0 ? 0 : place.state)
    }
  }

  /// The 0-based line and the bytes before it in that line, of an offset inside the current
  /// element.
  ///
  /// - Complexity: O(n) in the bytes since the offset that was asked for last, where they ascend.
  public mutating func location(ofByteOffset byteOffset: Int) -> (line: Int, column: Int) {
    if let location = oversized?.location(ofByteOffset: byteOffset) { return location }
    return buffer.location(ofByteOffset: byteOffset)
  }
}
