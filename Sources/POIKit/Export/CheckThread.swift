internal import JSONStreaming
internal import POIRecords

/// A thread that checks the pieces of an export, one at a time, while the next one is made.
struct CheckThread: ~Copyable {
  /// The check, with its next piece.
  private struct Job: ~Copyable {
    var check: ExportCheck
    var piece = GrowableBuffer<UInt8>(minimumCapacity: 1 << 18)
    var outcome = Result<Void, any Error>.success(())

    mutating func run() {
      do { try check.read(piece) } catch { outcome = .failure(error) }
    }
  }

  private var thread: JobThread<Job>

  /// Starts the thread.
  ///
  /// - Throws: `SystemError` when the system provides no thread.
  init(_ check: consuming ExportCheck) throws(SystemError) {
    thread = try JobThread(Job(check: check)) { $0.run() }
  }

  /// Calls `body` with a piece, and has it checked after the earlier ones.
  ///
  /// - Parameters:
  ///   - bytes: the piece; it is replaced by an empty buffer.
  ///   - rows: the row ids of its records; emptied.
  /// - Throws: the error of `body`, or of the check of an earlier piece.
  mutating func take(
    _ bytes: inout GrowableBuffer<UInt8>, ofRows rows: inout [Int64],
    _ body: (Span<UInt8>) throws -> Void
  ) throws {
    try body(bytes.span)
    var job = try wait()
    swap(&job.piece, &bytes)
    bytes.removeAll()
    job.check.note(rows)
    rows.removeAll(keepingCapacity: true)
    thread.start(job)
  }

  /// Waits for the last piece, and returns the check.
  mutating func finish() throws -> ExportCheck {
    let job = try wait()
    return job.check
  }

  private mutating func wait() throws -> Job {
    guard let job = thread.finish() else { preconditionFailure("a check ends once") }
    try job.outcome.get()
    return job
  }
}
