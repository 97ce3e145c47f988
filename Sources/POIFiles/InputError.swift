internal import JSONStreaming
internal import POIPlatform

/// Why an input cannot be read.
public struct InputError: Error, Equatable, CustomStringConvertible {
  /// The kinds of reasons.
  public enum Code: Hashable, Sendable {
    /// Nothing is at the path.
    case notFound
    /// The user may not read the file.
    case noPermission
    /// The path leads to a directory.
    case isDirectory
    /// The system refused to open or read it; the value is its `errno`.
    case readFailed(errno: Int32)
    /// A signal ended the wait for the input, and the reader wants to stop.
    case interrupted
    /// The program that decompresses or converts the input is not installed.
    case programMissing
    /// The program that decompresses or converts the input failed, so the input is damaged or incomplete.
    case programFailed
    /// The first bytes are of another kind of file than those that are read, or the part of the file is not named.
    case notJSON
  }

  /// The reason for programs to test.
  public let code: Code

  /// The input: the path as given, or `standard input`.
  public let path: String

  /// The reason and what to do about it, in lower case and without the path.
  public let message: String

  /// An error about the input `path`.
  public init(code: Code, path: String, message: String) {
    self.code = code
    self.path = path
    self.message = message
  }

  /// The path and the message.
  public var description: String { "\(path): \(message)" }
}

extension InputError {
  /// The error for a failed system call on the input called `path`.
  init(reading path: String, _ error: SystemError) {
    switch error.number {
    case ENOENT, ENOTDIR:
      self.init(
        code: .notFound, path: path,
        message: "no such file; check the path")
    case EACCES, EPERM:
      self.init(
        code: .noPermission, path: path,
        message: "no permission to read it; ask its owner, or see 'ls -l'")
    case EINTR:
      self.init(code: .interrupted, path: path, message: "interrupted while waiting for input")
    case EISDIR:
      self.init(
        code: .isDirectory, path: path,
        message: "is a directory; name the files in it, such as \(path)/*.json")
    default:
      self.init(
        code: .readFailed(errno: error.number), path: path,
        message: "cannot be read: \(error.text); check the disk or the connection and run again")
    }
  }
}
