internal import CPOIYajl

/// The owner of yajl's parser and of the state that callbacks and scans fill.
@safe
struct YajlParser: ~Copyable {
  enum Outcome: Equatable {
    /// The piece is parsed up to ``ParseState/parsedOffset``.
    case done
    /// A callback stopped the parser; see ``ParseState/stop``.
    case stopped
    /// The bytes are not JSON.
    case failed
  }

  /// The bytes of the first yajl call; few, because the scan may handle the following elements.
  private static let firstStep = 1 << 8

  private let callbacks: UnsafeMutablePointer<yajl_callbacks>
  private let parsedByteCount: UnsafeMutablePointer<Int>
  private let statePointer: UnsafeMutablePointer<ParseState>

  init(shape: ElementShape, limits: ReadingLimits, watching watched: WatchedValue?) {
    unsafe callbacks = .allocate(capacity: 1)
    unsafe callbacks.initialize(to: ParseState.callbacks)
    unsafe parsedByteCount = .allocate(capacity: 1)
    unsafe parsedByteCount.initialize(to: 0)
    unsafe statePointer = .allocate(capacity: 1)
    unsafe statePointer.initialize(to: ParseState(shape: shape, limits: limits, watching: watched))
    unsafe state.callbacks = UnsafePointer(callbacks)
    unsafe state.parsedByteCount = parsedByteCount
  }

  deinit {
    if let handle = unsafe state.handle { unsafe yajl_free(handle) }
    unsafe parsedByteCount.deallocate()
    unsafe statePointer.deinitialize(count: 1)
    unsafe statePointer.deallocate()
    unsafe callbacks.deinitialize(count: 1)
    unsafe callbacks.deallocate()
  }

  var state: ParseState {
    @inline(__always)
    _read { yield unsafe statePointer.pointee }
    @inline(__always)
    nonmutating _modify { yield &(unsafe statePointer.pointee) }
  }

  /// The watched value around the elements. Reading it through `state` would allocate.
  var watchedBytes: [UInt8]? { unsafe statePointer.pointee.watched?.text }

  /// The names of the columns, in the same way.
  var columnNames: [[UInt8]]? { unsafe statePointer.pointee.columns?.firstNames }

  var otherWatchedKind: Token.Kind? { unsafe statePointer.pointee.watched?.otherKind }

  /// Sets the bytes for `parsePiece`, up to `endOffset`; `buffer` must not move until they are
  /// parsed.
  mutating func setPiece(
    _ buffer: borrowing GrowableBuffer<UInt8>, bufferOffset: Int, endOffset: Int, isLast: Bool
  ) {
    setAddress(of: buffer, bufferOffset: bufferOffset)
    state.endOffset = endOffset
    state.isLastPiece = isLast
  }

  /// Sets the address of the bytes held.
  mutating func setAddress(of buffer: borrowing GrowableBuffer<UInt8>, bufferOffset: Int) {
    unsafe state.bytes = buffer.withUnsafeBufferPointer { $0.baseAddress }
    state.bytesOffset = bufferOffset
  }

  /// Parses a state's piece. Bytes after `parsedOffset` must be given again with those that follow.
  @unsafe
  static func parsePiece(of state: UnsafeMutablePointer<ParseState>) {
    unsafe state.pointee.outcome = .done
    repeat {
      if unsafe state.pointee.scanSoundElements() {
        unsafe state.pointee.parsedOffset = state.pointee.boundary
        return
      }
      if unsafe state.pointee.waitsForToken, let offset = unsafe state.pointee.yajlOffset {
        unsafe state.pointee.parsedOffset = offset
        return
      }
      unsafe parseNextBytes(state)
      if unsafe state.pointee.outcome == .failed { unsafe skipRecordSeparator(state) }
    } while unsafe state.pointee.outcome == .done
      && state.pointee.parsedOffset < state.pointee.endOffset
  }

