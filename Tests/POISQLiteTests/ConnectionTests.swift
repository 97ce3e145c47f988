import Glibc
import POISQLite
import POITestSupport
import Testing

func thrown(_ body: () throws(SQLiteError) -> Void) -> SQLiteError? {
  do {
    try body()
    return nil
  } catch {
    return error
  }
}

@Suite struct ConnectionTests {
  @Test(arguments: [
    "plain.sqlite", "with space.sqlite", "quote'\".sqlite", "question?mode=ro.sqlite",
    "100%20.sqlite",
    "#hash.sqlite", "ünï.sqlite",
  ])
  func `a path is taken literally`(name: String) throws {
    let folder = try ScratchFolder()
    do {
      let connection = try Connection(path: folder.file(name))
      try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
      #expect(connection.path == folder.file(name))
    }
    #expect(unsafe access(folder.file(name), F_OK) == 0)
    let again = try Connection(path: folder.file(name), access: .readOnly)
    #expect(try again.integer("SELECT a FROM t") == 1)
  }

  @Test(arguments: ["file:store?mode=memory", ":memory:"])
  func `a relative path with a meaning for SQLite names a file`(name: String) throws {
    let folder = try ScratchFolder()
    // All tests share the working folder, so the name is unique and removed again.
    let name = name + "-" + String(getpid())
    defer { unsafe unlink(name) }
    do {
      let connection = try Connection(path: name)
      try connection.execute("CREATE TABLE t (a)")
    }
    #expect(unsafe access("./" + name, F_OK) == 0, "\(folder.path)")
  }

