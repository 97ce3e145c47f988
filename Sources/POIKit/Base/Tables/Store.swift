internal import POIPlatform
public import POIRecords
public import POISQLite
internal import Synchronization

/// The SQLite database file that the toolkit keeps.
///
/// A program opens a store once and keeps it. One operation that writes uses it at a time, on any thread; an import
/// uses it until it ends. Another one meanwhile fails with `StoreError.Code.inUse`. Rows, rejects, digests and tables
/// of a file are read through connections of their own, so they can be read at any time: as they were committed last.
///
/// Each transaction holds whole batches. Whatever happens to the process, the file holds exactly the
/// committed batches.
public final class Store: Sendable {
  /// The format that this version reads and writes; `PRAGMA user_version` of the file.
  public static let formatVersion: Int64 = 1

  /// "POIS": `PRAGMA application_id` of the file.
  public static let applicationID: Int64 = 0x504F_4953

  /// The size of a new store's pages in bytes.
  ///
  /// A C program that imports a million records of 390 bytes, deduplicates them and makes the key
  /// unique takes 0.83 to 0.87 of the time that it takes with SQLite's 4,096 bytes; with 16,384 it
  /// takes 0.75 to 0.80, but an app that changes one row writes a whole page.
  static let pageSize = 8_192

  /// The number of pages in the write-ahead log, 16 MB, after which they are copied into the store.
  ///
  /// The same program takes 4 to 7 % longer with half as many. With pages of 4,096 bytes, 16 MB and 32 MB
  /// were equally fast. A page that changes again before the copy is written again.
  static let checkpointInterval = 2_000

  /// The size of the page cache in KiB.
  static let cacheSize = 1_000

  /// The path of the store, for messages.
  public let path: String

  /// Used only through a lease, which one operation has at a time.
  private nonisolated(unsafe) let connection: Connection
  private let isLeased = Atomic(false)

  /// The absolute path for the connections of reads; empty for a store in memory, which no other connection can reach.
  private let filePath: String
  /// Connections of reads that nothing uses at the moment.
  private let readers = Mutex<[Reader]>([])
  private let trustsSchema: Bool

  /// A connection of reads: among the idle ones, or in one lease.
  private struct Reader: Sendable {
    nonisolated(unsafe) let connection: Connection
  }

  /// What a store is opened for.
  public enum Opening: Sendable, Hashable {
    /// Read and write. A missing or empty file becomes a new store.
    case create
    /// Read and write. The file must exist; an empty one becomes a new store.
    case existing
    /// Read and write, as `create`. The database may be another program's: it becomes a store, too. The
    /// toolkit adds its tables; the settings and the other tables stay as they are.
    case shared
    /// Read only. The file must be a store, and is not changed.
    case readOnly

    fileprivate var access: Connection.Access {
      switch self {
      case .create, .shared: .readWriteCreate
      case .existing: .readWrite
      case .readOnly: .readOnly
      }
    }
  }

  /// Opens the store at `path`.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - opening: whether to create the file, and whether to write it.
  ///   - trustsSchema: as for a `Connection`.
  /// - Throws: `StoreError` when the file is not a store, or cannot be opened as asked.
  public convenience init(
    _ path: String, for opening: Opening = .create, trustsSchema: Bool = false
  ) throws(StoreError) {
    let connection = try StoreError.converting(path: path) {
      try Store.connect(path: path, for: opening, trustsSchema: trustsSchema)
    }
    try self.init(connection, path: path, for: opening, trustsSchema: trustsSchema)
  }

  /// A database file: a store, or one that another program made.
  public enum Database {
    /// A store, which may be in the database of another program.
    case store(Store)
    /// A database without a table of records, opened.
    case foreign(Connection)

    /// Opens the database at `path`, and detects whether it is a store.
    ///
    /// A foreign database is not changed, with one exception: a transaction that a killed program left in a
    /// rollback journal is rolled back.
    ///
    /// - Parameters: as for a store; a foreign database does not become one by `shared`.
    /// - Throws: `StoreError` when it cannot be opened as asked.
    public init(path: String, for opening: Opening, trustsSchema: Bool = false) throws(StoreError) {
      self = try StoreError.converting(path: path) {
        let connection = try Store.connect(path: path, for: opening, trustsSchema: trustsSchema)
        guard try Store.isStore(connection) else { return .foreign(connection) }
        return .store(
          try Store(connection, path: path, for: opening, trustsSchema: trustsSchema))
      }
    }
  }

