internal import CPOISQLite
internal import POIPlatform

extension Connection {
  /// Begins a transaction.
  ///
  /// - Throws: `SQLiteError` if one is open already or the lock does not become free in time.
  package func begin(_ kind: TransactionKind = .immediate) throws(SQLiteError) {
    try execute(kind.beginning)
  }

  /// Commits the open transaction; rolls it back if the commit fails.
  ///
  /// - Throws: `SQLiteError` if the commit fails, for example because the disk is full.
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
  /// If SQLite cannot finish a rollback now, the next connection that opens the file finishes it.
  public func rollback() {
    guard isInTransaction else { return }
    try? execute("ROLLBACK")
  }

  /// Whether deferred foreign keys refer to missing rows, so that the transaction cannot be
  /// committed.
  ///
  /// C function: `sqlite3_db_status` with `SQLITE_DBSTATUS_DEFERRED_FKS`
  public var hasDeferredViolations: Bool { unsafe Connection.hasDeferredViolations(handle) }

  static func hasDeferredViolations(_ handle: OpaquePointer?) -> Bool {
    var (current, highest): (Int32, Int32) = (0, 0)
    unsafe sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
    return current != 0
  }

  /// Runs `body` inside a transaction that may write; commits if it returns and rolls back if it throws.
  ///
  /// - Parameter body: the work; it neither begins nor ends transactions.
  /// - Throws: what `body` throws, or the `SQLiteError` of beginning or committing.
  public func inTransaction<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
    try inTransaction(.immediate, body)
  }

  /// Runs `body` inside a transaction that takes its locks as `kind` says.
  package func inTransaction<Result: ~Copyable>(
    _ kind: TransactionKind, _ body: () throws -> Result
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

  /// Runs `body` without waiting for the disk at its commits, if the main database has a
  /// write-ahead log.
  ///
  /// A killed process loses none of them. A power cut may lose them and what was committed later;
  /// the database stays intact. The next commit that waits writes the whole log to the disk. This
  /// is for preparations, which are useless without the next commit.
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

  /// Waits until all commits are on the disk, including those that did not wait.
  ///
  /// It copies the write-ahead log into the database. If the copy fails or others still read older
  /// pages, it commits an empty change and waits for the log.
  ///
  /// - Throws: `SQLiteError` if neither is possible; a power cut may then lose what was committed.
  ///
  /// Page: `PRAGMA wal_checkpoint`
  public func syncToDisk() throws(SQLiteError) {
    guard !isInTransaction, try text("PRAGMA main.journal_mode") == "wal" else { return }
    if (try? copyLog()) == true { return }
    // Inside a transaction, because another program may change the number.
    try begin(.immediate)
    do {
      let version = try integer("PRAGMA main.user_version") ?? 0
      try execute("PRAGMA main.user_version = \(version)")
    } catch {
      rollback()
      throw error
    }
    try commit()
  }

  /// Copies the write-ahead log into the database; returns whether the copy is complete.
  private func copyLog() throws(SQLiteError) -> Bool {
    var statement = try prepare("PRAGMA main.wal_checkpoint(PASSIVE)", isPersistent: false)
    guard try statement.step() else { return false }
    let (isBusy, pageCount, copiedCount) = (
      statement.integer(0) != 0, statement.integer(1), statement.integer(2)
    )
    return !isBusy && pageCount == copiedCount
  }

  /// Runs `body` again while another connection holds the lock, at most for the busy timeout.
  /// SQLite does not wait by itself when the journal mode changes.
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

/// When a transaction acquires its locks, named as in SQLite's `BEGIN`.
package enum TransactionKind: Sendable, Hashable {
  /// The write lock at once, so that another writer cannot make the transaction fail half-way.
  case immediate

  /// No lock until the first statement needs one: for transactions that only read.
  case deferred

  var beginning: SQL {
    switch self {
    case .immediate: "BEGIN IMMEDIATE"
    case .deferred: "BEGIN DEFERRED"
    }
  }
}