  @Test(arguments: ["", "a\0b"])
  func `an invalid path is refused`(path: String) {
    #expect(
      thrown { () throws(SQLiteError) in _ = try Connection(path: path) }?.codeName
        == "SQLITE_MISUSE")
  }

  @Test(arguments: [Connection.Access.readOnly, .readWrite])
  func `a missing file is an error unless it may be created`(access: Connection.Access) throws {
    let folder = try ScratchFolder()
    let path = folder.file("missing.sqlite")
    let error = thrown { () throws(SQLiteError) in _ = try Connection(path: path, access: access) }
    #expect(error?.isUnopenable == true)
    #expect(error?.message.contains("'\(path)'") == true)
  }

  @Test func `a file that is not a database is detected when it is opened`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("text.txt")
    let file = unsafe fopen(path, "w")
    unsafe fputs(String(repeating: "this is text and no database. ", count: 100), file)
    unsafe fclose(file)
    let error = thrown { () throws(SQLiteError) in _ = try Connection(path: path) }
    #expect(error?.codeName == "SQLITE_NOTADB")
    #expect(error?.isCorrupt == true)
  }

  @Test func `a read-only connection refuses to write`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("a.sqlite")
    do {
      let connection = try Connection(path: path)
      try connection.execute("CREATE TABLE t (a)")
    }
    let reader = try Connection(path: path, access: .readOnly)
    let error = thrown { () throws(SQLiteError) in try reader.execute("INSERT INTO t VALUES (1)") }
    #expect(error?.isReadOnly == true)
  }

  @Test func `a lock that does not become free is a busy error`() throws {
    let folder = try ScratchFolder()
    let first = try Connection(path: folder.file("a.sqlite"))
    try first.execute("CREATE TABLE t (a)")
    let second = try Connection(path: folder.file("a.sqlite"), busyTimeout: 10)
    try first.begin(.immediate)
    let error = thrown { () throws(SQLiteError) in try second.begin(.immediate) }
    #expect(error?.isBusy == true)
    #expect(second.isInTransaction == false)
    try first.commit()
    try second.begin(.immediate)
    second.rollback()
  }

  @Test func `a commit that fails leaves no transaction open`() throws {
    let folder = try ScratchFolder()
    let writer = try Connection(path: folder.file("a.sqlite"), busyTimeout: 10)
    try writer.execute("PRAGMA journal_mode = DELETE; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    let reader = try Connection(path: folder.file("a.sqlite"))
    var reading = try reader.prepare("SELECT a FROM t")
    #expect(try reading.step())
    let error = #expect(throws: SQLiteError.self) {
      try writer.inTransaction {
        try writer.execute("INSERT INTO t VALUES (2)")
      }
    }
    #expect(error?.isBusy == true)
    #expect(writer.isInTransaction == false)
    try reading.reset()
    #expect(try writer.integer("SELECT count(*) FROM t") == 1)
  }

  @Test func `the data version changes with the commits of others only`() throws {
    let folder = try ScratchFolder()
    let first = try Connection(path: folder.file("a.sqlite"))
    try first.execute("CREATE TABLE t (a)")
    let version = try first.dataVersion()
    try first.execute("INSERT INTO t VALUES (1)")
    #expect(try first.dataVersion() == version)
    let second = try Connection(path: folder.file("a.sqlite"))
    try second.execute("INSERT INTO t VALUES (2)")
    #expect(try first.dataVersion() != version)
  }

  @Test func `a transaction commits if its body returns and rolls back if it throws`()
    throws
  {
    struct Refusal: Error, Equatable {}
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE t (a UNIQUE)")
    let returned = try connection.inTransaction {
      try connection.execute("INSERT INTO t VALUES (1)")
      #expect(connection.isInTransaction == true)
      return 7
    }
    #expect(returned == 7)
    #expect(throws: Refusal()) {
      try connection.inTransaction(.deferred) {
        try connection.execute("INSERT INTO t VALUES (2)")
        throw Refusal()
      }
    }
    #expect(connection.isInTransaction == false)
    #expect(try connection.integer("SELECT count(*) FROM t") == 1)
    try connection.begin()
    #expect(throws: SQLiteError.self) { try connection.inTransaction {} }
    connection.rollback()
    connection.rollback()
  }

  @Test(arguments: [0, 1, 2, 3])
  func `commits wait for the disk again after those that do not`(level: Int64) throws {
    let folder = try ScratchFolder()
    let connection = try Connection(path: folder.file("a.sqlite"))
    try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = \(level)")
    let inside = try connection.withoutWaitingForDisk {
      try connection.inTransaction {
        try connection.execute("CREATE TABLE t (a)")
      }
      return try connection.integer("PRAGMA synchronous")
    }
    #expect(inside == min(level, 1))
    #expect(try connection.integer("PRAGMA synchronous") == level)
    let error = #expect(throws: SQLiteError.self) {
      try connection.withoutWaitingForDisk {
        try connection.inTransaction {
          try connection.execute("CREATE TABLE t (a)")
        }
      }
    }
    #expect(error != nil)
    #expect(try connection.integer("PRAGMA synchronous") == level)
  }

  @Test func `without a write-ahead log every commit waits for the disk`() throws {
    let folder = try ScratchFolder()
    let connection = try Connection(path: folder.file("a.sqlite"))
    try connection.execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL")
    let inside = try connection.withoutWaitingForDisk {
      try connection.integer("PRAGMA synchronous")
    }
    #expect(inside == 2)
  }

  @Test func `a transaction that SQLite ended itself is not rolled back twice`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      "CREATE TABLE t (a UNIQUE ON CONFLICT ROLLBACK); INSERT INTO t VALUES (1)")
    let error = #expect(throws: SQLiteError.self) {
      try connection.inTransaction {
        try connection.execute("INSERT INTO t VALUES (1)")
      }
    }
    #expect(error?.isUniqueViolation == true)
    #expect(connection.isInTransaction == false)
  }

  @Test func `row ids and counts of changes belong to the latest statement`() throws {
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
    try connection.execute("INSERT INTO t VALUES (41, 'x'), (42, 'x')")
    #expect(connection.lastInsertRowID == 42)
    #expect(connection.changeCount == 2)
    try connection.execute("DELETE FROM t WHERE id = 99")
    #expect(connection.changeCount == 0)
  }

  @Test func `a text with only a beginning of SQL is refused`() throws {
    let connection = try Connection.inMemory()
    let texts: [SQL] = ["SELECT 1; SELECT 2", "SELECT 1; SELEC"]
    for sql in texts {
      let error = thrown { () throws(SQLiteError) in _ = try connection.prepare(sql) }
      #expect(error?.message == "the text holds more than one statement")
    }
  }

  @Test func `a statement that cannot be prepared did not fail for its values`() throws {
    let connection = try Connection.inMemory()
    for (sql, canPrepare) in [
      ("SELECT abs(-9223372036854775807 - 1)", true), ("SELECT nothing", false),
    ] {
      let error = thrown { () throws(SQLiteError) in
        try connection.execute(SQL(verbatim: sql))
      }
      #expect(try connection.canPrepareStatement(of: #require(error)) == canPrepare, "\(sql)")
    }
  }
}
