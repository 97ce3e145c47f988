internal import CPOISQLite
internal import POIPlatform

/// A refusal or failure that SQLite reported.
///
/// It says what went wrong and where, and never contains a bound value.
public struct SQLiteError: Error, Sendable, Hashable {
  /// The extended result code, such as 2067 for a violated unique constraint.
  public let code: Int32

  /// SQLite's message, or this module's about a misuse, in lower case.
  public let message: String

  /// The text of the statement that failed; nil if the error is not of a statement.
  public let sql: String?

  /// An error with an extended or primary result code, a message in lower case, and the failed
  /// statement.
  public init(code: Int32, message: String, sql: String? = nil) {
    self.code = code
    self.message = message
    self.sql = sql
  }

  /// The error for `status`, which a call on `connection` has just returned.
  ///
  /// If the system refused something, the message ends with its reason. If a statement outlives its
  /// connection, the connection no longer has a message of its own.
  ///
  /// - Parameter newFile: the path of the file that was to be created if missing.
  init(status: Int32, of connection: OpaquePointer?, sql: String?, newFile: String? = nil) {
    let isLatest = unsafe sqlite3_extended_errcode(connection) == status
    let message = unsafe isLatest ? sqlite3_errmsg(connection) : sqlite3_errstr(status)
    var text = unsafe message.map { unsafe String(cString: $0) } ?? ""
    let isOfSystem = status & 0xff == SQLITE_IOERR || status & 0xff == SQLITE_CANTOPEN
    var number = unsafe SQLiteError.systemError(status, of: connection)
    if number == ENOENT, let newFile { number = SQLiteError.creationError(newFile) }
    if isLatest, isOfSystem, number != 0, let reason = unsafe strerror(number) {
      unsafe text += ": \(String(cString: reason))"
    }
    if let connection = unsafe connection, status & 0xff == SQLITE_FULL,
      unsafe sqlite3_db_readonly(connection, "main") == 1
    {
      text = SQLiteError.noTemporarySpace
    }
    self.init(code: status, message: text, sql: sql)
  }

  /// The message if a connection that only reads finds no space: only temporary files can need it.
  private static let noTemporarySpace = "no space is left for temporary files"

  /// Whether no space is left for a temporary file, which a sort may need.
  package var isOfTemporaryFiles: Bool { isFull && message == SQLiteError.noTemporarySpace }

  /// The system's error for a status that was just returned; 0 if it is unknown.
  ///
  /// SQLite keeps none for a failed commit. Then it is the thread's latest `errno`, if a write can
  /// fail with it.
  private static func systemError(_ status: Int32, of connection: OpaquePointer?) -> Int32 {
    let latest = errno
    let known = unsafe sqlite3_system_errno(connection)
    if known != 0 { return known }
    // SQLITE_IOERR_WRITE, _FSYNC and _TRUNCATE, whose macros Swift does not import.
    let isOfWriting = [3, 4, 6].contains { status == SQLITE_IOERR | $0 << 8 }
    return isOfWriting && [EIO, EFBIG, ENOSPC, EDQUOT, EROFS].contains(latest) ? latest : 0
  }

  /// Why the system creates no file at `path`; 0 if unknown. SQLite reports only that the file is
  /// missing.
  private static func creationError(_ path: String) -> Int32 {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    return unsafe access(folder, W_OK) == 0 ? 0 : errno
  }

  /// A caller's mistake that this module detects before SQLite does.
  static func misuse(_ message: String, sql: String?) -> SQLiteError {
    SQLiteError(code: SQLITE_MISUSE, message: message, sql: sql)
  }

  /// The error that SQLite reports if memory runs out.
  public static let outOfMemory = SQLiteError(code: SQLITE_NOMEM, message: "out of memory")

  /// The error that SQLite reports if a row refers to a missing row.
  public static let violatedReference = SQLiteError(
    // SQLITE_CONSTRAINT_FOREIGNKEY, whose macro Swift does not import.
    code: SQLITE_CONSTRAINT | 3 << 8, message: "FOREIGN KEY constraint failed")
}

extension SQLiteError {
  /// The primary result code: the low 8 bits of `code`.
  public var primaryCode: Int32 { code & 0xff }

  /// The name of the primary result code in SQLite's documentation, such as `SQLITE_BUSY`.
  public var codeName: String {
    let names = [
      "OK", "ERROR", "INTERNAL", "PERM", "ABORT", "BUSY", "LOCKED", "NOMEM", "READONLY",
      "INTERRUPT", "IOERR", "CORRUPT", "NOTFOUND", "FULL", "CANTOPEN", "PROTOCOL", "EMPTY",
      "SCHEMA",
      "TOOBIG", "CONSTRAINT", "MISMATCH", "MISUSE", "NOLFS", "AUTH", "FORMAT", "RANGE", "NOTADB",
    ]
    let code = Int(primaryCode)
    return "SQLITE_" + (names.indices.contains(code) ? names[code] : String(code))
  }

  /// Whether another connection holds a lock that did not become free in time.
  public var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }

  /// Whether the disk is full, or the database at its page limit.
  public var isFull: Bool { primaryCode == SQLITE_FULL }

  /// Whether a constraint of the schema refused a change.
  public var isConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }

  /// Whether a foreign key is violated. One with RESTRICT has the code of a trigger, and the same message.
  public var isViolatedReference: Bool {
    isConstraint && message == SQLiteError.violatedReference.message
  }

  /// Whether the statement itself cannot be run.
  public var isStatementError: Bool { primaryCode == SQLITE_ERROR }

  /// Whether a column cannot hold a value of this type.
  public var isMismatch: Bool { primaryCode == SQLITE_MISMATCH }

  /// Whether a unique index or a primary key refused a change.
  public var isUniqueViolation: Bool {
    // SQLITE_CONSTRAINT_UNIQUE, _PRIMARYKEY and _ROWID, whose macros Swift does not import.
    code == SQLITE_CONSTRAINT | 8 << 8 || code == SQLITE_CONSTRAINT | 6 << 8
      || code == SQLITE_CONSTRAINT | 10 << 8
  }

  /// Whether the database is read-only.
  public var isReadOnly: Bool { primaryCode == SQLITE_READONLY }

  /// Whether the schema uses a function or virtual table that only a trusted schema may. SQLite has no
  /// code for it, only a message.
  public var isUntrustedSchema: Bool { message.contains("unsafe use of ") }

  /// Whether the file is no longer at its path.
  public var isMoved: Bool {
    // SQLITE_READONLY_DBMOVED, whose macro Swift does not import.
    code == SQLITE_READONLY | 4 << 8
  }

  /// Whether the statement was ended because the process is asked to stop.
  public var isInterrupted: Bool { primaryCode == SQLITE_INTERRUPT }

  /// Whether the file is damaged or not a SQLite database.
  public var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

  /// Whether the file is missing or may not be opened.
  public var isUnopenable: Bool { primaryCode == SQLITE_CANTOPEN }
}

extension SQLiteError: CustomStringConvertible {
  /// The message with the name and number of the code, and the statement if there is one.
  public var description: String {
    let base = "\(message) (\(codeName), \(code))"
    guard let sql else { return base }
    return "\(base) in: \(sql)"
  }
}
