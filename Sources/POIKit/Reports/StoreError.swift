package import JSONStreaming
public import POIInputs
public import SQLiteKit

/// Why an operation on a store, or on another database, cannot go on.
///
/// Whatever the error: the database holds exactly the batches that were committed before it.
public struct StoreError: Error, Sendable, CustomStringConvertible {
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
    /// The options contradict each other, the model or the table.
    case invalidOptions
    /// The store holds an unfinished import of the same input.
    case unfinishedRun
    /// There is nothing to resume, or the input is not the one that was begun.
    case cannotResume
    /// The input is missing, or may not be read.
    case noInput
    /// The input cannot be read as JSON, or the records in it cannot be found.
    case unreadable
    /// More records were rejected than the limit allows.
    case tooManyRejects
    /// Records met stored ones with their keys, which the policy `error` does not allow.
    case conflict
    /// A snapshot must not remove what it lacks. Nothing was removed; its records are stored.
    case snapshotRefused
    /// Reading the input or writing the reject file failed, or the system gives no thread.
    case inputOutput
    /// The inference of a model was told to stop, or a source gave up waiting for input. An import is
    /// stopped there and throws nothing.
    case interrupted
    /// The timestamp column holds texts and numbers.
    case mixedTimestamps
    /// Another connection changed the database during the operation.
    case changedByOther
    /// A row that refers to a loser cannot refer to its winner instead.
    case unmovableReference
    /// A trigger of the database keeps rows from going, or makes others come or go.
    case interferingTrigger
    /// A row does not fit the type that it is decoded as.
    case undecodable
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

  /// What is wrong, in lower case, with the value in question and its place: the path of the database,
  /// or input, line, column and record.
  public var message: String

  /// What can be done about it, each of these; empty if the message says it.
  public var advice: [Advice]

  /// What SQLite said, if it refused something.
  public var cause: SQLiteError?

  /// What an import had committed before it failed; nil if it had committed nothing.
  public internal(set) var importReport: ImportReport?

  /// What a deduplication had committed before it failed; nil if it had committed nothing.
  public internal(set) var report: DeduplicationReport?

  /// The message.
  public var description: String { message }

  package init(
    _ code: Code, _ message: String, advice: Advice..., cause: SQLiteError? = nil
  ) {
    self.init(code, message, advice: advice, cause: cause)
  }

  package init(_ code: Code, _ message: String, advice: [Advice], cause: SQLiteError? = nil) {
    self.code = code
    self.message = message
    self.advice = advice
    self.cause = cause
  }

  /// Converts any error inside an operation on the store at `path`.
  init(converting error: any Error, path: String) {
    switch error {
    case let error as StoreError: self = error
    case let error as SQLiteError: self.init(error, path: path)
    case let error as StoreFailure:
      if let cause = error.cause, error.code == .database {
        self.init(cause, path: path)
      } else {
        self.init(
          error.code, "\(path): \(error.message)", advice: error.advice, cause: error.cause)
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
  ///   - resumes: whether an unfinished import can go on once the cause is gone.
  public init(_ error: SQLiteError, path: String, resumes: Bool = false) {
    let again = resumes ? "" : " and run again"
    let goingOn: [Advice] = resumes ? [.resume] : []
    let (remedy, advice): (String, [Advice]) =
      if error.isBusy {
        (
          "another program holds the store, and did not let go of it in time; let it finish\(again)",
          goingOn
        )
      } else if error.isFull {
        ("there is no space left; free some\(again)", goingOn)
      } else if error.isMoved {
        (
          "nothing is committed to it any more; what was may still be in \(path)-wal alone, so put the "
            + "file back to its place beside that one\(again)", goingOn
        )
      } else if error.isReadOnly {
        ("the store cannot be written; check its permissions and those of its folder", [])
      } else if error.isUnopenable {
        ("check the path, its folder and the permissions", [])
      } else if error.isUntrustedSchema {
        (
          "the database itself calls it, in a trigger, a check, an index or a generated column",
          [.trustSchema]
        )
      } else if error.isConstraint {
        (
          "a trigger or a constraint of the database refuses the change, and nothing of its batch is "
            + "done", []
        )
      } else if error.isCorrupt {
        ("the file is damaged or is no SQLite database", [])
      } else {
        (
          "the store holds exactly the batches that were committed; remove the cause\(again)",
          goingOn
        )
      }
    self.init(
      .database, "\(path): \(error.message) (\(error.codeName)): \(remedy)", advice: advice,
      cause: error)
  }

  /// An error of a source.
  public init(_ error: InputError) {
    let code: Code
    switch error.code {
    case .notFound, .noPermission, .isDirectory: code = .noInput
    case .decompressorFailed, .notJSON: code = .unreadable
    case .decompressorMissing, .readFailed: code = .inputOutput
    case .interrupted: code = .interrupted
    }
    self.init(code, error.description)
  }

  /// An error of the reader in the input called `input`.
  package init(_ error: ReadingError, input: String) {
    let place = "\(input):\(error.line + 1):\(error.column + 1): \(error.message)"
    switch error.code {
    case .changedInput:
      self.init(
        .cannotResume, "\(input): \(error.message); the rows committed so far stay",
        advice: .restart)
    case .limitExceeded(let rule):
      self.init(.unreadable, place, advice: Advice.Limit(rule: rule).map { [.raise($0)] } ?? [])
    default: self.init(.unreadable, place)
    }
  }
}
