import POIKitTestSupport
import POIRecords
import POISQLite
import POITestSupport
import Testing

@testable import POIKit

/// Local changes of tables that share rows or names, or whose keys and removals are unusual.
@Suite struct TrackedRelationTests {
  /// A table with records, tracked.
  private func tracked(_ document: String, _ records: String...) throws -> MergeStore {
    let store = try MergeStore(document)
    #expect(try store.run(records, .newest).counters.inserted == records.count)
    try store.store.track(store.model.table)
    return store
  }

  private func unsent(_ store: MergeStore) throws -> [JSONValue] {
    var lines: [UInt8] = []
    try store.store.exportUnsent(store.model.table) { piece in
      for index in piece.indices { lines.append(piece[index]) }
    }
    return try lines.split(separator: UInt8(ascii: "\n")).map {
      try JSONValue(parsing: Array($0).span)
    }
  }

  private func acknowledge(_ lines: String, in store: MergeStore) throws
    -> Store.AcknowledgementReport
  {
    try store.store.acknowledge(from: [.text(lines, named: "answer")])
  }

  private static let note = #"""
    {"x-table":"note","x-key":"id","x-timestamp":"at","required":["id","text"],
     "x-tombstone":{"attribute":"gone","removal":"delete"},"properties":{
      "id":{"type":"integer"},"text":{"type":"string"},"size":{"type":["integer","null"]},
      "gone":{"type":["boolean","null"]},"at":{"type":["integer","null"],"x-unit":"seconds"}}}
    """#

  @Test(arguments: ["edition", "seq", "what", "first", "last", "is_there", "was_there", "number"])
  func `a key may have the name of anything`(name: String) throws {
    let store = try tracked(
      #"{"x-table":"p","x-key":["i","\#(name)"],"properties":{"i":{"type":"integer"},"\#(name)":{"type":"integer"},"t":{}}}"#,
      #"{"i":1,"\#(name)":100}"#, #"{"i":2,"\#(name)":200}"#)
    let column = SQL(name: name)
    try store.execute(
      """
      UPDATE p SET t = 'm' WHERE i = 1; DELETE FROM p WHERE i = 2;
      INSERT INTO p(i, \(column)) VALUES (3, 300); DELETE FROM p WHERE i = 3;
      INSERT OR IGNORE INTO p(i, \(column)) VALUES (1, 100)
      """)
    let status = try store.store.trackingStatus()
    #expect(status.map(\.notSynchronisedCount) == [2])
    #expect(status.map(\.synchronisedCount) == [0])
    let lines = try unsent(store)
    #expect(lines.compactMap { $0["removed"]?["i"]?.integer } == [2])
    let edit = try #require(lines.first { $0["record"]?["i"]?.integer == 1 })
    let edition = try #require(edit["edition"]?.integer)
    #expect(edition < 10)
    let answer = #"{"key":{"i":1,"\#(name)":100},"edition":\#(edition)}"#
    #expect(try acknowledge(answer, in: store).endedCount == 1)
  }

  @Test func `an edit after discarding is not replaced once it is acknowledged`() throws {
    let store = try tracked(Self.note, #"{"id":1,"text":"a","at":5}"#)
    try store.execute("UPDATE note SET text = 'b'")
    #expect(try store.store.discardChanges() == 1)
    try store.execute("UPDATE note SET text = 'c'")
    let edition = try #require(unsent(store)[0]["edition"]?.integer)
    #expect(try acknowledge(#"{"key":{"id":1},"edition":\#(edition)}"#, in: store).endedCount == 1)
    #expect(try store.run([#"{"id":1,"text":"a","at":5}"#], .newest).counters.stale == 1)
    #expect(try store.rows("SELECT text FROM note") == ["c"])
  }

  @Test func `a removal and a partial record replace a discarded row, too`() throws {
    let store = try tracked(
      Self.note, #"{"id":1,"text":"a","at":5}"#, #"{"id":2,"text":"a","size":2,"at":5}"#)
    try store.execute("UPDATE note SET text = 'b'")
    #expect(try store.store.discardChanges() == 2)
    #expect(try store.run([#"{"id":1,"gone":true,"at":6}"#], .newest).counters.removals == 1)
    #expect(try store.run([#"{"id":2,"text":"c","at":6}"#], .objectTrump).counters.updated == 1)
    #expect(try store.rows("SELECT id, text, size FROM note") == ["2|c|2"])
  }

  @Test func `a rejected record ends no local removal`() throws {
    let store = try tracked(Self.note, #"{"id":1,"text":"a","at":5}"#)
    try store.execute("DELETE FROM note")
    var options = ImportOptions()
    options.maximumSkew = nil
    options.mergePolicy = .objectTrump
    #expect(
      try store.run([#"{"id":1,"size":3,"at":4000000000}"#], options).counters.rejected == 1)
    #expect(try unsent(store).count == 1)
  }

  @Test func `a row that is marked as removed is handed out, and not purged before`() throws {
    let store = try tracked(
      Self.note.replacing(#""removal":"delete""#, with: #""removal":"mark""#),
      #"{"id":1,"text":"a","at":5}"#)
    try store.execute("UPDATE note SET gone = 1")
    let now = Instant(microseconds: 4_000_000_000_000_000)
    let purged = try store.store.purgeTombstones(
      of: store.model, olderThan: .seconds(1), clock: { now })
    #expect(purged.rowCount == 0)
    #expect(try unsent(store)[0]["record"]?["gone"] == .bool(true))
  }

  @Test func `a time in the key is not changed`() throws {
    let store = try tracked(
      Self.note.replacing(#""x-key":"id""#, with: #""x-key":["id","at"]"#),
      #"{"id":1,"text":"a","at":5}"#)
    try store.execute("UPDATE note SET text = 'b'")
    #expect(try unsent(store)[0]["record"]?["at"] == .number(5))
  }

  @Test func `an answer ends with its last edition, and names keys of rows`() throws {
    let store = try tracked(Self.note, #"{"id":1,"text":"a","at":5}"#)
    try store.execute("UPDATE note SET text = 'b'")
    _ = try unsent(store)
    try store.execute("UPDATE note SET text = 'c'")
    _ = try unsent(store)
    let report = try acknowledge(
      """
      {"key":{"id":null},"edition":1}
      {"key":{"id":1},"edition":2}
      {"key":{"id":1},"edition":1,"record":{"id":1,"text":"old","at":5}}
      """, in: store)
    #expect(report.lines.counters.rejected == 1)
    #expect(report.endedCount == 1)
    #expect(report.records == nil)
    #expect(try store.rows("SELECT text FROM note") == ["c"])
  }

  @Test func `a key of a tracked table gets no other type`() throws {
    let store = try tracked(Self.note, #"{"id":1,"text":"a","at":5}"#)
    let wider = try MergeStore(
      Self.note.replacing(#""id":{"type":"integer"}"#, with: #""id":{"type":"number"}"#),
      store: store.store)
    let error = #expect(throws: StoreError.self) {
      try wider.run([#"{"id":1.5,"text":"b","at":5}"#], .newest)
    }
    #expect(error?.advice == [.untrack(table: "note")])
    #expect(try store.run([#"{"id":2,"text":"b","at":5}"#], .newest).counters.inserted == 1)
  }

  @Test func `times of single values and tracking exclude each other`() throws {
    let document = Self.note.replacing(#""removal":"delete""#, with: #""removal":"mark""#)
    let store = try tracked(document, #"{"id":1,"text":"a","at":5}"#)
    let line = [#"{"id":1,"text":"b","at":6}"#]
    let error = #expect(throws: StoreError.self) { try store.run(line, .newestByProperty) }
    #expect(error?.code == .invalidOptions)
    let other = try MergeStore(document)
    #expect(try other.run(line, .newestByProperty).counters.inserted == 1)
    #expect(throws: StoreError.self) { try other.store.track() }
  }

  @Test func `an edit that removes a record removes its rows, too`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("s.sqlite")
    let made = try MergeStore(Self.issue, store: Store(path))
    #expect(try made.run([#"{"id":1,"tags":["x"],"parts":[{"n":1}]}"#], .newest).counters.read == 1)
    let store = try MergeStore(Self.issue, store: Store(path))
    try store.store.remove(key: 1)
    #expect(try store.rows("SELECT n FROM part UNION ALL SELECT issue FROM issue_tag") == [])
  }

  // MARK: Rows that records share

  private static let issue = #"""
    {"x-table":"issue","x-key":"id","properties":{"id":{"type":"integer"},
      "author":{"type":["string","null"],"x-relation":{"table":"person","unique":"name"}},
      "reader":{"type":["string","null"],"x-relation":{"table":"person","unique":"name"}},
      "tags":{"type":"array","items":{"type":"string"},
        "x-relation":{"table":"tag","unique":"name","join":"issue_tag"}},
      "parts":{"type":"array","x-relation":{"table":"part","unique":"n"},
        "items":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}}}}
    """#

  @Test(arguments: [
    "DELETE FROM person WHERE name = 'ann'", "UPDATE person SET poikit_id = 99 WHERE name = 'ann'",
    "REPLACE INTO person(name) VALUES ('ann')", "UPDATE person SET name = 'cat' WHERE name = 'ann'",
    "DELETE FROM tag WHERE name = 'x'", "UPDATE OR REPLACE tag SET name = 'x' WHERE name = 'y'",
    "UPDATE OR REPLACE part SET poikit_id = 1 WHERE poikit_id = 3",
  ])
  func `records of shared and nested rows that go are local changes`(statement: String) throws {
    let store = try tracked(
      Self.issue, #"{"id":1,"author":"ann","reader":"bob","tags":["x"],"parts":[{"n":1},{"n":2}]}"#,
      #"{"id":2,"author":"bob","tags":["y"],"parts":[{"n":3}]}"#)
    func records() throws -> [String] {
      var bytes: [UInt8] = []
      try store.store.export("issue") { for index in $0.indices { bytes.append($0[index]) } }
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
    let before = try records()
    try store.execute("PRAGMA foreign_keys = OFF")
    try store.execute(SQL(verbatim: statement))
    let after = try records()
    let changed = zip(before, after).enumerated().filter { $1.0 != $1.1 }.map { $0.offset + 1 }
    #expect(!changed.isEmpty)
    let listed = try unsent(store).compactMap { $0["record"]?["id"]?.integer }
    #expect(Set(listed).isSuperset(of: changed), "\(listed), \(changed)")
  }

  @Test func `a delivery tells the digests of other tables what it writes, and logs nothing`()
    throws
  {
    let person = #"{"x-table":"person","x-key":"name","properties":{"name":{"type":"string"}}}"#
    let task = #"""
      {"x-table":"task","x-key":"id","properties":{"id":{"type":"integer"},
        "owner":{"type":["string","null"],"x-relation":{"table":"person","unique":"name"}}}}
      """#
    let people = try MergeStore(person)
    let tasks = try MergeStore(task, store: people.store)
    _ = try people.run([#"{"name":"z"}"#], .newest)
    _ = try tasks.run([#"{"id":1,"owner":"a"}"#], .newest)
    _ = try people.run([#"{"name":"z"}"#], .newest)
    try people.store.track("task")
    _ = try tasks.run([#"{"id":2,"owner":"b"}"#], .newest)
    #expect(try people.store.digest(ofTable: "person").rowCount == 3)
    try people.store.track("person")
    _ = try tasks.run([#"{"id":3,"owner":"c"}"#], .newest)
    #expect(try people.store.trackingStatus().map(\.notSynchronisedCount) == [0, 0])
  }
}
