internal import CSQLite

/// Refuses two kinds of commits.
///
/// - Of a statement that began inside a transaction. If the schema has changed, SQLite prepares the
///   statement again while it runs. If memory runs out then, it may give up the transaction, run the
///   statement all the same, and commit only that.
/// - To a file that is not at its path any more: nobody would find it. SQLite checks that only without
///   a write-ahead log.
///
/// C functions: `sqlite3_commit_hook`, `sqlite3_file_control` with `SQLITE_FCNTL_HAS_MOVED`
@safe
final class CommitGuard {
  /// What SQLite's callback reads and writes.
  @safe
  private struct State {
    var connection: OpaquePointer?
    /// Whether a statement runs that may not commit.
    var isForbidding = false
    /// Whether the latest commit found the file gone from its path.
    var isMoved = false

    mutating func isRefusing() -> Bool {
      var moved: CInt = 0
      // It stays 0 where the database has no file.
      unsafe sqlite3_file_control(connection, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
      isMoved = moved != 0
      return isForbidding || isMoved
    }
  }

  private let state: UnsafeMutablePointer<State>

  init() {
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: State())
  }

  deinit {
    unsafe state.deallocate()
  }

  /// Watches the commits of a connection, for as long as it or a statement of it keeps the guard.
  func watch(_ connection: OpaquePointer) {
    unsafe state.pointee.connection = unsafe connection
    unsafe sqlite3_commit_hook(
      connection,
      { state in
        guard let state = unsafe state?.assumingMemoryBound(to: State.self) else { return 0 }
        return unsafe state.pointee.isRefusing() ? 1 : 0
      }, state)
  }

  /// Runs a step of a statement that changes the database.
  func step(_ statement: OpaquePointer) -> Int32 {
    unsafe state.pointee.isForbidding = sqlite3_get_autocommit(sqlite3_db_handle(statement)) == 0
    let status = unsafe sqlite3_step(statement)
    unsafe state.pointee.isForbidding = false
    return status
  }

  /// The error of a commit that was refused just now.
  func refusal(of sql: String) -> SQLiteError {
    // SQLITE_READONLY_DBMOVED and SQLITE_ABORT_ROLLBACK, whose macros Swift does not import.
    unsafe state.pointee.isMoved
      ? SQLiteError(
        code: SQLITE_READONLY | 4 << 8, message: "the file was moved, removed or replaced", sql: sql
      )
      : SQLiteError(
        code: SQLITE_ABORT | 2 << 8, message: "SQLite gave up the transaction", sql: sql)
  }
}
