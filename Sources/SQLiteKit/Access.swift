/// What a connection may do with its database file.
public enum Access: Sendable, Hashable {
  /// Read and write; create the file if it is missing.
  case readWriteCreate

  /// Read and write a file that exists.
  case readWrite

  /// Read a file that exists.
  case readOnly
}
