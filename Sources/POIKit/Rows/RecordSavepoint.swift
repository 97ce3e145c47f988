internal import SQLiteKit

/// The savepoint that what is written for one record can be undone to, within the transaction of its
/// batch. It is made for those records alone that need one.
///
/// A class, because who finds that a record needs it is not who undoes it.
final class RecordSavepoint {
  private var beginning: Statement
  private var ending: Statement
  private var cancelling: Statement

  /// Whether there is one.
  private(set) var isOpen = false

  init(connection: Connection) throws {
    beginning = try connection.prepare("SAVEPOINT poikit_record")
    ending = try connection.prepare("RELEASE poikit_record")
    cancelling = try connection.prepare("ROLLBACK TO poikit_record")
  }

  /// Makes the savepoint, unless there is one.
  func open() throws {
    guard !isOpen else { return }
    try beginning.run()
    isOpen = true
  }

  /// Keeps what was written since.
  func close() throws {
    guard isOpen else { return }
    isOpen = false
    try ending.run()
  }

  /// Undoes what was written since. Where SQLite has given up the whole transaction, there is nothing to
  /// undo any more.
  func cancel() throws {
    guard isOpen else { return }
    isOpen = false
    guard beginning.isInTransaction else { return }
    try cancelling.run()
    try ending.run()
  }
}
