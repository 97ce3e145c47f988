internal import CPOISQLite

/// The columns of the current row, counted from 0. They hold values from a step that returned true
/// until the next step or reset; otherwise every column is NULL.
extension Statement {
  /// A value of a result row, with its type.
  ///
  /// Texts and blobs are the statement's own bytes. They are valid until its next step or reset,
  /// which the compiler enforces.
  public enum Value: ~Escapable {
    /// `SQLITE_INTEGER`
    case integer(Int64)
    /// `SQLITE_FLOAT`
    case real(Double)
    /// `SQLITE_TEXT`, in UTF-8.
    case text(Span<UInt8>)
    /// `SQLITE_BLOB`
    case blob(Span<UInt8>)
    /// `SQLITE_NULL`
    case null
  }

  /// The number of columns in a row of the result; 0 for statements that return none.
  ///
  /// C function: `sqlite3_column_count`
  public var columnCount: Int { unsafe Int(sqlite3_column_count(handle)) }

  /// The storage class of a value.
  ///
  /// C function: `sqlite3_column_type`
  package func columnType(_ column: Int) -> ColumnType {
    ColumnType(code: unsafe sqlite3_column_type(handle, Int32(clamping: column)))
  }

  /// Whether a value is NULL.
  public func isNull(_ column: Int) -> Bool {
    unsafe sqlite3_column_type(handle, Int32(clamping: column)) == SQLITE_NULL
  }

  /// A value as an integer; other types are converted by SQLite's rules, NULL is 0.
  ///
  /// C function: `sqlite3_column_int64`
  public func integer(_ column: Int) -> Int64 {
    unsafe sqlite3_column_int64(handle, Int32(clamping: column))
  }

  /// A value as a real; other types are converted by SQLite's rules, NULL is 0.
  ///
  /// C function: `sqlite3_column_double`
  public func real(_ column: Int) -> Double {
    unsafe sqlite3_column_double(handle, Int32(clamping: column))
  }

  /// A copy of a value's text; numbers are converted by SQLite's rules, NULL is empty, and bytes
  /// that are not UTF-8 become replacement characters.
  ///
  /// C function: `sqlite3_column_text`
  public func text(_ column: Int) -> String {
    switch unsafe sqlite3_column_type(handle, Int32(clamping: column)) {
    case SQLITE_TEXT, SQLITE_BLOB:
      return unsafe bytes(column).withUnsafeBufferPointer { bytes in
        unsafe String(decoding: bytes, as: UTF8.self)
      }
    case SQLITE_INTEGER: return String(integer(column))
    case SQLITE_NULL: return ""
    default:
      let column = Int32(clamping: column)
      // The text before its length: the length is the one of the latest conversion.
      guard let start = unsafe sqlite3_column_text(handle, column) else { return "" }
      let count = unsafe Int(sqlite3_column_bytes(handle, column))
      return unsafe String(
        decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
  }

  /// A value with its type, looked up once: half the time of asking for the type first.
  ///
  /// C functions: `sqlite3_column_value`, `sqlite3_value_type`, `sqlite3_value_int64`,
  /// `sqlite3_value_double`, `sqlite3_value_encoding`, `sqlite3_value_text`, `sqlite3_value_blob`,
  /// `sqlite3_value_bytes`
  @_lifetime(borrow self)
  public func value(_ column: Int) -> Value {
    // `sqlite3_value` objects are not thread-safe: this one stays on the connection's thread and is
    // used before the next step.
    let value = unsafe sqlite3_column_value(handle, Int32(clamping: column))
    switch unsafe sqlite3_value_type(value) {
    case SQLITE_INTEGER: return .integer(unsafe sqlite3_value_int64(value))
    case SQLITE_FLOAT: return .real(unsafe sqlite3_value_double(value))
    case SQLITE_TEXT:
      let start = unsafe Statement.text(of: value)
      return unsafe .text(span(start, count: sqlite3_value_bytes(value)))
    case SQLITE_BLOB:
      let start = unsafe sqlite3_value_blob(value)?.assumingMemoryBound(to: UInt8.self)
      return unsafe .blob(span(start, count: sqlite3_value_bytes(value)))
    default: return .null
    }
  }

  /// The bytes of a text in UTF-8.
  ///
  /// A text stored in UTF-8 is read as a blob. As text, SQLite would allocate memory for a final
  /// NUL; without memory it would roll back the transaction and report that only later.
  private static func text(of value: OpaquePointer?) -> UnsafePointer<UInt8>? {
    guard unsafe csqlite_is_utf8(value) != 0 else {
      return unsafe sqlite3_value_text(value)
    }
    return unsafe sqlite3_value_blob(value)?.assumingMemoryBound(to: UInt8.self)
  }

  @_lifetime(borrow self)
  private func span(_ start: UnsafePointer<UInt8>?, count: Int32) -> Span<UInt8> {
    let count = unsafe start == nil ? 0 : Int(count)
    let span = unsafe Span(_unsafeElements: UnsafeBufferPointer(start: start, count: count))
    return unsafe _overrideLifetime(span, borrowing: self)
  }

  /// The bytes of a text, in UTF-8, or of a blob; empty for other types.
  ///
  /// The span is valid until the next step or reset, which the compiler enforces.
  ///
  /// C functions: `sqlite3_column_value`, `sqlite3_value_encoding`, `sqlite3_column_blob`,
  /// `sqlite3_column_bytes`
  @_lifetime(borrow self)
  public func bytes(_ column: Int) -> Span<UInt8> {
    let column = Int32(clamping: column)
    let start: UnsafePointer<UInt8>?
    switch unsafe sqlite3_column_type(handle, column) {
    case SQLITE_TEXT:
      unsafe start = Statement.text(of: sqlite3_column_value(handle, column))
    case SQLITE_BLOB:
      unsafe start = sqlite3_column_blob(handle, column)?.assumingMemoryBound(to: UInt8.self)
    default:
      unsafe start = nil
    }
    return unsafe span(start, count: start == nil ? 0 : sqlite3_column_bytes(handle, column))
  }
}

/// The storage class of a value in a result row.
package enum ColumnType: Sendable, Hashable {
  case integer, real, text, blob, null

  /// The class of one of the `SQLITE_INTEGER`… codes.
  init(code: Int32) {
    switch code {
    case SQLITE_INTEGER: self = .integer
    case SQLITE_FLOAT: self = .real
    case SQLITE_TEXT: self = .text
    case SQLITE_BLOB: self = .blob
    default: self = .null
    }
  }
}
