internal import JSONStreaming
internal import POIRecords

/// A thread that checks the pieces of an export, one at a time, while the next one is written.
struct CheckThread: ~Copyable {
  private let channel: Channel
  private let worker: WorkerThread
  private var isRunning = false

  /// Starts the thread.
  ///
  /// - Throws: `SystemError` when the system provides no thread.
  init(_ check: consuming ExportCheck) throws(SystemError) {
    let channel = Channel(check)
    self.channel = channel
    worker = try WorkerThread { channel.read() }
  }

  /// Takes a piece, and calls `body` with it while it is checked.
  ///
  /// - Parameters:
  ///   - bytes: the piece; it is replaced by an empty buffer.
  ///   - rows: the row ids of its records; emptied.
  /// - Throws: the error of `body`, or of the check of an earlier piece.
  mutating func take(
    _ bytes: inout GrowableBuffer<UInt8>, ofRows rows: inout [Int64],
    _ body: (Span<UInt8>) throws -> Void
  ) throws {
    try wait()
    channel.put(&bytes, ofRows: rows)
    rows.removeAll(keepingCapacity: true)
    worker.start()
    isRunning = true
    try channel.withBytes(body)
  }

  /// Waits for the last piece, and returns the check.
  mutating func finish() throws -> ExportCheck {
    try wait()
    return channel.remove()
  }

  private mutating func wait() throws {
    guard isRunning else { return }
    worker.wait()
    isRunning = false
    try channel.throwError()
  }
}

/// The shared state of the two threads. While the worker checks, the other thread only reads the bytes.
private final class Channel: Sendable {
  private nonisolated(unsafe) var check: ExportCheck?
  private nonisolated(unsafe) var piece = Piece()
  private nonisolated(unsafe) var isDue = false
  private nonisolated(unsafe) var error: (any Error)?

  init(_ check: consuming ExportCheck) { unsafe self.check = consume check }

  private struct Piece: ~Copyable {
    var bytes = GrowableBuffer<UInt8>(minimumCapacity: 1 << 18)

    func pass(to body: (Span<UInt8>) throws -> Void) throws { try body(bytes.span) }
  }

  func put(_ bytes: inout GrowableBuffer<UInt8>, ofRows rows: [Int64]) {
    unsafe swap(&piece.bytes, &bytes)
    bytes.removeAll()
    unsafe check?.note(rows)
    unsafe isDue = true
  }

  func withBytes(_ body: (Span<UInt8>) throws -> Void) throws {
    try unsafe piece.pass(to: body)
  }

  /// Checks the bytes, and returns whether there was something to check.
  func read() -> Bool {
    guard unsafe isDue else { return false }
    unsafe isDue = false
    do {
      try unsafe piece.pass { bytes in try unsafe check?.read(bytes) }
    } catch {
      unsafe self.error = error
    }
    return true
  }

  func throwError() throws { if let error = unsafe error { throw error } }

  func remove() -> ExportCheck {
    guard let check = unsafe check.take() else { preconditionFailure("a check ends once") }
    return check
  }
}
