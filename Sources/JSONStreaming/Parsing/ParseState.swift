internal import CYajl

/// What yajl's callbacks write to: the tape, and what has to be known to fill it.
///
/// The callbacks get a pointer to it. Inside an element they append tokens and text and nothing
/// else; what happens around the elements, where speed does not matter, is in
/// `ParseState+Envelope.swift`.
@safe
struct ParseState: ~Copyable {
  /// A container around the elements that is on the pointer's path.
  struct Level: BitwiseCopyable {
    var isArray: Bool
    /// The index of the next element of an array.
    var nextIndex = 0
    /// Whether the member of an object that the pointer names has been seen.
    var isStepSeen = false
    /// Whether the next value is the pointed member's.
    var isStepNext = false
  }

  /// Why a callback stopped the parser.
  enum Stop: UInt8, BitwiseCopyable {
    case none, depth, elementBytes, stringBytes, keysPerObject
    case notAContainer, duplicateMember, envelopeDepth, envelopeStringBytes
    /// A top-level value that holds something else has nothing at the pointer.
    case targetMissing
    /// An object stands where an array stood before, or the other way round.
    case otherContainer
  }

  var tape = TapeBuffers()

  // The unfinished element that yajl is in; a scan leaves none.
  var open = GrowableBuffer<OpenContainer>(minimumCapacity: 32)
  /// How many values the innermost open container has.
  var valueCount = 0
  var elementStart = 0
  var elementToken = 0
  /// Where its copied text, with its member's name, begins.
  var elementCopies = 0
  var nameStart = -1
  var nameEnd = -1
  /// The end of the member's name in the input, quote included.
  var nameEndOffset = 0

  /// Where, apart from separators, the next element or member begins; outside the container, the
  /// end of the last token.
  var boundary = 0

  // The surroundings.
  let isSequence: Bool
  let steps: [[UInt8]]
  let stepIndexes: [Int?]
  let limits: ReadingLimits
  /// A value around the elements that is kept when it passes.
  var watched: WatchedValue?
  var levels = GrowableBuffer<Level>(minimumCapacity: 8)
  var place: Place
  /// How many containers around the elements are open, and how many of them the pointer passes.
  var depth = 0
  var isPriming = false
  var containerStart = 0
  var isTargetFound = false
  /// Whether the latest top-level value has the elements, and whether it has something that the pointer
  /// does not pass.
  var holdsTarget = false
  var holdsOther = false
  /// Whether the elements stand in objects; nothing before the first container.
  var containersAreObjects: Bool?
  var topLevelValueCount = 0
  var stop = Stop.none

  // The bytes that are held, some of which are being parsed.
  /// yajl's parser; nil before it is needed.
  var handle: OpaquePointer?
  var callbacks: UnsafePointer<yajl_callbacks>?
  var parsedByteCount: UnsafeMutablePointer<Int>?
  /// Up to where yajl has read, in the input's offsets; nothing where it has to begin anew, at
  /// `boundary`.
  var yajlOffset: Int?
  /// How long the token may be, in bytes, that yajl has read a part of.
  var cutTokenLength = 0
  /// What came of the piece that was parsed last.
  var outcome = YajlParser.Outcome.done
  /// Where the bytes begin that have not been parsed.
  var parsedOffset = 0
  var bytes: UnsafePointer<UInt8>?
  /// The offset in the input of the first of `bytes`.
  var bytesOffset = 0
  /// The offset in the input of the first byte that yajl was given by the last call.
  var callOffset = 0
  /// The offset in the input of the end of the piece.
  var endOffset = 0
  /// Whether nothing follows the piece.
  var isLastPiece = false

  /// The fast path beside yajl.
  var soundElements = SoundElements()

  init(shape: ElementShape, limits: ReadingLimits, watching watched: WatchedValue?) {
    self.watched = watched
    var tokens: [String] = []
    if case .container(let pointer) = shape { tokens = pointer.tokens }
    isSequence = shape == .sequence
    steps = tokens.map { Array($0.utf8) }
    stepIndexes = tokens.map(JSONPointer.arrayIndex)
    self.limits = limits
    place = Place()
    place.isInContainer = isSequence
  }
}