  /// Continues after record separators of a text sequence, which yajl has refused.
  @unsafe
  private static func skipRecordSeparator(_ state: UnsafeMutablePointer<ParseState>) {
    guard unsafe state.pointee.isTextSequence && !state.pointee.isInMember else { return }
    let failure = unsafe YajlFailure(
      of: state.pointee.handle!, state.pointee.parsedByteCount!.pointee)
    let flawOffset = unsafe state.pointee.callOffset + failure.byteIndex
    unsafe state.pointee.advanceBoundary()
    guard unsafe state.pointee.boundary > flawOffset else { return }
    unsafe state.pointee.yajlOffset = nil
    unsafe state.pointee.parsedOffset = state.pointee.boundary
    unsafe state.pointee.outcome = .done
  }

  /// Gives yajl few bytes, or as many as it has seen of an unfinished token or element, because it
  /// reads a cut-off token again from its start.
  @unsafe
  private static func parseNextBytes(_ state: UnsafeMutablePointer<ParseState>) {
    unsafe prepare(state)
    guard let bytes = unsafe state.pointee.bytes, let start = unsafe state.pointee.yajlOffset else {
      preconditionFailure("yajl's offset must be in the bytes held")
    }
    let step = unsafe max(firstStep, start - state.pointee.boundary)
    let end = unsafe min(state.pointee.endOffset, start + step)
    unsafe state.pointee.callOffset = start
    let tokenCount = unsafe state.pointee.tape.tokens.count
    let status = unsafe cyajl_parse(
      state.pointee.handle, state.pointee.parsedByteCount,
      bytes + (start - state.pointee.bytesOffset), end - start)
    if unsafe state.pointee.tape.tokens.count > tokenCount {
      unsafe state.pointee.cutTokenLength = 0
    }
    unsafe state.pointee.cutTokenLength += end - start
    unsafe state.pointee.yajlOffset = end
    unsafe state.pointee.parsedOffset = end
    unsafe state.pointee.outcome = outcome(status)
  }

  /// Creates a yajl parser at `boundary` if needed: yajl cannot continue after an error or a scan.
  @unsafe
  private static func prepare(_ state: UnsafeMutablePointer<ParseState>) {
    guard unsafe state.pointee.yajlOffset == nil else { return }
    unsafe state.pointee.yajlOffset = state.pointee.boundary
    unsafe state.pointee.cutTokenLength = 0
    if let handle = unsafe state.pointee.handle { unsafe yajl_free(handle) }
    unsafe state.pointee.handle = cyajl_alloc(state.pointee.callbacks, state)
    guard unsafe state.pointee.context.isInContainer, unsafe !state.pointee.isSequence else {
      return
    }
    unsafe state.pointee.isPriming = true
    defer { unsafe state.pointee.isPriming = false }
    // Tokens of the prime are not part of the input, so they are not put on the tape.
    let status = unsafe state.pointee.prime.withUnsafeBufferPointer { bytes in
      unsafe cyajl_parse(
        state.pointee.handle, state.pointee.parsedByteCount, bytes.baseAddress, bytes.count)
    }
    precondition(status == cyajl_ok, "the prime is valid JSON")
  }

  mutating func parsePiece() { unsafe Self.parsePiece(of: statePointer) }

  /// Ends the input after the bytes of `buffer`, all of which are parsed, and tells yajl if it has
  /// read the last of them.
  mutating func complete(
    _ buffer: borrowing GrowableBuffer<UInt8>, bufferOffset: Int
  ) {
    setAddress(of: buffer, bufferOffset: bufferOffset)
    state.outcome = .done
    state.endOffset = bufferOffset + buffer.count
    guard state.yajlOffset != nil else { return }
    state.callOffset = state.endOffset
    unsafe parsedByteCount.pointee = 0
    state.outcome = Self.outcome(unsafe cyajl_complete_parse(state.handle))
  }

  /// The error after the parser has failed.
  var failure: YajlFailure { unsafe YajlFailure(of: state.handle, parsedByteCount.pointee) }

  private static func outcome(_ status: cyajl_status) -> Outcome {
    switch status {
    case cyajl_ok: .done
    case cyajl_stopped: .stopped
    default: .failed
    }
  }
}
