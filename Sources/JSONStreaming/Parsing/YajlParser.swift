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

  private let statePointer: UnsafeMutablePointer<ParseState>

  init(shape: ElementShape, limits: ReadingLimits, watching watched: [WatchedValue]) {
    unsafe statePointer = .allocate(capacity: 1)
    unsafe statePointer.initialize(to: ParseState(shape: shape, limits: limits, watching: watched))
  }

  deinit {
    unsafe statePointer.deinitialize(count: 1)
    unsafe statePointer.deallocate()
  }

  var state: ParseState {
    @inline(__always)
    _read { yield unsafe statePointer.pointee }
    @inline(__always)
    nonmutating _modify { yield &(unsafe statePointer.pointee) }
  }

  /// The watched values around the elements. Reading them through `state` would allocate.
  var watched: [WatchedValue] { unsafe statePointer.pointee.envelope.watched }

  /// The names of the columns, in the same way.
  var columnNames: [[UInt8]]? { unsafe statePointer.pointee.envelope.columns?.firstNames }

  /// Sets the bytes for `parsePiece`, up to `endOffset`; `buffer` must not move until they are
  /// parsed.
  mutating func setPiece(_ buffer: borrowing ReadBuffer, endOffset: Int) {
    setAddress(of: buffer)
    state.piece.endOffset = endOffset
    state.piece.isLast = buffer.isComplete && endOffset == buffer.endOffset
  }

  /// Sets the address of the bytes held.
  mutating func setAddress(of buffer: borrowing ReadBuffer) {
    unsafe state.piece.bytes = buffer.bytes.withUnsafeBufferPointer { $0.baseAddress }
    state.piece.offset = buffer.storageOffset
  }

  /// Parses the piece. Bytes after `parsedOffset` must be given again with those that follow.
  mutating func parsePiece() {
    let state = unsafe statePointer
    unsafe state.pointee.outcome = .done
    repeat {
      if unsafe state.pointee.scanSoundElements() {
        unsafe state.pointee.parsedOffset = state.pointee.boundary
        return
      }
      if unsafe state.pointee.waitsForToken, let offset = unsafe state.pointee.yajl.offset {
        unsafe state.pointee.parsedOffset = offset
        return
      }
      unsafe Self.parseNextBytes(state)
      if unsafe state.pointee.outcome == .failed { unsafe state.pointee.skipRecordSeparator() }
    } while unsafe state.pointee.outcome == .done
      && state.pointee.parsedOffset < state.pointee.piece.endOffset
  }

  /// Gives yajl few bytes, or as many as it has seen of an unfinished token or element, because it
  /// reads a cut-off token again from its start.
  @unsafe
  private static func parseNextBytes(_ state: UnsafeMutablePointer<ParseState>) {
    unsafe prepare(state)
    guard let bytes = unsafe state.pointee.piece.bytes, let start = unsafe state.pointee.yajl.offset
    else {
      preconditionFailure("yajl's offset must be in the bytes held")
    }
    let step = unsafe max(firstStep, start - state.pointee.boundary)
    let end = unsafe min(state.pointee.piece.endOffset, start + step)
    unsafe state.pointee.yajl.callOffset = start
    let tokenCount = unsafe state.pointee.tape.tokens.count
    let status = unsafe cyajl_parse(
      state.pointee.yajl.handle, state.pointee.yajl.parsedByteCount,
      bytes + (start - state.pointee.piece.offset), end - start)
    if unsafe state.pointee.tape.tokens.count > tokenCount {
      unsafe state.pointee.yajl.cutTokenLength = 0
    }
    unsafe state.pointee.yajl.cutTokenLength += end - start
    unsafe state.pointee.yajl.offset = end
    unsafe state.pointee.parsedOffset = end
    unsafe state.pointee.outcome = outcome(status)
  }

  /// Creates a yajl parser at `boundary` if needed: yajl cannot continue after an error or a scan.
  @unsafe
  private static func prepare(_ state: UnsafeMutablePointer<ParseState>) {
    guard unsafe state.pointee.yajl.offset == nil else { return }
    unsafe state.pointee.yajl.offset = state.pointee.boundary
    unsafe state.pointee.yajl.cutTokenLength = 0
    if let handle = unsafe state.pointee.yajl.handle { unsafe yajl_free(handle) }
    unsafe state.pointee.yajl.handle = cyajl_alloc(state.pointee.yajl.callbacks, state)
    guard unsafe state.pointee.context.isInContainer, unsafe !state.pointee.isSequence else {
      return
    }
    unsafe state.pointee.yajl.isPriming = true
    defer { unsafe state.pointee.yajl.isPriming = false }
    // Tokens of the prime are not part of the input, so they are not put on the tape.
    let status = unsafe state.pointee.prime.withUnsafeBufferPointer { bytes in
      unsafe cyajl_parse(
        state.pointee.yajl.handle, state.pointee.yajl.parsedByteCount, bytes.baseAddress,
        bytes.count)
    }
    precondition(status == cyajl_ok, "the prime is valid JSON")
  }

  /// Ends the input after the bytes of `buffer`, all of which are parsed, and tells yajl if it has
  /// read the last of them.
  mutating func complete(_ buffer: borrowing ReadBuffer) {
    setAddress(of: buffer)
    state.outcome = .done
    state.piece.endOffset = buffer.endOffset
    guard state.yajl.offset != nil else { return }
    state.yajl.callOffset = state.piece.endOffset
    unsafe state.yajl.parsedByteCount.pointee = 0
    state.outcome = Self.outcome(unsafe cyajl_complete_parse(state.yajl.handle))
  }

  /// The error after the parser has failed.
  var failure: YajlFailure {
    unsafe YajlFailure(of: state.yajl.handle, state.yajl.parsedByteCount.pointee)
  }

  private static func outcome(_ status: cyajl_status) -> Outcome {
    switch status {
    case cyajl_ok: .done
    case cyajl_stopped: .stopped
    default: .failed
    }
  }
}
