/// The reason for which a tool ends before it has done its work, and the status it ends with.
public struct ToolFailure: Error, Sendable, Equatable {
  /// The status that the tool ends with.
  public let code: ExitCode

  /// What went wrong, where, and the offending value, in lower case.
  public let message: String

  /// A failure with its status and message.
  public init(_ code: ExitCode, _ message: String) {
    self.code = code
    self.message = message
  }
}
