/// The result of ``ElementReader/next()``.
public enum ReadingEvent: Sendable, Hashable {
  /// All bytes are consumed: append more, or finish.
  case needsInput

  /// An element is on the tape.
  case element

  /// An element is not strictly valid JSON or exceeds a limit; reading continues after it.
  case malformed(Malformation)

  /// The input has ended.
  case end
}
