import POISQLite
import Testing

@Suite struct StatementTests {
  private func echo(_ connection: Connection) throws -> Statement {
    try connection.prepare("SELECT ?1, typeof(?1), length(CAST(?1 AS BLOB))")
  }

  private static let texts: [String] = [
    "", "a", "a\0b", "\0", "naïve ☕️", String(repeating: "long ", count: 5_000), "\u{10FFFF}", "'\"",
  ]

  @Test(arguments: [Int64.min, -1, 0, 1, Int64.max])
  func `an integer comes back as it was bound`(value: Int64) throws {
    var statement = try echo(try Connection.inMemory())
    try statement.bind(1, integer: value)
    #expect(try statement.step())
    #expect(statement.integer(0) == value)
    #expect(statement.columnType(0) == .integer)
    #expect(statement.text(1) == "integer")
  }

  @Test(arguments: [
    0.0, -0.0, 1.5, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.1,
  ])
  func `a real comes back bit by bit`(value: Double) throws {
    var statement = try echo(try Connection.inMemory())
    try statement.bind(1, real: value)
    #expect(try statement.step())
    #expect(statement.real(0).bitPattern == value.bitPattern)
    #expect(statement.columnType(0) == .real)
  }

  @Test(arguments: ["UTF-8", "UTF-16le"])
  func `a value has its type and content at once`(encoding: String) throws {
    let connection = try Connection.inMemory()
    try connection.execute("PRAGMA encoding = \(literal: encoding); CREATE TABLE t (a)")
    var statement = try connection.prepare(
      "SELECT -7, 2.5, 'é' || char(0) || '😀', x'00ff', NULL, '', x''")
    #expect(try statement.step())
    var described: [String] = []
    for column in 0..<7 {
      switch statement.value(column) {
      case .integer(let integer): described.append("integer \(integer)")
      case .real(let real): described.append("real \(real)")
      case .text(let text): described.append("text \(text.indices.map { text[$0] })")
      case .blob(let blob): described.append("blob \(blob.indices.map { blob[$0] })")
      case .null: described.append("null")
      }
    }
    #expect(
      described == [
        "integer -7", "real 2.5", "text \(Array("é\0😀".utf8))", "blob [0, 255]", "null", "text []",
        "blob []",
      ])
    #expect(try !statement.step())
    guard case .null = statement.value(0) else {
      Issue.record("a value without a row")
      return
    }
  }

  @Test func `not-a-number is NULL`() throws {
    var statement = try echo(try Connection.inMemory())
    try statement.bind(1, real: .nan)
    #expect(try statement.step())
    #expect(statement.columnType(0) == .null)
    #expect(statement.isNull(0) == true)
    #expect(statement.text(0) == "")
  }

  @Test(arguments: texts)
  func `a text comes back whole, however it is bound`(text: String) throws {
    var statement = try echo(try Connection.inMemory())
    let bytes = Array(text.utf8)
    for way in 0..<3 {
      switch way {
      case 0: try statement.bind(1, text: text)
      case 1: try statement.bind(1, text: bytes.span)
      default:
        try unsafe bytes.withUnsafeBufferPointer { try unsafe statement.bindBorrowed(1, text: $0) }
      }
      #expect(try statement.step())
      #expect(statement.columnType(0) == .text, "way \(way)")
      #expect(statement.isNull(0) == false)
      #expect(statement.text(0) == text)
      #expect(Array(copying: statement.bytes(0)) == bytes)
      #expect(statement.integer(2) == Int64(bytes.count))
      try statement.reset()
      try statement.bindNull(1)
    }
  }

  @Test(arguments: [[], [0], [255, 0, 254], [UInt8](repeating: 7, count: 70_000)])
  func `a blob comes back whole, however it is bound`(bytes: [UInt8]) throws {
    var statement = try echo(try Connection.inMemory())
    for borrowed in [false, true] {
      if borrowed {
        try unsafe bytes.withUnsafeBufferPointer { try unsafe statement.bindBorrowed(1, blob: $0) }
      } else {
        try statement.bind(1, blob: bytes.span)
      }
      #expect(try statement.step())
      #expect(statement.columnType(0) == .blob)
      #expect(Array(copying: statement.bytes(0)) == bytes)
      try statement.reset()
      try statement.bindNull(1)
    }
  }

  @Test func `an empty buffer without an address is an empty value, not NULL`() throws {
    var statement = try echo(try Connection.inMemory())
    let none = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    try unsafe statement.bindBorrowed(1, text: none)
    #expect(try statement.step())
    #expect(statement.text(1) == "text")
    try statement.reset()
    try unsafe statement.bindBorrowed(1, blob: none)
    #expect(try statement.step())
    #expect(statement.text(1) == "blob")
  }

  @Test func `a borrowed text is not copied`() throws {
    var statement = try echo(try Connection.inMemory())
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 3)
    defer { unsafe buffer.deallocate() }
    unsafe buffer.initialize(repeating: UInt8(ascii: "a"))
    try unsafe statement.bindBorrowed(1, text: UnsafeBufferPointer(buffer))
    unsafe buffer[1] = UInt8(ascii: "b")
    #expect(try statement.step())
    #expect(statement.text(0) == "aba")
    try statement.reset()
    try statement.bindNull(1)
  }

  @Test func `a text of a database in UTF-16 is read as UTF-8`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      "PRAGMA encoding = 'UTF-16le'; CREATE TABLE t (a); INSERT INTO t VALUES ('né')")
    var statement = try connection.prepare("SELECT a FROM t")
    #expect(try statement.step())
    #expect(Array(copying: statement.bytes(0)) == Array("né".utf8))
    #expect(statement.text(0) == "né")
  }

  @Test func `bytes that are not UTF-8 stay in a span and are repaired in a string`()
    throws
  {
    var statement = try (try Connection.inMemory()).prepare("SELECT CAST(x'61ff62' AS TEXT)")
    #expect(try statement.step())
    #expect(Array(copying: statement.bytes(0)) == [0x61, 0xff, 0x62])
    #expect(statement.text(0) == "a\u{FFFD}b")
  }

  @Test func `numbers and NULL have no bytes`() throws {
    var statement = try (try Connection.inMemory()).prepare("SELECT 1, 1.5, NULL")
    #expect(try statement.step())
    for column in 0..<3 { #expect(statement.bytes(column).isEmpty == true) }
    #expect(statement.columnType(0) == .integer)
  }

  @Test func `columns are counted`() throws {
    let statement = try (try Connection.inMemory()).prepare("SELECT ?1 AS \"a \"\" b\", ?3 AS c")
    #expect(statement.columnCount == 2)
    #expect(statement.sql.hasPrefix("SELECT ?1"))
  }

  @Test(arguments: [0, 2, -1, Int.max])
  func `a parameter that does not exist is a range error`(index: Int) throws {
    var statement = try (try Connection.inMemory()).prepare("SELECT ?1")
    do {
      try statement.bind(index, integer: 1)
      Issue.record("bound")
    } catch {
      #expect(error.codeName == "SQLITE_RANGE")
      #expect(error.sql == "SELECT ?1")
    }
  }

  @Test func `a parameter cannot change while a row is current, and can after the last row`() throws
  {
    var statement = try (try Connection.inMemory()).prepare("SELECT ?1")
    try statement.bind(1, integer: 1)
    #expect(try statement.step())
    #expect(throws: SQLiteError.self) { try statement.bind(1, integer: 2) }
    #expect(try statement.step() == false)
    try statement.bind(1, integer: 3)
    #expect(try statement.step())
    #expect(statement.integer(0) == 3)
  }

  @Test func `a statement can run again after an error`() throws {
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE t (a INTEGER UNIQUE)")
    var insert = try connection.prepare("INSERT INTO t VALUES (?1)")
    try insert.bind(1, integer: 1)
    try insert.run()
    do {
      try insert.run()
      Issue.record("inserted twice")
    } catch {
      #expect(error.isConstraint)
      #expect(error.isUniqueViolation)
      #expect(error.code == 2067)
      #expect(error.primaryCode == 19)
    }
    try insert.bind(1, integer: 2)
    try insert.run()
    #expect(try connection.integer("SELECT sum(a) FROM t") == 3)
  }

  @Test(arguments: [
    ("INSERT INTO t (id, n) VALUES (1, 1)", 1555), ("INSERT INTO t (n) VALUES (NULL)", 1299),
    ("INSERT INTO t (n) VALUES (-1)", 275), ("INSERT INTO t (n, r) VALUES (1, 9)", 787),
    ("INSERT INTO t (n, s) VALUES (1, 'x')", 3091),
  ])
  func `a constraint has its extended code`(sql: SQL, code: Int32) throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      PRAGMA foreign_keys = ON;
      CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER NOT NULL CHECK (n > 0),
        r INTEGER REFERENCES t (id), s INTEGER) STRICT;
      INSERT INTO t (id, n) VALUES (1, 1)
      """)
    let error = thrown { () throws(SQLiteError) in try connection.execute(sql) }
    #expect(error?.code == code)
    #expect(error?.isConstraint == true)
    #expect(error?.isUniqueViolation == (code == 1555))
  }

  @Test func `an error has its code, message and statement, and no value`() throws {
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE t (a UNIQUE)")
    var insert = try connection.prepare("INSERT INTO t VALUES (?1)")
    try insert.bind(1, text: "secret")
    try insert.run()
    do {
      try insert.run()
      Issue.record("inserted twice")
    } catch {
      #expect(
        "\(error)"
          == "UNIQUE constraint failed: t.a (SQLITE_CONSTRAINT, 2067) in: INSERT INTO t VALUES (?1)"
      )
    }
  }

  @Test func `a text of several statements runs whole and is not prepared as one`() throws {
    let connection = try Connection.inMemory()
    let text: SQL =
      "CREATE TABLE t (a); -- first\n INSERT INTO t VALUES (1); ; /* end */ SELECT a FROM t;; "
    let error = thrown { () throws(SQLiteError) in _ = try connection.prepare(text) }
    #expect(error?.message == "the text holds more than one statement")
    try connection.execute(text)
    #expect(try connection.integer("SELECT a FROM t") == 1)
    var one = try connection.prepare("SELECT 1; -- only a comment\n ; /* and blanks */ ")
    #expect(try one.step())
  }

  @Test(
    arguments: [
      "", " ", "-- nothing", ";", "SELECT 1\0; DROP TABLE t", "SELEKT 1", "SELECT 'a",
    ] as [SQL])
  func `a text without one valid statement is refused`(text: SQL) throws {
    let connection = try Connection.inMemory()
    #expect(thrown { () throws(SQLiteError) in _ = try connection.prepare(text) } != nil)
  }

  @Test func `a run that fails at an early reset reports it`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      PRAGMA foreign_keys = ON;
      CREATE TABLE t (
        id INTEGER PRIMARY KEY, other INTEGER REFERENCES t DEFERRABLE INITIALLY DEFERRED)
      """)
    var insert = try connection.prepare("INSERT INTO t VALUES (?1, 9) RETURNING id")
    try insert.bind(1, integer: 1)
    #expect(try insert.step())
    #expect(thrown { () throws(SQLiteError) in try insert.reset() }?.code == 787)
    try insert.bind(1, integer: 9)
    #expect(try insert.step())
    try insert.reset()
    #expect(try connection.text("SELECT group_concat(id) FROM t") == "9")
    let sql: SQL = "INSERT INTO t VALUES (1, 8) RETURNING id"
    #expect(thrown { () throws(SQLiteError) in _ = try connection.integer(sql) }?.code == 787)
    #expect(thrown { () throws(SQLiteError) in _ = try connection.text(sql) }?.code == 787)
  }

  @Test func `statements before the one that fails have taken effect`() throws {
    let connection = try Connection.inMemory()
    let error = thrown { () throws(SQLiteError) in
      try connection.execute(
        "CREATE TABLE t (a); INSERT INTO nowhere VALUES (1); CREATE TABLE u (a)")
    }
    #expect(error?.message == "no such table: nowhere")
    #expect(try connection.text("SELECT group_concat(name) FROM sqlite_schema") == "t")
  }

  @Test func `a statement outlives its connection`() throws {
    func prepared() throws -> Statement {
      let connection = try Connection.inMemory()
      try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (5)")
      return try connection.prepare("SELECT a FROM t")
    }
    var statement = try prepared()
    #expect(try statement.step())
    #expect(statement.integer(0) == 5)
  }

  @Test func `a scalar query distinguishes NULL and a missing row from a value`() throws {
    let connection = try Connection.inMemory()
    #expect(try connection.integer("SELECT NULL") == nil)
    #expect(try connection.integer("SELECT 1 WHERE 0") == nil)
    #expect(try connection.integer("SELECT 0") == 0)
    #expect(try connection.text("SELECT NULL") == nil)
    #expect(try connection.text("SELECT ''") == "")
  }
}

extension Array {
  init(copying span: Span<Element>) where Element: BitwiseCopyable {
    unsafe self.init(unsafeUninitializedCapacity: span.count) { buffer, count in
      for index in span.indices { unsafe buffer[index] = span[index] }
      count = span.count
    }
  }
}
