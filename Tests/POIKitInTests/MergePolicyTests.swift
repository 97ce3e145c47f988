import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct MergePolicyTests {
  private static let stored = [
    #"{"id":1,"text":"a","tag":"x","at":10,"kind":{"name":"k","level":1}}"#,
    #"{"id":2,"text":"b","at":10}"#,
    #"{"id":3,"text":"c","tag":"z","at":10}"#,
  ]

  private static let imported = [
    // Newer, without tag and kind.
    #"{"id":1,"text":"A","at":11}"#,
    // Older, with an explicit null and a tag that the stored record lacks.
    #"{"id":2,"text":null,"tag":"y","at":9}"#,
    // The same.
    #"{"id":3,"text":"c","tag":"z","at":10}"#,
    #"{"id":4,"text":"d","at":1}"#,
  ]

  /// The rows after both imports, and the counters of the second.
  private static func outcome(
    _ policy: MergePolicy
  ) throws -> (rows: [String], counters: ImportReport.Counters) {
    let store = try MergeStore()
    _ = try store.run(stored, .newest)
    // A column of an app, which no policy changes.
    try store.execute(
      "ALTER TABLE note ADD COLUMN isFavorite INTEGER; UPDATE note SET isFavorite = id + 10")
    let report = try store.run(imported, policy)
    #expect(report.mergePolicy == policy)
    #expect(try store.digest() == report.digest)
    let found = try store.rows(
      """
      SELECT poikit_id, text, tag, at / 1000000, (SELECT name FROM kind WHERE poikit_id = kind),
        isFavorite FROM note ORDER BY poikit_id
      """)
    return (found, report.counters)
  }

  private static func counters(
    inserted: Int = 1, updated: Int = 0, unchanged: Int = 0, stale: Int = 0, ignored: Int = 0
  ) -> ImportReport.Counters {
    var counters = ImportReport.Counters()
    counters.read = 4
    counters.inserted = inserted
    counters.updated = updated
    counters.unchanged = unchanged
    counters.stale = stale
    counters.ignored = ignored
    return counters
  }

  @Test(arguments: [0, 20_000])
  func `a closure chooses the policy of each record that meets a row`(directRecordLimit: Int) throws
  {
    let store = try Store.inMemory()
    let model = try Model(
      parsing: """
        {"x-table": "t", "x-key": "id", "properties": {"id": {"type": "integer"},
        "a": {"type": "integer"}, "b": {"type": ["string", "null"]}}}
        """)
    var options = ImportOptions()
    options.directRecordLimit = directRecordLimit
    options.choosePolicy = { stored, record in
      switch record.integer("a") ?? 0 {
      case 0: .storeTrump
      case 1: .objectTrump
      case 2: .overwrite
      case 3: stored.integer("a") == 9 ? .rollback : .error
      default: .newest
      }
    }
    func take(_ text: String) throws -> ImportReport.Counters {
      try store.importRecords(from: .text(text), model: model, options: options).counters
    }
    #expect(
      try take(
        """
        {"id":1,"a":9,"b":"x"}{"id":2,"a":9,"b":"x"}{"id":3,"a":9,"b":"x"}{"id":4,"a":9,"b":"x"}
        {"id":5,"a":9}
        """
      ).inserted == 5)
    let second = try take(
      #"{"id":1,"b":"y"}{"id":2,"a":1}{"id":3,"a":2}{"id":4,"a":3}{"id":5,"b":"z"}"#)
    #expect(second.unchanged == 1 && second.updated == 3 && second.ignored == 1, "\(second)")
    let rows = try store.rows(of: "t").map { [$0["a"].integer.map(Int.init), $0["b"].text?.count] }
    #expect(rows == [[9, 1], [1, 1], [2, nil], [9, 1], [9, 1]])
    #expect(storeError { _ = try take(#"{"id":2,"a":3}"#) }?.code == .conflict)

    options.mergePolicy = .overwrite
    #expect(storeError { _ = try take(#"{"id":2,"a":5}"#) }?.code == .invalidOptions)

    options.mergePolicy = nil
    options.isRestarting = true
    options.choosePolicy = { _, _ in .append }
    let refused = storeError { _ = try take(#"{"id":2,"a":5}"#) }
    #expect(refused?.message.contains("choosePolicy returned append") == true)
    options.choosePolicy = { stored, _ in stored.text("bb") == nil ? .overwrite : .rollback }
    let misspelt = storeError { _ = try take(#"{"id":6}{"id":2,"a":5}"#) }
    #expect(misspelt?.code == .noSuchColumn)
    #expect(misspelt?.message.contains("\"bb\", but the model t has no such attribute") == true)
    #expect(try store.rows(of: "t").map { $0["a"].integer } == [9, 1, 2, 9, 9])
  }

  @Test(arguments: [0, 20_000])
  func `object-trump merges a record without required attributes if a row has its key`(
    directRecordLimit: Int
  ) throws {
    let store = try Store.inMemory()
    let model = try Model(
      parsing: """
        {"x-table": "t", "x-key": "id", "required": ["id", "a", "tags"], "properties":
        {"id": {"type": "integer"}, "a": {"type": "integer"}, "b": {"type": ["string", "null"]},
        "tags": {"type": "array", "items": {"type": "string"}, "x-relation": {"table": "tag", "unique": "name"}}}}
        """)
    var options = ImportOptions()
    options.mergePolicy = .objectTrump
    options.directRecordLimit = directRecordLimit
    let first = try store.importRecords(
      from: .text(#"{"id":1,"a":1,"tags":["x"]}"#), model: model, options: options)
    #expect(first.counters.inserted == 1)
    let report = try store.importRecords(
      from: .text(
        """
        {"id":1,"b":"y"}
        {"id":2,"b":"y"}
          {"id":2,"b":"early"}
        {"id":2,"a":2,"tags":[]}
        {"id":2,"b":"late"}
        {"b":"no key"}
        """), model: model, options: options)
    #expect(report.counters.inserted == 1 && report.counters.updated == 2)
    #expect(report.rejectsByAttribute["required"] == ["a": 2, "id": 1])
    let rows = try store.rows(of: "t").map { [$0["b"].text.map { String($0) }] }
    #expect(rows == [["y"], ["late"]])
    let rejects = try store.rejects().sorted { $0.line < $1.line }
    #expect(rejects.map(\.line) == [2, 3, 6] && rejects.map(\.column) == [1, 3, 1])
    #expect(rejects[1].issues.map(\.attribute) == ["a", "tags"])
    #expect(String(decoding: rejects[1].bytes, as: UTF8.self) == #"{"id":2,"b":"early"}"#)
    #expect(try store.digest(of: model).digest == report.digest)
  }

  @Test func `a table that an app recreated differently is refused with the reason`() throws {
    let feed = try FeedStore(Model(parsing: MergeFixture.document))
    try Store(feed.path).prepareTables(for: feed.model)
    let columns = try feed.rows("SELECT name FROM pragma_table_info('note')")
    try feed.execute(
      """
      DROP VIEW poikit_readable_note; DROP TABLE note;
      CREATE TABLE note (
        \(SQL(verbatim: columns.joined(separator: ", "))), PRIMARY KEY (poikit_id)) WITHOUT ROWID
      """)
    var options = ImportOptions()
    options.mergePolicy = .newest
    let error = #expect(throws: StoreError.self) { try feed.take("{}", options: options) }
    #expect(
      error?.message.hasPrefix("\(feed.path): 'note' is") == true, "\(error?.message ?? "")")
  }

  @Test func `newest takes the newer record whole`() throws {
    let (rows, counters) = try Self.outcome(.newest)
    #expect(
      rows == ["1|A||11||11", "2|b||10||12", "3|c|z|10||13", "4|d||1||"])
    #expect(counters == Self.counters(updated: 1, unchanged: 1, stale: 1))
  }

  @Test func `object-trump overwrites what the record names, with null too`() throws {
    let (rows, counters) = try Self.outcome(.objectTrump)
    #expect(
      rows == ["1|A|x|11|k|11", "2||y|9||12", "3|c|z|10||13", "4|d||1||"])
    #expect(counters == Self.counters(updated: 2, unchanged: 1))
  }

  @Test func `store-trump only fills values that the stored record lacks`() throws {
    let (rows, counters) = try Self.outcome(.storeTrump)
    #expect(
      rows == ["1|a|x|10|k|11", "2|b|y|10||12", "3|c|z|10||13", "4|d||1||"])
    #expect(counters == Self.counters(updated: 1, unchanged: 2))
  }

  @Test func `overwrite makes the row the record, whatever its age`() throws {
    let (rows, counters) = try Self.outcome(.overwrite)
    #expect(
      rows == ["1|A||11||11", "2||y|9||12", "3|c|z|10||13", "4|d||1||"])
    #expect(counters == Self.counters(updated: 2, unchanged: 1))
  }

  @Test func `rollback ignores the record and counts it`() throws {
    let (rows, counters) = try Self.outcome(.rollback)
    #expect(
      rows == ["1|a|x|10|k|11", "2|b||10||12", "3|c|z|10||13", "4|d||1||"])
    #expect(counters == Self.counters(ignored: 3))
  }

  @Test func `newest-by-property keeps the newest value of each attribute`() throws {
    let (rows, counters) = try Self.outcome(.newestByProperty)
    // All values of a row written by another policy, also nulls, have the time of the row.
    #expect(
      rows == ["1|A|x|11|k|11", "2|b||10||12", "3|c|z|10||13", "4|d||1||"])
    #expect(counters == Self.counters(updated: 1, unchanged: 1, stale: 1))
  }

  @Test func `error stops at the batch, names key and places, and keeps the batches before`() throws
  {
    let model = try Model(parsing: MergeFixture.document)
    var options = ImportOptions()
    options.mergePolicy = .error
    options.batchSize = 2
    let folder = try ScratchFolder()
    let path = folder.file("s.sqlite")
    var session = try ImportSession(into: Store(path), model: model, options: options)
    let lines = (1...5).map { #"{"id":\#($0)}"# } + [#"{"id":2}"#, #"{"id":9}"#]
    var thrown: StoreError?
    do throws(StoreError) {
      try session.append(Array(lines.joined(separator: "\n").utf8).span)
      _ = try session.finish()
    } catch {
      thrown = error
    }
    let error = try #require(thrown)
    #expect(error.code == .conflict)
    #expect(
      error.message.hasPrefix(
        "bytes:6:1 (record 6): the key 2 is the key of bytes:2:1 (record 2); ")
    )
    let store = try Store(path)
    #expect(try rows("SELECT id FROM note", in: store) == ["1", "2", "3", "4"])
    #expect(try rows("SELECT state FROM poikit_run", in: store) == ["failed"])
  }

  @Test func `error quotes the parts of a key by their types`() throws {
    let store = try MergeStore(
      #"{"x-table":"t","x-key":["x","n","s"],"properties":{"x":{"type":"number"},"n":{"type":"integer"},"s":{"type":"string"}}}"#
    )
    let record = #"{"x":1.5,"n":-2,"s":"é"}"#
    _ = try store.run([record], .error)
    let error = #expect(throws: StoreError.self) { _ = try store.run([record], .error) }
    #expect(error?.message.contains("the key 1.5, -2, \"é\" is the key of row 1") == true)
  }

  @Test func `several records without a key are stored if the hash of the key is enforced`() throws
  {
    let store = try MergeStore()
    _ = try store.run([#"{"id":1,"text":"a"}"#], .append)
    try store.deduplicate(.hash)
    for _ in 0..<2 { _ = try store.run([#"{"id":null,"text":"b"}"#], .newest) }
    #expect(try store.rows("SELECT text FROM note ORDER BY 1") == ["a", "b", "b"])
    #expect(try store.rows("SELECT count(poikit_key) FROM note") == ["1"])
  }

  @Test func `error names the row if the stored record is of another run`() throws {
    let store = try MergeStore()
    _ = try store.run(Self.stored, .error)
    do {
      _ = try store.run(Self.imported, .error)
      Issue.record("nothing was thrown")
    } catch let error as StoreError {
      #expect(
        error.message.hasPrefix(
          "bytes:1:1 (record 1): the key 1 is the key of row 1 of note; "
            + "bytes:2:1 (record 2): the key 2 is the key of row 2 of note; "))
    }
  }

  @Test func `two devices that edit different attributes of one record both keep their edit`()
    throws
  {
    let base = #"{"id":1,"text":"a","tag":"x","at":10}"#
    let phone = #"{"id":1,"text":"phone","at":12}"#
    let tablet = #"{"id":1,"tag":"tablet","at":11}"#
    var contents: Set<[String]> = []
    for order in [[base, phone, tablet], [tablet, base, phone], [phone, tablet, base]] {
      let store = try MergeStore()
      for record in order { _ = try store.run([record], .newestByProperty) }
      contents.insert(try store.rows("SELECT text, tag, at, poikit_times FROM note"))
    }
    #expect(
      contents == [
        [
          #"phone|tablet|12000000|{"tag":11000000,"kind":false,"zone":false}"#
        ]
      ])
  }

  @Test(arguments: [1, 2, 500], [0, Int.max])
  func `a default does not count as a value that a record names`(
    batchSize: Int, directRecordLimit: Int
  ) throws {
    func rows(_ policy: MergePolicy, _ runs: [[String]]) throws -> [String] {
      let store = try MergeStore(
        #"""
        {"x-table":"t","x-key":"id","x-timestamp":"at","properties":{
         "id":{"type":"integer"},"at":{"type":"integer","x-unit":"seconds"},
         "a":{"type":["integer","null"]},"number":{"type":["integer","null"],"default":7},
         "text":{"type":["string","null"],"default":"seven"},
         "none":{"type":["integer","null"],"default":null}}}
        """#)
      var options = ImportOptions()
      options.mergePolicy = policy
      options.batchSize = batchSize
      options.directRecordLimit = directRecordLimit
      for run in runs { #expect(try store.run(run, options).digest == store.digest()) }
      return try store.rows("SELECT a, number, text, none FROM t ORDER BY id")
    }
    let stored = [
      #"{"id":1,"at":1,"a":1,"number":8,"text":"eight","none":9}"#,
      #"{"id":2,"at":1,"a":1,"number":null,"text":null}"#, #"{"id":3,"at":1,"a":1}"#,
    ]
    let imported = (1...4).map { #"{"id":\#($0),"at":2,"a":2}"# }
    for runs in [[stored, imported], [stored + imported]] {
      for policy in [MergePolicy.objectTrump, .newestByProperty] {
        #expect(try rows(policy, runs) == ["2|8|eight|9", "2|||", "2|7|seven|", "2|7|seven|"])
      }
      #expect(try rows(.storeTrump, runs) == ["1|8|eight|9", "1|||", "1|7|seven|", "2|7|seven|"])
      for policy in [MergePolicy.newest, .overwrite] {
        #expect(
          try rows(policy, runs) == Array(repeating: "2|7|seven|", count: 4))
      }
    }
    // The order of delivery does not matter if each attribute has its time.
    for runs in [[imported, stored], [imported + stored]] {
      #expect(
        try rows(.newestByProperty, runs) == ["2|8|eight|9", "2|||", "2|7|seven|", "2|7|seven|"])
    }
  }

  @Test(arguments: [
    ("", #"1000000|1|7|{"gone":null,"a":false}"#),
    (#","default":false"#, #"1000000|0|7|{"a":false}"#),
  ])
  func `a removal leaves an attribute to its default, and its mark, in any order`(
    tombstone: String, expected: String
  ) throws {
    let removal = #"{"1":null}"#
    let record = #"{"1":{"at":1}}"#
    var contents: Set<[String]> = []
    for order in [[removal, record], [record, removal]] {
      let feed = try FeedStore(
        Model(
          parsing: #"""
            {"x-table":"t","x-key":"id","x-timestamp":"at",
             "x-tombstone":{"null":true,"attribute":"gone"},"properties":{
             "id":{"type":"string","x-source":"0#"},"at":{"type":"integer","x-unit":"seconds"},
             "gone":{"type":"boolean"\#(tombstone)},"a":{"type":"integer","default":7}}}
            """#))
      var options = ImportOptions()
      options.mergePolicy = .newestByProperty
      options.pointer = ""
      for text in order { try feed.take(text, options: options) }
      contents.insert(try feed.rows("SELECT at, gone, a, poikit_times FROM t"))
    }
    #expect(contents == [[expected]])
  }

  @Test func `a row that a check or another unique index refuses is rejected alone`() throws {
    for policy in [MergePolicy.newest, .objectTrump, .overwrite, .newestByProperty] {
      let store = try MergeStore()
      _ = try store.run(Self.stored, policy)
      try store.execute(
        """
        CREATE UNIQUE INDEX app ON note (text);
        CREATE TRIGGER refuse BEFORE UPDATE ON note WHEN new.text = 'never'
          BEGIN SELECT raise(ABORT, 'never'); END;
        """)
      let records = [
        #"{"id":1,"text":"b","at":20}"#, #"{"id":2,"text":"never","at":20}"#,
        #"{"id":3,"text":"fine","at":20}"#, #"{"id":5,"text":"fine","at":20}"#,
      ]
      let report = try store.run(records, policy)
      #expect(report.counters.updated == 1)
      #expect(report.rejectsByRule.map(\.rule) == ["constraint", "unique"])
      #expect(report.rejectsByRule.map(\.count) == [1, 2])
      #expect(
        try store.rows("SELECT text FROM note ORDER BY id") == ["a", "b", "fine"])
      #expect(
        try store.rows("SELECT record, CAST(raw AS TEXT) FROM poikit_reject")
          == ["1|\(records[0])", "2|\(records[1])", "4|\(records[3])"])
      #expect(try store.digest() == report.digest)
    }
  }

  @Test(arguments: [MergePolicy.append, .newest, .overwrite])
  func `a record that a trigger ignores is a reject, with its related rows`(
    policy: MergePolicy
  ) throws {
    let store = try MergeStore(
      #"""
      {"x-table":"t","x-key":"id","properties":{"id":{"type":"integer"},
       "kind":{"type":"object","x-relation":{"table":"kind","unique":"name"},
        "required":["name"],"properties":{"name":{"type":"string"}}},
       "own":{"type":"array","x-relation":{"table":"part","unique":"name"},
        "items":{"type":"string"}},
       "shared":{"type":"array","x-relation":{"table":"tag","unique":"name","join":"t_tag"},
        "items":{"type":"string"}}}}
      """#)
    _ = try store.run([#"{"id":1,"own":["a"],"shared":["b"]}"#], policy)
    for (table, condition) in [
      ("t", "new.id = 2"), ("kind", "new.name = 'no'"), ("part", "new.name = 'no'"),
      ("t_tag", "(SELECT name FROM tag WHERE poikit_id = new.tag) = 'no'"),
    ] as [(SQL, SQL)] {
      try store.execute(
        """
        CREATE TRIGGER leave_out_\(table) BEFORE INSERT ON \(table) WHEN \(condition)
          BEGIN SELECT raise(IGNORE); END
        """)
    }
    let records = [
      #"{"id":2,"own":["c"],"shared":["d"]}"#, #"{"id":3,"kind":{"name":"no"}}"#,
      #"{"id":4,"own":["no"]}"#, #"{"id":5,"shared":["no"]}"#, #"{"id":6,"own":["e"]}"#,
    ]
    let report = try store.run(records, policy)
    #expect(report.counters.inserted == 1)
    #expect(report.rejectsByRule.map(\.count) == [4])
    #expect(report.rejectsByRule.map(\.rule) == ["constraint"])
    #expect(try store.rows("SELECT id FROM t ORDER BY id") == ["1", "6"])
    #expect(
      try store.rows("SELECT id, name FROM part JOIN t ON t.poikit_id = part.t ORDER BY id")
        == ["1|a", "6|e"])
    #expect(try store.rows("SELECT count(*) FROM t_tag") == ["1"])
    #expect(try store.digest() == report.digest)
  }

  @Test(arguments: [MergePolicy.append, .newest])
  func `a trigger that rolls back the transaction stops the run at that batch`(
    policy: MergePolicy
  ) throws {
    let scratch = try ScratchFolder()
    let path = scratch.file("store.sqlite")
    let model = try Model(parsing: MergeFixture.document)
    var options = ImportOptions()
    options.mergePolicy = policy
    func run(_ records: [String]) throws {
      var session = try ImportSession(into: Store(path), model: model, options: options)
      if try session.beginInput(named: "bytes") {
        try session.append(Array(records.joined(separator: "\n").utf8).span)
      }
      _ = try session.finish()
    }
    try run([#"{"id":1}"#])
    let connection = try Connection(path: path)
    try connection.execute(
      """
      CREATE TRIGGER give_up BEFORE INSERT ON note WHEN new.id = 3
        BEGIN SELECT raise(ROLLBACK, 'not this one'); END
      """)
    #expect {
      try run([#"{"id":2}"#, #"{"id":3}"#, #"{"id":4}"#])
    } throws: {
      ($0 as? StoreError)?.message.contains("not this one") == true
    }
    #expect(try rows("SELECT id FROM note", in: connection) == ["1"])
  }

  @Test func `records are not appended without the policy because an index is gone`() throws {
    let feed = try FeedStore(Model(parsing: MergeFixture.document))
    let record = #"{"id":1,"text":"a","at":1}"#
    var options = ImportOptions()
    options.mergePolicy = .newest
    try feed.take(record, options: options)
    try feed.execute("DROP INDEX poikit_key_note")
    let error = #expect(throws: StoreError.self) { try feed.take(record) }
    #expect(error?.code == .invalidOptions)
    #expect(
      error?.message.hasSuffix(
        "the key id of the table \"note\" was enforced, and its index is gone, so records would be "
          + "added beside those with the same key") == true)
    #expect(error?.advice == [.enforce(key: ["id"], .index), .use(.append)])
    #expect(try feed.rows("SELECT count(*) FROM note") == ["1"])
    options.mergePolicy = .append
    #expect(try feed.take(record, options: options).counters.inserted == 1)
    try feed.enforce(["id"])
    #expect(try feed.take(record).counters.unchanged == 1)
    #expect(try feed.rows("SELECT count(*) FROM note") == ["1"])
  }

  @Test(arguments: [
    (MergePolicy.objectTrump, #"{"id":1,"at":11}"#, ["1||"]),
    (.storeTrump, #"{"id":1,"tag":"y","zone":"b"}"#, ["1||b"]),
    (.newestByProperty, #"{"id":1,"at":11,"kind":{"name":"k","level":2}}"#, ["1|k|"]),
    (.newestByProperty, #"{"id":1,"at":9,"text":"z"}"#, ["1||"]),
  ])
  func `a relation whose row is gone is null once a record changes the row`(
    policy: MergePolicy, record: String, expected: [String]
  ) throws {
    let store = try MergeStore()
    _ = try store.run(
      [#"{"id":1,"text":"a","at":10,"kind":{"name":"k","level":1},"zone":"a"}"#], policy)
    try store.execute("DELETE FROM kind; DELETE FROM zone")
    let report = try store.run([record], policy)
    #expect(report.counters.updated == 1 && report.counters.rejected == 0)
    #expect(
      try store.rows(#"SELECT id, "kind.name", zone FROM poikit_readable_note"#) == expected)
    #expect(try store.rows("PRAGMA foreign_key_check").isEmpty)
    #expect(try store.digest() == report.digest)
    #expect(try store.run([record], policy).counters.updated == 0)
  }

  @Test func `an unsuitable policy is refused before anything is read`() throws {
    func message(
      _ policy: MergePolicy, _ document: String = MergeFixture.document,
      prepare: MergePolicy? = nil
    ) throws -> String {
      let store = try MergeStore(document)
      if let prepare { _ = try store.run(Self.stored, prepare) }
      do {
        _ = try store.run([], policy)
        return ""
      } catch let error as StoreError {
        #expect(error.code == .invalidOptions)
        return error.message
      }
    }
    let withoutKey = #"{"x-table":"t","properties":{"a":{"type":"integer"}}}"#
    let withoutTime = #"{"x-table":"t","x-key":"a","properties":{"a":{"type":"integer"}}}"#
    #expect(try message(.newest, withoutKey).contains("names no key"))
    #expect(try message(.newest, withoutKey, prepare: .append).contains("names no key"))
    #expect(try message(.newestByProperty, withoutTime).contains("names no timestamp"))
    let deleting = #"""
      {"x-table":"t","x-key":"a","x-timestamp":"b","x-tombstone":{"null":true,"removal":"delete"},
       "properties":{"a":{"type":"string","x-source":"0#"},
        "b":{"type":"integer","x-unit":"seconds"}}}
      """#
    #expect(try message(.newestByProperty, deleting).contains("deletes removed rows"))
    #expect(try message(.newest, prepare: .append).contains("several rows with one key"))
    #expect(try message(.append, prepare: .newest).contains("is enforced"))
    #expect(try message(.overwrite, prepare: .newest).isEmpty)
  }
}
