internal import CPOIYajl

/// The target of yajl's callbacks: the tape, and the state needed to fill it.
///
/// Inside an element, callbacks only append tokens and text. The text around the elements, where
/// speed does not matter, is handled in `ParseState+Envelope.swift`.
@safe
struct ParseState: ~Copyable {
  /// A container around the elements that is on the pointer's path.
  struct Level: BitwiseCopyable {
    var isArray: Bool
    /// The number of values so far; in an object, only if its step is a wildcard.
    var nextIndex = 0
    /// Whether the member that the pointer names has occurred in this object.
    var isStepSeen = false
    /// Whether the next value is the value of that member.
    var isStepNext = false
  }

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

  var tape = TapeBuffers()

  // The unfinished element that yajl is parsing; a scan leaves none.
  var open = GrowableBuffer<OpenContainer>(minimumCapacity: 32)
  /// The number of values in the innermost open container.
  var valueCount = 0
  var elementStart = 0
  var elementToken = 0
  /// The start of the element's copied text, its member name included.
  var elementCopies = 0
  var nameStart = -1
  var nameEnd = -1
  /// The input offset after the closing quote of the member name.
  var nameEndOffset = 0

  /// The start of the next element or member, apart from separators; outside the container, the end
  /// of the last token.
  var boundary = 0

  let isSequence: Bool
  let steps: [[UInt8]]
  let stepIndexes: [Int?]
  /// Whether each step is a wildcard.
  let wildcards: [Bool]
  let limits: ReadingLimits
  /// A value around the elements to keep.
  var watched: WatchedValue?
  /// The columns around the elements, if these may be rows.
  var columns: ColumnNames?
  var levels = GrowableBuffer<Level>(minimumCapacity: 8)
  var context: ElementContext
  /// The open containers around the elements, and the number of them on the pointer's path.
  var depth = 0
  var isPriming = false
  var containerStart = 0
  var isTargetFound = false
  /// Whether the latest top-level value has the elements, and whether it has values off the
  /// pointer's path.
  var holdsTarget = false
  var holdsOther = false
  /// Whether the containers of the elements are objects; nil before the first one.
  var containersAreObjects: Bool?
  var topLevelValueCount = 0
  var stop = Stop.none

  /// yajl's parser; nil before it is needed.
  var handle: OpaquePointer?
  var callbacks: UnsafePointer<yajl_callbacks>?
  var parsedByteCount: UnsafeMutablePointer<Int>?
  /// The input offset up to which yajl has read; nil if a new parser must begin at `boundary`.
  var yajlOffset: Int?
  /// The greatest possible length in bytes of the token that yajl has read in part.
  var cutTokenLength = 0
  var outcome = YajlParser.Outcome.done
  /// The input offset of the first unparsed byte.
  var parsedOffset = 0
  var bytes: UnsafePointer<UInt8>?
  /// The input offset of the first of `bytes`.
  var bytesOffset = 0
  /// The input offset of the first byte of the latest yajl call.
  var callOffset = 0
  /// The input offset of the end of the piece.
  var endOffset = 0
  var isLastPiece = false

  /// The fast path that bypasses yajl.
  var soundElements = SoundElements()

  init(shape: ElementShape, limits: ReadingLimits, watching watched: WatchedValue?) {
    self.watched = watched
    var pointer = JSONPointer(tokens: [])
    if case .container(let found) = shape { pointer = found }
    isSequence = shape == .sequence
    steps = pointer.tokens.map { Array($0.utf8) }
    stepIndexes = pointer.tokens.map(JSONPointer.arrayIndex)
    wildcards = steps.indices.map(pointer.wildcards.contains)
    self.limits = limits
    context = ElementContext()
    context.isInContainer = isSequence
    if pointer == ColumnNames.rows, !isSequence { columns = ColumnNames() }
  }
}

extension ParseState {
  /// The input offset of the end of the current callback's token.
  var consumedOffset: Int {
    callOffset + (unsafe parsedByteCount!.pointee + yajl_get_bytes_consumed(handle))
  }

  /// Puts the valid elements after `boundary` on the tape, without yajl. Returns whether the rest
  /// must wait for more bytes; otherwise yajl must parse it.
  mutating func scanSoundElements() -> Bool {
    // yajl continues with an element that it was given.
    guard context.isInContainer, !soundElements.hasRefused(elementAt: boundary) else {
      return false
    }
    guard let bytes = unsafe bytes else { preconditionFailure("there are bytes to scan") }
    if isInMember { forgetElement() }
    let piece = unsafe ScannedPiece(
      bytes: bytes, offset: bytesOffset, endOffset: endOffset, isLast: isLastPiece,
      isSequence: isSequence, isTextSequence: isTextSequence, containerStart: containerStart)
    var hasYajlRead = yajlOffset != nil
    let waits = soundElements.scan(
      piece, limits, from: &boundary, in: &context, hasYajlRead: &hasYajlRead, onto: &tape)
    if !hasYajlRead { yajlOffset = nil }
    return waits
  }

