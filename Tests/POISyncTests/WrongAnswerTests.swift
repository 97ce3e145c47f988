import Foundation
import JSONStreaming
import POIKit
import POIRecords
import POISQLite
import POISync
import POITestSupport
import Testing

/// Cycles whose server keeps to the protocol badly, or during which a program changes the table.
@Suite struct WrongAnswerTests {
  private static func document(_ text: String) throws -> JSONValue {
    try JSONValue(parsing: Array(text.utf8).span)
  }

  private static func synchronizer<Server: SyncServer>(
    _ device: SyncDevice, _ server: Server
  ) throws -> Synchronizer<Server> {
    try Synchronizer(
      device.store, model: Model(parsing: SyncDevice.model), server: server, address: "memory")
  }

  /// Gives each page another epoch.
  private struct RestlessServer: SyncServer {
    var epoch = 0

    mutating func pull(after checkpoint: String?, limit: Int) throws(SyncError) -> [UInt8] {
      epoch += 1
      return Array(
        #"{"documents":[{"id":"p","_version":\#(epoch)}],"checkpoint":"1","epoch":"\#(epoch)"}"#
          .utf8)
    }

    func push(_ request: [UInt8]) throws(SyncError) -> [UInt8] { [] }
  }

  @Test func `a server with another epoch for each page ends the cycle`() throws {
    let folder = try ScratchFolder()
    let device = try SyncDevice(folder.file("a.sqlite"), Link(to: MemoryServer()))
    var synchronizer = try Self.synchronizer(device, RestlessServer())
    let error = #expect(throws: SyncError.self) { try synchronizer.cycle() }
    #expect(error?.message == "the server names another epoch with each page")
    #expect(try device.store.syncedTables().first?.error == error?.message)
  }

  @Test func `a page that ends where it began ends the cycle`() throws {
    let folder = try ScratchFolder()
    let device = try SyncDevice(folder.file("a.sqlite"), Link(to: MemoryServer()))
    let page = #"{"documents":[{"id":"p","_version":1}],"checkpoint":"7","epoch":"e"}"#
    var synchronizer = try Self.synchronizer(device, FixedServer(page: page))
    let error = #expect(throws: SyncError.self) { try synchronizer.cycle() }
    #expect(error?.code == .unusable)
    #expect(error?.message == "the server's page ends where it began, at 7")
    #expect(try device.records().count == 1)
  }

  @Test(arguments: [
    #"{"documents":[],"epoch":"e"}"#, #"{"documents":[],"checkpoint":"1"}"#,
    #"{"documents":[{"id":"p","_version":1}],"checkpoint":"1","epoch":""}"#,
  ])
  func `a page without its end or its epoch changes nothing`(page: String) throws {
    let folder = try ScratchFolder()
    let device = try SyncDevice(folder.file("a.sqlite"), Link(to: MemoryServer()))
    var synchronizer = try Self.synchronizer(device, FixedServer(page: page))
    let error = #expect(throws: StoreError.self) { try synchronizer.cycle() }
    #expect(error?.code == .unreadable)
    #expect(error?.message.contains("lacks a text") == true, "\(error?.message ?? "")")
    #expect(try device.records().isEmpty)
  }

  @Test(arguments: [
    (#"{"outcomes":[]}"#, "has 0"), (#"{"outcomes":[{"version":1},{"version":2}]}"#, "has 2"),
    ("{}", "has no"), ("no JSON", "has no"),
  ])
  func `an answer with outcomes of other records ends no change`(
    answer: String, words: String
  ) throws {
    let folder = try ScratchFolder()
    let device = try SyncDevice(folder.file("a.sqlite"), Link(to: MemoryServer()))
    try device.app.execute("INSERT INTO poi (id, name) VALUES ('p', 'n')")
    var synchronizer = try Self.synchronizer(device, FixedServer(answer: answer))
    let error = #expect(throws: StoreError.self) { try synchronizer.cycle() }
    #expect(error?.code == .unreadable)
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    #expect(try device.localCount() == 1)
    #expect(try device.cycle().pushed.acceptedCount == 1)
  }

  @Test func `a record that the server lost is created again`() throws {
    let folder = try ScratchFolder()
    let server = MemoryServer()
    let device = try SyncDevice(folder.file("a.sqlite"), Link(to: server))
    try device.app.execute("INSERT INTO poi (id, name) VALUES ('p', 'n')")
    try device.cycle()
    server.forget()
    try device.app.execute("UPDATE poi SET name = 'm'")
    let report = try device.cycle()
    #expect(report.pushed.unknownCount == 1)
    #expect(report.pushed.acceptedCount == 1)
    #expect(try device.link.live() == device.records())
    #expect(try device.localCount() == 0)
  }

  @Test func `a record that was edited while it was refused is sent again`() throws {
    let folder = try ScratchFolder()
    let server = MemoryServer()
    let device = try SyncDevice(folder.file("a.sqlite"), Link(to: server))
    server.refusal = { $0["name"] == .string("bad") ? "no such name" : nil }
    try device.app.execute("INSERT INTO poi (id, name) VALUES ('p', 'bad')")
    var isPushed = false
    let link = device.link
    let refused = server.refusal
    server.refusal = { document in
      isPushed = true
      return refused(document)
    }
    link.meanwhile = {
      guard isPushed else { return }
      do { try device.app.execute("UPDATE poi SET name = 'good'") } catch { Issue.record(error) }
    }
    #expect(try device.cycle().pushed.refusedCount == 1)
    link.meanwhile = {}
    #expect(try device.store.syncedTables().first?.refusals.isEmpty == true)
    #expect(try device.cycle().pushed.acceptedCount == 1)
    #expect(try link.live() == device.records())
  }

  @Test func `a table whose tracking ends while it is sent has no server`() throws {
    let folder = try ScratchFolder()
    let device = try SyncDevice(folder.file("a.sqlite"), Link(to: MemoryServer()))
    try device.cycle()
    try device.app.execute("INSERT INTO poi (id, name) VALUES ('p', 'n')")
    var synchronizer = try device.synchronizer()
    let before = device.link.requestCount
    device.link.meanwhile = {
      guard device.link.requestCount == before + 2 else { return }
      do { try device.store.untrack(discardingAll: true) } catch { Issue.record(error) }
    }
    let error = #expect(throws: StoreError.self) { try synchronizer.cycle() }
    #expect(error?.code == .invalidOptions)
    #expect(error?.advice == [.track(table: "poi")])
    let again = #expect(throws: StoreError.self) { try synchronizer.cycle() }
    #expect(again?.message.contains("has no server") == true)
    #expect(try device.store.syncedTables().isEmpty)
    let other = #expect(throws: StoreError.self) {
      try Synchronizer(device.store, server: device.link)
    }
    #expect(other?.message.contains("has no server") == true)
  }

