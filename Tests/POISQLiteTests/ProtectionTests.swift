import POISQLite
import POITestSupport
import Testing

@Suite struct ProtectionTests {
  enum Opening: CaseIterable {
    case new, existing, readOnly, inMemory

    func connection(_ folder: borrowing ScratchFolder) throws -> Connection {
      let path = folder.file("store.sqlite")
      switch self {
      case .new: return try Connection(path: path)
      case .existing:
        _ = try Connection(path: path)
        return try Connection(path: path, access: .readWrite)
      case .readOnly:
        try Connection(path: path).execute("CREATE TABLE t (a)")
        return try Connection(path: path, access: .readOnly)
      case .inMemory: return try Connection.inMemory()
      }
    }
  }

  private static func error(_ sql: SQL, on connection: Connection) -> String? {
    do {
      try connection.execute(sql)
      return nil
    } catch {
      return error.message
    }
  }

  @Test(arguments: Opening.allCases)
  func `cells are checked, the schema is not trusted and SQL cannot damage the file`(
    opening: Opening
  ) throws {
    let folder = try ScratchFolder()
    let connection = try opening.connection(folder)
    #expect(try connection.integer("PRAGMA cell_size_check") == 1)
    #expect(try connection.integer("PRAGMA trusted_schema") == 0)
    // The defensive mode forbids writing the schema and switching the journal off.
    let schema = Self.error(
      "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema", on: connection)
    #expect(schema == "table sqlite_master may not be modified")
    try connection.execute("PRAGMA journal_mode = OFF")
    #expect(try connection.text("PRAGMA journal_mode") != "off")
  }

  @Test(arguments: Opening.allCases)
  func `no extension is loaded`(opening: Opening) throws {
    let folder = try ScratchFolder()
    let connection = try opening.connection(folder)
    #expect(
      Self.error("SELECT load_extension('nowhere')", on: connection)
        == "not authorized")
  }

  @Test(arguments: Opening.allCases)
  func `a statement has limits`(opening: Opening) throws {
    let folder = try ScratchFolder()
    let connection = try opening.connection(folder)
    try connection.execute("ATTACH ':memory:' AS one")
    #expect(
      Self.error("ATTACH ':memory:' AS two", on: connection)
        == "too many attached databases - max 1")

    #expect(Self.error("SELECT 'a' LIKE printf('%.*c', 1000, 'a')", on: connection) == nil)
    #expect(
      Self.error("SELECT 'a' LIKE printf('%.*c', 1001, 'a')", on: connection)
        == "LIKE or GLOB pattern too complex")

    try connection.execute(
      """
      PRAGMA recursive_triggers = ON;
      CREATE TEMP TABLE depth (n);
      CREATE TEMP TRIGGER deeper AFTER INSERT ON depth WHEN new.n > 1
      BEGIN INSERT INTO depth VALUES (new.n - 1); END;
      """)
    #expect(Self.error("INSERT INTO depth VALUES (64)", on: connection) == nil)
    #expect(
      Self.error("INSERT INTO depth VALUES (66)", on: connection)
        == "too many levels of trigger recursion")

    #expect(try connection.integer("PRAGMA threads") == 0)
  }
}