  init(
    _ connection: Connection, path: String, isInMemory: Bool = false, for opening: Opening,
    trustsSchema: Bool = false
  ) throws(StoreError) {
    try StoreError.converting(path: path) {
      try Store.prepare(connection, isInMemory: isInMemory, for: opening)
    }
    connection.isUsable = false
    self.path = path
    self.trustsSchema = trustsSchema
    filePath = connection.filePath
    unsafe self.connection = connection
  }

  deinit {
    // The last connection copies and removes the write-ahead log, and a reader cannot.
    readers.withLock { $0.removeAll() }
  }

  /// Creates a store in memory. It exists as long as the object.
  ///
  /// - Throws: `StoreError` when there is no memory for it.
  public static func inMemory() throws(StoreError) -> Store {
    let path = "store in memory"
    let connection = try StoreError.converting(path: path) { try Connection.inMemory() }
    return try Store(connection, path: path, isInMemory: true, for: .create)
  }

  /// Creates a store that ends with the object; in a file if it is large.
  static func temporary() throws(StoreError) -> Store {
    let path = "temporary store"
    let connection = try StoreError.converting(path: path) { try Connection.temporary() }
    return try Store(connection, path: path, isInMemory: true, for: .create)
  }

  private static func prepare(
    _ connection: Connection, isInMemory: Bool, for opening: Opening
  ) throws {
    // One snapshot, because another program may be creating the store.
    try connection.begin(.deferred)
    let content: Content
    do {
      content = try check(connection, for: opening)
    } catch {
      connection.rollback()
      throw error
    }
    try connection.commit()
    if opening == .readOnly { return }
    let isNew = content == .empty
    if isNew { try connection.execute("PRAGMA page_size = \(Store.pageSize)") }
    // The journal mode of another program's database is its own; commits wait for the disk in any mode.
    if !isInMemory, isNew || content == .store { try chooseLog(of: connection, isNew: isNew) }
    switch content {
    case .empty:
      try connection.withoutWaitingForDisk {
        try connection.inTransaction(.immediate) {
          try connection.execute(
            """
            PRAGMA application_id = \(Store.applicationID);
            PRAGMA user_version = \(Store.formatVersion);
            \(Bookkeeping.creation)
            """)
        }
      }
    case .foreign: try connection.inTransaction { try connection.execute(Bookkeeping.creation) }
    case .store, .shared: try RememberedDigest.recreateMissingTable(in: connection)
    }
  }

  /// What is in a database file.
  private enum Content {
    case empty, store
    /// A store in the database of another program.
    case shared
    case foreign
  }

  /// Checks whether a database is a store, or becomes one, that can be used as requested.
  private static func check(_ connection: Connection, for opening: Opening) throws -> Content {
    let application = try connection.integer("PRAGMA application_id") ?? 0
    let version = try connection.integer("PRAGMA user_version") ?? 0
    if application == Store.applicationID {
      guard version <= Store.formatVersion else {
        throw StoreFailure(
          .newerFormat,
          "the store has format \(version), this version knows "
            + "\(Store.formatVersion); use a later version of the toolkit")
      }
      guard version > 0, try Bookkeeping.isComplete(in: connection) else {
        throw StoreFailure(
          .notAStore,
          "the store lacks tables that every store has, or its format is unknown; "
            + "restore a backup, or import again")
      }
      return .store
    }
    if try Bookkeeping.isUsed(in: connection) { return .shared }
    guard try isEmpty(connection) else {
      if opening == .shared { return .foreign }
      throw StoreFailure(
        .notAStore,
        "the database belongs to another program",
        advice: .useOtherStore)
    }
    guard opening != .readOnly else {
      throw StoreFailure(
        .notAStore, "the file is empty, not a store yet; import into it first")
    }
    return .empty
  }

  /// Whether no program has used a database.
  static func isEmpty(_ connection: Connection) throws -> Bool {
    try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
      && connection.integer("PRAGMA application_id") == 0
      && connection.integer("PRAGMA user_version") == 0
  }

