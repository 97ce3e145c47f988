/// A command line that cannot be followed.
public struct UsageError: Error, Sendable, Equatable {
  /// The kind of mistake.
  public enum Code: Sendable, Equatable {
    case unknownOption, missingValue, unexpectedValue, repeatedOption, invalidValue
    case missingArgument, unexpectedArgument, conflict
  }

  /// What kind of mistake it is.
  public let code: Code

  /// What is wrong and what to do, in lower case, the argument quoted as it came: not made
  /// printable.
  public let message: String

  /// What the mistake is in: an option with its dashes, an environment variable or a positional
  /// argument's placeholder.
  public let location: String

  /// A mistake; a tool throws one for what its own rules forbid, such as two options that exclude
  /// each other.
  public init(_ code: Code, at location: String, _ message: String) {
    self.code = code
    self.location = location
    self.message = message
  }
}

extension UsageError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
