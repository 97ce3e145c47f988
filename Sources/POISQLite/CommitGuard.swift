internal import CPOISQLite

/// Refuses two kinds of commits.
///
/// - Commits of a statement that began inside a transaction. If the schema has changed, SQLite
///   prepares the statement again while it runs. If memory runs out then, SQLite may roll back the
///   transaction, run the statement all the same, and commit only that.
/// - Commits to a file that is no longer at its path. SQLite checks that only without a write-ahead
///   log.
///
/// C functions: `sqlite3_commit_hook`, `sqlite3_file_control` with `SQLITE_FCNTL_HAS_MOVED`
@safe
final class CommitGuard {
  @safe
  private struct State {
    var connection: OpaquePointer?
    /// Whether the running statement must not commit.
    var isForbidding = false
    /// Whether the latest commit found that the file is no longer at its path.
    var isMoved = false

    mutating func isRefusing() -> Bool {
      var moved: CInt = 0
      // It stays 0 if the database has no file.
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

  /// Watches the commits of a connection, as long as the connection or one of its statements holds
  /// the guard.
  func watch(_ connection: OpaquePointer) {
    unsafe state.pointee.connection = unsafe connection
    unsafe sqlite3_commit_hook(
      connection,
      { state in
        guard let state = unsafe state?.assumingMemoryBound(to: State.self) else { return 0 }
        return unsafe state.pointee.isRefusing() ? 1 : 0
      }, state)
  }

  func step(_ statement: OpaquePointer) -> Int32 {
    unsafe state.pointee.isForbidding = sqlite3_get_autocommit(sqlite3_db_handle(statement)) == 0
    let status = unsafe sqlite3_step(statement)
    unsafe state.pointee.isForbidding = false
    return status
  }

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
