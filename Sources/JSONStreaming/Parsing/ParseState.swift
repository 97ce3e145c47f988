internal import CPOIYajl

/// The target of yajl's callbacks: the tape, and the state needed to fill it.
///
/// Inside an element, callbacks only append tokens and text. The text around the elements, where
/// speed does not matter, is handled in `ParseState+Envelope.swift`.
@safe
struct ParseState: ~Copyable {
  enum Stop: UInt8, BitwiseCopyable {
    case none, depth, elementBytes, stringBytes, keysPerObject
    case notAContainer, duplicateMember, envelopeDepth, envelopeStringBytes
    /// A top-level value has content, but no value at the pointer.
    case targetMissing
    /// The container is an object, but an earlier one was an array, or the reverse.
    case otherContainer
    /// A list of columns differs from the first one.
    case otherColumns
  }

  /// The unfinished element that yajl is parsing; a scan leaves none.
  struct UnfinishedElement: ~Copyable {
    var open = GrowableBuffer<OpenContainer>(minimumCapacity: 32)
    /// The number of values in the innermost open container.
    var valueCount = 0
    var start = 0
    /// The index of its first token.
    var token = 0
    /// The start of its copied text, its member name included.
    var copies = 0
    var name: Token?
    /// The input offset after the closing quote of the member name.
    var nameEndOffset = 0

    /// Whether yajl is inside an element or after its member name.
    var isInMember: Bool { !open.isEmpty || name != nil }

    mutating func removeAll() {
      open.removeAll()
      valueCount = 0
      name = nil
    }
  }

  /// yajl's parser, and how far it has read.
  @safe
  struct Yajl: ~Copyable {
    let callbacks = UnsafeMutablePointer<yajl_callbacks>.allocate(capacity: 1)
    let parsedByteCount = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    /// nil before it is needed.
    var handle: OpaquePointer?
    /// The input offset up to which yajl has read; nil if a new parser must begin at `boundary`.
    var offset: Int?
    /// The input offset of the first byte of the latest call.
    var callOffset = 0
    /// The greatest possible length in bytes of the token that yajl has read in part.
    var cutTokenLength = 0
    var isPriming = false

    init() {
      unsafe callbacks.initialize(to: ParseState.callbacks)
      unsafe parsedByteCount.initialize(to: 0)
    }

    deinit {
      if let handle = unsafe handle { unsafe yajl_free(handle) }
      unsafe parsedByteCount.deallocate()
      unsafe callbacks.deallocate()
    }
  }

  let limits: ReadingLimits
  let isSequence: Bool
  var tape = TapeBuffers()
  var element = UnfinishedElement()
  /// The start of the next element or member, apart from separators; outside the container, the end
  /// of the last token.
  var boundary = 0
  var context = ElementContext()
  var envelope: Envelope
  var piece = Piece()
  /// The input offset of the first unparsed byte.
  var parsedOffset = 0
  var outcome = YajlParser.Outcome.done
  var stop = Stop.none
  var yajl = Yajl()
  /// The fast path that bypasses yajl.
  var soundElements: SoundElements

  init(shape: ElementShape, limits: ReadingLimits, watching watched: [WatchedValue]) {
    self.limits = limits
    isSequence = shape == .sequence
    context.isInContainer = isSequence
    envelope = Envelope(around: shape, watching: watched)
    soundElements = SoundElements(limits: limits, isSequence: isSequence)
  }
}

extension ParseState {
  /// The input offset of the end of the current callback's token.
  var consumedOffset: Int {
    yajl.callOffset
      + (unsafe yajl.parsedByteCount.pointee + yajl_get_bytes_consumed(yajl.handle))
  }

