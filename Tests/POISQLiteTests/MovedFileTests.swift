import Glibc
import POISQLite
import POITestSupport
import Testing

@Suite struct MovedFileTests {
  enum Move: CaseIterable {
    case renamed, removed, replaced

    func happen(to path: String) throws {
      switch self {
      case .renamed: #expect(unsafe rename(path, path + ".moved") == 0)
      case .removed: #expect(unsafe unlink(path) == 0)
      case .replaced:
        try Connection(path: path + ".other").execute("CREATE TABLE other (a)")
        #expect(unsafe rename(path + ".other", path) == 0)
      }
    }
  }

  private func refusal(_ body: () throws(SQLiteError) -> Void) -> SQLiteError? {
    do throws(SQLiteError) { try body() } catch { return error }
    return nil
  }

  @Test(arguments: Move.allCases, ["WAL", "DELETE"])
  func `nothing is committed to a file that is no longer at its path`(
    _ move: Move, _ mode: String
  ) throws {
    let folder = try ScratchFolder()
    let path = folder.file("t.sqlite")
    let connection = try Connection(path: path)
    try connection.execute("PRAGMA journal_mode = \(name: mode); CREATE TABLE t (a)")
    try connection.begin()
    if mode == "WAL" { try connection.execute("INSERT INTO t VALUES (1)") }
    try move.happen(to: path)
    for _ in 0..<2 {
      let error = refusal { () throws(SQLiteError) in
        try connection.execute("INSERT INTO t VALUES (2)")
        try connection.commit()
      }
      #expect(error?.isMoved == true && error?.isReadOnly == true, "\(String(describing: error))")
      connection.rollback()
      let isOpen = connection.isInTransaction
      #expect(!isOpen)
      #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }
  }

  @Test func `a file that is back at its path is written again`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("t.sqlite")
    let connection = try Connection(path: path)
    try connection.execute(
      "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    try Move.renamed.happen(to: path)
    var statement = try connection.prepare("INSERT INTO t VALUES (2) RETURNING a")
    let error = refusal { () throws(SQLiteError) in
      _ = try statement.step()
      try statement.reset()
    }
    #expect(error?.isMoved == true, "\(String(describing: error))")
    #expect(unsafe rename(path + ".moved", path) == 0)
    try statement.run()
    #expect(try connection.integer("SELECT sum(a) FROM t") == 3)
  }

  @Test func `a database in memory has no path and is written`() throws {
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    #expect(try connection.integer("SELECT a FROM t") == 1)
  }
}
