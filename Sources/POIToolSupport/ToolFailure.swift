/// A failure that ends a tool, with its exit code.
public struct ToolFailure: Error, Sendable, Equatable {
  /// The exit code of the tool.
  public let code: ExitCode

  /// What failed, where, and the offending value, in lower case.
  public let message: String

  /// A failure with its exit code and message.
  public init(_ code: ExitCode, _ message: String) {
    self.code = code
    self.message = message
  }
}
