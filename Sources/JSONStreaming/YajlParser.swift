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
  private let statePointer: UnsafeMutablePointer<ParseState>

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

  /// The tape's tokens.
  var tokens: Span<Token> {
    @_lifetime(borrow self)
    get {
      let span = unsafe statePointer.pointee.tokens.span
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// The tape's copied text.
  var copies: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      let span = unsafe statePointer.pointee.copies.span
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// Replaces the parser by a fresh one, because yajl's cannot be used after an error.
  mutating func restart() {
    if unsafe handle != nil { unsafe yajl_free(handle) }
    unsafe handle = yajl_alloc(callbacks, nil, statePointer)
    guard unsafe handle != nil else { preconditionFailure("out of memory") }
    _ = unsafe cyajl_allow_multiple_values(handle)
    _ = unsafe cyajl_do_not_validate_strings(handle)
    unsafe state.handle = handle
  }

  /// Parses the next bytes.
  ///
  /// - Parameters:
  ///   - buffer: the bytes that are held, of which those from `range` on have not been parsed.
  ///   - bufferOffset: of the first byte of `buffer` in the input.
  ///   - range: which bytes to parse, in the input's offsets.
  mutating func parse(
    _ buffer: borrowing GrowableBuffer<UInt8>, bufferOffset: Int, range: Range<Int>
  ) -> Outcome {
    let status = unsafe buffer.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return yajl_status_ok }
      unsafe state.bytes = base
      state.bytesOffset = bufferOffset
      state.pieceOffset = range.lowerBound
      state.endOffset = range.upperBound
      return unsafe yajl_parse(handle, base + (range.lowerBound - bufferOffset), range.count)
    }
    return Self.outcome(status)
  }

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
  ) -> Outcome {
    let status = unsafe buffer.withUnsafeBufferPointer { bytes in
      unsafe state.bytes = bytes.baseAddress
      state.bytesOffset = bufferOffset
      state.endOffset = bufferOffset + bytes.count
      state.pieceOffset = state.endOffset
      return unsafe yajl_complete_parse(handle)
    }
    return Self.outcome(status)
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
