internal import POISQLite

/// A savepoint for one record, within the transaction of its batch. It is opened only if a record needs it.
///
/// It is a class, shared by the code that opens it and the code that rolls back.
final class RecordSavepoint {
  private var beginning: Statement
  private var ending: Statement
  private var cancelling: Statement

  private(set) var isOpen = false

  init(connection: Connection) throws {
    beginning = try connection.prepare("SAVEPOINT poikit_record")
    ending = try connection.prepare("RELEASE poikit_record")
    cancelling = try connection.prepare("ROLLBACK TO poikit_record")
  }

  /// Opens the savepoint, if it is not open.
  func open() throws {
    guard !isOpen else { return }
    try beginning.run()
    isOpen = true
  }

  /// Releases the savepoint and keeps the changes.
  func close() throws {
    guard isOpen else { return }
    isOpen = false
    try ending.run()
  }

  /// Rolls back to the savepoint, unless SQLite has rolled back the whole transaction.
  func cancel() throws {
    guard isOpen else { return }
    isOpen = false
    guard beginning.isInTransaction else { return }
    try cancelling.run()
    try ending.run()
  }
}
