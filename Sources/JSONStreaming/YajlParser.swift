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
  private let memory: UnsafeMutablePointer<cyajl_memory>
  let statePointer: UnsafeMutablePointer<ParseState>

  init(shape: ElementShape, limits: ReadingLimits, watching watched: WatchedValue?) {
    unsafe callbacks = .allocate(capacity: 1)
    unsafe callbacks.initialize(to: ParseState.callbacks)
    unsafe memory = .allocate(capacity: 1)
    unsafe memory.initialize(to: cyajl_memory())
    unsafe statePointer = .allocate(capacity: 1)
    unsafe statePointer.initialize(to: ParseState(shape: shape, limits: limits, watching: watched))
    unsafe handle = nil
    restart()
  }

  deinit {
    unsafe cyajl_free_parser(handle)
    unsafe memory.deinitialize(count: 1)
    unsafe memory.deallocate()
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

  var otherWatchedKind: Token.Kind? { unsafe statePointer.pointee.watched?.otherKind }

  /// Replaces the parser by a fresh one, because yajl's cannot be used after an error.
  ///
  /// Without memory for it the next call is out of memory.
  mutating func restart() {
    unsafe cyajl_free_parser(handle)
    unsafe handle = cyajl_alloc(callbacks, memory, statePointer)
    unsafe state.handle = handle
    unsafe state.memory = memory
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
    let status = unsafe cyajl_parse(
      state.pointee.handle, state.pointee.memory, bytes + (offset - state.pointee.bytesOffset),
      state.pointee.endOffset - offset)
    unsafe state.pointee.outcome = outcome(status)
    if status == cyajl_out_of_memory { unsafe state.pointee.stop = .outOfMemory }
  }

  /// Parses the bytes that the parser was given.
  mutating func parsePiece() { unsafe Self.parsePiece(of: statePointer) }

  /// Feeds bytes that are not the input's; what they mean is not put on the tape.
  mutating func prime(_ text: [UInt8]) {
    state.isPriming = true
    defer { state.isPriming = false }
    let status = unsafe text.withUnsafeBufferPointer { bytes in
      unsafe cyajl_parse(handle, memory, bytes.baseAddress, bytes.count)
    }
    if status == cyajl_out_of_memory {
      unsafe cyajl_free_parser(handle)
      unsafe handle = nil
      unsafe state.handle = nil
      return
    }
    precondition(status == cyajl_ok, "the prime is valid JSON")
  }

  /// Says that no more bytes follow those of `buffer`, all of which have been parsed.
  mutating func complete(
    _ buffer: borrowing GrowableBuffer<UInt8>, bufferOffset: Int
  ) {
    find(buffer, bufferOffset: bufferOffset)
    state.endOffset = bufferOffset + buffer.count
    state.pieceOffset = state.endOffset
    let status = unsafe cyajl_complete_parse(handle, memory)
    state.outcome = Self.outcome(status)
    if status == cyajl_out_of_memory { state.stop = .outOfMemory }
  }

  /// The number of bytes of the last call up to the end of the token that a callback refused.
  var consumedByteCount: Int { unsafe cyajl_get_bytes_consumed(handle) }

  /// What is wrong, after the parser has failed.
  var failure: YajlFailure { unsafe YajlFailure(of: handle, memory) }

  private static func outcome(_ status: cyajl_status) -> Outcome {
    switch status {
    case cyajl_ok: .done
    case cyajl_stopped, cyajl_out_of_memory: .stopped
    default: .failed
    }
  }
}
