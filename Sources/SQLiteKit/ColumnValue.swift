/// A value of a result row, with its type.
///
/// Texts and blobs are the statement's own bytes. They are valid until its next step or reset,
/// which the compiler enforces.
public enum ColumnValue: ~Escapable {
  case integer(Int64)
  case real(Double)
  /// In UTF-8.
  case text(Span<UInt8>)
  case blob(Span<UInt8>)
  case null
}
