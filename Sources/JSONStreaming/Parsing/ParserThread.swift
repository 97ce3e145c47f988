/// A thread that parses the pieces that a parser is given, one at a time.
struct ParserThread: ~Copyable {
  /// What the two threads share.
  @safe
  private final class Piece: Sendable {
    /// The parser's state while a piece is to be parsed; otherwise nothing.
    nonisolated(unsafe) var state: UnsafeMutablePointer<ParseState>?

    /// Whether it was not waited for yet; of no concern to the thread.
    nonisolated(unsafe) var isBusy = false

    func parse() -> Bool {
      guard let state = unsafe state.take() else { return false }
      unsafe YajlParser.parsePiece(of: state)
      return true
    }
  }

  private let piece = Piece()
  private let worker: WorkerThread

  /// Starts the thread.
  ///
  /// - Throws: `SystemError` when the system gives no thread.
  init() throws(SystemError) {
    let piece = piece
    worker = try WorkerThread { piece.parse() }
  }

  /// Has the piece parsed that `parser` was given; nothing else may be done with either of them
  /// before `wait` returns.
  func start(_ parser: borrowing YajlParser) {
    precondition(unsafe !piece.isBusy, "one piece at a time")
    unsafe piece.isBusy = true
    unsafe piece.state = parser.statePointer
    worker.start()
  }

  /// Waits until no piece is being parsed.
  func wait() {
    guard unsafe piece.isBusy else { return }
    worker.wait()
    unsafe piece.isBusy = false
  }
}
