internal import CPOISQLite
internal import POIPlatform

/// A connection to one SQLite database.
///
/// It is closed when the last reference to it goes. If its statements outlive it, the database is
/// closed with the last of them. A connection and its statements belong to one thread at a time.
///
/// The file is not trusted:
/// - Its schema cannot call functions with side effects, unless the program that opens it trusts it.
/// - Extensions cannot be loaded, and in SQLite's defensive mode no SQL can damage the file.
/// - The cells of every page are checked when the page is read.
/// - SQLite's run-time limits are lowered, which bounds what a schema can make a statement do.
///
/// Page: https://sqlite.org/security.html
@safe
public final class Connection {
  /// The path passed to the initialiser; `:memory:` for a database in memory.
  public let path: String

  /// The absolute path of the database file; empty if it is in memory or temporary.
  ///
  /// C function: `sqlite3_db_filename`
  package var filePath: String {
    unsafe sqlite3_db_filename(handle, "main").map { unsafe String(cString: $0) } ?? ""
  }

  let handle: OpaquePointer
  let commitGuard = CommitGuard()

  /// Whether statements can be prepared. The lender of a connection turns it off between two users.
  package var isUsable = true

  /// The default time that a statement waits for another connection's lock, in milliseconds.
  public static let busyTimeout = 5_000

  /// What a connection may do with its database file.
  public enum Access: Sendable, Hashable {
    /// Read and write; create the file if it is missing.
    case readWriteCreate

    /// Read and write a file that exists.
    case readWrite

    /// Read a file that exists.
    case readOnly
  }

  /// Opens the database file at `path`.
  ///
  /// The path is taken literally, even if it starts with `file:` or is `:memory:`. The file's
  /// header is read, so a file that is not a database is detected here and not at the first
  /// statement.
  ///
  /// - Parameters:
  ///   - path: the file; a relative path starts at the process's working folder.
  ///   - access: what the connection may do with it.
  ///   - trustsSchema: whether the triggers, checks, indexes and generated columns of the file may
  ///     call any function and virtual table. The author of the file then decides what runs.
  ///   - milliseconds: how long a statement waits for another connection's lock.
  /// - Throws: `SQLiteError` if the file is missing, locked, not readable or not a database.
  public convenience init(
    path: String, access: Access = .readWriteCreate, trustsSchema: Bool = false,
    busyTimeout milliseconds: Int = Connection.busyTimeout
  ) throws(SQLiteError) {
    let access =
      switch access {
      case .readWriteCreate: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .readWrite: SQLITE_OPEN_READWRITE
      case .readOnly: SQLITE_OPEN_READONLY
      }
    try self.init(
      path, at: Connection.literalPath(path), flags: access, trustsSchema: trustsSchema,
      busyTimeout: milliseconds)
  }

