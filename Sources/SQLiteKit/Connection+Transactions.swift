internal import CSQLite
internal import Glibc

extension Connection {
  /// Begins a transaction.
  ///
  /// - Throws: `SQLiteError` when one is open already or the lock does not become free in time.
  public func begin(_ kind: TransactionKind = .immediate) throws(SQLiteError) {
    try execute(kind.beginning)
  }

  /// Commits the open transaction.
  ///
  /// After a failed commit nothing of the transaction is left: it is rolled back.
  ///
  /// - Throws: `SQLiteError` when the commit fails, for example because the disk is full.
  public func commit() throws(SQLiteError) {
    do {
      try execute("COMMIT")
    } catch {
      rollback()
      throw error
    }
  }

  /// Rolls back the open transaction, if there is one.
  ///
  /// A rollback that SQLite cannot finish now is finished by the next one that opens the file.
  public func rollback() {
    guard isInTransaction else { return }
    try? execute("ROLLBACK")
  }

  /// Whether rows refer to missing rows by deferred foreign keys, so that the transaction cannot be
  /// committed as it is.
  ///
  /// C function: `sqlite3_db_status` with `SQLITE_DBSTATUS_DEFERRED_FKS`
  public var hasDeferredViolations: Bool { unsafe Connection.hasDeferredViolations(handle) }

  static func hasDeferredViolations(_ handle: OpaquePointer?) -> Bool {
    var (current, highest): (Int32, Int32) = (0, 0)
    unsafe sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
    return current != 0
  }

  /// Runs `body` inside a transaction, which is committed when `body` returns and rolled back when
  /// it throws.
  ///
  /// - Parameters:
  ///   - kind: when the transaction takes its locks.
  ///   - body: the work; it neither begins nor ends transactions.
  /// - Throws: what `body` throws, or the `SQLiteError` of beginning or committing.
  public func inTransaction<Result: ~Copyable>(
    _ kind: TransactionKind = .immediate, _ body: () throws -> Result
  ) throws -> Result {
    try begin(kind)
    let result: Result
    do {
      result = try body()
    } catch {
      rollback()
      throw error
    }
    try commit()
    return result
  }

  /// Runs `body`, whose transactions are committed without waiting for the disk if the main database
  /// has a write-ahead log.
  ///
  /// A killed process loses nothing of them. A power cut may lose them and what was committed after
  /// them; the database stays whole. The next commit that waits brings all of the log to the disk. So
  /// this is for preparations, which are of no use without what is committed next.
  ///
  /// - Throws: what `body` throws, or an `SQLiteError`; then the work may be done.
  ///
  /// Page: `PRAGMA synchronous`
  public func withoutWaitingForDisk<Result: ~Copyable>(
    _ body: () throws -> Result
  ) throws -> Result {
    let normal: Int64 = 1
    guard !isInTransaction, (try? text("PRAGMA main.journal_mode")) == "wal",
      let level = try? integer("PRAGMA main.synchronous"), level > normal
    else { return try body() }
    try setSynchronous(normal)
    let result: Result
    do {
      result = try body()
    } catch {
      try? setSynchronous(level)
      throw error
    }
    try setSynchronous(level)
    return result
  }

  /// Waits until all that is committed is on the disk, also what was committed without waiting.
  ///
  /// It copies the write-ahead log into the database. If others still read older pages, or the copy
  /// fails, it commits something that changes nothing, and waits for the log.
  ///
  /// - Throws: `SQLiteError` when neither can be done; what was committed may not survive a power cut.
  ///
  /// Page: `PRAGMA wal_checkpoint`
  public func bringToDisk() throws(SQLiteError) {
    guard !isInTransaction, try text("PRAGMA main.journal_mode") == "wal" else { return }
    if (try? copyLog()) == true { return }
    let version = try integer("PRAGMA main.user_version") ?? 0
    try execute("PRAGMA main.user_version = \(version)")
  }

  /// Copies the write-ahead log into the database; returns whether all of it was copied.
  private func copyLog() throws(SQLiteError) -> Bool {
    var statement = try prepare("PRAGMA main.wal_checkpoint(PASSIVE)", isPersistent: false)
    guard try statement.step() else { return false }
    let (isBusy, pageCount, copiedCount) = (
      statement.integer(0) != 0, statement.integer(1), statement.integer(2)
    )
    return !isBusy && pageCount == copiedCount
  }

  /// Runs `body` again while another connection's lock is in its way, for as long as a statement waits
  /// for a lock. For a change of the journal mode, at which SQLite does not wait.
  ///
  /// Page: `sqlite3_busy_handler`
  public func retryingWhileBusy<Result>(
    _ body: () throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> Result {
    let timeout = Duration.milliseconds(try integer("PRAGMA busy_timeout") ?? 0)
    let start = MonotonicClock.now()
    while true {
      do {
        return try body()
      } catch {
        guard error.isBusy, MonotonicClock.now() - start < timeout else { throw error }
      }
      usleep(10_000)
    }
  }

  private func setSynchronous(_ level: Int64) throws(SQLiteError) {
    try execute("PRAGMA main.synchronous = \(level)")
  }
}
