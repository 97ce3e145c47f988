internal import CPOISQLite

extension Connection {
  /// Prepares one statement.
  ///
  /// - Parameters:
  ///   - sql: exactly one statement; a closing semicolon and comments may follow.
  ///   - isPersistent: whether it is kept for many uses; SQLite then does not use lookaside memory
  ///     for it.
  /// - Throws: `SQLiteError` if the text is not valid SQL, or not one statement.
  ///
  /// C function: `sqlite3_prepare_v3`
  public func prepare(_ sql: SQL, isPersistent: Bool = true) throws(SQLiteError) -> Statement {
    let text = try bytes(of: sql)
    var offset = 0
    guard let first = unsafe try prepareNext(text, from: &offset, of: sql, isPersistent) else {
      throw SQLiteError.misuse("the text holds no statement", sql: sql.text)
    }
    let statement = unsafe Statement(handle: first, commitGuard: commitGuard)
    do {
      guard let second = unsafe try prepareNext(text, from: &offset, of: sql, false) else {
        return statement
      }
      unsafe sqlite3_finalize(second)
    } catch {}
    throw SQLiteError.misuse("the text holds more than one statement", sql: sql.text)
  }

  /// Runs all statements of a text in order and drops the rows that they return.
  ///
  /// - Throws: `SQLiteError` for the first statement that fails; those before it have taken effect.
  public func execute(_ sql: SQL) throws(SQLiteError) {
    let text = try bytes(of: sql)
    var offset = 0
    while let next = unsafe try prepareNext(text, from: &offset, of: sql, false) {
      var statement = unsafe Statement(handle: next, commitGuard: commitGuard)
      try statement.run()
    }
  }

  /// Whether the statement of an `SQLITE_ERROR` can be prepared; false for other errors. If so, one of
  /// its expressions, or one of the schema's, failed for the values of a row.
  public func canPrepareStatement(of error: SQLiteError) -> Bool {
    guard error.code == SQLITE_ERROR, let sql = error.sql else { return false }
    do {
      _ = try prepare(SQL(verbatim: sql), isPersistent: false)
      return true
    } catch {
      return false
    }
  }

  /// The integer in the first column of the first row; nil if there is no row or the value is NULL.
  ///
  /// - Throws: `SQLiteError` if the statement cannot be prepared or run.
  public func integer(_ sql: SQL) throws(SQLiteError) -> Int64? {
    try firstValue(of: sql) { $0.integer(0) }
  }

  /// The text in the first column of the first row; nil if there is no row or the value is NULL.
  ///
  /// - Throws: `SQLiteError` if the statement cannot be prepared or run.
  public func text(_ sql: SQL) throws(SQLiteError) -> String? {
    try firstValue(of: sql) { $0.text(0) }
  }

  /// What `body` makes of each row of a query that is run once.
  ///
  /// - Throws: `SQLiteError` if the statement cannot be prepared or run, and the error of `body`.
  public func rows<Value>(
    _ sql: SQL, _ body: (borrowing Statement) throws -> Value
  ) throws -> [Value] {
    var statement = try prepare(sql, isPersistent: false)
    var values: [Value] = []
    while try statement.step() { values.append(try body(statement)) }
    return values
  }

  private func firstValue<Value>(
    of sql: SQL, _ value: (borrowing Statement) -> Value
  ) throws(SQLiteError) -> Value? {
    var statement = try prepare(sql, isPersistent: false)
    guard try statement.step() else { return nil }
    let value = statement.isNull(0) ? nil : value(statement)
    try statement.reset()
    return value
  }

  /// The text with a final NUL, at which SQLite stops reading. A NUL inside the text is an error.
  private func bytes(of sql: SQL) throws(SQLiteError) -> ContiguousArray<CChar> {
    let bytes = sql.text.utf8CString
    guard bytes.firstIndex(of: 0) == bytes.count - 1 else {
      throw SQLiteError.misuse("the text of a statement holds a NUL", sql: sql.text)
    }
    return bytes
  }

  /// Prepares the next statement of `text` and moves `offset` behind it; returns nil if only blanks
  /// and comments are left.
  private func prepareNext(
    _ text: ContiguousArray<CChar>, from offset: inout Int, of sql: SQL, _ isPersistent: Bool
  ) throws(SQLiteError) -> OpaquePointer? {
    guard isUsable else {
      throw SQLiteError.misuse(
        "the connection is used outside of Store.withConnection", sql: sql.text)
    }
    let flags = isPersistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    var prepared: OpaquePointer?
    while unsafe prepared == nil, offset < text.count - 1 {
      let status = unsafe text.withUnsafeBufferPointer { buffer in
        let start = unsafe buffer.baseAddress.map { unsafe $0 + offset }
        var tail: UnsafePointer<CChar>?
        let status = unsafe sqlite3_prepare_v3(handle, start, -1, flags, &prepared, &tail)
        if let start = unsafe start, let tail = unsafe tail { unsafe offset += tail - start }
        return status
      }
      guard status == SQLITE_OK else {
        throw unsafe SQLiteError(status: status, of: handle, sql: sql.text)
      }
    }
    return unsafe prepared
  }
}
