internal import Glibc
internal import POIRecords
public import SQLiteKit

/// The SQLite database file that the toolkit keeps.
///
/// A store is used by one thread at a time. Every change is made in transactions that hold whole
/// batches, so whatever happens to the process, the file holds exactly the committed batches.
public struct Store: ~Copyable {
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

  /// After how many pages of write-ahead log, 16 MB, they are copied into the store.
  ///
  /// The same program takes 4 to 7 % longer with half as many. With pages of 4,096 bytes, 16 MB and
  /// 32 MB did equally well. Until it is copied, a page that changes again is written again.
  static let checkpointInterval = 2_000

  /// How much of the store is held in memory, in KiB.
  static let cacheSize = 1_000

  /// Where the store is; for messages.
  public let path: String

  /// The connection to the store, for statements of the program's own: to read rows and rejects, or to
  /// keep tables of its own beside them.
  ///
  /// Rows of tables of records may be changed by it, too. Tables called `poikit_` and something are only
  /// to be read, the tables of records stay as they were made, and so do the connection's settings. A
  /// transaction, or a statement that still has rows to give, is ended before the store is used again.
  public let connection: Connection

  /// What a store is opened for.
  public enum Opening: Sendable, Hashable {
    /// To be read and written; a missing or empty file becomes a new store.
    case create
    /// To be read and written; the file must be there. An empty one becomes a new store.
    case existing
    /// To be read; nothing of the file changes. It must be a store already.
    case readOnly

