import POIKitTestSupport
import POIRecords
import POISQLite
import POITestSupport
import Testing

@testable import POIKit

/// What a tracked table keeps of an app's changes when deliveries, deduplications and other models meet them.
@Suite struct TrackedTableTests {
  private static let first = [
    #"{"id":1,"text":"a","tag":1,"at":100}"#, #"{"id":2,"text":"b","tag":1,"at":100}"#,
    #"{"id":3,"text":"c","tag":1,"at":100}"#,
  ]

  /// A tracked table with the rows 1, 2 and 3.
  private func tracked(_ document: String = MergeFixture.document) throws -> MergeStore {
    let store = try MergeStore(document)
    #expect(try store.run(Self.first, .newest).counters.inserted == 3)
    let report = try store.store.track()
    #expect(report == Store.TrackingReport(table: "note", isNew: true, lostTriggers: []))
    return store
  }

  private func localKeys(_ store: MergeStore) throws -> [String] {
    try store.store.leased { lease in
      let log = try ChangeLog(of: store.model, in: lease.connection)
      return try lease.connection.rows(log.netChanges()) { $0.text(0) }
    }
  }

  // MARK: Deliveries

  static let policies = MergePolicy.allCases.filter { $0 != .append && $0 != .newestByProperty }

  @Test(arguments: policies)
  func `a row with local changes stays, whatever the policy`(policy: MergePolicy) throws {
    let store = try tracked()
    try store.execute("UPDATE note SET text = 'mine' WHERE id = 2; DELETE FROM note WHERE id = 3")
    let later = ["2", "3"].map { #"{"id":\#($0),"text":"theirs","tag":1,"at":101}"# }
    let report = try store.run(later, policy)
    #expect(report.counters.kept == 1)
    #expect(report.counters.stale == 1)
    #expect(report.counters.read == 2)
    #expect(report.keptOlderCount == 0)
    #expect(try store.rows("SELECT id, text FROM note") == ["1|a", "2|mine"])
    #expect(try localKeys(store) == ["2", "3"])
    #expect(try store.digest() == report.digest)
  }

  @Test func `a removal in a delivery leaves a row with local changes`() throws {
    let document = MergeFixture.document
      .replacing(
        #""x-timestamp":"at","#,
        with: #""x-timestamp":"at","x-tombstone":{"attribute":"gone","removal":"delete"},"#
      )
      .replacing(#""text":{"#, with: #""gone":{"type":["boolean","null"]},"text":{"#)
    let store = try tracked(document)
    try store.execute("UPDATE note SET text = 'mine' WHERE id = 2")
    let removals = ["2", "3"].map { #"{"id":\#($0),"gone":true,"at":101}"# }
    let report = try store.run(removals, .newest)
    #expect(report.counters.kept == 1)
    #expect(try store.rows("SELECT id, text FROM note") == ["1|a", "2|mine"])
    #expect(try localKeys(store) == ["2"])
    #expect(try store.digest() == report.digest)
  }

  @Test func `a kept row that is older than the delivery is counted`() throws {
    let store = try tracked()
    try store.execute("UPDATE note SET text = 'mine' WHERE id = 2")
    let time = try #require(Int(store.rows("SELECT at / 1000000 FROM note WHERE id = 2")[0]))
    let report = try store.run([#"{"id":2,"text":"theirs","at":\#(time + 1)}"#], .newest)
    #expect(report.counters.kept == 1)
    #expect(report.keptOlderCount == 1)
  }

  @Test func `a delivery with the same content ends a local change`() throws {
    let store = try tracked()
    try store.execute("UPDATE note SET text = 'mine' WHERE id = 2; DELETE FROM note WHERE id = 1")
    let time = try store.rows("SELECT at / 1000000 FROM note WHERE id = 2")[0]
    let report = try store.run([#"{"id":2,"text":"mine","tag":1,"at":\#(time)}"#], .newest)
    #expect(report.counters.unchanged == 1)
    #expect(try localKeys(store) == ["1"])
  }

  @Test func `a row that was removed here comes back only if the delivery is newer`() throws {
    let store = try tracked()
    try store.execute("DELETE FROM note WHERE id = 1")
    #expect(try store.run(Self.first, .overwrite).counters.stale == 1)
    #expect(try store.rows("SELECT id FROM note") == ["2", "3"])
    let time = try #require(
      Int(store.rows("SELECT poikit_timestamp / 1000000 FROM poikit_tombstone_note")[0]))
    #expect(try store.run([#"{"id":1,"at":\#(time)}"#], .newest).counters.stale == 1)
    #expect(try store.run([#"{"id":1,"at":\#(time + 1)}"#], .newest).counters.inserted == 1)
    #expect(try localKeys(store) == [])
    #expect(try store.rows("SELECT id FROM note ORDER BY 1") == ["1", "2", "3"])
  }

  @Test func `a row that REPLACE removed here stays away, whatever the policy`() throws {
    let store = try tracked()
    try store.execute(
      "CREATE UNIQUE INDEX app ON note(text); UPDATE note SET text = text")
    try store.store.track()
    // It was also edited before.
    try store.execute(
      "UPDATE note SET tag = 7 WHERE id = 1; UPDATE OR REPLACE note SET text = 'a' WHERE id = 2")
    for policy in Self.policies {
      #expect(try store.run([Self.first[0]], policy).counters.stale == 1)
      #expect(try localKeys(store).sorted() == ["1", "2"])
    }
  }

  @Test func `a snapshot neither removes what is only local nor logs what it removes`() throws {
    let store = try tracked()
    try store.execute(
      "INSERT INTO note(id, text) VALUES (9, 'new'); UPDATE note SET text = 'mine' WHERE id = 2")
    var options = ImportOptions()
    options.isSnapshot = true
    options.removalLimit = .count(3)
    let report = try store.run([Self.first[0]], options)
    #expect(report.counters.removed == 1)
    #expect(try store.rows("SELECT id FROM note ORDER BY 1") == ["1", "2", "9"])
    #expect(try localKeys(store).sorted() == ["2", "9"])
    #expect(try store.run(Self.first, options).counters.inserted == 1)
    #expect(try store.rows("SELECT id FROM note ORDER BY 1") == ["1", "2", "3", "9"])
  }

  @Test func `what a related row has changed here stays, too`() throws {
    let store = try MergeStore()
    let kind = #""kind":{"name":"k","level":1}"#
    #expect(
      try store.run([#"{"id":1,"at":100,\#(kind)}"#, #"{"id":2,"at":100}"#], .newest).counters
        .inserted == 2)
    try store.store.track()
    try store.execute("UPDATE kind SET name = 'mine'")
    let report = try store.run([#"{"id":1,"at":200,\#(kind)}"#, #"{"id":2,"at":200}"#], .newest)
    #expect(report.counters.kept == 1)
    #expect(report.counters.updated == 1)
    #expect(
      try store.rows("SELECT n.id, k.name FROM note AS n JOIN kind AS k ON k.poikit_id = n.kind")
        == ["1|mine"])
    // The record has a new time, because its related row has.
    #expect(try store.rows("SELECT at > 200000000 FROM note WHERE id = 1") == ["1"])
    // It gets the time at the beginning of the delivery, which counts only its own work.
    #expect(try store.digest() == report.digest)
  }

  // MARK: Times

  @Test func `a local change is newer than all that its key had`() throws {
    let store = try tracked()
    func time(_ id: Int) throws -> Int64 {
      try #require(try store.store.integer("SELECT at FROM note WHERE id = \(id)"))
    }
    let start = try #require(try store.store.integer("SELECT unixepoch() * 1000000"))
    // An edit that leaves the time, one that sets an older one, and one that sets a later one.
    try store.execute("UPDATE note SET text = 'x' WHERE id = 1")
    #expect(try time(1) >= start)
    try store.execute("UPDATE note SET text = 'y', at = 5000000 WHERE id = 1")
    #expect(try time(1) > start)
    try store.execute("UPDATE note SET text = 'z', at = 9000000000000000000 WHERE id = 1")
    #expect(try time(1) == 9_000_000_000_000_000_000)
    // The next edit within the same second is a unit of the records later.
    let (before, _) = (
      try time(2),
      try store.execute("UPDATE note SET text = 'x', at = 8000000000000000000 WHERE id = 2")
    )
    #expect(before == 100_000_000)
    try store.execute("UPDATE note SET text = 'y' WHERE id = 2")
    #expect(try time(2) == 8_000_000_000_001_000_000)
    // A row in place of another one, by REPLACE and after a removal.
    try store.execute("INSERT OR REPLACE INTO note(id, text) VALUES (2, 'z')")
    #expect(try time(2) == 8_000_000_000_002_000_000)
    try store.execute("DELETE FROM note WHERE id = 2")
    #expect(
      try store.store.integer("SELECT poikit_timestamp FROM poikit_tombstone_note")
        == 8_000_000_000_003_000_000)
    try store.execute("INSERT INTO note(id, at) VALUES (2, 7)")
    #expect(try time(2) == 8_000_000_000_004_000_000)
    #expect(try store.rows("SELECT * FROM poikit_tombstone_note") == [])
  }

  // MARK: Other connections

  /// A tracked table in a file.
  private func tracked(in path: String) throws -> MergeStore {
    let store = try MergeStore(store: Store(path))
    #expect(try store.run(Self.first, .newest).counters.inserted == 3)
    try store.store.track()
    return store
  }

  @Test func `a program that attaches the store is tracked, with an untrusted schema, too`() throws
  {
    let folder = try ScratchFolder()
    let store = try tracked(in: folder.file("s.sqlite"))
    let app = try Connection.inMemory()
    try app.execute(
      """
      PRAGMA trusted_schema = OFF; CREATE TABLE note(id INTEGER, text TEXT);
      ATTACH \(literal: folder.file("s.sqlite")) AS s;
      UPDATE s.note SET text = 'mine' WHERE id = 1; DELETE FROM s.note WHERE id = 2;
      INSERT INTO s.note(id, text) VALUES (9, 'new'); INSERT INTO note VALUES (3, 'its own')
      """)
    #expect(try localKeys(store).sorted() == ["1", "2", "9"])
    #expect(try store.rows("SELECT at > 100000000 FROM note WHERE id IN (1, 3)") == ["1", "0"])
  }

  @Test func `what another program writes beside a delivery is logged`() throws {
    let folder = try ScratchFolder()
    let store = try tracked(in: folder.file("s.sqlite"))
    let app = try Connection(path: folder.file("s.sqlite"), busyTimeout: 0)
    let delivery = try Connection(path: folder.file("s.sqlite"))
    let edit: SQL = "UPDATE note SET text = 'mine' WHERE id = 1"
    try delivery.inTransaction {
      try delivery.writing(.unlogged) {
        try delivery.execute("UPDATE note SET text = 'theirs' WHERE id = 2")
        // The other program waits: it never sees that writes are not logged.
        let error = #expect(throws: SQLiteError.self) { try app.execute(edit) }
        #expect(error?.isBusy == true)
      }
    }
    try app.execute(edit)
    #expect(try localKeys(store) == ["1"])
    // What is rolled back, as the transaction of a killed program is, leaves no mark.
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try delivery.inTransaction { try delivery.writing(.unlogged) { throw Stop() } }
    }
    try app.execute("DELETE FROM note WHERE id = 3")
    #expect(try localKeys(store) == ["1", "3"])
  }

  @Test func `edits between the batches of a delivery stay`() throws {
    let folder = try ScratchFolder()
    let store = try tracked(in: folder.file("s.sqlite"))
    let app = try Connection(path: folder.file("s.sqlite"))
    var options = ImportOptions()
    options.batchSize = 1
    options.jobCount = 1
    options.mergePolicy = .newest
    options.maximumSkew = nil
    let later = (1...3).map { #"{"id":\#($0),"text":"theirs","at":2000000000}"# }
    var hasEdited = false
    let report = try store.run(later, options) { _ in
      if !hasEdited { try? app.execute("UPDATE note SET text = 'mine' WHERE id = 3") }
      hasEdited = true
      return .proceed
    }
    #expect(report.counters.updated == 2)
    #expect(report.counters.kept == 1)
    #expect(try store.rows("SELECT text FROM note") == ["theirs", "theirs", "mine"])
    #expect(try store.digest() == report.digest)
  }

  // MARK: The toolkit's own changes

  @Test func `a deduplication is a local change, and undoing it restores rows, times and digest`()
    throws
  {
    let store = try tracked()
    let (before, digest) = (try store.dump(), try store.digest())
    let layout = try TableLayout(store.model, key: ["tag"])
    let report = try store.store.deduplicate(
      Deduplicator(layout: layout, options: DeduplicationOptions()))
    #expect(report.changes.removedRowCount == 2)
    #expect(try localKeys(store).count == 2)
    #expect(try store.rows("SELECT * FROM poikit_tombstone_note") == [])
    try store.undo()
    #expect(try store.dump() == before)
    #expect(try store.digest() == digest)
  }

  @Test func `a row whose removal was handed out comes back with a later time`() throws {
    let store = try tracked()
    let digest = try store.digest()
    let layout = try TableLayout(store.model, key: ["tag"])
    func deduplicate() throws {
      let report = try store.store.deduplicate(
        Deduplicator(layout: layout, options: DeduplicationOptions()))
      #expect(report.changes.removedRowCount == 2)
    }
    try deduplicate()
    try store.store.exportUnsent { _ in }
    // Removed again after that, and not handed out.
    #expect(try store.store.undo().raisedRowCount == 2)
    #expect(try store.rows("SELECT sum(at) FROM note") == ["302000000"])
    #expect(try store.digest() != digest)
    #expect(try localKeys(store).count == 2)
    let raised = try store.dump()
    try deduplicate()
    #expect(try store.store.undo().raisedRowCount == 0)
    #expect(try store.dump() == raised)
  }

  @Test func `the run that enforced the key of a tracked table is not undone`() throws {
    let store = try MergeStore()
    #expect(try store.run(Self.first, .append).counters.inserted == 3)
    try store.deduplicate()
    try store.store.track()
    let error = #expect(throws: StoreError.self) { try store.undo() }
    #expect(error?.code == .cannotUndo)
    #expect(error?.advice.count == 1 && error?.advice.first == .untrack(table: "note"))
    try store.store.untrack()
    try store.undo()
  }

  @Test func `old local removals are forgotten, unless they were not acknowledged`() throws {
    let store = try tracked()
    try store.execute("DELETE FROM note WHERE id < 3")
    let now = Instant(microseconds: 4_000_000_000_000_000)
    func purge() throws -> Int {
      try store.store.purgeTombstones(of: store.model, olderThan: .seconds(1), clock: { now })
        .deletedTombstoneCount
    }
    #expect(try purge() == 0)
    try store.store.exportUnsent { _ in }
    try store.store.acknowledge(from: [.text(#"{"key":{"id":1},"edition":9}"#, named: "a")])
    try store.store.acknowledge(from: [.text(#"{"key":{"id":1},"edition":1}"#, named: "a")])
    #expect(try purge() == 1)
    #expect(try store.rows("SELECT id FROM poikit_tombstone_note") == ["2"])
    #expect(try store.run(Self.first, .newest).counters.inserted == 1)
  }

  @Test func `another model of the table is tracked, too`() throws {
    let store = try tracked()
    let document = MergeFixture.document.replacing(
      #""text":{"type":["string","null"]},"#,
      with: #""text":{"type":["string","null"]},"new":{"type":["string","null"]},"#)
    let wider = try MergeStore(document, store: store.store)
    #expect(try wider.run([#"{"id":1,"at":101,"new":"n"}"#], .newest).counters.updated == 1)
    #expect(try localKeys(wider) == [])
    try wider.execute("UPDATE note SET new = 'mine' WHERE id = 2")
    #expect(try localKeys(wider) == ["2"])
  }

  // MARK: Tracking

  @Test func `imports are refused while triggers are missing`() throws {
    let store = try tracked()
    try store.execute("DROP TRIGGER poikit_track_update_note; UPDATE note SET text = 'lost'")
    let error = #expect(throws: StoreError.self) { try store.run(Self.first, .newest) }
    #expect(error?.code == .invalidOptions)
    #expect(error?.message.contains("poikit_track_update_note") == true)
    #expect(error?.advice == [.track(table: "note")])
    let report = try store.store.track()
    #expect(
      report
        == Store.TrackingReport(
          table: "note", isNew: false, lostTriggers: ["poikit_track_update_note"]))
    #expect(try store.run(Self.first, .newest).counters.read == 3)
  }

  @Test func `a new unique index needs new triggers`() throws {
    let store = try tracked()
    try store.execute("CREATE UNIQUE INDEX app ON note(text)")
    #expect(throws: StoreError.self) { try store.run(Self.first, .newest) }
    #expect(try store.store.track().lostTriggers.count == 4)
    try store.execute("INSERT OR REPLACE INTO note(id, text) VALUES (9, 'b')")
    #expect(try localKeys(store).sorted() == ["2", "9"])
  }

  @Test func `tracking does not end with local changes, and its numbers go on`() throws {
    let store = try tracked()
    try store.execute("UPDATE note SET text = 'x'")
    let error = #expect(throws: StoreError.self) { try store.store.untrack() }
    #expect(error?.code == .invalidOptions)
    #expect(error?.advice == [.discardAll])
    let last = try store.store.integer("SELECT max(poikit_seq) FROM poikit_change_note")
    try store.store.untrack(discardingAll: true)
    #expect(try store.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'poikit_track%'") == [])
    #expect(throws: StoreError.self) { try store.store.untrack() }
    try store.store.track()
    try store.execute("UPDATE note SET text = 'y' WHERE id = 1")
    let next = try store.store.integer("SELECT min(poikit_seq) FROM poikit_change_note")
    #expect(try #require(next) > #require(last))
  }

  @Test func `a table without an enforced key is not tracked`() throws {
    let store = try MergeStore()
    #expect(try store.run(Self.first, .append).counters.inserted == 3)
    let error = #expect(throws: StoreError.self) { try store.store.track() }
    #expect(error?.code == .invalidOptions)
    #expect(error?.advice == [.enforce(key: ["id"], .index)])
    #expect(try store.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'poikit_change%'") == [])
  }

  @Test func `a table with a unique expression is not tracked`() throws {
    let store = try MergeStore()
    #expect(try store.run(Self.first, .newest).counters.inserted == 3)
    try store.execute("CREATE UNIQUE INDEX odd ON note(lower(text))")
    let error = #expect(throws: StoreError.self) { try store.store.track() }
    #expect(error?.code == .unsupportedTable)
    #expect(error?.message.contains("\"odd\"") == true, "\(error?.message ?? "")")
    #expect(try store.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'poikit_track%'") == [])
  }
}
