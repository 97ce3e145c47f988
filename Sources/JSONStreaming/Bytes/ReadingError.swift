/// Why reading cannot go on.
///
/// The elements that were delivered before it stay valid.
public struct ReadingError: Error, Sendable, Hashable {
  /// What kind of failure it is.
  public enum Code: Sendable, Hashable {
    /// What stands around the elements is not JSON, or the input ends before it does.
    case unrecoverable
    /// No top-level value has anything at the pointer.
    case pointerNotFound
    /// The value at the pointer is neither an array nor an object.
    case notAContainer
    /// An object on the pointer's path has two members of the name that the pointer asks for.
    case duplicateMember
    /// Something that is not JSON follows a complete top-level value.
    case trailingData
    /// What stands around the elements is beyond a limit; the rule is the one of a malformed element
    /// that is beyond it.
    case limitExceeded(rule: String)
    /// The input is UTF-16 or UTF-32.
    case unsupportedEncoding
    /// The input is not the one that the position belongs to.
    case changedInput
    /// The position cannot belong to a reader of this shape.
    case invalidPosition
  }

  /// What kind of failure it is.
  public let code: Code

  /// What is wrong and what to do, in one lower-case line.
  public let message: String

  /// Where, in bytes from the start of the input.
  public let byteOffset: Int

  /// The 0-based line of ``byteOffset``.
  public let line: Int

  /// The bytes between the start of the line and ``byteOffset``.
  public let column: Int
}

extension ReadingError: CustomStringConvertible {
  /// The message with its 1-based line and column.
  public var description: String { "\(line + 1):\(column + 1): \(message)" }
}