    /// How SQLite opens the file.
    fileprivate var access: Access {
      switch self {
      case .create: .readWriteCreate
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
  public init(
    path: String, for opening: Opening = .create, trustsSchema: Bool = false
  ) throws(StoreError) {
    try self.init(
      Store.connect(path: path, for: opening, trustsSchema: trustsSchema), path: path,
      for: opening)
  }

  /// Takes over a connection to a store.
  ///
  /// - Parameters:
  ///   - connection: the store's database, outside of a transaction.
  ///   - opening: what the connection was opened for.
  /// - Throws: `StoreError` when the database is not a store, or cannot be used as asked.
  public init(_ connection: consuming Connection, for opening: Opening) throws(StoreError) {
    let path = connection.path
    try self.init(connection, path: path, for: opening)
  }

  private init(
    _ connection: consuming Connection, path: String, isInMemory: Bool = false, for opening: Opening
  ) throws(StoreError) {
    try Store.prepare(
      connection, path: path, isInMemory: isInMemory, isReadOnly: opening == .readOnly)
    self.path = path
    self.connection = connection
  }

  /// A new store that lives in memory, as long as the value does.
  ///
  /// - Throws: `StoreError` when there is no memory for it.
  public static func inMemory() throws(StoreError) -> Store {
    let path = "store in memory"
    let connection: Connection
    do { connection = try Connection.inMemory() } catch { throw StoreError(error, path: path) }
    return try Store(connection, path: path, isInMemory: true, for: .create)
  }

  private static func prepare(
    _ connection: borrowing Connection, path: String, isInMemory: Bool, isReadOnly: Bool
  ) throws(StoreError) {
    do {
      // In one view: another program may be making the store.
      try connection.begin(.deferred)
      let isNew: Bool
      do {
        isNew = try check(connection, path: path, isReadOnly: isReadOnly)
      } catch {
        connection.rollback()
        throw error
      }
      try connection.commit()
      if isReadOnly { return }
      if isNew { try connection.execute("PRAGMA page_size = \(Store.pageSize)") }
      if !isInMemory { try chooseLog(of: connection, isNew: isNew) }
      if !isNew { try RememberedDigest.mend(in: connection) }
      if isNew {
        try connection.withoutWaitingForDisk { () throws(SQLiteError) in
          try connection.inTransaction(.immediate) { () throws(SQLiteError) in
            try connection.execute(
              """
              PRAGMA application_id = \(Store.applicationID);
              PRAGMA user_version = \(Store.formatVersion);
              \(Bookkeeping.creation)
              """)
          }
        }
      }
    } catch let error as StoreError {
      throw error
    } catch let error as SQLiteError {
      throw StoreError(error, path: path)
    } catch {
      throw StoreError(.database, "\(path): \(error)")
    }
  }

  /// Throws where a database is no store that can be used as asked.
  ///
  /// - Returns: whether it is empty, to become one.
  private static func check(
    _ connection: borrowing Connection, path: String, isReadOnly: Bool
  ) throws -> Bool {
    let application = try connection.integer("PRAGMA application_id") ?? 0
    let version = try connection.integer("PRAGMA user_version") ?? 0
    if application == Store.applicationID {
      guard version <= Store.formatVersion else {
        throw StoreError(
          .newerFormat,
          "\(path): the store has format \(version), this version knows "
            + "\(Store.formatVersion); use a later version of the toolkit")
      }
      guard version > 0, try Bookkeeping.isComplete(in: connection) else {
        throw StoreError(
          .notAStore,
          "\(path): the store lacks tables that every store has, or was made by no version of the "
            + "toolkit; take a backup, or import anew")
      }
      return false
    }
    let tables = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
    if tables == 0, application == 0, version == 0, isReadOnly {
      throw StoreError(
        .notAStore, "\(path): the file is empty and no store yet; import into it first")
    }
    guard tables == 0, application == 0, version == 0 else {
      throw StoreError(
        .notAStore,
        "\(path): the database belongs to another program; name a store of its own with --store")
    }
    return true
  }

  /// Makes a file have a write-ahead log.
  ///
  /// WAL lets an app read while batches are written; FULL makes each committed batch survive a power
  /// cut.
  ///
  /// A new file gets its first page by that, through a journal: without one a power cut could leave a
  /// file of zeros, which is no database. The journal of a new file holds no pages, so it is waited for
  /// once, not twice. Where another program is at it, it is waited for.
  private static func chooseLog(
    of connection: borrowing Connection, isNew: Bool
  ) throws(SQLiteError) {
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

  /// A connection to the database at `path`, which need not be a store.
  ///
  /// Nothing in it changes, with one exception: a transaction that a killed program left in a rollback
  /// journal is rolled back. A read-only connection cannot roll back a hot journal.
  ///
  /// What is committed survives a power cut, where there is a rollback journal too: SQLite waits until
  /// the disk knows that the journal is gone.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - opening: whether to create the file, and whether to write it.
  ///   - trustsSchema: as for a `Connection`.
  /// - Throws: `StoreError` when it cannot be opened as asked.
  public static func connect(
    path: String, for opening: Opening, trustsSchema: Bool = false
  ) throws(StoreError) -> Connection {
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
      // SQLite says another thing of it where it is only to be read.
      var status = stat()
      if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
        throw StoreError(
          .database, "\(path): is a directory; name the file of a store with --store",
          cause: error)
      }
      throw StoreError(error, path: path)
    }
  }

  /// Whether a database is a store of the toolkit; nothing in it changes.
  ///
  /// - Throws: `StoreError` when it cannot be read.
  public static func isStore(_ connection: borrowing Connection) throws(StoreError) -> Bool {
    do {
      return try connection.integer("PRAGMA application_id") == Store.applicationID
    } catch {
      throw StoreError(error, path: connection.path)
    }
  }

  /// Gives the connection back; the store is over.
  public consuming func takeConnection() -> Connection { connection }

  /// Writes the store, as it is, into a new file: compact and without a write-ahead log. The file has the
  /// store's permissions.
  ///
  /// It holds rejected records and archived losers as the store does. <doc:ShipAStore> says how to
  /// remove them from a copy that is given away.
  ///
  /// - Parameter path: where no file is yet.
  /// - Throws: `StoreError` when the file is there already or cannot be written.
  public borrowing func save(to path: String) throws(StoreError) {
    let literal: String
    do { literal = try Connection.literalPath(path) } catch { throw StoreError(error, path: path) }
    // SQLite takes an empty file, and gives a new one of its own to everybody to read.
    let permissions = StorePermissions.forFile(besideStoreAt: self.path)
    let descriptor = unsafe Glibc.open(
      literal, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions)
    guard descriptor >= 0 || errno != EEXIST else {
      throw StoreError(.database, "\(path): the file is there already; name one that is not")
    }
    if descriptor >= 0 { close(descriptor) }
    do {
      var statement = try connection.prepare("VACUUM INTO ?")
      try statement.bind(1, text: literal)
      try statement.run()
    } catch {
      if descriptor >= 0 { unsafe unlink(literal) }
      throw StoreError(error, path: path)
    }
  }

  /// The names of the tables of records in the store, in alphabetical order.
  ///
  /// - Throws: `StoreError` when the store cannot be read.
  public borrowing func tables() throws(StoreError) -> [String] {
    do {
      var names: [String] = []
      var statement = try connection.prepare("SELECT name FROM poikit_table ORDER BY name")
      while try statement.step() { names.append(statement.text(0)) }
      return names
    } catch {
      throw StoreError(error, path: path)
    }
  }

  /// The table of records that a name stands for, as it was made; nothing where the store has none.
  ///
  /// - Parameter name: its name, in which SQLite ignores the case of ASCII letters.
  /// - Throws: `StoreError` when the store cannot be read.
  public borrowing func table(named name: String) throws(StoreError) -> String? {
    try tables().first { TableSchema.isSame($0, name) }
  }

  /// The model that a table of records was made with.
  ///
  /// - Parameter table: the table, with or without the case of its ASCII letters; the only one of the
  ///   store where none is named.
  /// - Throws: `StoreError` with `noSuchTable` where the store has no such table of records, or none
  ///   is named and there are several.
  public borrowing func model(ofTable table: String? = nil) throws(StoreError) -> Model {
    let names = try tables()
    guard let table = table ?? (names.count == 1 ? names[0] : nil) else {
      throw StoreError(
        .noSuchTable,
        names.isEmpty
          ? "\(path): the store holds no records; import some first"
          : "\(path): the store holds several tables, \(names.joined(separator: ", ")); "
            + "name one with --table")
    }
    guard let document = try document(ofTable: try self.table(named: table) ?? table) else {
      throw try missing(table)
    }
    do {
      return try Model(parsing: document)
    } catch {
      guard !error.isOutOfMemory else { throw StoreError(.outOfMemory, path: path) }
      throw StoreError(.notAStore, "\(path): the model of the table \"\(table)\": \(error)")
    }
  }

  /// Why nothing can be done with a table that the store does not have.
  private borrowing func missing(_ table: String) throws(StoreError) -> StoreError {
    let names = try tables()
    return StoreError(
      .noSuchTable,
      "\(path): the store has no table of records \"\(table)\"; it has "
        + (names.isEmpty ? "none" : names.joined(separator: ", ")))
  }

  /// Throws where the store has no table of a model's name.
  borrowing func checkTable(of model: Model) throws(StoreError) {
    do {
      guard try sql(ofTable: model.table) == nil else { return }
    } catch {
      throw StoreError(error, path: path)
    }
    throw try missing(model.table)
  }

  /// The document of the model that a table of records was made with, or last fitted to.
  borrowing func document(ofTable table: String) throws(StoreError) -> String? {
    do { return try Bookkeeping.document(ofTable: table, in: connection) } catch {
      throw StoreError(error, path: path)
    }
  }

  /// Makes the model's tables, or fits those that are there to the model.
  ///
  /// From then on foreign keys are enforced where the model has relations to many, or deletes removed
  /// rows: rows that belong to a row are removed with it. So they are where those of an app may refuse
  /// a record, or what else it has added may change rows.
  ///
  /// - Parameter mayChange: whether tables that were made with another model may be fitted to this
  ///   one.
  borrowing func prepareTables(for model: Model, mayChange: Bool = true) throws(StoreError) {
    if !model.relations.isEmpty || model.tombstone?.removal == .delete { try enforceReferences() }
    func storeError(_ error: SQLiteError) -> StoreError { StoreError(error, path: path) }
    if try document(ofTable: model.table) == nil {
      try connection.withoutWaitingForDisk(failingWith: storeError) { () throws(StoreError) in
        try makeTables(for: model)
      }
    }
    if try document(ofTable: model.table)?.isExactly(model.document) != true {
      try fitTables(to: model, mayChange: mayChange)
    }
    let mayBreakReferences: Bool
    do {
      mayBreakReferences =
        try RecordRefusals.read(of: model, in: connection).areByReference
        ? true : SideEffects.arePossible(on: model, in: connection)
    } catch {
      throw StoreError(error, path: path)
    }
    if mayBreakReferences { try enforceReferences() }
  }

  private borrowing func enforceReferences() throws(StoreError) {
    do { try connection.execute("PRAGMA foreign_keys = ON") } catch {
      throw StoreError(error, path: path)
    }
  }

  /// Fits tables that were made with another model to this one.
  private borrowing func fitTables(to model: Model, mayChange: Bool) throws(StoreError) {
    guard mayChange else {
      throw StoreError(
        .modelDiffers,
        "\(path): the model of the table \"\(model.table)\" is another one, and an import into "
          + "it is unfinished; go on with --resume and the model that it began with (poi-import "
          + "--print-model \(model.table) prints it), or give it up with --restart")
    }
    try changeModel(to: model)
  }

  /// Makes the tables of a model, unless another program did so since they were looked for.
  private borrowing func makeTables(for model: Model) throws(StoreError) {
    let schema = StoreSchema(model)
    try inTransaction {
      guard try document(ofTable: model.table) == nil else { return }
      try makeRelations(of: model.attributes, schema: schema)
      try refuseTable(model.table)
      try connection.execute(schema.creation)
      try makeRelationsToMany(model.relations, of: model, schema: schema)
      var statement = try connection.prepare(
        "INSERT INTO poikit_table (name, model) VALUES (?, ?)")
      try statement.bind(1, text: model.table)
      try statement.bind(2, text: model.document)
      try statement.run()
    }
  }

  /// Runs `body` in one transaction, which is given up where it throws.
  borrowing func inTransaction(_ body: () throws -> Void) throws(StoreError) {
    do {
      try connection.begin(.immediate)
      try body()
      try connection.commit()
    } catch let error as StoreError {
      connection.rollback()
      throw error
    } catch let error as SQLiteError {
      connection.rollback()
      throw StoreError(error, path: path)
    } catch {
      connection.rollback()
      throw StoreError(.database, "\(path): \(error)")
    }
  }

  /// Makes the tables of the relations to one among some attributes; several models may share one that
  /// is the same.
  borrowing func makeRelations(of attributes: [Attribute], schema: StoreSchema) throws {
    for relation in attributes.compactMap(\.relation) { try makeShared(relation, schema: schema) }
  }

  /// Makes the tables of a table's relations to many. Only rows that several parents share may be in
  /// a table that is there.
  borrowing func makeRelationsToMany(
    _ relations: [RelationToMany], of model: Model, schema: StoreSchema
  ) throws {
    for relation in relations {
      try makeRelations(of: relation.element.attributes, schema: schema)
      let creation = schema.creation(of: relation, parent: model.table)
      switch relation.link {
      case .parent:
        try refuseTable(relation.element.table)
        try connection.execute(creation.rows)
      case .join(let join, _, _):
        try makeShared(relation.sharedRows, schema: schema)
        try refuseTable(join)
        if let creation = creation.join { try connection.execute(creation) }
      }
      try makeRelationsToMany(
        relation.element.relations, of: relation.element, schema: schema)
    }
  }

  private borrowing func makeShared(_ relation: Relation, schema: StoreSchema) throws {
    if try sql(ofTable: relation.table) == nil {
      try connection.execute(schema.creation(of: relation))
    } else if try connection.integer(schema.fitness(of: relation)) != 1 {
      try refuseTable(relation.table)
    }
  }

  private borrowing func refuseTable(_ table: String) throws {
    guard try sql(ofTable: table) != nil else { return }
    throw StoreError(
      .modelDiffers,
      "\(path): the store has another table or view called \"\(table)\"; name another one in the "
        + "model")
  }

  /// The statement that a table or view was created with.
  private borrowing func sql(ofTable table: String) throws(SQLiteError) -> String? {
    var statement = try connection.prepare(
      "SELECT sql FROM sqlite_schema WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view')")
    try statement.bind(1, text: table)
    return try statement.step() ? statement.text(0) : nil
  }
}
