/// A mistake on the command line.
public struct UsageError: Error {
  /// What is wrong and what to do, in lower case. The argument is quoted verbatim, not made
  /// printable.
  let message: String

  /// A mistake; tools throw it for violations of their own rules.
  public init(_ message: String) {
    self.message = message
  }
}
