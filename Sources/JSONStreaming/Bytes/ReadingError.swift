/// An error that ends reading. Elements delivered before it stay valid.
public struct ReadingError: Error, Sendable, Hashable {
  /// The kind of failure.
  public enum Code: Sendable, Hashable {
    /// The text around the elements is not JSON, or the input ends too early.
    case unrecoverable
    /// A top-level value has no value at the pointer.
    case pointerNotFound
    /// The value at the pointer is neither an array nor an object.
    case notAContainer
    /// An object on the pointer's path has two members with the name of the step.
    case duplicateMember
    /// The first element is not an array of different names, or the columns of rows change.
    case invalidHeader
    /// Something that is not JSON follows a complete top-level value.
    case trailingData
    /// The text around the elements exceeds a limit; `rule` as in ``Malformation/rule``.
    case limitExceeded(rule: String)
    /// The input is UTF-16 or UTF-32.
    case unsupportedEncoding
    /// The input before the position has changed.
    case changedInput
    /// The position does not belong to a reader of this shape.
    case invalidPosition
  }

  /// The kind of failure.
  public let code: Code

  /// The description of the error and what to do, in one lower-case line.
  public let message: String

  /// The position of the error, in bytes from the start of the input.
  public let byteOffset: Int

  /// The 0-based line of ``byteOffset``.
  public let line: Int

  /// The number of bytes between the start of the line and ``byteOffset``.
  public let column: Int
}

extension ReadingError: CustomStringConvertible {
  /// The message with its 1-based line and column.
  public var description: String { "\(line + 1):\(column + 1): \(message)" }
}
