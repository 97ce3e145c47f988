/// A reader that puts the elements of a JSON input onto a tape, one after the other.
///
/// An element is one value to be delivered; the importer calls it a record.
///
/// Bytes are pushed with ``append(_:)`` or pulled with ``fill(_:)``; ``next()`` returns the events.
/// Events, tapes and positions do not depend on how the input is cut into pieces.
///
/// A malformed element is delivered as ``ReadingEvent/malformed(_:)`` with its raw bytes, and
/// reading continues with the next one. In a sequence with one element a line, that is the next
/// line; otherwise `RecoveryScanner` finds it. A missing or surplus comma is delivered as a malformed
/// element of no bytes.
///
/// A sequence that begins with a record separator, behind a byte-order mark if there is one, is a text
/// sequence (RFC 7464): record separators are skipped between elements, and end a malformed one.
///
/// Memory does not depend on the size of the input. It is at most the sum of:
///
/// - 768 KiB, or twice the largest span appended if that is larger;
/// - the bytes of one element, twice while a malformed one is skipped;
/// - its tape, at most 16 times its bytes;
/// - twelve times ``ReadingLimits/stringByteCount`` for a string around the elements.
@safe
public struct ElementReader: ~Copyable {
  enum Phase {
    /// The input before the resumed position is being skipped.
    case resuming
    /// The first bytes determine the encoding.
    case starting
    case parsing
    /// The sibling after a malformed element is being searched.
    case recovering
    /// A new parser must continue at `deliveredOffset`.
    case restarting
    case ended
    case failed(ReadingError)
  }

  let shape: ElementShape
  let limits: ReadingLimits
  var parser: YajlParser
  var buffer: ReadBuffer
  var phase: Phase

  /// The elements of parsed pieces, to be delivered.
  var parsed = TapeBuffers()
  /// The start of the unfinished element, or of the separators, after them.
  var parsedBoundary = 0
  /// The text of the watched value, once it has passed.
  var watchedBytes: [UInt8]?
  /// The kind of any other value at the watched pointer: the start of an array or object, or null.
  public internal(set) var otherWatchedKind: Token.Kind?

  /// The most bytes of the next piece; few after a malformed element, since many may follow.
  var pieceSize = ReadBuffer.pieceSize

  /// The parser has been given the input before this offset.
  var givenOffset = 0
  /// Elements that end before this offset have been found; the bytes after it are parsed again.
  var parsedOffset = 0
  var isFinished = false
  var isCompleted = false

  var strictText = StrictText()
  var flaws = GrowableBuffer<TextFlaw>()
  var nulOffsets = GrowableBuffer<Int>()
  var nextFlaw = 0
  var nextNUL = 0

  var nextMark = 0
  var failure: ParseFailure?
  var recovery: Recovery?

  /// The number of bytes checked for flaws and searched for siblings, repeated ones included.
  var examinedByteCount = 0

  // The last event.
  var currentTokens = 0..<0
  var currentBytes = 0..<0
  var currentName: Token?
  var currentHoldsNUL = false
  var currentIsCut = false
  var currentIndex = 0
  /// The first bytes of a malformed element that is longer than `limits.elementByteCount`.
  var oversized: OversizedElement?

  // The position after the last event.
  var deliveredOffset = 0
  var deliveredCount = 0
  var deliveredContext = ElementContext()
  /// The hash of the input before `deliveredOffset`, if those bytes have left the buffer.
  var deliveredHash: UInt64?
  let resumed: ReadingPosition

  /// Where reading continues after skipped text; nil if that is `deliveredOffset`.
  var skipped: (offset: Int, context: ElementContext)?
  /// The number of skipped texts before the last event, and after it.
  var skippedCount = 0
  var pendingSkippedCount = 0
  /// The end of the input that must be exceeded before skipped text is searched again.
  var awaitedOffset = 0

  /// The place of the header of rows, as far as known.
  var headerKind: ElementContext.Header
  var isHeaderDue: Bool
  var header: RowHeader?
  /// Whether rows are read again up to the resumed position.
  var replaysRows = false
  /// The index on the tape of the current row, and of the header's names in its copies.
  var rowPlace: (token: Int, names: Int)?

  var lineMode = ElementContext.LineMode.unknown
  /// The line on which the first element ended.
  var firstEndLine = 0

