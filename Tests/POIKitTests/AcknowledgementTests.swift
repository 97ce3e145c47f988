import POIKitTestSupport
import POIRecords
import POISQLite
import POITestSupport
import Testing

@testable import POIKit

/// Local changes that are handed out, and the answers to them.
@Suite struct AcknowledgementTests {
  /// A tracked table with the rows 1, 2 and 3.
  private func tracked() throws -> MergeStore {
    let store = try MergeStore()
    let records = (1...3).map { #"{"id":\#($0),"text":"t","at":100}"# }
    #expect(try store.run(records, .newest).counters.inserted == 3)
    try store.store.track()
    return store
  }

  private func unsent(_ store: MergeStore) throws -> [JSONValue] {
    var bytes: [UInt8] = []
    let report = try store.store.exportUnsent { piece in
      for index in piece.indices { bytes.append(piece[index]) }
    }
    let lines = try bytes.split(separator: UInt8(ascii: "\n")).map {
      try JSONValue(parsing: Array($0).span)
    }
    #expect(report.recordCount == lines.count)
    #expect(report.byteCount == bytes.count)
    return lines
  }

  /// What the lines say: the key, and `-` before a removal.
  private func keys(_ lines: [JSONValue]) -> [String] {
    lines.map { line in
      line["record"]?["id"]?.integer.map(String.init) ?? "-\(line["removed"]?["id"]?.integer ?? 0)"
    }
  }

  private func acknowledge(_ store: MergeStore, _ lines: String...) throws
    -> Store.AcknowledgementReport
  {
    try store.store.acknowledge(from: [.text(lines.joined(separator: "\n"))])
  }

  /// Acknowledges lines that were handed out.
  private func acknowledge(_ store: MergeStore, _ lines: [JSONValue]) throws
    -> Store.AcknowledgementReport
  {
    let answers = lines.map { line in
      let key = (line["record"] ?? line["removed"])?["id"]?.integer ?? 0
      return #"{"key":{"id":\#(key)},"edition":\#(line["edition"]?.integer ?? 0)}"#
    }
    return try store.store.acknowledge(from: [.text(answers.joined(separator: "\n"))])
  }

  @Test func `each changed record is a line, by edition`() throws {
    let store = try tracked()
    try store.execute(
      """
      UPDATE note SET text = 'mine' WHERE id = 2; DELETE FROM note WHERE id = 1;
      INSERT INTO note(id, text) VALUES (9, 'new'); INSERT INTO note(id) VALUES (8); DELETE FROM note WHERE id = 8;
      UPDATE note SET text = text WHERE id = 3
      """)
    let lines = try unsent(store)
    #expect(keys(lines) == ["2", "-1", "9"])
    let editions = lines.compactMap { $0["edition"]?.integer }
    #expect(editions == editions.sorted() && editions.count == 3)
    #expect(lines[0]["record"]?["text"]?.string == "mine")
    let removed = try #require(lines[1]["removed"]?.members)
    #expect(removed.map(\.name) == ["id", "at"])
    let start = try #require(try store.store.integer("SELECT unixepoch()"))
    #expect(try abs(#require(removed[1].value.integer) - Int(start)) < 100)
    // What was handed out is so again until it is acknowledged.
    #expect(try keys(unsent(store)) == ["2", "-1", "9"])
    let report = try acknowledge(store, lines)
    #expect(report.endedCount == 3)
    #expect(report.unknownCount == 0)
    #expect(try keys(unsent(store)) == [])
  }

  @Test func `a removal by REPLACE has the time of the row that replaced it, or a later one`()
    throws
  {
    let store = try tracked()
    try store.execute(
      "INSERT OR REPLACE INTO note(poikit_id, id) SELECT poikit_id, 7 FROM note WHERE id = 2")
    let lines = try unsent(store)
    #expect(keys(lines).sorted() == ["-2", "7"])
    let removed = lines.compactMap { $0["removed"]?["at"]?.integer }
    #expect(removed.count == 1 && removed[0] > 100)
  }

  @Test func `an edit after the changes were handed out is in the next ones`() throws {
    let store = try tracked()
    try store.execute("UPDATE note SET text = 'first' WHERE id = 2; DELETE FROM note WHERE id = 3")
    let lines = try unsent(store)
    try store.execute(
      "UPDATE note SET text = 'second' WHERE id = 2; INSERT INTO note(id) VALUES (3)")
    let report = try acknowledge(store, lines)
    #expect(report.endedCount == 2)
    #expect(try keys(unsent(store)) == ["2", "3"])
  }

  @Test func `a removal before the answer is in the next changes`() throws {
    let store = try tracked()
    try store.execute("INSERT INTO note(id) VALUES (9); UPDATE note SET text = 'x' WHERE id = 1")
    let lines = try unsent(store)
    try store.execute("DELETE FROM note WHERE id IN (1, 9)")
    #expect(try keys(unsent(store)).sorted() == ["-1", "-9"])
    #expect(try acknowledge(store, lines).endedCount == 2)
    let rest = try unsent(store)
    #expect(keys(rest).sorted() == ["-1", "-9"])
    #expect(try acknowledge(store, rest).endedCount == 2)
    #expect(try keys(unsent(store)) == [])
  }

  @Test func `an edition that was not handed out is rejected, and an unknown key is counted`()
    throws
  {
    let store = try tracked()
    try store.execute("UPDATE note SET text = 'x'")
    #expect(
      try acknowledge(store, #"{"key":{"id":1},"edition":1}"#).lines.rejectsByRule.map(\.rule) == [
        "maximum"
      ])
    let last = try unsent(store).compactMap { $0["edition"]?.integer }.max() ?? 0
    let report = try acknowledge(
      store, #"{"key":{"id":1},"edition":\#(last + 1)}"#, #"{"key":{"id":5},"edition":\#(last)}"#,
      #"{"key":{},"edition":\#(last)}"#, #"{"key":{"id":2}}"#, #"{"key":{"id":"2"},"edition":1}"#)
    #expect(report.lines.counters.rejected == 4)
    #expect(report.unknownCount == 1)
    #expect(report.endedCount == 0)
    #expect(try keys(unsent(store)).count == 3)
  }

  @Test func `the record of an answer replaces the row, unless it has changed since`() throws {
    let store = try tracked()
    try store.execute("UPDATE note SET text = 'mine' WHERE id < 3")
    let lines = try unsent(store)
    try store.execute("UPDATE note SET text = 'later' WHERE id = 2")
    let answers = lines.map { line in
      let id = line["record"]?["id"]?.integer ?? 0
      return
        #"{"key":{"id":\#(id)},"edition":\#(line["edition"]?.integer ?? 0),"record":{"id":\#(id),"text":"server","at":5}}"#
    }
    let report = try store.store.acknowledge(from: [.text(answers.joined(separator: "\n"))])
    #expect(report.endedCount == 2)
    #expect(report.records?.counters.updated == 1)
    #expect(report.records?.counters.kept == 1)
    #expect(try store.rows("SELECT id, text FROM note") == ["1|server", "2|later", "3|t"])
    #expect(try keys(unsent(store)) == ["2"])
  }

  @Test func `a table that is not tracked hands out nothing`() throws {
    let store = try MergeStore()
    #expect(try store.run([#"{"id":1}"#], .newest).counters.inserted == 1)
    let error = #expect(throws: StoreError.self) { try store.store.exportUnsent { _ in } }
    #expect(error?.code == .invalidOptions)
    #expect(error?.advice == [.track(table: "note")])
    #expect(throws: StoreError.self) { try acknowledge(store, #"{"key":{"id":1},"edition":1}"#) }
  }

  @Test func `a key inside of an object is answered in the same place`() throws {
    let store = try MergeStore(
      """
      {"x-table":"place","x-key":"code","properties":{
        "code":{"type":"string","format":"uuid","x-source":"/properties/code"},"name":{"type":["string","null"]}}}
      """)
    let code = "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"
    #expect(
      try store.run([#"{"properties":{"code":"\#(code)"},"name":"n"}"#], .newest).counters.inserted
        == 1)
    try store.store.track()
    try store.execute("DELETE FROM place")
    let lines = try unsent(store)
    #expect(lines.first?["removed"]?.description == #"{"properties":{"code":"\#(code)"}}"#)
    let answer =
      #"{"key":{"properties":{"code":"\#(code.lowercased())"}},"edition":\#(lines[0]["edition"]?.integer ?? 0)}"#
    #expect(try acknowledge(store, answer).endedCount == 1)
    #expect(try unsent(store).isEmpty)
  }

  @Test func `discarded changes are not handed out, and the next delivery replaces them`() throws {
    let store = try tracked()
    try store.execute(
      "UPDATE note SET text = 'mine'; DELETE FROM note WHERE id = 3; INSERT INTO note(id) VALUES (9)"
    )
    #expect(try store.store.discardChanges(of: #"{"id":1}"#) == 1)
    #expect(try store.store.discardChanges(of: #"{"id":1}"#) == 0)
    for wrong in [#"{"id":"1"}"#, "1", "{}", "nope", #"{"id":1},"edition":2}{"key":{"id":2}"#] {
      let error = #expect(throws: StoreError.self) { try store.store.discardChanges(of: wrong) }
      #expect(error?.code == .invalidOptions)
    }
    #expect(try keys(unsent(store)).sorted() == ["-3", "2", "9"])
    let delivery = (1...3).map { #"{"id":\#($0),"text":"t","at":100}"# }
    var report = try store.run(delivery, .newest)
    #expect(report.counters.updated == 1)
    #expect(report.counters.kept == 1)
    #expect(report.counters.stale == 1)
    #expect(try store.store.discardChanges() == 3)
    report = try store.run(delivery, .newest)
    #expect(report.counters.updated == 1)
    #expect(report.counters.inserted == 1)
    #expect(report.counters.unchanged == 1)
    #expect(
      try store.rows("SELECT id, text, at FROM note WHERE id < 9 ORDER BY 1").map { $0.suffix(11) }
        == Array(repeating: "t|100000000", count: 3))
    #expect(try keys(unsent(store)) == [])
  }

  @Test func `a copy of a store begins without local changes`() throws {
    let folder = try ScratchFolder()
    let store = try Store(folder.file("s.sqlite"))
    let merged = try MergeStore(store: store)
    #expect(
      try merged.run([#"{"id":1,"at":1}"#, #"{"id":2,"at":1}"#], .newest).counters.inserted == 2)
    try store.track()
    try merged.execute("UPDATE note SET text = 'mine' WHERE id = 1; DELETE FROM note WHERE id = 2")
    let saved = folder.file("saved.sqlite")
    try store.save(to: saved)
    let copy = try MergeStore(store: Store(saved))
    #expect(try unsent(copy).isEmpty)
    #expect(try copy.rows("SELECT id, text FROM note") == ["1|mine"])
    try copy.execute("UPDATE note SET text = 'theirs'")
    #expect(try keys(unsent(copy)) == ["1"])
    #expect(try keys(unsent(merged)) == ["1", "-2"])
  }

  @Test func `an edit after discarding is a local change again`() throws {
    let store = try tracked()
    try store.execute("UPDATE note SET text = 'mine' WHERE id = 1")
    #expect(try store.store.discardChanges() == 1)
    try store.execute("UPDATE note SET text = 'again' WHERE id = 1")
    #expect(try keys(unsent(store)) == ["1"])
    #expect(try store.run([#"{"id":1,"text":"t","at":100}"#], .newest).counters.kept == 1)
  }

  @Test func `a key that refers to another table is answered`() throws {
    let store = try MergeStore(
      """
      {"x-table":"detail","x-key":"place","required":["place"],"properties":{
        "place":{"type":"integer","x-references":{"table":"place","attribute":"id"}},
        "name":{"type":["string","null"]}}}
      """)
    try store.execute("CREATE TABLE place (id INTEGER PRIMARY KEY); INSERT INTO place VALUES (1)")
    #expect(try store.run([#"{"place":1}"#], .newest).counters.inserted == 1)
    try store.store.track()
    try store.execute("UPDATE detail SET name = 'mine'")
    let edition = try #require(unsent(store).first?["edition"]?.integer)
    let report = try acknowledge(store, #"{"key":{"place":1},"edition":\#(edition)}"#)
    #expect(report.endedCount == 1)
    #expect(report.lines.counters.rejected == 0)
    #expect(try unsent(store).isEmpty)
  }

  @Test func `a key is judged by the definitions of its model`() throws {
    let store = try MergeStore(
      """
      {"x-table":"place","x-key":"id","required":["id"],"$defs":{"code":{"type":"integer","minimum":10}},
        "properties":{"id":{"$ref":"#/$defs/code"},"name":{"type":["string","null"]}}}
      """)
    #expect(try store.run([#"{"id":10}"#], .newest).counters.inserted == 1)
    try store.store.track()
    try store.execute("UPDATE place SET name = 'mine'")
    let edition = try #require(unsent(store).first?["edition"]?.integer)
    let report = try acknowledge(
      store, #"{"key":{"id":9},"edition":\#(edition)}"#, #"{"key":{"id":10},"edition":\#(edition)}"#
    )
    #expect(report.lines.rejectsByRule.map(\.rule) == ["minimum"])
    #expect(report.endedCount == 1)
    #expect(try unsent(store).isEmpty)
  }

  @Test func `an answer for a table that is no longer tracked is refused`() throws {
    let store = try tracked()
    try store.execute("UPDATE note SET text = 'mine' WHERE id = 2")
    let edition = try #require(unsent(store).first?["edition"]?.integer)
    let error = #expect(throws: StoreError.self) {
      try store.store.acknowledge(
        from: [.text(#"{"key":{"id":2},"edition":\#(edition)}"#)],
        progress: { _ in
          _ = try? store.store.untrack(discardingAll: true)
          return .proceed
        })
    }
    #expect(error?.code == .invalidOptions)
    #expect(error?.advice == [.track(table: "note")])
  }

  @Test func `local changes stay although a program empties sqlite_sequence`() throws {
    let store = try tracked()
    try store.execute("UPDATE note SET text = 'mine' WHERE id = 2; DELETE FROM sqlite_sequence")
    let edition = try #require(unsent(store).first?["edition"]?.integer)
    #expect(
      try acknowledge(store, #"{"key":{"id":2},"edition":\#(edition)}"#).endedCount == 1)
    try store.execute("UPDATE note SET text = 'again' WHERE id = 2")
    #expect(try unsent(store).count == 1)
  }

  @Test func `an answer whose records a trigger rolls back is an error`() throws {
    let store = try tracked()
    try store.execute("UPDATE note SET text = 'mine' WHERE id = 2")
    let edition = try #require(unsent(store).first?["edition"]?.integer)
    let answer =
      #"{"key":{"id":2},"edition":\#(edition),"record":{"id":2,"text":"server","at":5}}"#
    try store.execute(
      """
      CREATE TRIGGER app BEFORE UPDATE ON note WHEN new.text = 'server'
      BEGIN SELECT RAISE(ROLLBACK, 'not here'); END
      """)
    let error = #expect(throws: StoreError.self) { try acknowledge(store, answer) }
    #expect(error?.message.contains("not here") == true, "\(error?.message ?? "")")
    #expect(try store.rows("SELECT text FROM note WHERE id = 2") == ["mine"])
    try store.execute("DROP TRIGGER app")
    #expect(try acknowledge(store, answer).records?.counters.updated == 1)
  }

  @Test func `an answer whose records could not be stored can be repeated`() throws {
    let store = try tracked()
    try store.execute("UPDATE note SET text = 'mine' WHERE id = 2")
    let edition = try #require(unsent(store).first?["edition"]?.integer)
    let answer =
      #"{"key":{"id":2},"edition":\#(edition),"record":{"id":2,"text":"server","at":5}}"#
    // An earlier answer, stopped while its records were stored.
    var options = ImportOptions()
    (options.batchSize, options.jobCount, options.mergePolicy) = (1, 1, .overwrite)
    var session = try ImportSession(into: store.store, model: store.model, options: options) {
      _ in .stop
    }
    try session.beginInput(named: "acknowledgement")
    try session.append(#"{"id":8} {"id":9}"#.utf8Span.span)
    #expect(try session.finish().ending == .stopped)
    #expect(try acknowledge(store, answer).records?.counters.updated == 1)
    #expect(try store.rows("SELECT text FROM note WHERE id = 2") == ["server"])
  }
}
