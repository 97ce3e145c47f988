import JSONStreaming
import POIKit
import POIRecords
import POISQLite
import POISync
import POITestSupport
import Testing

/// One cycle after the other.
@Suite struct SyncCycleTests {
  private static func document(_ text: String) throws -> JSONValue {
    try JSONValue(parsing: Array(text.utf8).span)
  }

  private static func sentCount(_ report: SyncReport) -> Int {
    let pushed = report.pushed
    return pushed.acceptedCount + pushed.conflictCount + pushed.unknownCount + pushed.refusedCount
  }

  @Test func `a refused record keeps its words and blocks no other`() throws {
    let folder = try ScratchFolder()
    let server = MemoryServer()
    server.refusal = { $0["name"] == .string("bad") ? "no such name" : nil }
    let device = try SyncDevice(folder.file("a.sqlite"), Link(to: server))
    try device.app.execute(
      "INSERT INTO poi (id, name) VALUES ('p', 'bad'), ('q', 'good'), ('r', 'bad')")
    let report = try device.cycle()
    #expect(report.pushed.refusedCount == 2)
    #expect(report.pushed.acceptedCount == 1)
    let status = try #require(device.store.syncedTables().first)
    #expect(status.refusals.map(\.words) == ["no such name", "no such name"])
    #expect(status.refusals.first?.key == #"{"id":"p"}"#)
    // Nothing is sent again before something changes.
    #expect(try Self.sentCount(device.cycle()) == 0)
    try device.app.execute("UPDATE poi SET name = 'better' WHERE id = 'p'")
    #expect(try device.cycle().pushed.acceptedCount == 1)
    server.put(
      try Self.document(#"{"id": "r", "name": "other", "changed": "2020-01-01T00:00:00Z"}"#))
    server.refusal = { _ in nil }
    let last = try device.cycle()
    #expect(last.pulled.keptCount == 1)
    #expect(last.pushed.acceptedCount == 1)
    #expect(try device.localCount() == 0)
    #expect(try device.store.syncedTables().first?.refusals.isEmpty == true)
  }

  @Test func `a request that is too large is sent in parts`() throws {
    let folder = try ScratchFolder()
    let server = MemoryServer()
    server.longestRequest = 3
    let device = try SyncDevice(folder.file("a.sqlite"), Link(to: server))
    device.options.pushSize = 100
    for number in 0..<20 {
      try device.app.execute("INSERT INTO poi (id, name) VALUES (\(number), 'n')")
    }
    #expect(try device.cycle().pushed.acceptedCount == 20)
    server.longestRequest = 0
    try device.app.execute("UPDATE poi SET name = 'm' WHERE id = '7'")
    #expect(try device.cycle().pushed.refusedCount == 1)
    #expect(try device.store.syncedTables().first?.refusals.map(\.words) == ["too large"])
  }

  @Test func `nothing new takes one request, and a change two`() throws {
    let folder = try ScratchFolder()
    let server = MemoryServer()
    let link = Link(to: server)
    let device = try SyncDevice(folder.file("a.sqlite"), link)
    try device.cycle()
    let before = link.requestCount
    try device.cycle()
    #expect(link.requestCount == before + 1)
    try device.app.execute("INSERT INTO poi (id, name) VALUES ('p', 'n')")
    try device.cycle()
    #expect(link.requestCount == before + 3)
  }

  @Test func `records of a file are sent, and the newer one stays`() throws {
    let folder = try ScratchFolder()
    let server = MemoryServer()
    let device = try SyncDevice(folder.file("a.sqlite"), Link(to: server))
    server.put(try Self.document(#"{"id": "p", "name": "old", "changed": "2020-01-01T00:00:00Z"}"#))
    server.put(try Self.document(#"{"id": "q", "name": "new", "changed": "2022-01-01T00:00:00Z"}"#))
    try device.cycle()
    try device.store.importRecords(
      from: .text(
        """
        {"id": "p", "name": "file", "changed": "2021-01-01T00:00:00Z"}
        {"id": "q", "name": "file", "changed": "2021-01-01T00:00:00Z"}
        {"id": "r", "name": "file", "changed": "2021-01-01T00:00:00Z"}
        """, named: "file"), model: Model(parsing: SyncDevice.model))
    #expect(try device.cycle().pushed.acceptedCount == 2)
    #expect(try device.link.live() == device.records())
    #expect(try device.records().map { $0["name"]?.string } == ["file", "new", "file"])
    var options = ImportOptions()
    options.mergePolicy = .overwrite
    #expect(throws: StoreError.self) {
      try device.store.importRecords(
        from: .text("{}", named: "file"), model: Model(parsing: SyncDevice.model),
        options: options)
    }
  }

  @Test func `duplicates that are removed are removed everywhere`() throws {
    let folder = try ScratchFolder()
    let server = MemoryServer()
    let (first, second) = (
      try SyncDevice(folder.file("a.sqlite"), Link(to: server)),
      try SyncDevice(folder.file("b.sqlite"), Link(to: server))
    )
    try first.app.execute("INSERT INTO poi (id, name) VALUES ('p', 'n'), ('q', 'n')")
    try first.cycle()
    try second.cycle()
    try first.store.deduplicate(by: ["name"])
    try first.cycle()
    try second.cycle()
    #expect(try first.records().count == 1)
    #expect(try second.records() == first.records())
    try first.store.undo()
    try first.cycle()
    try second.cycle()
    #expect(try second.records().count == 2)
    #expect(try second.records() == first.records())
    #expect(try first.link.live() == first.records())
  }

  @Test(arguments: [false, true])
  func `a copy goes on from its checkpoint, or starts over if it has changes`(isChanged: Bool)
    throws
  {
    let folder = try ScratchFolder()
    let server = MemoryServer()
    let device = try SyncDevice(folder.file("a.sqlite"), Link(to: server))
    try device.app.execute("INSERT INTO poi (id, name) VALUES ('p', 'n'), ('q', 'n'), ('r', 'n')")
    try device.cycle()
    try device.cycle()
    if isChanged {
      try device.app.execute(
        "UPDATE poi SET name = 'm' WHERE id = 'p'; DELETE FROM poi WHERE id = 'q'")
    }
    let path = folder.file("copy.sqlite")
    if isChanged {
      try device.store.save(to: path)
    } else {
      try device.store.ship(to: path)
    }
    let copy = try Store(path)
    let link = Link(to: server)
    var synchronizer = try Synchronizer(
      copy, model: Model(parsing: SyncDevice.model), server: link)
    let report = try synchronizer.cycle()
    #expect(report.pulled.insertedCount == 0)
    #expect(report.pushed.acceptedCount == (isChanged ? 2 : 0))
    #expect(isChanged || link.requestCount == 1)
    #expect(try link.live().count == (isChanged ? 2 : 3))
    #expect(throws: StoreError.self) { try device.store.discardChanges() }
  }

  @Test func `a table that a program dropped is pulled from the beginning`() throws {
    let folder = try ScratchFolder()
    let server = MemoryServer()
    let device = try SyncDevice(folder.file("a.sqlite"), Link(to: server))
    try device.app.execute("INSERT INTO poi (id, name) VALUES ('p', 'n'), ('q', 'n')")
    try device.cycle()
    try device.cycle()
    try device.app.execute("DROP TABLE poi")
    let report = try device.cycle()
    #expect(report.pulled.insertedCount == 2)
    #expect(Self.sentCount(report) == 0)
    #expect(try device.link.live() == device.records())
  }

  @Test(arguments: [
    #"{"version": null}"#, #"{"version": {}}"#, #"{"version": true}"#, "{}", "7",
    #"{"conflict": 7}"#, #"{"unknown": false}"#,
  ])
  func `an outcome that the protocol does not have ends no change`(lie: String) throws {
    let folder = try ScratchFolder()
    let server = MemoryServer()
    let device = try SyncDevice(folder.file("a.sqlite"), Link(to: server))
    try device.app.execute("INSERT INTO poi (id, name) VALUES ('p', 'n')")
    server.lie = try Self.document(lie)
    #expect(throws: StoreError.self) { try device.cycle() }
    #expect(try device.localCount() == 1)
    #expect(try device.store.syncedTables().first?.error?.contains("outcome") == true)
    server.lie = nil
    #expect(try device.cycle().pushed.acceptedCount == 1)
  }

  @Test func `no file is imported before the first records of the server have come`() throws {
    let folder = try ScratchFolder()
    let link = Link(to: MemoryServer())
    let device = try SyncDevice(folder.file("a.sqlite"), link, isTracked: false)
    let error = #expect(throws: StoreError.self) {
      try device.store.importRecords(
        from: .text(#"{"id": "p"}"#, named: "file"), model: Model(parsing: SyncDevice.model))
    }
    #expect(error?.message.contains("poi-sync") == true)
    try device.cycle()
    try device.store.importRecords(
      from: .text(#"{"id": "p", "changed": "2020-01-01T00:00:00Z"}"#, named: "file"),
      model: Model(parsing: SyncDevice.model))
    #expect(try device.cycle().pushed.acceptedCount == 1)
  }

  @Test func `an unsuitable table is refused`() throws {
    let store = try Store.inMemory()
    let link = Link(to: MemoryServer())
    let time = #""t": {"type": "string", "format": "date-time"}"#
    for (model, words) in [
      (#"{"x-table": "a", "properties": {"id": {"type": "string"}}}"#, "has no key"),
      (
        #"{"x-table": "b", "x-key": "id", "properties": {"id": {"type": "string"}}}"#,
        "has no timestamp"
      ),
      (
        #"{"x-table": "c", "x-key": "id", "x-timestamp": "t", "properties": {"id": {"type": "string"}, "t": {"type": "string", "format": "date"}}}"#,
        "has no timestamp"
      ),
      (
        #"{"x-table": "d", "x-key": "id", "x-timestamp": "t", "properties": {"id": {"type": "string"}, "_version": {"type": "string"}, \#(time)}}"#,
        "has the member \"_version\""
      ),
      (
        #"{"x-table": "e", "x-key": "id", "x-timestamp": "t", "properties": {"id": {"type": ["string", "null"], "x-source": "0#"}, \#(time)}}"#,
        "names its records by the members"
      ),
    ] {
      let error = #expect(throws: StoreError.self) {
        try Synchronizer(store, model: Model(parsing: model), server: link, address: "memory")
      }
      #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
    // A new table needs an address, and is not made without.
    let model = try Model(parsing: SyncDevice.model)
    let nameless = #expect(throws: StoreError.self) {
      try Synchronizer(store, model: model, server: link)
    }
    #expect(nameless?.message.contains("has no server; name its address") == true)
    let tables = try store.withConnection { connection in
      try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'poi'")
    }
    #expect(tables == 0)
    try store.importRecords(from: .text(#"{"id": "p"}"#, named: "file"), model: model)
    #expect(throws: StoreError.self) {
      try Synchronizer(store, model: model, server: link, address: "memory")
    }
  }

  @Test func `a table with rows is synchronised only if it is tracked`() throws {
    let store = try Store.inMemory()
    let link = Link(to: MemoryServer())
    let model = try Model(parsing: SyncDevice.model)
    var options = ImportOptions()
    options.mergePolicy = .newest
    try store.importRecords(
      from: .text(#"{"id": "p", "changed": "2020-01-01T00:00:00Z"}"#, named: "file"), model: model,
      options: options)
    let error = #expect(throws: StoreError.self) {
      try Synchronizer(store, model: model, server: link, address: "memory")
    }
    #expect(error?.advice == [.track(table: "poi")])
    #expect(try store.syncedTables().isEmpty)
    try store.track()
    var synchronizer = try Synchronizer(store, model: model, server: link, address: "memory")
    #expect(try synchronizer.cycle().pushed.acceptedCount == 1)
  }

  @Test func `two cycles at once are refused`() throws {
    let folder = try ScratchFolder()
    let link = Link(to: MemoryServer())
    let device = try SyncDevice(folder.file("a.sqlite"), link)
    let other = try SyncDevice(folder.file("a.sqlite"), Link(to: MemoryServer()))
    link.meanwhile = { #expect(throws: StoreError.self) { try other.cycle() } }
    try device.cycle()
  }

  @Test func `starting over offers all again and changes nothing`() throws {
    let folder = try ScratchFolder()
    let server = MemoryServer()
    let device = try SyncDevice(folder.file("a.sqlite"), Link(to: server))
    try device.app.execute("INSERT INTO poi (id, name) VALUES ('p', 'n'), ('q', 'n')")
    try device.cycle()
    try device.app.execute("DELETE FROM poi WHERE id = 'q'")
    try device.cycle()
    let records = try device.records()
    try device.synchronizer().startOver()
    let report = try device.cycle()
    #expect(report.pulled.insertedCount == 0)
    #expect(Self.sentCount(report) == 0)
    #expect(try device.records() == records)
    #expect(try device.localCount() == 0)
  }
}
