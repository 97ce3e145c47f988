internal import CPOISQLite

/// Binding. Every method has the index of a parameter, counted from 1. It throws `SQLiteError` if
/// there is no such parameter, if an unfinished run has a current row, or if a value is larger than
/// SQLite's limit.
extension Statement {
  /// Binds an integer.
  ///
  /// C function: `sqlite3_bind_int64`
  public mutating func bind(_ index: Int, integer: Int64) throws(SQLiteError) {
    try check(unsafe sqlite3_bind_int64(handle, Int32(clamping: index), integer))
  }

  /// Binds a real; not-a-number is bound as NULL, because SQLite cannot store it.
  ///
  /// C function: `sqlite3_bind_double`
  public mutating func bind(_ index: Int, real: Double) throws(SQLiteError) {
    try check(unsafe sqlite3_bind_double(handle, Int32(clamping: index), real))
  }

  /// Binds a copy of a text, which may hold NUL.
  ///
  /// C function: `sqlite3_bind_text64`
  public mutating func bind(_ index: Int, text: String) throws(SQLiteError) {
    try bind(index, text: text.utf8Span.span)
  }

  /// Binds a copy of a text given as UTF-8, which may hold NUL.
  ///
  /// C function: `sqlite3_bind_text64`
  public mutating func bind(_ index: Int, text: Span<UInt8>) throws(SQLiteError) {
    let status = unsafe text.withUnsafeBytes { bytes in
      // SQLite binds NULL for a nil address, which an empty text may have.
      guard let start = bytes.baseAddress else {
        return unsafe csqlite_bind_text_copy(handle, Int32(clamping: index), "", 0)
      }
      return unsafe csqlite_bind_text_copy(
        handle, Int32(clamping: index), start.assumingMemoryBound(to: CChar.self),
        UInt64(bytes.count))
    }
    try check(status)
  }

  /// Binds a copy of a blob.
  ///
  /// C function: `sqlite3_bind_blob64`
  public mutating func bind(_ index: Int, blob: Span<UInt8>) throws(SQLiteError) {
    let status = unsafe blob.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, bytes.count > 0 else {
        return unsafe sqlite3_bind_zeroblob(handle, Int32(clamping: index), 0)
      }
      return unsafe csqlite_bind_blob_copy(
        handle, Int32(clamping: index), start, UInt64(bytes.count))
    }
    try check(status)
  }

  /// Binds NULL.
  ///
  /// C function: `sqlite3_bind_null`
  public mutating func bindNull(_ index: Int) throws(SQLiteError) {
    try check(unsafe sqlite3_bind_null(handle, Int32(clamping: index)))
  }

  /// Binds a text given as UTF-8 without copying it.
  ///
  /// The bytes must stay unchanged at their address until the parameter is bound again or the
  /// statement ends. Do not step after they are freed.
  ///
  /// C function: `sqlite3_bind_text64` with `SQLITE_STATIC`
  @unsafe
  public mutating func bindBorrowed(
    _ index: Int, text: UnsafeBufferPointer<UInt8>
  ) throws(SQLiteError) {
    guard let start = text.baseAddress, !text.isEmpty else {
      return try bind(index, text: Span())
    }
    let status = unsafe start.withMemoryRebound(to: CChar.self, capacity: text.count) { start in
      unsafe sqlite3_bind_text64(
        handle, Int32(clamping: index), start, UInt64(text.count), nil, UInt8(SQLITE_UTF8))
    }
    try check(status)
  }

  /// Binds a copy of `text`, or NULL if it is nil.
  public mutating func bind(_ index: Int, text: String?) throws(SQLiteError) {
    if let text { try bind(index, text: text) } else { try bindNull(index) }
  }

  /// Binds a blob without copying it.
  ///
  /// The bytes must stay unchanged at their address until the parameter is bound again or the
  /// statement ends. Do not step after they are freed.
  ///
  /// C function: `sqlite3_bind_blob64` with `SQLITE_STATIC`
  @unsafe
  public mutating func bindBorrowed(
    _ index: Int, blob: UnsafeBufferPointer<UInt8>
  ) throws(SQLiteError) {
    guard let start = blob.baseAddress, !blob.isEmpty else {
      return try check(unsafe sqlite3_bind_zeroblob(handle, Int32(clamping: index), 0))
    }
    try check(
      unsafe sqlite3_bind_blob64(
        handle, Int32(clamping: index), start, UInt64(blob.count), nil))
  }
}