  /// Chooses a write-ahead log.
  ///
  /// WAL lets an app read while batches are written; FULL makes each committed batch survive a power
  /// cut.
  ///
  /// The first page of a new file is written through a rollback journal. Without it a power cut could leave
  /// a file of zeros, which is not a database. That journal holds no pages, so one sync suffices. The
  /// change of mode waits for other programs.
  private static func chooseLog(of connection: Connection, isNew: Bool) throws {
    try connection.execute(
      """
      PRAGMA wal_autocheckpoint = \(Store.checkpointInterval);
      PRAGMA cache_size = -\(Store.cacheSize);
      PRAGMA synchronous = \(isNew ? "NORMAL" : "FULL")
      """)
    try connection.retryingWhileBusy { () throws(SQLiteError) in
      try connection.execute("PRAGMA journal_mode = WAL")
    }
    if isNew { try connection.execute("PRAGMA synchronous = FULL") }
  }

  /// Opens the database at `path`, which may be foreign.
  ///
  /// The database is not changed, with one exception: a transaction that a killed program left in a
  /// rollback journal is rolled back. A read-only connection cannot roll back a hot journal, so another one
  /// does it first.
  ///
  /// Commits survive a power cut in rollback mode, too: SQLite waits until the deletion of the journal is
  /// on disk.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - opening: whether to create the file, and whether to write it.
  ///   - trustsSchema: as for a `Connection`.
  /// - Throws: `StoreError` when it cannot be opened as asked.
  private static func connect(
    path: String, for opening: Opening, trustsSchema: Bool = false
  ) throws -> Connection {
    do throws(SQLiteError) {
      do throws(SQLiteError) {
        let connection = try Connection(
          path: path, access: opening.access, trustsSchema: trustsSchema)
        if opening != .readOnly { try connection.execute("PRAGMA synchronous = EXTRA") }
        return connection
      } catch {
        guard opening == .readOnly, error.isReadOnly else { throw error }
        _ = try Connection(path: path, access: .readWrite, trustsSchema: trustsSchema)
        return try Connection(path: path, access: .readOnly, trustsSchema: trustsSchema)
      }
    } catch {
      // SQLite reports a directory differently if it is opened read-only.
      var status = stat()
      if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
        throw StoreError(
          .database, "\(path): is a directory", advice: .useOtherStore,
          cause: error)
      }
      throw StoreError(error, path: path)
    }
  }

  /// Whether a database is a store; nothing changes.
  ///
  /// - Throws: `StoreError` when it cannot be read.
  private static func isStore(_ connection: Connection) throws -> Bool {
    try connection.integer("PRAGMA application_id") == Store.applicationID
      || Bookkeeping.isUsed(in: connection)
  }

  /// Calls `body` with the connection to the store, for SQL of the program's own: to read rows and rejects,
  /// or to keep its own tables.
  ///
  /// It may also change rows of record tables. Tables named `poikit_…` are read-only. The schema of record
  /// tables and the settings of the connection must not change. The connection and its statements are valid
  /// only inside `body`. A transaction that is open when `body` ends is rolled back.
  ///
  /// - Throws: `StoreError` with `inUse` when another operation uses the store; what `body` throws.
  public func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let lease = try lease()
    defer { lease.connection.rollback() }
    return try body(lease.connection)
  }
}

extension Store {
  /// The exclusive right to use a store, or a connection to it that only reads. It ends with the value.
  struct Lease: ~Copyable, Sendable {
    let store: Store
    private let reader: Reader?

    fileprivate init(_ store: Store) throws(StoreError) {
      guard
        store.isLeased.compareExchange(expected: false, desired: true, ordering: .acquiring)
          .exchanged
      else {
        throw StoreError(
          .inUse, "\(store.path): another operation uses the store; wait until it ends")
      }
      self.store = store
      reader = nil
      unsafe store.connection.isUsable = true
    }

    private init(_ store: Store, reader: Reader) {
      self.store = store
      self.reader = reader
    }

    /// A lease that only reads.
    fileprivate static func reading(_ store: Store) throws(StoreError) -> Lease {
      guard !store.filePath.isEmpty else { return try Lease(store) }
      let idle = store.readers.withLock { $0.popLast() }
      let reader = try StoreError.converting(path: store.path) {
        try idle
          ?? Reader(
            connection: Store.connect(
              path: store.filePath, for: .readOnly, trustsSchema: store.trustsSchema))
      }
      return Lease(store, reader: reader)
    }

    deinit {
      if let reader {
        store.readers.withLock { $0.append(reader) }
      } else {
        unsafe store.connection.isUsable = false
        store.isLeased.store(false, ordering: .releasing)
      }
    }

    var path: String { store.path }

    var connection: Connection { unsafe reader?.connection ?? store.connection }