  /// The path in a form that SQLite does not read as a URI or `:memory:`.
  ///
  /// - Throws: `SQLiteError` if the path is empty or has a NUL.
  package static func literalPath(_ path: String) throws(SQLiteError) -> String {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw SQLiteError.misuse(
        "cannot open '\(path)': a path is not empty and holds no NUL", sql: nil)
    }
    let isSpecial = path.utf8.starts(with: "file:".utf8) || path.utf8.first == UInt8(ascii: ":")
    return isSpecial ? "./" + path : path
  }

  /// Refuses a pipe or a device, on which SQLite would wait for ever.
  private static func checkIsFile(_ path: String) throws(SQLiteError) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return }
    let kind = status.st_mode & S_IFMT
    guard kind != S_IFREG, kind != S_IFDIR else { return }
    throw SQLiteError(
      code: SQLITE_CANTOPEN, message: "cannot open '\(path)': a pipe or device is no database")
  }

  private init(
    _ path: String, at literalPath: String, flags: Int32, trustsSchema: Bool,
    busyTimeout milliseconds: Int
  ) throws(SQLiteError) {
    try Connection.checkIsFile(literalPath)
    var opened: OpaquePointer?
    // Only one thread at a time uses a connection, so it needs no mutex.
    let flags = flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    var status = unsafe sqlite3_open_v2(literalPath, &opened, flags, nil)
    if status == SQLITE_OK {
      unsafe sqlite3_busy_timeout(opened, Int32(clamping: milliseconds))
      unsafe csqlite_set_defensive(opened, 1)
      if !trustsSchema { unsafe csqlite_distrust_schema(opened) }
      unsafe csqlite_disable_extension_loading(opened)
      // VACUUM INTO attaches one database.
      unsafe sqlite3_limit(opened, SQLITE_LIMIT_ATTACHED, 1)
      unsafe sqlite3_limit(opened, SQLITE_LIMIT_TRIGGER_DEPTH, 64)
      unsafe sqlite3_limit(opened, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000)
      unsafe sqlite3_limit(opened, SQLITE_LIMIT_WORKER_THREADS, 0)
      status = unsafe sqlite3_exec(
        opened, "PRAGMA cell_size_check = ON; PRAGMA schema_version", nil, nil, nil)
    }
    guard status == SQLITE_OK, let opened = unsafe opened else {
      let error = unsafe SQLiteError(
        status: status, of: opened, sql: nil,
        newFile: flags & SQLITE_OPEN_CREATE == 0 ? nil : literalPath)
      unsafe sqlite3_close_v2(opened)
      throw SQLiteError(
        code: error.code, message: "cannot open '\(literalPath)': \(error.message)")
    }
    if StatementInterruption.isWatching {
      unsafe sqlite3_progress_handler(
        opened, StatementInterruption.stepCount, { _ in StatementInterruption.isDue ? 1 : 0 }, nil)
    }
    self.path = path
    unsafe handle = unsafe opened
    unsafe commitGuard.watch(handle)
  }

  deinit {
    unsafe sqlite3_close_v2(handle)
  }

  /// A new, empty database in memory, deleted with the connection and its statements.
  ///
  /// - Throws: `SQLiteError` if there is not enough memory.
  public static func inMemory() throws(SQLiteError) -> Connection { try temporary(":memory:") }

  /// A new database that ends with the connection; in a file if it is large.
  package static func temporary() throws(SQLiteError) -> Connection { try temporary("") }

  private static func temporary(_ name: String) throws(SQLiteError) -> Connection {
    try Connection(
      name, at: name, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
      trustsSchema: false, busyTimeout: 0)
  }
}

extension Connection {
  /// Leaves SQLite's defensive mode, for a file that this process makes: SQL may write the tables behind a virtual
  /// table and work without a journal. Triggers that the file may have do not fire.
  package func trustOwnFile() {
    unsafe csqlite_set_defensive(handle, 0)
    prepareTriggers(false)
  }

  /// Sets whether triggers fire for the statements that are prepared from now on. SQLite also prepares statements again
  /// when the schema changes.
  ///
  /// C function: `sqlite3_db_config` with `SQLITE_DBCONFIG_ENABLE_TRIGGER`
  package func prepareTriggers(_ fire: Bool) {
    unsafe csqlite_set_triggers(handle, fire ? 1 : 0)
  }

  /// The name of the collation of a column; nil if the table does not have it, and for a view.
  ///
  /// C function: `sqlite3_table_column_metadata`
  public func collation(ofColumn column: String, inTable table: String) -> String? {
    var name: UnsafePointer<CChar>?
    let status = unsafe sqlite3_table_column_metadata(
      handle, nil, table, column, nil, &name, nil, nil, nil)
    guard status == SQLITE_OK, let name = unsafe name else { return nil }
    return unsafe String(cString: name)
  }

  /// The row id of the latest insert into a rowid table; 0 before the first.
  ///
  /// C function: `sqlite3_last_insert_rowid`
  public var lastInsertRowID: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

  /// The number of rows that the latest insert, update or delete changed, without triggers and
  /// cascades.
  ///
  /// C function: `sqlite3_changes64`
  public var changeCount: Int { unsafe Int(sqlite3_changes64(handle)) }

  /// Whether a transaction is open; some errors, such as a full disk, end it.
  ///
  /// C function: `sqlite3_get_autocommit`
  public var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  /// A number that changes if another connection commits to the file.
  ///
  /// - Throws: `SQLiteError` if the file cannot be read.
  ///
  /// Page: `PRAGMA data_version`
  public func dataVersion() throws(SQLiteError) -> Int64 {
    try integer("PRAGMA data_version") ?? 0
  }

  /// The size of the database in bytes.
  package func byteCount() throws(SQLiteError) -> Int {
    let (count, size) = (try integer("PRAGMA page_count"), try integer("PRAGMA page_size"))
    return Int((count ?? 0) * (size ?? 0))
  }
}
