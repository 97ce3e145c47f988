/// An error type that can carry an SQLite error.
///
/// A closure that runs inside a transaction throws its own error type; this lets the transaction's
/// own failures, such as a commit that found the disk full, be thrown as the same type.
public protocol SQLiteErrorConvertible: Error {
  /// The error that stands for `error`.
  init(_ error: SQLiteError)
}

extension SQLiteError: SQLiteErrorConvertible {
  /// `error` itself.
  public init(_ error: SQLiteError) { self = error }
}
