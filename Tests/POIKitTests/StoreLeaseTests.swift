import POIKit
import POIKitTestSupport
import POISQLite
import Testing

@Suite struct StoreLeaseTests {
  @Test func `an import has the store for itself until it ends`() throws {
    let store = try Store.inMemory()
    var session = try ImportSession(into: store, model: .poi)
    let read = #expect(throws: StoreError.self) { try store.tables() }
    #expect(read?.code == .inUse)
    let deduplicated = #expect(throws: StoreError.self) {
      _ = try store.undo()
    }
    #expect(deduplicated?.code == .inUse)
    let second = #expect(throws: StoreError.self) {
      _ = try ImportSession(into: store, model: .poi)
    }
    #expect(second?.code == .inUse)
    try session.append(Array(ImportFixture.pois(0..<3).utf8).span)
    #expect(try session.finish().counters.inserted == 3)
    #expect(try store.tables() == ["poi"])
    #expect(try session.finish().counters.inserted == 3)
  }

  @Test(arguments: [1, 2])
  func `a failed import leaves a store in memory that can be used`(jobCount: Int) throws {
    let store = try Store.inMemory()
    var options = ImportFixture.options(batchSize: 2, jobCount: jobCount)
    options.pointer = ""
    var session = try ImportSession(into: store, model: .poi, options: options)
    let error = #expect(throws: StoreError.self) {
      try session.append(Array(("[" + ImportFixture.pois(0..<5)).utf8).span)
      _ = try session.finish()
    }
    #expect(error?.code == .unreadable, "\(String(describing: error))")
    let inserted = session.failedReport()?.counters.inserted
    #expect(try store.integer("SELECT count(*) FROM poi") == inserted.map(Int64.init))
    #expect(throws: StoreError.self) { _ = try session.finish() }
    options.isRestarting = true
    options.pointer = nil
    var again = try ImportSession(into: store, model: .poi, options: options)
    try again.append(Array(ImportFixture.pois(5..<7).utf8).span)
    #expect(try again.finish().counters.inserted == 2)
  }

  @Test func `a session that is dropped releases the store`() throws {
    let store = try Store.inMemory()
    for _ in 0..<2 {
      var session = try ImportSession(
        into: store, model: .poi, options: ImportFixture.options(batchSize: 1, jobCount: 2))
      try session.beginInput(named: "\(UInt64.random(in: 0 ... .max))")
      try session.append(Array(ImportFixture.pois(0..<3).utf8).span)
    }
    #expect(try store.tables() == ["poi"])
  }

  @Test func `a connection prepares statements inside withConnection only`() throws {
    let store = try Store.inMemory()
    var kept: Connection?
    try store.withConnection { connection in
      kept = connection
      try connection.execute("CREATE TABLE app (a)")
      let nested = #expect(throws: StoreError.self) { try store.withConnection { _ in } }
      #expect(nested?.code == .inUse)
      try connection.begin()
      try connection.execute("INSERT INTO app VALUES (1)")
    }
    #expect(throws: SQLiteError.self) { try kept?.execute("DROP TABLE app") }
    // The open transaction is rolled back.
    #expect(try store.integer("SELECT count(*) FROM app") == 0)
  }

  /// Of many threads that use the store at once, each has it alone or gets an error.
  @Test func `threads never use a store at the same time`() async throws {
    let store = try Store.inMemory()
    try store.execute("CREATE TABLE counter (n); INSERT INTO counter VALUES (0)")
    let done = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask {
          var count = 0
          for _ in 0..<2_000 {
            do {
              try store.withConnection { connection in
                let value = try connection.integer("SELECT n FROM counter") ?? 0
                try connection.execute("UPDATE counter SET n = \(value + 1)")
              }
              count += 1
            } catch let error as StoreError where error.code == .inUse {
            } catch { Issue.record(error) }
          }
          return count
        }
      }
      return await group.reduce(0, +)
    }
    #expect(try store.integer("SELECT n FROM counter") == Int64(done))
  }
}
