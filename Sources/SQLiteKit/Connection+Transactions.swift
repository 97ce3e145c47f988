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

  /// Whether rows refer to rows that are not there, by foreign keys that are looked at when the
  /// transaction is committed: it cannot be committed as it is.
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
  /// - Throws: what `body` throws, or the `SQLiteError` of beginning or committing as the same
  ///   type.
  public func inTransaction<Result: ~Copyable, Failure: SQLiteErrorConvertible>(
    _ kind: TransactionKind = .immediate, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    do { try begin(kind) } catch { throw Failure(error) }
    let result: Result
    do {
      result = try body()
    } catch {
      rollback()
      throw error
    }
    do { try commit() } catch { throw Failure(error) }
    return result
  }

  /// Runs `body`, whose transactions are committed without waiting for the disk, where the main
  /// database has a write-ahead log; elsewhere they wait as ever.
  ///
  /// A killed process loses nothing of them. A power cut may, and then all that was committed after
  /// them too; the database stays whole. The next commit that waits brings them to the disk with
  /// itself, because it brings all of the log. So this is for preparations: they are of no use
  /// without what is committed next.
  ///
  /// - Parameters:
  ///   - convert: the error that stands for one of SQLite, where it does not take the setting.
  ///   - body: begins and ends its transactions itself.
  /// - Throws: what `body` throws, or what stands for an `SQLiteError`; then the work may be done.
  ///
  /// Page: `PRAGMA synchronous`
  public func withoutWaitingForDisk<Result: ~Copyable, Failure: Error>(
    failingWith convert: (SQLiteError) -> Failure, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let normal: Int64 = 1
    guard !isInTransaction, (try? text("PRAGMA main.journal_mode")) == "wal",
      let level = try? integer("PRAGMA main.synchronous"), level > normal
    else { return try body() }
    do { try setSynchronous(normal) } catch { throw convert(error) }
    let result: Result
    do {
      result = try body()
    } catch {
      try? setSynchronous(level)
      throw error
    }
    do { try setSynchronous(level) } catch { throw convert(error) }
    return result
  }

  /// The same, where an error of SQLite stands for itself or is carried by the error of `body`.
  public func withoutWaitingForDisk<Result: ~Copyable, Failure: SQLiteErrorConvertible>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withoutWaitingForDisk(failingWith: { Failure($0) }, body)
  }

  /// Waits until all that is committed is on the disk, also what was committed without waiting.
  ///
  /// It copies the write-ahead log into the database and waits for both, as closing the database would do
  /// otherwise, after the wait of a commit. Where others still read older pages, or the copy fails, it
  /// commits something that changes nothing, and waits for the log.
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

  /// Copies the write-ahead log into the database, and waits for both.
  ///
  /// - Returns: whether all of it was copied.
  private func copyLog() throws(SQLiteError) -> Bool {
    var statement = try prepare("PRAGMA main.wal_checkpoint(PASSIVE)", isPersistent: false)
    guard try statement.step() else { return false }
    let (isBusy, pageCount, copiedCount) = (
      statement.integer(0) != 0, statement.integer(1), statement.integer(2)
    )
    return !isBusy && pageCount == copiedCount
  }

  /// Runs `body`, again where another connection's lock stands in its way, until it is done or has been
  /// tried for as long as a statement waits for a lock.
  ///
  /// It is for what SQLite does not wait for: a change of the journal mode.
  ///
  /// - Throws: what `body` throws.
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