  /// Puts the valid elements after `boundary` on the tape, without yajl. Returns whether the rest
  /// must wait for more bytes; otherwise yajl must parse it.
  mutating func scanSoundElements() -> Bool {
    // yajl continues with an element that it was given.
    guard context.isInContainer, !soundElements.hasRefused(elementAt: boundary) else {
      return false
    }
    if element.isInMember { forgetElement() }
    var hasYajlRead = yajl.offset != nil
    let waits = soundElements.scan(
      piece, containerStart: envelope.containerStart, from: &boundary, in: &context,
      hasYajlRead: &hasYajlRead, onto: &tape)
    if !hasYajlRead { yajl.offset = nil }
    return waits
  }

  /// Removes what yajl found of an unfinished element.
  private mutating func forgetElement() {
    if !element.open.isEmpty { tape.tokens.truncate(to: element.token) }
    tape.copies.truncate(to: element.copies)
    element.removeAll()
    yajl.offset = nil
  }

  /// Moves `boundary` over white space, record separators of a text sequence, and at most one
  /// expected comma.
  mutating func advanceBoundary() {
    while boundary < piece.endOffset {
      switch unsafe piece.byte(at: boundary) {
      case 0x20, 0x09, 0x0A, 0x0D: boundary += 1
      case ElementContext.recordSeparator where context.isTextSequence: boundary += 1
      case UInt8(ascii: ",") where context.needsComma:
        context.needsComma = false
        boundary += 1
      default: return
      }
    }
  }

  /// Continues after record separators of a text sequence, which yajl has refused.
  mutating func skipRecordSeparator() {
    guard context.isTextSequence, !element.isInMember else { return }
    let failure = unsafe YajlFailure(of: yajl.handle, yajl.parsedByteCount.pointee)
    advanceBoundary()
    guard boundary > yajl.callOffset + failure.byteIndex else { return }
    yajl.offset = nil
    parsedOffset = boundary
    outcome = .done
  }

  /// Whether yajl must wait for more of a token. It reads a cut-off token again from its start, so
  /// each call must double a long one.
  var waitsForToken: Bool {
    guard let offset = yajl.offset, element.isInMember, !piece.isLast else { return false }
    return yajl.cutTokenLength >= ReadBuffer.pieceSize
      && piece.endOffset - offset < yajl.cutTokenLength
      && piece.endOffset - boundary <= limits.elementByteCount
  }

  mutating func isBetweenValues() -> Bool {
    guard !element.isInMember, envelope.depth == 0 else { return false }
    isSequence ? advanceBoundary() : advanceEnvelopeBoundary()
    return boundary == piece.endOffset
  }

  /// Exchanges the tape; an unfinished element moves to the other one. If the tape has nothing
  /// else, it is kept and an empty one is handed over. So a long element is not copied repeatedly.
  mutating func exchangeTape(for other: inout TapeBuffers) {
    if !element.open.isEmpty, element.token == 0, element.copies == 0 { return other.removeAll() }
    swap(&tape, &other)
    tape.removeAll()
    guard element.isInMember else { return }
    let tokenCount = other.tokens.count
    let tokenShift = element.open.isEmpty ? tokenCount : element.token
    let copyShift = element.copies
    tape.tokens.append(copying: other.tokens.span.extracting(tokenShift..<tokenCount))
    tape.copies.append(copying: other.copies.span.extracting(copyShift..<other.copies.count))
    for index in 0..<tape.tokens.count {
      tape.tokens[index].rebase(tokensBy: tokenShift, copiesBy: copyShift)
    }
    for index in 0..<element.open.count { element.open[index].token -= tokenShift }
    (element.token, element.copies) = (0, 0)
    element.name?.rebase(tokensBy: tokenShift, copiesBy: copyShift)
  }

  /// Resets everything except the context before a new parser begins at `offset`.
  mutating func restart(at offset: Int, in newContext: ElementContext) {
    tape.removeAll()
    element.removeAll()
    stop = .none
    context = newContext
    boundary = offset
    yajl.offset = nil
    parsedOffset = offset
    soundElements.restart()
    envelope.restart(in: context, isSequence: isSequence)
  }
}
