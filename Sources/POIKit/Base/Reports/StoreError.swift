package import JSONStreaming
package import POIFiles
public import POISQLite

/// Why an operation on a store or another database failed.
///
/// The database holds exactly the batches that were committed before.
public struct StoreError: Error, Sendable, CustomStringConvertible {
  /// The kind of error.
  public enum Code: Sendable, Hashable {
    /// The file is another program's database, is empty and read-only, or is a store whose own tables
    /// are missing or whose models cannot be read.
    case notAStore
    /// The store was made by a later version of the toolkit.
    case newerFormat
    /// The table was made with another model.
    case modelDiffers
    /// The store has no such table of records, or several to choose from, or the database has no such
    /// table.
    case noSuchTable
    /// The model or the table has no such attribute or column.
    case noSuchColumn
    /// The table, or one that refers to it, cannot be deduplicated.
    case unsupportedTable
    /// The options contradict each other, the model or the table.
    case invalidOptions
    /// The store holds an unfinished import of the same input.
    case unfinishedRun
    /// There is no run to resume, or the input differs from the run's input.
    case cannotResume
    /// The input does not exist or cannot be opened.
    case noInput
    /// The input is not valid JSON, or its records cannot be found.
    case unreadable
    /// More records were rejected than the limit allows.
    case tooManyRejects
    /// Records have the keys of stored ones, and the policy is `error`.
    case conflict
    /// A snapshot was stored, but its removals were refused.
    case snapshotRefused
    /// Reading the input or writing the reject file failed, or the system provides no thread.
    case inputOutput
    /// A model inference was stopped, or a source gave up waiting for input. A stopped import throws no
    /// error.
    case interrupted
    /// The timestamp column holds both texts and numbers, numbers of two units, or values that are no timestamps.
    case mixedTimestamps
    /// Another connection changed the database during the operation.
    case changedByOther
    /// A row that refers to a loser cannot refer to its winner instead.
    case unmovableReference
    /// A trigger of the database prevents, adds or removes rows.
    case interferingTrigger
    /// A row does not fit the type that it is decoded as.
    case undecodable
    /// A record of the program breaks a rule of its model.
    case invalidRecord
    /// A winner cannot get a value that its losers have.
    case unmergeableValue
    /// Rows violate the unique index.
    case keyNotUnique
    /// The run cannot be undone.
    case cannotUndo
    /// A temporary file could not be written or read.
    case temporaryFile
    /// Another operation of the program uses the store.
    case inUse
    /// SQLite failed: the disk is full, the store is locked, permission is missing, or the file is
    /// damaged or not a database.
    case database
    /// The counters do not balance: a bug in the toolkit.
    case internalCheck
  }

  /// The kind of error, for programs.
  public var code: Code

  /// What is wrong, in lower case, with the value and its place: the path of the database, or input,
  /// line, column and record.
  public var message: String

  /// The possible remedies; empty if the message names the remedy.
  public var advice: [Advice]

  /// The error of SQLite, if it refused an operation.
  public var cause: SQLiteError?

  /// What an import had committed before it failed; nil if it had committed no batch.
  public package(set) var importReport: ImportReport? {
    get { if case .records(let report) = committed { report } else { nil } }
    set { committed = newValue.map(Committed.records) }
  }

  /// What a deduplication had committed before it failed; nil if it had committed no batch.
  public internal(set) var report: DeduplicationReport? {
    get { if case .removals(let report) = committed { report } else { nil } }
    set { committed = newValue.map(Committed.removals) }
  }

  /// Stored elsewhere, because the reports are large and errors rare.
  private indirect enum Committed: Sendable {
    case records(ImportReport)
    case removals(DeduplicationReport)
  }

  private var committed: Committed?

  /// The message.
  public var description: String { message }

  package init(_ code: Code, _ message: String, advice: Advice..., cause: SQLiteError? = nil) {
    self.init(code, message, advice: advice, cause: cause)
  }

  package init(_ code: Code, _ message: String, advice: [Advice], cause: SQLiteError? = nil) {
    self.code = code
    self.message = message
    self.advice = advice
    self.cause = cause
  }

  /// Converts any error of an operation on the store at `path`.
  init(converting error: any Error, path: String) {
    switch error {
    case let error as StoreError: self = error
    case let error as SQLiteError: self.init(error, path: path)
    case let error as StoreFailure:
      self.init(
        error.code, "\(path): \(error.message)", advice: error.advice, cause: error.cause)
    default: self.init(.internalCheck, "\(path): \(error)")
    }
  }

  static func converting<Result: ~Copyable>(
    path: String, _ body: () throws -> Result
  ) throws(StoreError) -> Result {
    do { return try body() } catch { throw StoreError(converting: error, path: path) }
  }

  /// Describes an error of SQLite during the use of the store at `path`.
  ///
  /// - Parameters:
  ///   - error: the error of SQLite.
  ///   - path: the path of the store.
  ///   - resumes: whether an unfinished import can continue after the cause is removed.
  package init(_ error: SQLiteError, path: String, resumes: Bool = false) {
    guard !error.isInterrupted else {
      self.init(
        .interrupted,
        "\(path): interrupted while a statement of the database ran; nothing of its batch is stored",
        advice: resumes ? [.resume] : [])
      return
    }
    let again = resumes ? "" : " and run again"
    let goingOn: [Advice] = resumes ? [.resume] : []
    let (remedy, advice): (String, [Advice]) =
      if error.isBusy {
        (
          "another program holds the store, and did not let go of it in time; let it finish\(again)",
          goingOn
        )
      } else if error.isOfTemporaryFiles {
        ("free some in their folder, or name another one with TMPDIR,\(again)", goingOn)
      } else if error.isFull {
        (
          "there is no space left for the store or for temporary files (TMPDIR); free some\(again)",
          goingOn
        )
      } else if error.isMoved {
        (
          "nothing more is committed to it; batches committed before may be only in \(path)-wal, so move "
            + "the file back beside it\(again)", goingOn
        )
      } else if error.isReadOnly {
        ("the store cannot be written; check its permissions and its folder's", [])
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
        ("the file is damaged or is not a SQLite database", [])
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

  /// Describes an error of a source.
  package init(_ error: InputError) {
    let code: Code
    switch error.code {
    case .notFound, .noPermission, .isDirectory, .programMissing: code = .noInput
    case .notJSON: code = .unreadable
    case .programFailed, .readFailed: code = .inputOutput
    case .interrupted: code = .interrupted
    }
    self.init(code, error.description)
  }

  /// Describes an error of the reader in the input called `input`.
  package init(_ error: ReadingError, input: String) {
    let place = "\(input):\(error.line + 1):\(error.column + 1): \(error.message)"
    switch error.code {
    case .changedInput:
      self.init(
        .cannotResume, "\(input): \(error.message); the rows committed so far stay",
        advice: .restart)
    case .limitExceeded(let rule):
      self.init(.unreadable, place, advice: Advice.Limit(rule: rule).map { [.raise($0)] } ?? [])
    case .invalidHeader: self.init(.unreadable, place, advice: .nameColumns)
    case .unsupportedEncoding: self.init(.unreadable, place, advice: .nameEncoding)
    default: self.init(.unreadable, place)
    }
  }
}