    /// Writes a compact copy to an empty file. Local changes stay with this store.
    func copy(to path: String) throws {
      try NewDatabase.writing {
        var statement = try connection.prepare("VACUUM INTO ?")
        try statement.bind(1, text: path)
        try statement.run()
        guard try OwnWrites.matter(in: connection) else { return }
        try ChangeLog.emptyAll(in: Connection(path: path, access: .readWrite))
      }
    }
  }

  /// - Throws: `StoreError` with `inUse` when another operation uses the store.
  func lease() throws(StoreError) -> Lease { try Lease(self) }

  /// Calls `body` with a lease, and converts its errors.
  func leased<Result: ~Copyable>(
    _ body: (borrowing Lease) throws -> Result
  ) throws(StoreError) -> Result {
    let lease = try lease()
    return try StoreError.converting(path: path) { try body(lease) }
  }

  /// Calls `body`, which only reads, with a lease that no other operation prevents, and converts its errors.
  func reading<Result: ~Copyable>(
    _ body: (borrowing Lease) throws -> Result
  ) throws(StoreError) -> Result {
    let lease = try Lease.reading(self)
    return try StoreError.converting(path: path) { try body(lease) }
  }

  /// Calls `body` with a connection that only reads, inside one transaction, and converts its errors.
  package func withReader<Result>(
    _ body: (Connection) throws -> Result
  ) throws(StoreError) -> Result {
    try reading { (lease) in
      let connection = lease.connection
      return try connection.inTransaction(.deferred) { try body(connection) }
    }
  }
}

extension Store {
  /// Writes the current store into a new file, compact and without a write-ahead log. The file gets the
  /// store's permissions.
  ///
  /// It includes rejected records and archived losers. <doc:ShipAStore> describes how to remove them before
  /// a copy is given away.
  ///
  /// - Parameter path: the path, where no file may exist.
  /// - Throws: `StoreError` when the file exists or cannot be written.
  public func save(to path: String) throws(StoreError) {
    let mode = StorePermissions.forFile(besideStoreAt: self.path)
    try leased { lease in
      try NewDatabase.write(path, mode: mode) { try lease.copy(to: $0) }
    }
  }

  /// The names of the tables of records in the store, in alphabetical order.
  ///
  /// - Throws: `StoreError` when the store cannot be read.
  public func tables() throws(StoreError) -> [String] { try reading { try $0.tables() } }

  /// The tables that a call without a table's name may mean: those with rows, or all if none has any.
  package func defaultTables() throws(StoreError) -> [String] {
    try reading { try $0.defaultTables() }
  }

  /// The places of the records in the inputs of the latest imports into a table; empty for the top level.
  package func places(ofInputsInto table: String) throws(StoreError) -> Set<String> {
    try leased { try RunRecord.places(ofInputsInto: table, in: $0.connection) }
  }

  /// Why a table cannot be changed to another model; nil if it can, or if it does not exist.
  ///
  /// - Parameter abandonsRuns: whether unfinished imports into the table are abandoned.
  package func obstacle(to model: Model, abandonsRuns: Bool) throws(StoreError) -> String? {
    try leased { try $0.obstacle(to: model, abandonsRuns: abandonsRuns) }
  }

  package func hasRows(inTable name: String) throws(StoreError) -> Bool {
    try reading { try $0.hasRows(inTable: name) }
  }

  /// Whether the key of a table of records is enforced.
  package func enforcesKey(ofTable name: String) throws(StoreError) -> Bool {
    try reading { store in
      try EnforcedKey.read(of: store.model(ofTable: name), in: store.connection) != nil
    }
  }

  /// The name of a table of records as it was created; nil if the store does not have it.
  ///
  /// - Parameter name: the name; SQLite ignores the case of ASCII letters.
  /// - Throws: `StoreError` when the store cannot be read.
  public func table(named name: String) throws(StoreError) -> String? {
    try reading { try $0.table(named: name) }
  }

  /// The model that a table of records was made with.
  ///
  /// - Parameter table: the table, with ASCII letters of any case; nil for the only one of the
  ///   store. Empty ones do not count beside others.
  /// - Throws: `StoreError` with `noSuchTable` when the store has no such table of records, or when `table`
  ///   is nil and there are several.
  public func model(ofTable table: String? = nil) throws(StoreError) -> Model {
    try reading { try $0.model(ofTable: table) }
  }
}
