internal import CSQLite

/// Keeps a statement that began inside a transaction from committing by itself.
///
/// Where the schema has changed since, SQLite prepares a statement anew while it runs. If memory runs
/// out at the wrong moment it gives up the transaction first, runs the statement all the same, and
/// commits what it did: a part of the transaction, which the caller takes for lost.
///
/// C function: `sqlite3_commit_hook`
@safe
final class CommitGuard {
  /// Whether a statement runs that may not commit. It is read by SQLite, and so stands in one place.
  private let isForbidding: UnsafeMutablePointer<Bool>

  init() {
    unsafe isForbidding = .allocate(capacity: 1)
    unsafe isForbidding.initialize(to: false)
  }

  deinit {
    unsafe isForbidding.deallocate()
  }

  /// Watches the commits of a connection, for as long as it or a statement of it keeps the guard.
  func watch(_ connection: OpaquePointer) {
    unsafe sqlite3_commit_hook(
      connection,
      { isForbidding in
        guard let isForbidding = unsafe isForbidding else { return 0 }
        return unsafe isForbidding.load(as: Bool.self) ? 1 : 0
      }, isForbidding)
  }

  /// Runs a step of a statement that changes the database; where it began in a transaction, it does not
  /// commit.
  func step(_ statement: OpaquePointer) -> Int32 {
    unsafe isForbidding.pointee = sqlite3_get_autocommit(sqlite3_db_handle(statement)) == 0
    let status = unsafe sqlite3_step(statement)
    unsafe isForbidding.pointee = false
    return status
  }
}