  @Test func `a push stops after a request, and the next cycle sends the rest`() throws {
    let folder = try ScratchFolder()
    let device = try SyncDevice(folder.file("a.sqlite"), Link(to: MemoryServer()))
    try device.app.execute(
      "INSERT INTO poi (id, name) VALUES ('p', 'n'), ('q', 'n'), ('r', 'n'), ('s', 'n'), ('t', 'n')"
    )
    var synchronizer = try device.synchronizer()
    let report = try synchronizer.cycle { $0.pushed.acceptedCount > 0 ? .stop : .proceed }
    #expect(report.isStopped)
    #expect(report.pushed.acceptedCount == 2)
    #expect(try device.localCount() == 3)
    #expect(try device.cycle().pushed.acceptedCount == 3)
  }

  @Test func `a cycle needs the file that holds off others`() throws {
    let folder = try ScratchFolder()
    let device = try SyncDevice(folder.file("a.sqlite"), Link(to: MemoryServer()))
    let place = folder.file("a.sqlite-sync")
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    let error = #expect(throws: StoreError.self) { try device.cycle() }
    #expect(error?.code == .inputOutput)
    #expect(error?.message.hasPrefix(place + ": ") == true)
    #expect(device.link.requestCount == 0)
  }

  @Test func `a first pull takes removals, too`() throws {
    let folder = try ScratchFolder()
    let server = MemoryServer()
    let device = try SyncDevice(folder.file("a.sqlite"), Link(to: server), isTracked: false)
    let time = #""changed":"2020-01-01T00:00:00Z""#
    server.put(try Self.document(#"{"id":"p","name":"n",\#(time)}"#))
    server.put(try Self.document(#"{"id":"q","name":"n",\#(time)}"#))
    let removal = try Self.document(#"{"id":"p","_removed":true,\#(time)}"#)
    device.options.pageSize = 1
    device.link.meanwhile = {
      if device.link.requestCount == 1 { server.put(removal) }
    }
    let report = try device.cycle()
    #expect(report.pulled.insertedCount == 2)
    #expect(report.pulled.removedCount == 1)
    #expect(try device.records().map { $0["id"]?.string } == ["q"])
    #expect(try device.link.live() == device.records())
    // The removal is known: an older record does not come back.
    try device.store.importRecords(
      from: .text(#"{"id":"p","name":"n",\#(time)}"#, named: "file"),
      model: Model(parsing: SyncDevice.model))
    #expect(try device.records().count == 1)
  }

  @Test func `what changed during a first pull is there once`() throws {
    let folder = try ScratchFolder()
    let server = MemoryServer()
    let device = try SyncDevice(folder.file("a.sqlite"), Link(to: server), isTracked: false)
    for id in ["p", "q"] {
      server.put(
        try Self.document(#"{"id":"\#(id)","name":"old","changed":"2020-01-01T00:00:00Z"}"#))
    }
    let later = try Self.document(#"{"id":"p","name":"new","changed":"2021-01-01T00:00:00Z"}"#)
    device.options.pageSize = 1
    var isChanged = false
    device.link.meanwhile = {
      if !isChanged { server.put(later) }
      isChanged = true
    }
    let report = try device.cycle()
    #expect(report.pulled.insertedCount == 3)
    #expect(try device.records().map { $0["name"]?.string } == ["new", "old"])
    #expect(try device.link.live() == device.records())
    try device.app.execute("UPDATE poi SET name = 'mine' WHERE id = 'p'")
    #expect(try device.cycle().pushed.acceptedCount == 1)
  }
}
