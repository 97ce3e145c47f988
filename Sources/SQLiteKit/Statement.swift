internal import CSQLite

/// A prepared statement.
///
/// The value owns the statement and finalises it when its life ends. Parameters are counted from 1
/// and columns from 0, as in SQLite. No call on a warm statement allocates, but for those that take
/// or return a `String`.
@safe
public struct Statement: ~Copyable {
  let handle: OpaquePointer

  private let commitGuard: CommitGuard

  /// Whether it may change data. A statement that ends a transaction changes none itself.
  private let isChanging: Bool

  /// Takes over `handle`, a statement of the connection that has the guard.
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

  /// The same as that of the statement's connection.
  public var lastInsertRowID: Int64 {
    unsafe sqlite3_last_insert_rowid(sqlite3_db_handle(handle))
  }

  /// The same as that of the statement's connection.
  public var changeCount: Int { unsafe Int(sqlite3_changes64(sqlite3_db_handle(handle))) }

  /// The same as that of the statement's connection.
  public var isInTransaction: Bool {
    unsafe sqlite3_get_autocommit(sqlite3_db_handle(handle)) == 0
  }

  /// The same as that of the statement's connection.
  public var hasDeferredViolations: Bool {
    unsafe Connection.hasDeferredViolations(sqlite3_db_handle(handle))
  }

  /// Moves to the next row of the result.
  ///
  /// - Returns: whether there is one. After `false` or an error the statement is reset: parameters
  ///   may be bound, and the next step starts anew.
  /// - Throws: `SQLiteError` when the statement fails, for example on a constraint or a lock.
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

  /// Runs the statement to its end, drops the rows it returns and makes it ready for the next run.
  ///
  /// It is ready again after an error too. Bound values stay bound.
  ///
  /// - Throws: `SQLiteError` when the statement fails.
  public mutating func run() throws(SQLiteError) {
    while try step() {}
  }

  /// Runs an insertion, update or deletion that must change one row.
  ///
  /// - Throws: `SQLiteError` when the statement fails, and one of a constraint when a trigger left the
  ///   row as it was, which SQLite itself does not call a failure.
  public mutating func runChangingOneRow() throws(SQLiteError) {
    try run()
    guard changeCount == 1 else {
      // SQLITE_CONSTRAINT_TRIGGER, whose macro Swift does not import.
      throw SQLiteError(
        code: SQLITE_CONSTRAINT | 7 << 8, message: "a trigger leaves the row as it is", sql: sql)
    }
  }

  /// Makes the statement ready to run from its start and gives up the locks of its reading; bound
  /// values stay bound.
  ///
  /// A run whose steps all succeeded may still fail here: if a change that returns rows cannot be
  /// committed, or if there was no memory to convert a value that was read, at which SQLite gives up
  /// the transaction.
  ///
  /// - Throws: `SQLiteError` when the run fails as it ends; the statement is ready all the same.
  ///
  /// C function: `sqlite3_reset`
  public mutating func reset() throws(SQLiteError) {
    try check(unsafe sqlite3_reset(handle))
  }

  /// Throws the error behind `status`, which a call on this statement returned just now, unless it
  /// is success.
  func check(_ status: Int32) throws(SQLiteError) {
    guard status == SQLITE_OK else { throw failure(status) }
  }

  private func failure(_ status: Int32) -> SQLiteError {
    // SQLITE_CONSTRAINT_COMMITHOOK, whose macro Swift does not import.
    if status == SQLITE_CONSTRAINT | 2 << 8 { return commitGuard.refusal(of: sql) }
    return unsafe SQLiteError(status: status, of: sqlite3_db_handle(handle), sql: sql)
  }
}
