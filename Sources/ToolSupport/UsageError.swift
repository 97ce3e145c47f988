/// A command line that cannot be followed.
public struct UsageError: Error {
  /// What is wrong and what to do, in lower case, the argument quoted as it came: not made
  /// printable.
  let message: String

  /// A mistake; a tool throws one for what its own rules forbid.
  public init(_ message: String) {
    self.message = message
  }
}
