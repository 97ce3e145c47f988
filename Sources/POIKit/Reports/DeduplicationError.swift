public import SQLiteKit

/// Why a deduplication, its undoing or a digest could not be done.
///
/// Whatever the error: the database holds exactly the batches that were committed before it.
public struct DeduplicationError: Error, Sendable, Hashable {
  /// The kinds of errors that a caller may want to tell apart.
  public enum Code: Sendable, Hashable {
    /// There is no such table.
    case unknownTable

    /// There is no such column.
    case unknownColumn

    /// The table, or one that refers to it, is of a kind that cannot be deduplicated.
    case unsupportedTable

    /// The options contradict each other or the table.
    case invalidOptions

    /// The timestamp column holds texts and numbers.
    case mixedTimestamps

    /// Another connection changed the database during the pass.
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

    /// SQLite reported an error, which `cause` holds.
    case database

    /// The counters do not balance: an error of the toolkit's own.
    case internalCheck

    /// Another operation of the program uses the store.
    case storeInUse
  }

  /// The kind of error.
  public let code: Code

  /// What went wrong, with the value in question, in lower case.
  public let message: String

  /// SQLite's error behind it, if there is one.
  public let cause: SQLiteError?

  /// What the run had done, where it had committed something before it failed.
  public internal(set) var report: DeduplicationReport?

  init(_ code: Code, _ message: String, cause: SQLiteError? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }
}

extension DeduplicationError {
  /// The error that stands for an error of SQLite.
  init(_ error: SQLiteError) {
    self.init(.database, error.description, cause: error)
  }

  /// The error that stands for any error inside of a deduplication.
  init(_ error: any Error) {
    switch error {
    case let error as DeduplicationError: self = error
    case let error as SQLiteError: self.init(error)
    case let error as StoreError:
      let code: Code =
        switch error.code {
        case .inUse: .storeInUse
        case .noSuchTable: .unknownTable
        default: .database
        }
      self.init(code, error.message, cause: error.cause)
    default: self.init(.internalCheck, "\(error)")
    }
  }

  /// Runs `body`, the inside of an operation that programs call, and throws its errors as this type.
  static func converting<Result: ~Copyable>(
    _ body: () throws -> Result
  ) throws(DeduplicationError) -> Result {
    do { return try body() } catch { throw DeduplicationError(error) }
  }
}

extension DeduplicationError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
