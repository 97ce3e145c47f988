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
/// - its tape, at most 16 times its bytes; for rows also the names of their columns;
/// - twelve times ``ReadingLimits/stringByteCount`` for a string around the elements.
@safe
public struct ElementReader: ~Copyable {
  enum Phase {
    /// The input before the position is being skipped.
    case resuming(ReadingPosition)
    /// The first bytes determine the encoding.
    case starting
    case parsing
    /// The sibling after a malformed element is being searched.
    indirect case recovering(Recovery)
    /// A new parser must continue after a malformed element or skipped text.
    case restarting(at: Int, in: ElementContext)
    case ended
    case failed(ReadingError)
  }

  /// The last event.
  @usableFromInline
  struct Current {
    @usableFromInline var tokens = 0..<0
    @usableFromInline var bytes = 0..<0
    @usableFromInline var name: Token?
    @usableFromInline var holdsNUL = false
    @usableFromInline var isCut = false
  }

  /// The position after the last event.
  @usableFromInline
  struct Delivered {
    var offset = 0
    @usableFromInline var count = 0
    var context = ElementContext()
    /// The hash of the input before `offset`, if those bytes have left the buffer.
    var hash: UInt64?
  }

  /// What the parser has been given since it started.
  struct Window {
    /// The parser has been given the input before this offset.
    var givenOffset = 0
    /// The most bytes of the next piece; few after a malformed element, since many may follow.
    var pieceSize = ReadBuffer.pieceSize
    /// Whether it knows that the input has ended.
    var isCompleted = false
    /// Why it stopped after the parsed elements.
    var failure: ParseFailure?
    /// The end of the input that must be exceeded before text to be skipped is searched again.
    var awaitedOffset = 0
  }

  let shape: ElementShape
  let limits: ReadingLimits
  var buffer: ReadBuffer
  var parser: YajlParser
  var phase: Phase
  var window = Window()
  /// The elements of parsed pieces, to be delivered.
  var parsed = TapeBuffers()
  var findings: TextFindings
  @usableFromInline var current = Current()
  /// The first bytes of the current element, if it is malformed and has left the buffer. Not a part of `Current`, whose
  /// old value need not be released for each element.
  var head: ElementHead?
  @usableFromInline var delivered = Delivered()
  /// The number of skipped texts before the last event, and after it.
  var skippedCount = 0
  var pendingSkippedCount = 0
  var rows: Rows
  /// The parser of delimited text; nil for JSON.
  var rowParser: RowParser?
  var lineMode: ElementContext.LineMode
  /// The line on which the first element ended.
  var firstEndLine = 0
  /// The number of bytes checked for flaws and searched for siblings, repeated ones included.
  var examinedByteCount = 0

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
  ///     reader needs them, too. Empty if not. Delimited text without columns has them in its first row.
  ///   - places: for columns of delimited text that are not members of their own name, as UTF-8, the steps
  ///     to their values. A resumed reader needs them, too.
  ///   - position: the position of an earlier reader of the same input, shape and limits. The input
  ///     must be given from its first byte; bytes before the position are hashed and not parsed.
  ///   - isResumable: whether a reader may resume at ``position``; if false, nothing is hashed.
  ///   - watchedPointers: the pointers of scalars around the elements, see ``watchedText(_:)``.
  public init(
    shape: ElementShape, limits: ReadingLimits = ReadingLimits(), hasHeader: Bool = false,
    columns: [String] = [], places: [[UInt8]: [String]] = [:],
    resumingAt position: ReadingPosition = .start, isResumable: Bool = true,
    watching watchedPointers: [JSONPointer] = []
  ) {
    self.shape = shape
    self.limits = limits
    buffer = ReadBuffer(hashes: isResumable || position != .start)
    parser = YajlParser(
      shape: shape, limits: limits, watching: watchedPointers.map { WatchedValue(at: $0) })
    let context = ElementContext(state: position.state) ?? ElementContext()
    rows = Rows(hasHeader: hasHeader, columns: columns, context)
    var isJSON = true
    if case .delimited(let delimiter) = shape {
      rowParser = RowParser(delimiter: delimiter, limits: limits, columns: columns, places: places)
      rows.place = .delimited
      isJSON = false
    }
    findings = TextFindings(isJSON: isJSON)
    if position == .start || context.header != .none {
      phase = .starting
      if position.byteOffset > 0 { rows.replayEnd = position }
    } else {
      phase = .resuming(position)
      delivered = Delivered(
        offset: position.byteOffset, count: position.elementCount, context: context,
        hash: position.inputHash)
    }
    lineMode = delivered.context.lineMode
  }
}

