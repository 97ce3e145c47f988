/// A failure that ends a tool, with its exit code.
public struct ToolFailure: Error, Sendable, Equatable {
  /// The exit code of the tool.
  public let code: ExitCode

  /// What failed, where, and the offending value, in lower case.
  public let message: String

  /// Lines below the message, such as commands to try.
  public let details: [String]

  /// A failure with its exit code and message.
  public init(_ code: ExitCode, _ message: String, details: [String] = []) {
    self.code = code
    self.message = message
    self.details = details
  }
}

/// A mistake on the command line.
public struct UsageError: Error {
  /// What is wrong and what to do, in lower case. The argument is quoted verbatim, not made
  /// printable.
  let message: String

  /// Lines below the message, such as one that points to the mistake.
  let details: [String]

  /// A mistake; tools throw it for violations of their own rules.
  public init(_ message: String, details: [String] = []) {
    self.message = message
    self.details = details
  }
}
