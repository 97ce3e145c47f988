internal import Glibc

/// A write to a file descriptor that failed.
public struct OutputError: Error, Sendable, Equatable {
  /// The value of `errno`.
  public let code: Int32

  /// What was written to, such as `standard output`.
  public let location: String

  /// A failed write, for `errno` as the system left it.
  public init(code: Int32, location: String) {
    self.code = code
    self.location = location
  }

  /// What failed and the system's reason for it.
  public var message: String {
    let reason = unsafe String(cString: strerror(code))
    return "cannot write to \(location): \(reason)"
  }
}

extension OutputError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