  /// Removes what yajl found of an unfinished element.
  private mutating func forgetElement() {
    if !open.isEmpty { tape.tokens.truncate(to: elementToken) }
    tape.copies.truncate(to: elementCopies)
    open.removeAll()
    (valueCount, nameStart, nameEnd) = (0, -1, -1)
    yajlOffset = nil
  }

  /// Whether record separators are skipped like white space between elements.
  var isTextSequence: Bool { context.lineMode == .textSequence }

  /// Moves `boundary` over white space, record separators of a text sequence, and at most one
  /// expected comma.
  mutating func advanceBoundary() {
    while boundary < endOffset {
      switch unsafe byte(at: boundary) {
      case 0x20, 0x09, 0x0A, 0x0D: boundary += 1
      case ElementContext.recordSeparator where isTextSequence: boundary += 1
      case UInt8(ascii: ",") where context.needsComma:
        context.needsComma = false
        boundary += 1
      default: return
      }
    }
  }

  @unsafe
  func byte(at offset: Int) -> UInt8 {
    guard let bytes = unsafe bytes else { return 0 }
    return unsafe bytes[offset - bytesOffset]
  }

  /// Whether yajl is inside an element or after its member name.
  var isInMember: Bool { !open.isEmpty || nameStart >= 0 }

  /// Whether yajl must wait for more of a token. It reads a cut-off token again from its start, so
  /// each call must double a long one.
  var waitsForToken: Bool {
    guard let yajlOffset, isInMember, !isLastPiece else { return false }
    return cutTokenLength >= ReadBuffer.pieceSize && endOffset - yajlOffset < cutTokenLength
      && endOffset - boundary <= limits.elementByteCount
  }

  mutating func isBetweenValues() -> Bool {
    guard open.isEmpty, nameStart < 0, depth == 0 else { return false }
    isSequence ? advanceBoundary() : advanceEnvelopeBoundary()
    return boundary == endOffset
  }

  /// Exchanges the tape; an unfinished element moves to the other one. If the tape has nothing
  /// else, it is kept and an empty one is handed over. So a long element is not copied repeatedly.
  mutating func exchangeTape(for other: inout TapeBuffers) {
    if !open.isEmpty, elementToken == 0, elementCopies == 0 { return other.removeAll() }
    swap(&tape, &other)
    tape.removeAll()
    guard isInMember else { return }
    let tokenCount = other.tokens.count
    let tokenShift = open.isEmpty ? tokenCount : elementToken
    let copyShift = elementCopies
    tape.tokens.append(copying: other.tokens.span.extracting(tokenShift..<tokenCount))
    tape.copies.append(copying: other.copies.span.extracting(copyShift..<other.copies.count))
    for index in 0..<tape.tokens.count {
      tape.tokens[index].rebase(tokensBy: tokenShift, copiesBy: copyShift)
    }
    for index in 0..<open.count { open[index].token -= tokenShift }
    elementToken = 0
    elementCopies = 0
    if nameStart >= 0 {
      nameStart -= copyShift
      nameEnd -= copyShift
    }
  }

  /// Resets everything except the context before a new parser begins at `offset`.
  mutating func restart(at offset: Int, in newContext: ElementContext) {
    tape.removeAll()
    open.removeAll()
    (valueCount, nameStart, nameEnd, stop) = (0, -1, -1, .none)
    context = newContext
    boundary = offset
    yajlOffset = nil
    parsedOffset = offset
    soundElements.restart()
    levels.removeAll()
    depth = 0
    guard !isSequence, context.isInContainer else { return }
    isTargetFound = true
    containersAreObjects = context.containerIsObject
    topLevelValueCount = max(1, topLevelValueCount)
    for index in 0..<steps.count {
      let isArray = context.arrayLevels & 1 << UInt64(index) != 0
      // The step has been matched: no later array element matches it again, unless it is a wildcard.
      levels.append(Level(isArray: isArray, nextIndex: .min, isStepSeen: true))
    }
    levels.append(Level(isArray: !context.containerIsObject))
    depth = levels.count
    let (steps, wildcards, arrayLevels) = (steps, wildcards, context.arrayLevels)
    watched?.restart(inside: steps, wildcards) { arrayLevels & 1 << UInt64($0) != 0 }
    holdsTarget = true
  }
}