extension ElementReader {
  /// Appends a copy of the next bytes of the input.
  ///
  /// - Complexity: O(n) in the number of bytes.
  public mutating func append(_ bytes: Span<UInt8>) {
    precondition(!buffer.isComplete, "nothing can follow the end of the input")
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
    precondition(!buffer.isComplete, "nothing can follow the end of the input")
    makeRoom(for: ReadBuffer.readSize)
    return try buffer.fill(body)
  }

  /// Ends the input.
  public mutating func finish() {
    buffer.isComplete = true
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
  @inlinable public var elementTokens: Range<Int> { current.tokens }

  /// The current element's bytes in the input, valid until the reader is changed.
  ///
  /// For a malformed element other than a row: all bytes from its start (in an object, from its member name) to
  /// where reading continues, without trailing white space, at most
  /// ``ReadingLimits/elementByteCount`` bytes.
  public var elementBytes: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      if let head {
        let span = head.bytes.span
        return unsafe _overrideLifetime(span, borrowing: self)
      }
      let span = buffer.span(current.bytes)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// Whether ``elementBytes`` is only the beginning of the current element.
  @inlinable public var isCut: Bool { current.isCut }

  /// The 0-based index of the current element, malformed ones included.
  @inlinable public var elementIndex: Int { delivered.count - 1 }

  /// The offset of ``elementBytes``, in bytes from the start of the input.
  @inlinable public var elementByteOffset: Int { current.bytes.lowerBound }

  /// The current element's member name, a token of the tape; nil without a name, and of a malformed element whose
  /// ``elementBytes`` begin with it.
  @inlinable public var memberName: Token? { current.name }

  /// Whether a string in the current element or its member name contains U+0000.
  @inlinable public var holdsNUL: Bool { current.holdsNUL }

  /// The value at a watched pointer, once it has passed: a string's text, or a number or boolean
  /// as written. A resumed reader does not know values before its position.
  public func watchedText(_ place: Int) -> String? {
    place < parser.watched.count
      ? parser.watched[place].text.map { String(decoding: $0, as: UTF8.self) } : nil
  }

  /// The kind of any other value at a watched pointer: the start of an array or object, or null.
  public func otherWatchedKind(_ place: Int) -> Token.Kind? {
    place < parser.watched.count ? parser.watched[place].otherKind : nil
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
      var context = delivered.context
      context.lineMode = lineMode
      context.header = rows.place
      if rows.place == .firstElement, delivered.count < 2 {
        // The header alone is not a place to resume at.
        var start = ReadingPosition.start
        start.state = ElementContext(header: rows.place).state
        return start
      }
      return ReadingPosition(
        byteOffset: delivered.offset, elementCount: delivered.count,
        inputHash: delivered.hash ?? buffer.hash(before: delivered.offset),
        state: delivered.offset == 0 ? 0 : context.state)
    }
  }

  /// The 0-based line of an offset inside the current element, and its byte column.
  ///
  /// - Complexity: O(n) in the bytes since the last requested offset, if offsets ascend.
  public mutating func location(ofByteOffset byteOffset: Int) -> (line: Int, column: Int) {
    if let location = head?.location(ofByteOffset: byteOffset) { return location }
    return buffer.location(ofByteOffset: byteOffset)
  }
}
