/// Why a request to a server failed. Nothing changed here, and it may be sent again.
public struct SyncError: Error, Sendable, Hashable {
  /// The kinds of errors.
  public enum Code: Sendable, Hashable {
    /// The server cannot be reached, or asks to wait.
    case unreachable
    /// It refuses the credentials.
    case credentials
    /// It refuses the request as a whole: it may be too large, or one of its records invalid.
    case refused
    /// It answers something else than the protocol says.
    case unusable
  }

  /// The kind.
  public let code: Code

  /// What happened, with the server's words.
  public let message: String

  /// How long the server asks to wait.
  public let retryAfter: Duration?

  /// An error.
  public init(_ code: Code, _ message: String, retryAfter: Duration? = nil) {
    self.code = code
    self.message = message
    self.retryAfter = retryAfter
  }
}
