internal import CSQLite

extension Connection {
  /// Prepares one statement.
  ///
  /// - Parameters:
  ///   - sql: the text of exactly one statement; a closing semicolon and comments may follow.
  ///   - isPersistent: whether it is kept for many uses, which tells SQLite to spare its fast small
  ///     memory.
  /// - Throws: `SQLiteError` when the text is no valid SQL, holds no statement or more than one.
  ///
  /// C function: `sqlite3_prepare_v3`
  public func prepare(_ sql: SQL, isPersistent: Bool = true) throws(SQLiteError) -> Statement {
    var rest = try SQLText(sql)
    guard let first = unsafe try prepareNext(&rest, isPersistent: isPersistent) else {
      throw SQLiteError.misuse("the text holds no statement", sql: sql.text)
    }
    let statement = unsafe Statement(handle: first, commitGuard: commitGuard)
    if holdsStatement(&rest) {
      throw SQLiteError.misuse("the text holds more than one statement", sql: sql.text)
    }
    return statement
  }

  /// Runs all statements of a text, one after the other, and drops the rows that they return.
  ///
  /// - Throws: `SQLiteError` at the first statement that fails; those before it have taken effect.
  public func execute(_ sql: SQL) throws(SQLiteError) {
    var rest = try SQLText(sql)
    while let next = unsafe try prepareNext(&rest, isPersistent: false) {
      var statement = unsafe Statement(handle: next, commitGuard: commitGuard)
      try statement.run()
    }
  }

  /// Whether a statement that failed with no more than `SQLITE_ERROR` is a sound one, which can be
  /// prepared: what failed was an expression of it, or of the schema, for the values that it met.
  public func canPrepare(again error: SQLiteError) -> Bool {
    guard error.code == SQLITE_ERROR, let sql = error.sql else { return false }
    do {
      _ = try prepare(SQL(verbatim: sql), isPersistent: false)
      return true
    } catch {
      return false
    }
  }

  /// The integer in the first column of the first row that a statement returns, or nil without a
  /// row or with a null.
  ///
  /// - Throws: `SQLiteError` when the statement cannot be prepared or run.
  public func integer(_ sql: SQL) throws(SQLiteError) -> Int64? {
    var statement = try prepare(sql, isPersistent: false)
    guard try statement.step() else { return nil }
    let integer = statement.isNull(0) ? nil : statement.integer(0)
    try statement.reset()
    return integer
  }

  /// The text in the first column of the first row that a statement returns, or nil without a row
  /// or with a null.
  ///
  /// - Throws: `SQLiteError` when the statement cannot be prepared or run.
  public func text(_ sql: SQL) throws(SQLiteError) -> String? {
    var statement = try prepare(sql, isPersistent: false)
    guard try statement.step() else { return nil }
    let text = statement.isNull(0) ? nil : statement.text(0)
    try statement.reset()
    return text
  }

  /// Whether more than blanks and comments is left of `text`, be it valid or not.
  private func holdsStatement(_ text: inout SQLText) -> Bool {
    do {
      guard let next = unsafe try prepareNext(&text, isPersistent: false) else { return false }
      unsafe sqlite3_finalize(next)
    } catch {}
    return true
  }

  /// Prepares the next statement of `text` and moves `text` behind it; nil when only blanks and
  /// comments are left.
  private func prepareNext(
    _ text: inout SQLText, isPersistent: Bool
  ) throws(SQLiteError) -> OpaquePointer? {
    guard isUsable else {
      throw SQLiteError.misuse(
        "the connection is used outside of Store.withConnection", sql: text.whole)
    }
    let flags = isPersistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    while !text.isAtEnd {
      var prepared: OpaquePointer?
      let status = unsafe text.withRest { start, count in
        var tail: UnsafePointer<CChar>?
        let status = unsafe sqlite3_prepare_v3(handle, start, count, flags, &prepared, &tail)
        return unsafe (status, tail.map { unsafe $0 - start } ?? Int(count))
      }
      guard status == SQLITE_OK else {
        throw unsafe SQLiteError(status: status, of: handle, sql: text.whole)
      }
      if let prepared = unsafe prepared { return unsafe prepared }
    }
    return nil
  }
}
