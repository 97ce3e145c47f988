import POISQLite
import Testing

extension SQL.StringInterpolation {
  /// Accepts what the type itself does not, so that a test can detect it: the type's own methods
  /// have precedence.
  fileprivate mutating func appendInterpolation<Value>(_ value: Value) {
    appendLiteral("refused")
  }
}

struct SQLTests {
  private static let hostile = [
    "plain", "a\"; DROP TABLE x; --", "with space", "'", "'; DROP TABLE x; --", "\"\"", "''",
    "order", "ünï", "e\u{301}", "[a]", "`", "a.b", "\\", "\n", "?1", "",
  ]

  @Test func `a literal accepts SQL, whole numbers, names and texts`() {
    let columns: [SQL] = ["a", "b"].map { "\(name: $0)" }
    let condition: SQL = "run = \(Int64.min)"
    let sql: SQL = """
      SELECT \(columns.joined(separator: ", ")), \(literal: "it's") FROM \(name: "my \"table\"")
      WHERE \(condition) LIMIT \(UInt8.max)
      """
    #expect(
      sql.text == """
        SELECT "a", "b", 'it''s' FROM "my ""table""\"
        WHERE run = -9223372036854775808 LIMIT 255
        """)
  }

  @Test func `parts are joined with a separator between each two`() {
    #expect([].joined(separator: ", ") as SQL == "")
    #expect([SQL(name: "a")].joined(separator: ", ") == "\"a\"")
    #expect(["a", "b", "c"].joined(separator: " AND ") as SQL == "a AND b AND c")
    var sql: SQL = "SELECT 1"
    sql += " WHERE \(name: "a") > 0"
    #expect(sql == "SELECT 1 WHERE \"a\" > 0")
    #expect(SQL(verbatim: "SELECT 'a'") == "SELECT 'a'")
  }

  @Test func `a literal accepts neither strings nor fractions`() {
    let (text, number) = ("x", 1.5)
    let sql: SQL = "\(text) \(number) \(text.first!) \(Substring(text)) \(7)"
    #expect(sql == "refused refused refused refused 7")
  }

  @Test(arguments: hostile)
  func `a name is one name, and a text one text`(text: String) throws {
    let connection = try Connection.inMemory()
    let name = SQL(name: text)
    try connection.execute("CREATE TABLE x (a)")
    try connection.execute("CREATE TABLE \(name: text) (\(name) INTEGER)")
    try connection.execute("INSERT INTO \(name) (\(name)) VALUES (5)")
    #expect(try connection.integer("SELECT \(name) FROM \(name)") == 5)
    #expect(
      try connection.integer(
        "SELECT count(*) FROM sqlite_schema WHERE name = \(literal: text)") == 1)
    #expect(try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'x'") == 1)
    let same = try connection.text("SELECT \(literal: text)")
    #expect(same.map { Array($0.utf8) } == Array(text.utf8))
  }

  @Test func `a NUL, at which SQLite stops reading, is refused`() throws {
    let connection = try Connection.inMemory()
    for sql in ["SELECT 1 AS \(name: "a\0b")", "SELECT \(literal: "a\0b")"] as [SQL] {
      do {
        try connection.execute(sql)
        Issue.record("\(sql.text) is run")
      } catch {
        #expect(error.message == "the text of a statement holds a NUL")
      }
    }
  }
}
