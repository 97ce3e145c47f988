package import JSONStreaming
package import POIInputs
internal import POIRecords
public import SQLiteKit

/// Why an import cannot go on. The store holds exactly the batches committed before.
public struct ImportError: Error, Sendable, CustomStringConvertible {
  /// What kind of trouble it is.
  public enum Code: Sendable, Hashable {
    /// The options or the model cannot be used as they are.
    case usage
    /// An unfinished run of the same input stands in the store.
    case unfinishedRun
    /// There is nothing to resume, or the input is not the one that was begun.
    case cannotResume
    /// The input cannot be read as JSON, or the records in it cannot be found.
    case unreadable
    /// More records were rejected than the limit allows.
    case tooManyRejects
    /// Records met stored ones with their keys, which the policy `error` does not allow.
    case conflict
    /// A snapshot must not remove what it lacks: nothing was removed, its records are in.
    case snapshotRefused
    /// The input is missing, or may not be read.
    case noInput
    /// Reading the input, or writing the store or the reject file, failed.
    case inputOutput
    /// The inference of a model was told to stop, or its source gave up while it waited for input. An
    /// import is stopped there, and throws nothing.
    case interrupted
    /// The counters do not balance: a mistake of the toolkit.
    case internalError
    /// Another operation of the program uses the store.
    case storeInUse
  }

  /// The kind of trouble, in a form that a program can test.
  public var code: Code

  /// What is wrong, in lower case, with input, line, column and record where they are known, and
  /// what to do.
  public var message: String

  /// What SQLite said, where it refused something: it tells a store that is held from a full disk.
  public var cause: SQLiteError?

  /// The message.
  public var description: String { message }

  /// An error of a kind, with what is wrong and what to do.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// An error of the store.
  public init(_ error: StoreError) {
    switch error.code {
    case .modelDiffers, .noSuchTable, .noSuchColumn, .notAStore, .newerFormat:
      self.init(.usage, error.message)
    case .database where error.cause?.isDistrust == true: self.init(.usage, error.message)
    case .inUse: self.init(.storeInUse, error.message)
    case .internalCheck: self.init(.internalError, error.message)
    case .invalidOptions, .unsupportedTable, .cannotUndo: self.init(.usage, error.message)
    case .database, .changedByOther, .temporaryFile, .mixedTimestamps, .unmovableReference,
      .interferingTrigger, .unmergeableValue, .keyNotUnique:
      self.init(.inputOutput, error.message)
    }
    cause = error.cause
  }

  /// An error of a source.
  public init(_ error: InputError) {
    let code: Code
    switch error.code {
    case .notFound, .noPermission, .isDirectory: code = .noInput
    case .decompressorFailed, .compressionMismatch, .notJSON: code = .unreadable
    case .decompressorMissing, .readFailed: code = .inputOutput
    case .interrupted: code = .interrupted
    }
    self.init(code, error.description)
  }

  /// An error of the reader in the input called `input`.
  package init(_ error: ReadingError, input: String) {
    guard error.code != .changedInput else {
      self.init(
        .cannotResume,
        "\(input): \(error.message); begin again with --restart, the rows committed so far stay")
      return
    }
    var message = "\(input):\(error.line + 1):\(error.column + 1): \(error.message)"
    if case .limitExceeded(let rule) = error.code {
      message += Malformation.advice(onRule: rule)
    }
    self.init(error.code == .outOfMemory ? .inputOutput : .unreadable, message)
  }
}
