import POIKitTestSupport
import POIRecords
import POISQLite
import POITestSupport
import Testing

@testable import POIKit

/// Records that a program edits one by one.
@Suite struct RecordEditorTests {
  private struct Note: Codable, Equatable {
    var id: Int
    var text: String?
    var kind: Kind?
    var tags: [Tag]?
    var at: Instant?

    struct Kind: Codable, Equatable {
      var name: String
    }
    struct Tag: Codable, Equatable {
      var name: String
      var level: Double?
    }
  }

  /// The members of its records have other names and forms than the attributes.
  private static let document = #"""
    {"x-table":"note","x-key":"id","x-timestamp":"at","x-unmapped-column":"more","required":["id"],
     "x-keeps-misfits":true,
     "properties":{
      "id":{"type":"integer","x-source":"/key/number"},
      "text":{"type":"string","maxLength":10,"x-source":"/body","default":"new"},
      "seen":{"type":["boolean","null"],"x-column":"is_seen"},
      "due":{"type":"string","format":"date","x-date-pattern":"dd.MM.yyyy"},
      "at":{"type":"integer","x-unit":"seconds","minimum":0},
      "kind":{"type":"object","x-relation":{"table":"kind","unique":["name"]},"required":["name"],
        "properties":{"name":{"type":"string","x-source":"/label"}}},
      "tags":{"type":"array","x-source":"/labels","x-relation":{"table":"tag","unique":"name"},"items":{
        "type":"object","required":["name"],
        "properties":{"name":{"type":"string","x-source":"/n"},"level":{"type":"number"}}}}}}
    """#

  private static let stored =
    #"{"key":{"number":1},"body":"a","seen":true,"due":"29.02.2024","at":100,"extra":7,"#
    + #""kind":{"label":"k"},"labels":[{"n":"t","level":1.5}]}"#

  private func store(isTracked: Bool = true) throws -> MergeStore {
    let store = try MergeStore(Self.document)
    #expect(try store.run([Self.stored], .newest).counters.inserted == 1)
    if isTracked { try store.store.track() }
    return store
  }

  private func unsent(_ store: MergeStore) throws -> [String] {
    var text: [UInt8] = []
    try store.store.exportUnsent { piece in for index in piece.indices { text.append(piece[index]) }
    }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test func `a record is found, changed and stored as a value`() throws {
    let store = try store()
    var note = try #require(try store.store.find(key: 1)).decode(Note.self)
    #expect(note.text == "a")
    #expect(note.tags == [Note.Tag(name: "t", level: 1.5)])
    note.text = "b"
    note.kind = Note.Kind(name: "l")
    note.tags?.append(Note.Tag(name: "u"))
    let row = try store.store.upsert(note)
    #expect(row["text"] == .text("b"))
    #expect(row["kind"] == .object(["name": .text("l")]))
    let time = try #require(row["at"].instant)
    #expect(time.microseconds > 1_700_000_000_000_000)
    note.at = time
    #expect(try row.decode(Note.self) == note)
    // What the type does not name stays.
    #expect(row["seen"] == .boolean(true))
    #expect(row["due"] == .text("2024-02-29"))
    #expect(try store.rows("SELECT more FROM note") == [#"{"extra":7}"#])
    let lines = try unsent(store)
    #expect(lines.count == 1)
    #expect(lines[0].contains(#""body":"b""#))
    #expect(lines[0].contains(#""due":"29.02.2024""#))
    #expect(lines[0].contains(#""extra":7"#))
    #expect(try store.digest() == store.store.digest().digest)
  }

  @Test func `an optional member that is nil clears its attribute`() throws {
    let store = try store()
    let row = try store.store.upsert(Note(id: 1))
    for name in ["text", "kind"] { #expect(row[name] == .null) }
    #expect(row["tags"] == .array([]))
    #expect(try store.rows("SELECT text IS NULL, kind IS NULL, is_seen FROM note") == ["1|1|1"])
  }

  @Test func `attributes are named in a dictionary, and the others stay`() throws {
    let store = try store()
    let values: [String: RowValue] = [
      "id": .integer(1), "due": .text("2025-01-31"),
      "at": .instant(Instant(microseconds: 5_000_000)),
    ]
    let row = try store.store.upsert(values)
    #expect(row["text"] == .text("a"))
    #expect(row["due"] == .text("2025-01-31"))
    // An older time is no time of a local change.
    #expect(try #require(row["at"].instant).microseconds > 100_000_000)
    // A row's values can be stored again, and change nothing.
    let version = try store.rows("SELECT * FROM poikit_change_note")
    #expect(try store.store.upsert(row.values) == row)
    #expect(try store.rows("SELECT * FROM poikit_change_note") == version)
  }

  @Test func `a new record gets the defaults, and is a local change`() throws {
    let store = try store()
    let row = try store.store.insert([
      "id": RowValue.integer(2), "kind": .object(["name": .text("k")]),
    ])
    #expect(row["text"] == .text("new"))
    #expect(try store.rows("SELECT count(*) FROM kind") == ["1"])
    #expect(try unsent(store).count == 1)
    let error = #expect(throws: StoreError.self) { try store.store.insert(Note(id: 2)) }
    #expect(error?.code == .conflict)
    #expect(error?.message.contains("note.id") == true)
  }

  @Test func `a removed record is gone, and remembered`() throws {
    let store = try store()
    #expect(try store.store.remove(key: 1))
    #expect(try !store.store.remove(key: 1))
    #expect(try store.store.find(key: 1) == nil)
    #expect(try unsent(store)[0].contains(#""removed":{"key":{"number":1}"#))
    #expect(try store.run([Self.stored], .newest).counters.stale == 1)
  }

  @Test(arguments: [
    (#"{"id":2,"text":"far too long for it"}"#, "text: "), (#"{"text":"x"}"#, "id: "),
    (#"{"id":"2"}"#, "id: "), (#"{"id":2,"colour":1}"#, "no attribute /colour"),
    (#"{"id":2,"kind":{"name":"k","more":1}}"#, "no attribute /kind/more"),
    (#"{"id":2,"due":"31.01.2025"}"#, "due: "), (#"{"id":2,"at":"never"}"#, "at: "),
    ("7", "object"),
  ])
  func `a record that breaks a rule is refused with its attribute`(
    text: String, part: String
  ) throws {
    let store = try store(isTracked: false)
    let value = RowValue(try JSONValue(parsing: Array(text.utf8).span))
    let before = try store.dump()
    let error = #expect(throws: StoreError.self) { try store.store.upsert(value) }
    #expect(error?.code == .invalidRecord)
    #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    #expect(try store.dump() == before)
  }

  @Test func `a new record needs what the model requires, a stored one does not`() throws {
    let document = MergeFixture.document.replacing(
      #""x-timestamp""#, with: #""required":["id","text"],"x-timestamp""#)
    let store = try MergeStore(document)
    #expect(try store.run([#"{"id":1,"text":"a"}"#], .newest).counters.inserted == 1)
    #expect(
      try store.store.upsert(["id": RowValue.integer(1), "tag": .real(2)])["text"] == .text("a"))
    let error = #expect(throws: StoreError.self) {
      try store.store.upsert(["id": RowValue.integer(2), "tag": .real(2)])
    }
    #expect(error?.code == .invalidRecord)
    #expect(error?.message.contains("text: ") == true)
  }

  @Test func `all edits are one transaction, and a refused one undoes only itself`() throws {
    let store = try store()
    try store.execute("CREATE UNIQUE INDEX app ON note(text); DELETE FROM poikit_change_note")
    try store.store.track()
    try store.store.edit { records in
      try records.upsert(Note(id: 2, text: "b", kind: Note.Kind(name: "new")))
      let error = #expect(throws: StoreError.self) {
        try records.upsert(
          Note(id: 3, text: "b", kind: Note.Kind(name: "lost"), tags: [.init(name: "x")]))
      }
      #expect(error?.cause?.isConstraint == true)
      #expect(try records.find(key: 3) == nil)
      try records.upsert(Note(id: 3, text: "c", kind: Note.Kind(name: "new")))
    }
    #expect(try store.rows("SELECT id FROM note ORDER BY 1") == ["1", "2", "3"])
    #expect(try store.rows("SELECT name FROM kind ORDER BY 1") == ["k", "new"])
    let before = try store.dump()
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try store.store.edit { records in
        try records.remove(key: 1)
        throw Stop()
      }
    }
    #expect(try store.dump() == before)
  }

  @Test func `records of a table without an enforced key are not edited`() throws {
    let store = try MergeStore()
    #expect(try store.run([#"{"id":1}"#], .append).counters.inserted == 1)
    let error = #expect(throws: StoreError.self) { try store.store.find(key: 1) }
    #expect(error?.code == .invalidOptions)
    #expect(error?.advice == [.enforce(key: ["id"], .index)])
  }

  @Test func `a key has its number of values, of its type`() throws {
    let store = try store()
    for key: [any RowValueConvertible] in [[], [1, 2], ["one"]] {
      let error = #expect(throws: StoreError.self) {
        try store.store.edit { try $0.remove(key: key) }
      }
      #expect(error?.code == .invalidOptions)
    }
  }

  @Test func `a record that a trigger removes is an error`() throws {
    let store = try store(isTracked: false)
    try store.execute(
      "CREATE TRIGGER app AFTER INSERT ON note BEGIN DELETE FROM note WHERE id = new.id; END")
    let error = #expect(throws: StoreError.self) {
      try store.store.insert(["id": RowValue.integer(2)])
    }
    #expect(error?.code == .interferingTrigger)
    #expect(try store.rows("SELECT id FROM note") == ["1"])
  }

  @Test func `a timestamp that must be there is the clock's if the value has none`() throws {
    let store = try MergeStore(
      Self.document.replacing(#""required":["id"],"#, with: #""required":["id","at"],"#))
    #expect(try store.run([Self.stored], .newest).counters.inserted == 1)
    let row = try store.store.insert(Note(id: 2))
    #expect(try #require(row["at"].instant).microseconds > 1_700_000_000_000_000)
    // Of a new record, and one that is stored keeps its own.
    for record in [Note(id: 3), Note(id: 4, text: "b")] {
      let row = try store.store.upsert(record)
      #expect(try #require(row["at"].instant).microseconds > 1_700_000_000_000_000)
    }
    try store.store.upsert(["id": RowValue.integer(5), "text": .text("c")])
    #expect(
      try store.rows("SELECT id FROM note WHERE at > 1700000000000000") == ["2", "3", "4", "5"])
    let known = try store.store.upsert(["id": RowValue.integer(1), "text": .text("d")])
    #expect(known["at"].instant?.microseconds == 100_000_000)
  }

  @Test(arguments: [
    ("rfc2822", Int64(1_000_000)), ("yyyy-MM-dd HH:mm:ss", 1_000_000),
    ("yyyy-MM-dd HH:mm:ss.SS", 10_000), ("yyyy-MM-dd HH:mm:ss.SSSSSSS", 1),
    ("dd.MM.yyyy HH:mm", 60_000_000),
  ])
  func `the clock's time has the unit of the pattern`(pattern: String, unit: Int64) throws {
    let store = try MergeStore(
      #"""
      {"x-table":"note","x-key":"id","x-timestamp":"at","required":["id"],"properties":{"id":{"type":"integer"},
        "at":{"type":"string","format":"date-time","x-date-pattern":"\#(pattern)"}}}
      """#)
    #expect(try store.run([#"{"id":1}"#], .newest).counters.inserted == 1)
    let time = try #require(try store.store.insert(["id": 2])["at"].instant).microseconds
    #expect(time > 1_700_000_000_000_000)
    #expect(time % unit == 0)
  }

  @Test func `what JSON cannot hold is refused with its attribute`() throws {
    struct Odd: Encodable {
      var id = 2
      var level = Double.nan
    }
    let store = try store(isTracked: false)
    var error = #expect(throws: StoreError.self) { try store.store.upsert(Odd()) }
    #expect(error?.code == .invalidRecord)
    #expect(error?.message.contains("level: ") == true, "\(error?.message ?? "")")
    var deep = RowValue.array([])
    for _ in 0..<200 { deep = .array([deep]) }
    error = #expect(throws: StoreError.self) {
      try store.store.upsert(["id": .integer(2), "text": deep])
    }
    #expect(error?.code == .invalidRecord)
    #expect(error?.message.contains("deeper than 128 levels") == true, "\(error?.message ?? "")")
    #expect(try store.rows("SELECT id FROM note") == ["1"])
  }

  // MARK: Being told

  @Test func `changes are told once, with their keys`() throws {
    let store = try store()
    var told = try store.store.changes()
    #expect(told.local.isEmpty)
    #expect(told.runs.map(\.number) == [1])
    try store.store.upsert(Note(id: 1, text: "b"))
    try store.store.upsert(Note(id: 2, text: "c"))
    try store.store.remove(key: 2)
    told = try store.store.changes(since: told.position)
    #expect(told.runs.isEmpty)
    #expect(told.local.map(\.key) == [["id": .integer(1)], ["id": .integer(2)]])
    #expect(told.local.map(\.isRemoved) == [false, true])
    told = try store.store.changes(since: told.position)
    #expect(told.isEmpty)
    #expect(try store.run([Self.stored], .newest).counters.kept == 1)
    let layout = try TableLayout(store.model, key: ["seen"])
    try store.store.upsert(["id": RowValue.integer(3), "seen": .boolean(true)])
    told = try store.store.changes(since: told.position)
    #expect(told.runs.map(\.isImport) == [true])
    _ = try store.store.deduplicate(Deduplicator(layout: layout, options: DeduplicationOptions()))
    told = try store.store.changes(since: told.position)
    #expect(told.runs.map(\.isImport) == [false])
    #expect(told.local.count == 1)
    try store.undo()
    told = try store.store.changes(since: told.position)
    #expect(told.runs.map(\.isUndone) == [true])
    #expect(try store.store.changes(since: told.position).isEmpty)
  }

  @Test func `an import is told when it has ended, also if it was unfinished before`() throws {
    let store = try store()
    let records = (5...7).map { #"{"key":{"number":\#($0)}}"# }
    var options = ImportOptions()
    (options.batchSize, options.jobCount, options.mergePolicy) = (1, 1, .newest)
    let stopped = try store.run(records, options) { _ in .stop }
    #expect(stopped.ending == .stopped)
    var told = try store.store.changes()
    #expect(told.runs.map(\.number) == [1])
    told = try store.store.changes(since: told.position)
    #expect(told.isEmpty)
    options.isResuming = true
    #expect(try store.run(records, options).counters.inserted == 3)
    told = try store.store.changes(since: told.position)
    #expect(told.runs.map(\.number) == [2])
    #expect(try store.store.changes(since: told.position).isEmpty)
  }
}
