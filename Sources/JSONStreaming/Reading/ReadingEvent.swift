/// What ``ElementReader/next()`` came to.
public enum ReadingEvent: Sendable, Hashable {
  /// All bytes are used up: append more, or finish.
  case needsInput

  /// An element is on the tape.
  case element

  /// An element is not JSON, not strictly JSON or beyond a limit; reading goes on behind it.
  case malformed(Malformation)

  /// The input is at its end.
  case end
}