extension ParseState {
  /// The offset in the input of the end of the token that a callback is called for.
  var consumedOffset: Int {
    callOffset + (unsafe parsedByteCount!.pointee + yajl_get_bytes_consumed(handle))
  }

  /// Puts the sound elements behind `boundary` on the tape, without yajl.
  ///
  /// - Returns: whether the rest waits for the bytes that follow; if not, it is yajl's.
  mutating func scanSoundElements() -> Bool {
    // yajl goes on with an element that was left to it.
    guard place.isInContainer, !soundElements.hasRefused(elementAt: boundary) else { return false }
    guard let bytes = unsafe bytes else { preconditionFailure("there are bytes to scan") }
    if isInMember { forgetElement() }
    let piece = unsafe ScannedPiece(
      bytes: bytes, offset: bytesOffset, endOffset: endOffset, isLast: isLastPiece,
      isSequence: isSequence, containerStart: containerStart)
    var hasYajlRead = yajlOffset != nil
    let waits = soundElements.scan(
      piece, limits, from: &boundary, in: &place, hasYajlRead: &hasYajlRead, onto: &tape)
    if !hasYajlRead { yajlOffset = nil }
    return waits
  }

  /// Takes back what yajl has found of an unfinished element.
  private mutating func forgetElement() {
    if !open.isEmpty { tape.tokens.truncate(to: elementToken) }
    tape.copies.truncate(to: elementCopies)
    open.removeAll()
    (valueCount, nameStart, nameEnd) = (0, -1, -1)
    yajlOffset = nil
  }

  /// Moves `boundary` over white space and at most the one comma that is due.
  ///
  /// It then stands at a byte that begins something, or at the end of the bytes.
  mutating func advanceBoundary() {
    while boundary < endOffset {
      switch unsafe byte(at: boundary) {
      case 0x20, 0x09, 0x0A, 0x0D: boundary += 1
      case UInt8(ascii: ",") where place.needsComma:
        place.needsComma = false
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

  /// Whether yajl has begun an element or its member's name and not ended it.
  var isInMember: Bool { !open.isEmpty || nameStart >= 0 }

  /// Whether yajl is to wait for more of an element's token than there is.
  ///
  /// It reads a token that a call has cut off again from its start: where that is long, each call
  /// is to double it.
  var waitsForToken: Bool {
    guard let yajlOffset, isInMember, !isLastPiece else { return false }
    return cutTokenLength >= ReadBuffer.pieceSize && endOffset - yajlOffset < cutTokenLength
      && endOffset - boundary <= limits.elementByteCount
  }

  /// Whether all bytes so far belong to complete top-level values.
  mutating func isBetweenValues() -> Bool {
    guard open.isEmpty, nameStart < 0, depth == 0 else { return false }
    isSequence ? advanceBoundary() : advanceEnvelopeBoundary()
    return boundary == endOffset
  }

  /// Hands the tape over in exchange for another one, which goes on with what there is of an
  /// unfinished element. Where it holds nothing else it is kept, and an empty one handed over.
  ///
  /// - Complexity: O(n) in the tokens of the unfinished element, once for each element.
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

  /// Forgets everything but the surroundings, before a fresh parser goes on at `offset`.
  mutating func restart(at offset: Int, in newPlace: Place) {
    tape.removeAll()
    open.removeAll()
    (valueCount, nameStart, nameEnd, stop) = (0, -1, -1, .none)
    place = newPlace
    boundary = offset
    yajlOffset = nil
    parsedOffset = offset
    soundElements.restart()
    levels.removeAll()
    depth = 0
    guard !isSequence else { return }
    isTargetFound = true
    containersAreObjects = place.containerIsObject
    topLevelValueCount = max(1, topLevelValueCount)
    for index in 0..<steps.count {
      let isArray = place.arrayLevels & 1 << UInt64(index) != 0
      // The step has been taken: no later element of an array matches it again.
      levels.append(Level(isArray: isArray, nextIndex: .min, isStepSeen: true))
    }
    levels.append(Level(isArray: !place.containerIsObject))
    depth = levels.count
    let (steps, arrayLevels) = (steps, place.arrayLevels)
    watched?.restart(inside: steps) { arrayLevels & 1 << UInt64($0) != 0 }
    holdsTarget = true
  }
}
