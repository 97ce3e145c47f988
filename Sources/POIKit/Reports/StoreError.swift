public import SQLiteKit

/// Why a store, or another database, cannot be opened, read, changed, deduplicated or restored.
///
/// Whatever the error: the database holds exactly the batches that were committed before it.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of trouble it is.
  public enum Code: Sendable, Hashable {
    /// The file is a database of another program, is empty and only to be read, or is a store whose own
    /// tables are missing or whose models cannot be read.
    case notAStore
    /// The store was made by a later version of the toolkit.
    case newerFormat
    /// The table was made with another model.
    case modelDiffers
    /// The store holds no such table of records, or several to choose from; the database has no such table.
    case noSuchTable
    /// The model or the table has no such attribute or column.
    case noSuchColumn
    /// The table, or one that refers to it, is of a kind that cannot be deduplicated.
    case unsupportedTable
    /// The options contradict each other or the table.
    case invalidOptions
    /// The timestamp column holds texts and numbers.
    case mixedTimestamps
    /// Another connection changed the database during a deduplication.
    case changedByOther
    /// A row that refers to a loser cannot refer to its winner instead.
    case unmovableReference
    /// A trigger of the database keeps rows from going, or makes others come or go.
    case interferingTrigger
    /// A winner cannot take a value that its losers have.
    case unmergeableValue
    /// Rows stand in the way of the unique index.
    case keyNotUnique
    /// The run cannot be undone.
    case cannotUndo
    /// A temporary file could not be written or read.
    case temporaryFile
    /// Another operation of the program uses the store.
    case inUse
    /// SQLite said no: the disk is full, the store is locked, permission is missing, the file is
    /// damaged or no database.
    case database
    /// The counters do not balance: an error of the toolkit's own.
    case internalCheck
  }

  /// The kind of trouble, in a form that a program can test.
  public var code: Code

  /// What is wrong, in lower case, and what to do.
  public var message: String

  /// What SQLite said, if it refused something.
  public var cause: SQLiteError?

  /// What a deduplication had done, if it had committed something before it failed.
  public internal(set) var report: DeduplicationReport?

  /// The message.
  public var description: String { message }

  init(_ code: Code, _ message: String, cause: SQLiteError? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  /// The error that stands for any error inside of an operation of the store at `path`.
  init(converting error: any Error, path: String) {
    switch error {
    case let error as StoreError: self = error
    case let error as SQLiteError: self.init(error, path: path)
    case let error as StoreFailure:
      if let cause = error.cause, error.code == .database {
        self.init(cause, path: path)
      } else {
        self.init(error.code, "\(path): \(error.message)", cause: error.cause)
      }
    default: self.init(.internalCheck, "\(path): \(error)")
    }
  }

  /// Runs `body`, the inside of an operation that programs call, and throws its errors as this type.
  static func converting<Result: ~Copyable>(
    path: String, _ body: () throws -> Result
  ) throws(StoreError) -> Result {
    do { return try body() } catch { throw StoreError(converting: error, path: path) }
  }

  /// An error of SQLite while the store at `path` was in use.
  ///
  /// - Parameters:
  ///   - error: the error of SQLite.
  ///   - path: the path of the store.
  ///   - remedy: how to continue once the cause is gone.
  public init(_ error: SQLiteError, path: String, remedy: String = "run again") {
    let advice =
      if error.isBusy {
        "another program holds the store, and did not let go of it in time; let it finish and \(remedy)"
      } else if error.isFull {
        "there is no space left; free some and \(remedy)"
      } else if error.isMoved {
        "nothing is committed to it any more; what was may still stand in \(path)-wal alone, so put "
          + "the file back to its place beside that one and \(remedy)"
      } else if error.isReadOnly {
        "the store cannot be written; check its permissions and those of its folder"
      } else if error.isUnopenable {
        "check the path, its folder and the permissions"
      } else if error.isDistrust {
        "the database itself calls it, in a trigger, a check, an index or a generated column; where "
          + "you know who made them, --trust-schema lets it"
      } else if error.isConstraint {
        "a trigger or a constraint of the database refuses the change, and nothing of its batch is done"
      } else if error.isCorrupt {
        "the file is damaged or is no SQLite database"
      } else {
        "the store holds exactly the batches that were committed; \(remedy) when the cause is mended"
      }
    self.init(.database, "\(path): \(error.message) (\(error.codeName)): \(advice)", cause: error)
  }
}
