internal import CYajl

/// An owner of a yajl parser and of what its callbacks write to.
@safe
struct YajlParser: ~Copyable {
  /// What came of a call.
  enum Outcome: Equatable {
    /// All bytes are parsed.
    case done
    /// A callback stopped the parser; ``ParseState/stop`` says why.
    case stopped
    /// The bytes are not JSON.
    case failed
  }

  private var handle: OpaquePointer?
  private let callbacks: UnsafeMutablePointer<yajl_callbacks>
  let statePointer: UnsafeMutablePointer<ParseState>

  init(shape: ElementShape, limits: ReadingLimits, watching watched: WatchedValue?) {
    unsafe callbacks = .allocate(capacity: 1)
    unsafe callbacks.initialize(to: ParseState.callbacks)
    unsafe statePointer = .allocate(capacity: 1)
    unsafe statePointer.initialize(to: ParseState(shape: shape, limits: limits, watching: watched))
    unsafe handle = nil
    restart()
  }

  deinit {
    unsafe yajl_free(handle)
    unsafe statePointer.deinitialize(count: 1)
    unsafe statePointer.deallocate()
    unsafe callbacks.deinitialize(count: 1)
    unsafe callbacks.deallocate()
  }

  /// What the callbacks write to.
  var state: ParseState {
    @inline(__always)
    _read { yield unsafe statePointer.pointee }
    @inline(__always)
    nonmutating _modify { yield &(unsafe statePointer.pointee) }
  }

  /// The value around the elements that is kept, once it has passed. Asked of `state` it would take
  /// an allocation.
  var watchedBytes: [UInt8]? { unsafe statePointer.pointee.watched?.text }

  /// Replaces the parser by a fresh one, because yajl's cannot be used after an error.
  mutating func restart() {
    if unsafe handle != nil { unsafe yajl_free(handle) }
    unsafe handle = yajl_alloc(callbacks, nil, statePointer)
    guard unsafe handle != nil else { preconditionFailure("out of memory") }
    _ = unsafe cyajl_allow_multiple_values(handle)
    _ = unsafe cyajl_do_not_validate_strings(handle)
    unsafe state.handle = handle
  }

  /// Gives the parser the next bytes, which `parsePiece` then parses.
  ///
  /// - Parameters:
  ///   - buffer: the bytes that are held, of which those from `range` on have not been parsed. They
  ///     stay where they are until then.
  ///   - bufferOffset: of the first byte of `buffer` in the input.
  ///   - range: which bytes to parse, in the input's offsets.
  mutating func take(
    _ buffer: borrowing GrowableBuffer<UInt8>, bufferOffset: Int, range: Range<Int>
  ) {
    find(buffer, bufferOffset: bufferOffset)
    state.pieceOffset = range.lowerBound
    state.endOffset = range.upperBound
  }

  /// Says where the bytes that are held stand now.
  mutating func find(_ buffer: borrowing GrowableBuffer<UInt8>, bufferOffset: Int) {
    unsafe state.bytes = buffer.withUnsafeBufferPointer { $0.baseAddress }
    state.bytesOffset = bufferOffset
  }

  /// Parses the bytes that the parser of a state was given.
  @unsafe
  static func parsePiece(of state: UnsafeMutablePointer<ParseState>) {
    guard let bytes = unsafe state.pointee.bytes else { return }
    let offset = unsafe state.pointee.pieceOffset
    let status = unsafe yajl_parse(
      state.pointee.handle, bytes + (offset - state.pointee.bytesOffset),
      state.pointee.endOffset - offset)
    unsafe state.pointee.outcome = outcome(status)
  }

  /// Parses the bytes that the parser was given.
  mutating func parsePiece() { unsafe Self.parsePiece(of: statePointer) }

  /// Feeds bytes that are not the input's; what they mean is not put on the tape.
  mutating func prime(_ text: [UInt8]) {
    state.isPriming = true
    defer { state.isPriming = false }
    let status = unsafe text.withUnsafeBufferPointer { bytes in
      unsafe yajl_parse(handle, bytes.baseAddress, bytes.count)
    }
    precondition(status == yajl_status_ok, "the prime is valid JSON")
  }

  /// Says that no more bytes follow those of `buffer`, all of which have been parsed.
  mutating func complete(
    _ buffer: borrowing GrowableBuffer<UInt8>, bufferOffset: Int
  ) {
    find(buffer, bufferOffset: bufferOffset)
    state.endOffset = bufferOffset + buffer.count
    state.pieceOffset = state.endOffset
    let status = unsafe yajl_complete_parse(handle)
    state.outcome = Self.outcome(status)
  }

  /// The number of bytes of the last call up to the end of the token that a callback refused.
  var consumedByteCount: Int { unsafe yajl_get_bytes_consumed(handle) }

  /// What is wrong, after the parser has failed.
  var failure: YajlFailure { unsafe YajlFailure(of: handle) }

  private static func outcome(_ status: yajl_status) -> Outcome {
    switch status {
    case yajl_status_ok: .done
    case yajl_status_client_canceled: .stopped
    default: .failed
    }
  }
}
