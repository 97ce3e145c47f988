import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIFiles
@testable import POIKit
@testable import POIRecords

@Suite struct RelationToManyTests {
  @Test func `arrays become rows of their tables`() throws {
    let outcome = try IssueTracker.imported([
      #"{"number":1,"tags":["ui","db"],"thread":{"comments":[{"author":"ann","number":1,"mood":{"name":"glad"},"files":[{"path":"a","size":2},{"path":"b"}]},{"author":"bob","number":1}]}}"#,
      #"{"number":2,"tags":["db"],"thread":{"comments":[{"author":"ann","number":1,"files":[]}]}}"#,
      #"{"number":3,"tags":null}"#,
    ])
    #expect(outcome.report.counters.inserted == 3)
    #expect(try rows("SELECT * FROM tag", in: outcome.store) == ["1|ui", "2|db"])
    #expect(
      try rows("SELECT * FROM issue_tag", in: outcome.store) == [
        "1|1|1", "2|1|2", "3|2|2",
      ])
    #expect(
      try rows(
        "SELECT poikit_id, issue_id, author, mood FROM comment", in: outcome.store)
        == ["1|1|ann|1", "2|1|bob|", "3|2|ann|"])
    #expect(
      try rows("SELECT * FROM file", in: outcome.store) == ["1|1|a|2.0", "2|1|b|"])
    #expect(
      try rows(
        "SELECT number, tags, comments FROM poikit_readable_issue", in: outcome.store)
        == ["1|2|2", "2|1|1", "3|0|0"])
    #expect(try IssueTracker.brokenReferences(in: outcome.store).isEmpty)
  }

  @Test(arguments: ["", #","join":"t_u""#])
  func `a record may consist of an array only`(join: String) throws {
    let feed = try FeedStore(
      Model(
        parsing: #"""
          {"x-table":"t","properties":{"a":{"type":"array","items":{"type":"string"},
            "x-relation":{"table":"u","unique":"v"\#(join)}}}}
          """#))
    let report = try feed.take(#"{"a":["x","y"]}"# + "\n{}")
    #expect(report.counters.inserted == 2)
    #expect(try feed.rows("SELECT v FROM u ORDER BY 1") == ["x", "y"])
    #expect(try feed.rows("SELECT count(*) FROM t") == ["2"])
    #expect(try feed.digest() == report.digest)
  }

  @Test func `the readable view counts rows of a table of any name`() throws {
    let feed = try FeedStore(
      Model(
        parsing: #"""
          {"x-table":"note","properties":{"tags":{"type":"array","items":{"type":"string"},
            "x-relation":{"table":"T","unique":"name"}}}}
          """#))
    try feed.take(#"{"tags":["a","b","c"]}{"tags":["d","e"]}"#)
    #expect(try feed.rows("SELECT tags FROM poikit_readable_note") == ["3", "2"])
  }

  @Test func `an index serves every foreign key of a relation to many`() throws {
    let outcome = try IssueTracker.imported([])
    for (table, column) in [
      ("comment", "issue_id"), ("file", "comment"), ("issue_tag", "issue"), ("issue_tag", "tag"),
    ] {
      let plan = try rows(
        "EXPLAIN QUERY PLAN SELECT 1 FROM \(name: table) WHERE \(name: column) = 1",
        in: outcome.store)
      #expect(plan.contains { $0.contains("SEARCH") }, "\(table).\(column): \(plan)")
    }
  }

  @Test func `neither batch size, threads nor any order changes the digest`() throws {
    for seed in TestLength.some(UInt64(1)...6, 3) {
      var generator = SplitMix64(seed: seed)
      let records = IssueTracker.records(60, using: &generator)
      let outcome = try IssueTracker.imported(records)
      #expect(
        try outcome.store.digest(of: IssueTracker.model()).digest == outcome.report.digest,
        "seed \(seed)")
      #expect(try IssueTracker.brokenReferences(in: outcome.store).isEmpty, "seed \(seed)")
      for (batchSize, jobCount) in [(1, 1), (7, 2), (500, 1)] {
        var options = ImportOptions()
        options.batchSize = batchSize
        options.jobCount = jobCount
        let other = try IssueTracker.imported(
          records.shuffled(using: &generator), options: options)
        #expect(other.report.digest == outcome.report.digest, "seed \(seed)")
        #expect(
          try IssueTracker.relations(in: other.store) == IssueTracker.relations(in: outcome.store),
          "seed \(seed)")
      }
    }
  }

  @Test func `one thread and two fill the tables alike, with the same row ids`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    let records = IssueTracker.records(200, using: &generator)
    let dumps = try [1, 2].map { jobCount in
      var options = ImportOptions()
      options.batchSize = 9
      options.jobCount = jobCount
      return try IssueTracker.dump(IssueTracker.imported(records, options: options).store)
    }
    #expect(dumps[0] == dumps[1], "seed \(seed)")
  }

  /// Two records, and whether their contents are equal.
  @Test(arguments: [
    (#"{"number":1,"tags":["a","b"]}"#, #"{"tags":["b","a","b"],"number":1}"#, true),
    (#"{"number":1}"#, #"{"number":1,"tags":[],"thread":{"comments":[]}}"#, true),
    (#"{"number":1}"#, #"{"number":1,"tags":null}"#, true),
    (#"{"number":1,"tags":["a"]}"#, #"{"number":1,"tags":["b"]}"#, false),
    (#"{"number":1,"tags":["a"]}"#, #"{"number":1}"#, false),
    (
      #"{"number":1,"thread":{"comments":[{"author":"a","number":1},{"author":"a","number":2}]}}"#,
      #"{"number":1,"thread":{"comments":[{"author":"a","number":2.0},{"author":"a","number":1}]}}"#,
      true
    ),
    (
      #"{"number":1,"thread":{"comments":[{"author":"a","number":1,"files":[{"path":"p"}]}]}}"#,
      #"{"number":1,"thread":{"comments":[{"author":"a","number":1}]}}"#, false
    ),
  ])
  func `the order of elements and their repetition are not content`(
    _ left: String, _ right: String, _ areEqual: Bool
  ) throws {
    let digests = try [left, right].map { try IssueTracker.imported([$0]).report.digest }
    #expect((digests[0] == digests[1]) == areEqual)
  }

  @Test func `the digest is computed from the documented bytes`() throws {
    let outcome = try IssueTracker.imported([
      #"{"number":7,"tags":["b","a"],"thread":{"comments":[{"author":"ann","number":1,"files":[{"path":"p"}]}]}}"#
    ])
    func tag(_ name: String) -> UInt64 { CanonicalContent.nameTag(name) }
    func content(_ body: (inout CanonicalContent) -> Void) -> [UInt8] {
      var content = CanonicalContent()
      body(&content)
      return unsafe content.bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }
    func word(_ value: UInt64) -> [UInt8] {
      (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    func many(_ name: String, _ rows: [[UInt8]]) -> [UInt8] {
      let sum = rows.reduce(Digest.zero) { $0 + MurmurHash3.digest(of: $1.span) }
      return word(tag(name)) + [UInt8(ascii: "m")] + word(UInt64(rows.count)) + word(sum.low)
        + word(sum.high)
    }
    let tags = ["a", "b"].map { name in
      content { $0.append(text: Array(name.utf8).span, nameTag: tag("name")) }
    }
    let file = content { $0.append(text: Array("p".utf8).span, nameTag: tag("path")) }
    let comment =
      content {
        $0.append(text: Array("ann".utf8).span, nameTag: tag("author"))
        $0.append(integer: 1, nameTag: tag("number"))
      } + many("files", [file])
    let issue =
      content { $0.append(integer: 7, nameTag: tag("number")) } + many("comments", [comment])
      + many("tags", tags)
    #expect(outcome.report.digest == MurmurHash3.digest(of: issue.span))
  }

  @Test func `a record with a bad element is rejected as a whole, with the element's path`() throws
  {
    let outcome = try IssueTracker.imported([
      #"{"number":1,"tags":["a"]}"#,
      #"{"number":2,"tags":["b","",3],"thread":{"comments":[{"author":"ann","number":1,"mood":{}},{"number":"x"},7,{"author":"ann","number":2,"text":"a text that is too long","files":[{"path":"p"},{"path":"p","size":1}]}]}}"#,
      #"{"number":3,"tags":{},"thread":{"comments":null}}"#,
      #"{"number":4,"thread":{"comments":[{"author":"ann","number":1}]}}"#,
    ])
    #expect(outcome.report.counters.inserted == 2)
    #expect(
      try rows(
        """
        SELECT i.value ->> 'rule' || ' ' || (i.value ->> 'attribute')
        FROM poikit_reject, json_each(issues) AS i
        """, in: outcome.store) == [
          "minLength tags/1", "type tags/2", "required comments/0/mood.name",
          "type comments/1/number", "required comments/1/author", "not-an-object comments/2",
          "maxLength comments/3/text", "unique comments/3/files/1", "type tags", "type comments",
        ])
    #expect(try rows("SELECT name FROM tag", in: outcome.store) == ["a"])
    #expect(try rows("SELECT issue_id FROM comment", in: outcome.store) == ["2"])
    #expect(try outcome.store.digest(of: IssueTracker.model()).digest == outcome.report.digest)
  }

  @Test func `a required array must be there, and be null only where its type allows it`() throws {
    let model = try Model(
      parsing: #"""
        {"x-table":"t","required":["a"],"properties":{"n":{"type":"integer"},
         "a":{"type":"array","items":{"type":"integer"},"x-relation":{"table":"u","unique":"v"}}}}
        """#)
    var session = try ImportSession(checking: model)
    try session.append(Array(#"{"a":[]}{"n":1}{"a":null}{"a":[1,2]}"#.utf8).span)
    let report = try session.finish()
    #expect(report.counters.inserted == 2)
    #expect(report.rejectsByRule.map(\.rule) == ["required", "type"])
  }

  @Test
  func `an array has at least and at most so many elements, which may be described elsewhere`()
    throws
  {
    let model = try Model(
      parsing: #"""
        {"x-table":"t","properties":{"a":{"type":"array","minItems":1,"maxItems":2,
         "items":{"$ref":"#/$defs/u"},"x-relation":{"table":"u","unique":"v"}}},
         "$defs":{"u":{"type":"object","required":["v"],
          "properties":{"v":{"type":"integer"},"w":{"type":"string"}}}}}
        """#)
    #expect(model.relations[0].element.attributes.map(\.name) == ["v", "w"])
    var session = try ImportSession(checking: model)
    try session.append(
      Array(
        #"{"a":[]}{"a":[{"v":1}]}{"a":[{"v":1},{"v":2}]}{"a":[{"v":1},{"v":2},{"v":1}]}{}"#.utf8
      )
      .span)
    let report = try session.finish()
    #expect(report.counters.inserted == 3)
    #expect(report.rejectsByRule.map(\.rule) == ["maxItems", "minItems"])
  }

  @Test func `unmapped members of elements are counted, and kept with their array`() throws {
    let model = try Model(
      parsing: #"""
        {"x-table":"t","x-unmapped-column":"more","properties":{
         "a":{"type":"array","items":{"type":"object","required":["v"],
          "properties":{"v":{"type":"integer"}}},"x-relation":{"table":"u","unique":"v"}}}}
        """#)
    let (report, rows) = try ImportFixture.importText(
      #"{"a":[{"v":1,"w":2},{"v":3,"w":4}]}{"a":[{"v":1}]}"#, model: model)
    #expect(report.unmappedMembers.map(\.pointer) == ["/a/*/w"])
    #expect(report.unmappedMembers.map(\.count) == [2])
    #expect(rows == [#"1|{"a":[{"v":1,"w":2},{"v":3,"w":4}]}|2"#, "2|NULL|1"])
  }

  @Test func `a record whose rows the table refuses is a reject, and leaves nothing`() throws {
    let model = try IssueTracker.model()
    let store = try Store.inMemory()
    try store.prepareTables(for: model)
    try store.execute("CREATE UNIQUE INDEX one_text ON comment (text)")
    var session = try ImportSession(into: store, model: model)
    let records = (1...4).map { number in
      #"{"number":\#(number),"tags":["t\#(number)"],"thread":{"comments":[{"author":"ann","number":1,"text":"\#(number / 2)"}]}}"#
    }
    try session.append(Array(records.joined(separator: "\n").utf8).span)
    let report = try session.finish()
    #expect(report.counters.inserted == 3)
    #expect(report.rejectsByRule.map(\.rule) == ["unique"])
    let filled = store
    #expect(
      try rows("SELECT record, raw FROM poikit_reject", in: filled)
        == ["3|" + records[2]])
    #expect(
      try IssueTracker.relations(in: filled)
        == ["1: ann 1", "1: t1", "2: ann 1", "2: t2", "4: ann 1", "4: t4"])
    #expect(try filled.digest(of: model).digest == report.digest)
    #expect(try IssueTracker.brokenReferences(in: filled).isEmpty)
  }

  @Test(arguments: [1, 2])
  func `a run that was stopped is resumed to the same tables`(jobCount: Int) throws {
    var generator = SplitMix64(seed: 3)
    let text = Array(IssueTracker.records(100, using: &generator).joined(separator: "\n").utf8)
    let model = try IssueTracker.model()
    var options = ImportOptions()
    options.batchSize = 10
    options.jobCount = jobCount
    let whole = try IssueTracker.imported(
      [String(decoding: text, as: UTF8.self)], options: options)
    let store = try Store.inMemory()
    var session = try ImportSession(into: store, model: model, options: options) {
      $0.counters.read >= 40 ? .stop : .proceed
    }
    try session.append(text.span)
    #expect(try session.finish().ending == .stopped)
    options.isResuming = true
    var second = try ImportSession(into: store, model: model, options: options)
    var source = BytesSource(text, name: "bytes")
    try second.importAll(from: &source)
    #expect(try second.finish().digest == whole.report.digest)
    #expect(try IssueTracker.dump(store) == IssueTracker.dump(whole.store))
  }

  @Test func `shared rows are inserted once, however long they are`() throws {
    // More than the memory for lookups can hold, in number and in bytes.
    let names = (0..<9_000).map { index in
      "\(index) " + String(repeating: "long ", count: index % 100 == 0 ? 500 : 1)
    }
    let records = (0..<2).flatMap { round in
      names.enumerated().map {
        #"{"number":\#(round * 10_000 + $0.offset),"tags":["\#($0.element)"]}"#
      }
    }
    let outcome = try IssueTracker.imported(records)
    #expect(try outcome.store.integer("SELECT count(*) FROM tag") == 9_000)
    #expect(try outcome.store.integer("SELECT count(*) FROM issue_tag") == 18_000)
  }

  @Test func `shared rows that another program changed are looked up again`() throws {
    let feed = try FeedStore(IssueTracker.model())
    let path = feed.path
    var options = ImportOptions()
    options.batchSize = 1
    // With two threads the closure is called again while the last batch is written.
    options.jobCount = 1
    let records = (1...2).map { number in
      #"{"number":\#(number),"tags":["a","b"],"thread":{"comments":[{"author":"ann","number":1,"mood":{"name":"glad"}}]}}"#
    }
    let report = try feed.take(records.joined(separator: "\n"), options: options) { progress in
      guard progress.counters.read == 1 else { return .proceed }
      try? Connection(path: path).execute(
        """
        DELETE FROM issue_tag;
        DELETE FROM tag WHERE name = 'a';
        UPDATE tag SET name = 'c';
        UPDATE mood SET name = 'sad'
        """)
      return .proceed
    }
    #expect(report.counters.inserted == 2)
    #expect(
      try feed.rows(IssueTracker.relationsQuery) == ["1: ann 1", "2: a", "2: ann 1", "2: b"])
    #expect(
      try feed.rows("SELECT m.name FROM comment JOIN mood AS m ON m.poikit_id = mood ORDER BY 1")
        == ["glad", "sad"])
  }

  @Test func `a deduplication moves rows to the winner without doubling them, and can be undone`()
    throws
  {
    for seed in TestLength.some(UInt64(1)...12, 4) {
      var generator = SplitMix64(seed: seed)
      let records = IssueTracker.records(40, using: &generator)
      let outcome = try IssueTracker.imported(records)
      let before = try IssueTracker.dump(outcome.store)
      let relations = Set(try IssueTracker.relations(in: outcome.store))
      let removal = try outcome.store.deduplicate(Deduplicator(layout: outcome.store.layout()))
      #expect(removal.plan.loserCount > 0, "seed \(seed)")
      // Each issue has the rows of all its records, once.
      #expect(try IssueTracker.relations(in: outcome.store) == relations.sorted(), "seed \(seed)")
      #expect(
        try rows(
          "SELECT 1 FROM issue GROUP BY number HAVING count(*) > 1", in: outcome.store
        )
        .isEmpty, "seed \(seed)")
      #expect(try IssueTracker.brokenReferences(in: outcome.store).isEmpty, "seed \(seed)")
      #expect(
        try outcome.store.digest(of: IssueTracker.model()).digest == removal.digest, "seed \(seed)")
      _ = try outcome.store.undo()
      #expect(try IssueTracker.dump(outcome.store) == before, "seed \(seed)")
      #expect(try IssueTracker.brokenReferences(in: outcome.store).isEmpty, "seed \(seed)")
      #expect(
        try outcome.store.digest(of: IssueTracker.model()).digest == outcome.report.digest,
        "seed \(seed)")
    }
  }

  @Test func `a winner with only its own arrays equals a merge, and can be undone`() throws {
    for seed in TestLength.some(UInt64(1)...12, 4) {
      var generator = SplitMix64(seed: seed)
      let records = IssueTracker.records(40, using: &generator)
      let appended = try IssueTracker.imported(records)
      let before = try IssueTracker.dump(appended.store)
      var options = DeduplicationOptions()
      options.arrays = .winner
      options.batchSize = Int.random(in: 1...20, using: &generator)
      let report = try appended.store.deduplicate(
        Deduplicator(layout: appended.store.layout(), options: options))
      var merging = ImportOptions()
      merging.mergePolicy = .newest
      let merged = try IssueTracker.imported(records, options: merging)
      #expect(report.digest == merged.report.digest, "seed \(seed)")
      #expect(
        try IssueTracker.relations(in: appended.store) == IssueTracker.relations(in: merged.store),
        "seed \(seed)")
      #expect(try IssueTracker.brokenReferences(in: appended.store).isEmpty, "seed \(seed)")
      let again = try appended.store.deduplicate(
        Deduplicator(layout: appended.store.layout(), options: options))
      #expect(again.plan.loserCount == 0 && again.digest == report.digest, "seed \(seed)")
      _ = try appended.store.undo()
      #expect(try IssueTracker.dump(appended.store) == before, "seed \(seed)")
    }
  }

  @Test func `references to a loser's row move to the winner's, or prevent the removal`() throws {
    let records = [
      #"{"number":1,"changed":1,"thread":{"comments":[{"author":"ann","number":1},{"author":"ann","number":2}]}}"#,
      #"{"number":1,"changed":2,"thread":{"comments":[{"author":"ann","number":2}]}}"#,
    ]
    var options = DeduplicationOptions()
    options.arrays = .winner
    for comment in [1, 2] {
      let outcome = try IssueTracker.imported(records)
      try outcome.store.execute(
        """
        CREATE TABLE bookmark (comment INTEGER NOT NULL REFERENCES comment (poikit_id));
        INSERT INTO bookmark VALUES (\(comment));
        """)
      let deduplicator = Deduplicator(layout: try outcome.store.layout(), options: options)
      if comment == 1 {
        let error = storeError {
          _ = try outcome.store.deduplicate(deduplicator)
        }
        #expect(error?.code == .unmovableReference)
        #expect(try outcome.store.integer("SELECT count(*) FROM comment") == 3)
      } else {
        _ = try outcome.store.deduplicate(deduplicator)
        #expect(try rows("SELECT comment FROM bookmark", in: outcome.store) == ["3"])
      }
      #expect(try IssueTracker.brokenReferences(in: outcome.store).isEmpty)
    }
  }

  /// The model with removals that delete.
  private static let removing = IssueTracker.document
    .replacing(
      #""x-key":"number""#,
      with: #""x-key":"number","x-tombstone":{"attribute":"removed","removal":"delete"}"#
    )
    .replacing(#""title":"#, with: #""removed":{"type":"boolean"},"title":"#)

  private static let issue =
    #"{"number":1,"changed":1,"tags":["ui"],"thread":{"comments":[{"author":"ann","number":1,"files":[{"path":"a"}]}]}}"#

  @Test func `the rows of a removed record are deleted while records are merged`() throws {
    let store = try MergeStore(Self.removing)
    _ = try store.run([Self.issue, #"{"number":2,"tags":["ui"]}"#], .newest)
    let report = try store.run([#"{"number":1,"changed":2,"removed":true}"#], .newest)
    #expect(try store.rows(IssueTracker.relationsQuery) == ["2: ui"])
    #expect(try store.rows("SELECT * FROM file").isEmpty)
    #expect(try store.rows("PRAGMA foreign_key_check").isEmpty)
    #expect(try store.digest() == report.digest)
  }

  @Test func `rows are deleted with a superseded row, and restored with it`() throws {
    let store = try MergeStore(Self.removing)
    let records = [
      Self.issue, #"{"number":2,"tags":["ui"]}"#, #"{"number":1,"changed":2,"removed":true}"#,
    ]
    _ = try store.run(records, .append)
    let before = try IssueTracker.tables.map { try store.rows("SELECT * FROM \(name: $0)") }
    #expect(before[0].count == 2)
    _ = try store.deduplicate()
    #expect(try store.rows(IssueTracker.relationsQuery) == ["2: ui"])
    #expect(try store.rows("SELECT * FROM file").isEmpty)
    #expect(try store.rows("PRAGMA foreign_key_check").isEmpty)
    try store.undo()
    #expect(try IssueTracker.tables.map { try store.rows("SELECT * FROM \(name: $0)") } == before)
  }
}
