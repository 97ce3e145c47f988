internal import CPOISQLite

/// A prepared statement.
///
/// The value owns the statement and finalises it when its life ends. Parameters are counted from 1
/// and columns from 0, as in SQLite. After the first run no call allocates, except those with a
/// `String`.
@safe
public struct Statement: ~Copyable {
  let handle: OpaquePointer

  private let commitGuard: CommitGuard

  /// Whether it may change data. A statement that only ends a transaction does not count.
  private let isChanging: Bool

  /// Takes ownership of `handle`, a statement of the guard's connection.
  init(handle: OpaquePointer, commitGuard: CommitGuard) {
    unsafe self.handle = unsafe handle
    self.commitGuard = commitGuard
    isChanging = unsafe sqlite3_stmt_readonly(handle) == 0
  }

  deinit {
    unsafe sqlite3_finalize(handle)
  }
}

extension Statement {
  /// The text that the statement was prepared from.
  ///
  /// C function: `sqlite3_sql`
  public var sql: String {
    unsafe sqlite3_sql(handle).map { unsafe String(cString: $0) } ?? ""
  }

  /// `Connection.lastInsertRowID` of the statement's connection.
  public var lastInsertRowID: Int64 {
    unsafe sqlite3_last_insert_rowid(sqlite3_db_handle(handle))
  }

  /// `Connection.changeCount` of the statement's connection.
  public var changeCount: Int { unsafe Int(sqlite3_changes64(sqlite3_db_handle(handle))) }

  /// `Connection.isInTransaction` of the statement's connection.
  public var isInTransaction: Bool {
    unsafe sqlite3_get_autocommit(sqlite3_db_handle(handle)) == 0
  }

  /// `Connection.hasDeferredViolations` of the statement's connection.
  public var hasDeferredViolations: Bool {
    unsafe Connection.hasDeferredViolations(sqlite3_db_handle(handle))
  }

  /// Moves to the next row of the result.
  ///
  /// - Returns: whether there is one. After `false` or an error the statement is reset: parameters
  ///   may be bound, and the next step starts anew.
  /// - Throws: `SQLiteError` if the statement fails, for example on a constraint or a lock.
  ///
  /// C function: `sqlite3_step`
  public mutating func step() throws(SQLiteError) -> Bool {
    let status = unsafe isChanging ? commitGuard.step(handle) : sqlite3_step(handle)
    if status == SQLITE_ROW { return true }
    if status == SQLITE_DONE {
      try reset()
      return false
    }
    let error = failure(status)
    // It would only report the same error.
    unsafe sqlite3_reset(handle)
    throw error
  }

  /// Runs the statement to its end, drops its rows and resets it, also after an error. Bound values
  /// stay.
  ///
  /// - Throws: `SQLiteError` if the statement fails.
  public mutating func run() throws(SQLiteError) {
    while try step() {}
  }

  /// Runs an insert, update or delete that must change one row.
  ///
  /// - Throws: `SQLiteError` if the statement fails; a constraint error if a trigger left the row
  ///   unchanged, which SQLite does not report as a failure.
  public mutating func runChangingOneRow() throws(SQLiteError) {
    try run()
    guard changeCount == 1 else {
      // SQLITE_CONSTRAINT_TRIGGER, whose macro Swift does not import.
      throw SQLiteError(
        code: SQLITE_CONSTRAINT | 7 << 8, message: "a trigger leaves the row as it is", sql: sql)
    }
  }

  /// Makes the statement ready to run again and releases its read locks; bound values stay.
  ///
  /// A run whose steps all succeeded may still fail here: if a change that returns rows cannot be
  /// committed, or if memory for the conversion of a value ran out, in which case SQLite rolls back
  /// the transaction.
  ///
  /// - Throws: `SQLiteError` if the run fails as it ends; the statement is ready all the same.
  ///
  /// C function: `sqlite3_reset`
  public mutating func reset() throws(SQLiteError) {
    try check(unsafe sqlite3_reset(handle))
  }

  /// Throws the error for `status`, which a call on this statement has just returned, unless it is
  /// success.
  func check(_ status: Int32) throws(SQLiteError) {
    guard status == SQLITE_OK else { throw failure(status) }
  }

  private func failure(_ status: Int32) -> SQLiteError {
    // SQLITE_CONSTRAINT_COMMITHOOK, whose macro Swift does not import.
    if status == SQLITE_CONSTRAINT | 2 << 8 { return commitGuard.refusal(of: sql) }
    return unsafe SQLiteError(status: status, of: sqlite3_db_handle(handle), sql: sql)
  }
}
