import POISQLite
import POITestSupport
import StoreFaults
import Testing

@Suite struct CommitGuardTests {
  @Test func `a statement prepared again without memory commits nothing alone`() async {
    await #expect(processExitsWith: .success) {
      try #require(store_faults_install())
      let folder = try ScratchFolder()
      let connection = try Connection(path: folder.file("t.sqlite"))
      try connection.execute(
        """
        PRAGMA journal_mode = WAL;
        CREATE TABLE t (n INTEGER NOT NULL UNIQUE)
        """)
      var failureCount = 0
      for at in 1... {
        // It may fail at its second row, so SQLite gives it a savepoint.
        var statement = try connection.prepare("INSERT INTO t VALUES (1), (2)")
        try connection.begin()
        try connection.execute("INSERT INTO t VALUES (0); CREATE TABLE other (a)")
        store_faults_arm(STORE_FAULT_ALLOCATION, at, 0, false)
        var error: SQLiteError?
        do throws(SQLiteError) { try statement.run() } catch let failure { error = failure }
        let failedCount = store_faults_disarm()
        if error != nil { failureCount += 1 }
        #expect(connection.isInTransaction || error != nil, "allocation \(at)")
        connection.rollback()
        #expect(try connection.integer("SELECT count(*) FROM t") == 0, "allocation \(at)")
        if failedCount == 0 { break }
      }
      #expect(failureCount > 1)
    }
  }
}