  /// Creates a reader of an input of the given shape.
  ///
  /// - Parameters:
  ///   - shape: the place of the elements in the input.
  ///   - limits: the limits on one element.
  ///   - hasHeader: whether the first element is an array of names. It is not delivered. Arrays after
  ///     it are rows: they are delivered as objects with these names. If the shape is the container
  ///     `/data`, arrays in it are also rows if a list of columns is at `/meta/view/columns` before it,
  ///     as in exports of Socrata.
  ///   - columns: different names, none of them empty, if arrays are rows with these names; a resumed
  ///     reader needs them, too. Empty if not.
  ///   - position: the position of an earlier reader of the same input, shape and limits. The input
  ///     must be given from its first byte; bytes before the position are hashed and not parsed.
  ///   - isResumable: whether a reader may resume at ``position``; if false, nothing is hashed.
  ///   - watchedPointer: the pointer of a scalar around the elements, see ``watchedText``.
  public init(
    shape: ElementShape, limits: ReadingLimits = ReadingLimits(), hasHeader: Bool = false,
    columns: [String] = [], resumingAt position: ReadingPosition = .start, isResumable: Bool = true,
    watching watchedPointer: JSONPointer? = nil
  ) {
    self.shape = shape
    self.limits = limits
    buffer = ReadBuffer(hashes: isResumable || position != .start)
    parser = YajlParser(
      shape: shape, limits: limits, watching: watchedPointer.map { WatchedValue(at: $0) })
    resumed = position
    let context = ElementContext(state: position.state) ?? ElementContext()
    header = RowHeader(columns.map { Array($0.utf8) })
    headerKind = hasHeader ? .firstElement : header == nil ? context.header : .columns
    isHeaderDue = headerKind == .firstElement
    if position == .start || context.header != .none {
      phase = .starting
      replaysRows = position.byteOffset > 0
    } else {
      phase = .resuming
      deliveredOffset = position.byteOffset
      deliveredCount = position.elementCount
      deliveredHash = position.inputHash
    }
    if context.header == .none { deliveredContext = context }
    lineMode = deliveredContext.lineMode
  }
}

extension ElementReader {
  /// Appends a copy of the next bytes of the input.
  ///
  /// - Complexity: O(n) in the number of bytes.
  public mutating func append(_ bytes: Span<UInt8>) {
    precondition(!isFinished, "nothing can follow the end of the input")
    makeRoom(for: bytes.count)
    buffer.append(bytes)
  }

  /// Lets `body` write the next bytes of the input into the read buffer.
  ///
  /// - Parameter body: fills free space of 512 KiB (at first 256 KiB) from the front.
  /// - Returns: the number of bytes written; 0 does not end the input.
  /// - Throws: the error of `body`; then its bytes are discarded.
  public mutating func fill<Failure: Error>(
    _ body: (inout OutputSpan<UInt8>) throws(Failure) -> Void
  ) throws(Failure) -> Int {
    precondition(!isFinished, "nothing can follow the end of the input")
    makeRoom(for: ReadBuffer.readSize)
    return try buffer.fill(body)
  }

  /// Ends the input.
  public mutating func finish() {
    isFinished = true
  }

  /// The tape with the current element and possibly others, valid until the reader is changed.
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

  /// The current element's range of tokens on the tape; empty if it is malformed.
  public var elementTokens: Range<Int> { currentTokens }

  /// The current element's bytes in the input, valid until the reader is changed.
  ///
  /// For a malformed element: all bytes from its start (in an object, from its member name) to
  /// where reading continues, without trailing white space, at most
  /// ``ReadingLimits/elementByteCount`` bytes.
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

  /// Whether ``elementBytes`` is only the beginning of the current element.
  public var isCut: Bool { currentIsCut }

  /// The 0-based index of the current element, malformed ones included.
  public var elementIndex: Int { currentIndex }

  /// The offset of ``elementBytes``, in bytes from the start of the input.
  public var elementByteOffset: Int { currentBytes.lowerBound }

  /// The current element's member name, a token of the tape; nil without a name or if malformed.
  public var memberName: Token? { currentName }

  /// Whether a string in the current element or its member name contains U+0000.
  public var holdsNUL: Bool { currentHoldsNUL }

  /// The value at the watched pointer, once it has passed: a string's text, or a number or boolean
  /// as written. A resumed reader does not know values before its position.
  public var watchedText: String? {
    watchedBytes.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns how many texts were skipped before the last element or the end, since the last call.
  ///
  /// With ``ReadingLimits/skipsInsertions`` these are comments between elements and top-level values,
  /// byte-order marks between top-level values, a comma before the end of a container, and in a
  /// sequence commas between elements that are arrays or objects, or at the end. A text sequence has
  /// none of them.
  public mutating func takeSkippedCount() -> Int {
    defer { skippedCount = 0 }
    return skippedCount
  }

  /// The position after the last delivered element.
  ///
  /// - Complexity: O(n) in the bytes since the last requested position.
  public var position: ReadingPosition {
    mutating get {
      var context = deliveredContext
      context.lineMode = lineMode
      context.header = headerKind
      if headerKind == .firstElement, deliveredCount < 2 {
        // The header alone is not a place to resume at.
        var start = ReadingPosition.start
        start.state = ElementContext(header: headerKind).state
        return start
      }
      return ReadingPosition(
        byteOffset: deliveredOffset, elementCount: deliveredCount,
        inputHash: deliveredHash ?? buffer.hash(before: deliveredOffset),
        state: deliveredOffset == 0 ? 0 : context.state)
    }
  }

  /// The 0-based line of an offset inside the current element, and its byte column.
  ///
  /// - Complexity: O(n) in the bytes since the last requested offset, if offsets ascend.
  public mutating func location(ofByteOffset byteOffset: Int) -> (line: Int, column: Int) {
    if let location = oversized?.location(ofByteOffset: byteOffset) { return location }
    return buffer.location(ofByteOffset: byteOffset)
  }
}
