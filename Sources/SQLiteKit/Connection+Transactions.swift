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
    let start = monotonicTime()
    while true {
      do {
        return try body()
      } catch {
        guard error.isBusy, monotonicTime() - start < timeout else { throw error }
      }
      usleep(10_000)
    }
  }

  /// The time since an arbitrary moment, the same for the whole process.
  ///
  /// It is asked of the kernel: `ContinuousClock` is a part of Swift's concurrency, and would link it
  /// and its dispatch library into every tool, which would start a fifth later.
  ///
  /// Page: `clock_gettime(2)`, `CLOCK_MONOTONIC`
  private func monotonicTime() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  private func setSynchronous(_ level: Int64) throws(SQLiteError) {
    try execute("PRAGMA main.synchronous = \(level)")
  }
}
