import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Losers that are merged into their winners.
@Suite struct DeduplicatorMergeTests {
  private static let rules: [(column: String, rule: MergeRule)] = [
    ("a", .newest), ("b", .longest), ("c", .minimum), ("d", .maximum), ("e", .union),
  ]

  private static let creation: SQL =
    """
    CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT, at INTEGER, dead INTEGER, a TEXT, b TEXT,
      c INTEGER, d REAL, e TEXT);
    """

  /// The values of a row except its id, as SQL.
  private typealias Row = [String]

  private func connection(_ rows: [Row]) throws -> Connection {
    let connection = try Connection.inMemory()
    try connection.execute(Self.creation)
    for row in rows {
      let values = SQL(verbatim: row.joined(separator: ", "))
      try connection.execute("INSERT INTO t VALUES (NULL, \(values))")
    }
    return connection
  }

  private func layout(_ connection: Connection) throws -> TableLayout {
    var layout = try TableLayout(
      describing: "t", in: connection, key: ["k"], timestamp: "at", tombstone: "dead")
    let columns = layout.content.attributes.map { attribute in
      let rule = Self.rules.first { $0.column == attribute.column }?.rule
      return Attribute(
        column: attribute.column, relation: attribute.relation, mergeRule: rule)
    }
    layout.content = Model(ofTable: "t", columns)
    return layout
  }

  private func merge(
    _ connection: Connection, _ options: DeduplicationOptions = DeduplicationOptions(),
    contentHash: @escaping @Sendable (Digest) -> Digest = { $0 }, isStopped: Bool = false
  ) throws -> DeduplicationReport {
    var options = options
    options.mergesLosers = true
    var deduplicator = Deduplicator(layout: try layout(connection), options: options)
    deduplicator.contentHash = contentHash
    return try deduplicator.run(on: connection, clock: someInstant) { progress in
      if progress.stage == .removing, isStopped { .stop } else { .proceed }
    }
  }

  private func content(_ connection: Connection) throws -> [String] {
    try rows(
      """
      SELECT quote(k), quote(at), quote(dead), quote(a), quote(b), quote(c), quote(d), quote(e) FROM t
      """, in: connection
    ).sorted()
  }

  private func randomRows(_ count: Int, using generator: inout SplitMix64) -> [Row] {
    func one(of values: [String]) -> String { values.randomElement(using: &generator) ?? "NULL" }
    return (0..<count).map { _ in
      [
        one(of: ["'x'", "'y'", "'z'", "'v'", "'w'", "NULL"]), one(of: ["NULL", "1", "2", "3"]),
        one(of: ["0", "0", "0", "1"]), one(of: ["NULL", "NULL", "'p'", "'q'", "'r'"]),
        one(of: ["NULL", "'s'", "'ss'", "'é'", "'éé'", "'tt'"]),
        one(of: ["NULL", "-1", "5", "7"]), one(of: ["NULL", "-1.5", "0.0", "2.5"]),
        one(of: ["NULL", "'[]'", "'[2,1]'", "'[1.0,\"a\"]'", "'[{\"b\":1,\"a\":2},2]'", "'[2]'"]),
      ]
    }
  }

  /// The remaining rows, found in the simplest way.
  private func expected(_ records: [Row]) throws -> [String] {
    var groups: [String: [(row: Row, digest: Digest)]] = [:]
    var kept: [Row] = []
    for row in records {
      guard row[0] != "NULL" else {
        kept.append(row)
        continue
      }
      let single = try connection([row])
      groups[row[0], default: []].append(
        (row, try layout(single).digest(in: single).digest))
    }
    for group in groups.values {
      let sorted = group.sorted { left, right in
        let times = (Int(left.row[1]) ?? -1, Int(right.row[1]) ?? -1)
        if times.0 != times.1 { return times.0 > times.1 }
        if left.row[2] != right.row[2] { return left.row[2] == "1" }
        return left.digest > right.digest
      }.map(\.row)
      var winner = sorted[0]
      if winner[2] == "0" {
        func values(_ column: Int) -> [String] { sorted.map { $0[column] }.filter { $0 != "NULL" } }
        func best(_ column: Int, _ isBetter: (String, String) -> Bool) -> String {
          values(column).reduce("NULL") { $0 == "NULL" || isBetter($1, $0) ? $1 : $0 }
        }
        winner[3] = best(3) { _, _ in false }
        winner[4] = best(4) { $0.unicodeScalars.count > $1.unicodeScalars.count }
        winner[5] = best(5) { (Int($0) ?? 0) < (Int($1) ?? 0) }
        winner[6] = best(6) { (Double($0) ?? 0) > (Double($1) ?? 0) }
        winner[7] = union(winner[7], values(7))
      }
      kept.append(winner)
    }
    return try content(try connection(kept))
  }

  private func union(_ own: String, _ all: [String]) -> String {
    let elements: [String: [String]] = [
      "'[]'": [], "'[2,1]'": ["1", "2"], "'[1.0,\"a\"]'": ["1", "\"a\""],
      "'[{\"b\":1,\"a\":2},2]'": ["{\"a\":2,\"b\":1}", "2"], "'[2]'": ["2"],
    ]
    let united = Set(all.flatMap { elements[$0] ?? [] })
    if let mine = elements[own], Set(mine) == united { return own }
    if all.isEmpty { return "NULL" }
    let sorted = united.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return "'[" + sorted.joined(separator: ",") + "]'"
  }

  @Test func `winners get the same values in any order, batch size and budget, stopped or not`()
    throws
  {
    for seed in TestLength.some(UInt64(1)...30, 8) {
      var generator = SplitMix64(seed: seed)
      let records = randomRows(Int.random(in: 1...60, using: &generator), using: &generator)
      let expected = try expected(records)
      for _ in 0..<3 {
        var options = DeduplicationOptions()
        options.batchSize = Int.random(in: 1...12, using: &generator)
        options.memoryBudget = Bool.random(using: &generator) ? 0 : 1 << 20
        options.archive = Int.random(in: 0..<4, using: &generator) > 0
        let isStopped = Bool.random(using: &generator)
        let connection = try connection(records.shuffled(using: &generator))
        let before = try dump("t", in: connection)
        var planOptions = options
        planOptions.mergesLosers = true
        let plan = try #require(
          try Deduplicator(layout: try layout(connection), options: planOptions)
            .plan(on: connection))
        var (winners, values) = (0, 0)
        while true {
          let report = try merge(connection, options, isStopped: isStopped)
          winners += report.changes.filledWinnerCount
          values += report.changes.filledValueCount
          if report.isFinished { break }
        }
        #expect(try content(connection) == expected, "seed \(seed)")
        #expect(winners == plan.filledWinnerCount, "seed \(seed)")
        #expect(values == plan.filledValueCount, "seed \(seed)")
        let again = try merge(connection, options)
        #expect(again.changes.filledWinnerCount == 0, "seed \(seed)")
        #expect(
          again.digest
            == (try layout(connection).digest(in: connection).digest))
        guard options.archive, plan.loserCount > 0 else { continue }
        let undone = try Deduplicator.undo(on: connection, clock: someInstant)
        #expect(undone.restoredValueCount == values, "seed \(seed)")
        #expect(try dump("t", in: connection) == before, "seed \(seed)")
      }
    }
  }

  @Test func `losers with equal digests and different contents give one row in any order`() throws {
    for seed in TestLength.some(UInt64(1)...10, 4) {
      var generator = SplitMix64(seed: seed)
      let records = randomRows(40, using: &generator)
      var contents: Set<[String]> = []
      for _ in 0..<4 {
        let connection = try connection(records.shuffled(using: &generator))
        _ = try merge(connection, contentHash: { _ in .zero })
        contents.insert(try content(connection))
      }
      #expect(contents.count == 1, "seed \(seed)")
    }
  }

  @Test func `a unique value moves to the winner and back`() throws {
    let connection = try connection([
      ["'x'", "1", "0", "'only'", "NULL", "NULL", "NULL", "NULL"],
      ["'x'", "2", "0", "NULL", "NULL", "NULL", "NULL", "NULL"],
    ])
    try connection.execute("CREATE UNIQUE INDEX a ON t (a)")
    let before = try dump("t", in: connection)
    _ = try merge(connection)
    #expect(try rows("SELECT id, a FROM t", in: connection) == ["2|only"])
    let undone = try Deduplicator.undo(on: connection, clock: someInstant)
    #expect(undone.restoredValueCount == 1)
    #expect(undone.restoredReferenceCount == 0)
    #expect(try dump("t", in: connection) == before)
  }

  /// What a trigger does with the value, and a part of the message.
  @Test(arguments: [
    ("RAISE(ABORT, 'not that')" as SQL, "row 2 of 't' cannot get"),
    ("RAISE(IGNORE)", "a trigger of the table interferes"),
  ])
  func `a trigger that prevents a merged value stops the run`(
    _ effect: SQL, _ message: String
  ) throws {
    let connection = try connection([
      ["'x'", "1", "0", "'p'", "NULL", "NULL", "NULL", "NULL"],
      ["'x'", "2", "0", "NULL", "NULL", "NULL", "NULL", "NULL"],
    ])
    try connection.execute(
      "CREATE TRIGGER no BEFORE UPDATE OF a ON t BEGIN SELECT \(effect); END")
    var options = DeduplicationOptions()
    options.mergesLosers = true
    let deduplicator = Deduplicator(layout: try layout(connection), options: options)
    let error = storeError {
      _ = try deduplicator.run(on: connection, clock: someInstant)
    }
    #expect(error?.code == .unmergeableValue)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    #expect(try connection.integer("SELECT count(*) FROM t") == 2)
  }

  @Test func `winners get values of any type in more sets of columns than are kept`() throws {
    let connection = try Connection.inMemory()
    let names: [SQL] = (0..<8).map { "c\($0)" }
    try connection.execute("CREATE TABLE t (k, at INTEGER, \(names.joined(separator: ", ")))")
    let values: [SQL] = ["1", "2.5", "'x'", "x'00FF'", "-3", "''", "x''", "'é'"]
    for set in 1..<100 {
      let held = values.indices.map { set >> $0 & 1 == 1 ? values[$0] : "NULL" }
      let none = Array(repeating: "NULL" as SQL, count: values.count)
      try connection.execute(
        """
        INSERT INTO t VALUES (\(set), 1, \(held.joined(separator: ", "))),
          (\(set), 2, \(none.joined(separator: ", ")))
        """)
    }
    let quoted: [SQL] = names.map { "quote(\($0))" }
    let text: SQL = "SELECT \(quoted.joined(separator: ", ")) FROM t"
    let before = try rows("\(text) WHERE at = 1 ORDER BY k", in: connection)
    var options = DeduplicationOptions()
    options.mergesLosers = true
    let layout = try TableLayout(describing: "t", in: connection, key: ["k"], timestamp: "at")
    let report = try Deduplicator(layout: layout, options: options)
      .run(on: connection, clock: someInstant)
    #expect(report.changes.filledWinnerCount == 99)
    #expect(try rows("\(text) ORDER BY k", in: connection) == before)
  }

  @Test func `without the option a winner keeps its gaps`() throws {
    let connection = try connection([
      ["'x'", "1", "0", "'p'", "NULL", "NULL", "NULL", "NULL"],
      ["'x'", "2", "0", "NULL", "NULL", "NULL", "NULL", "NULL"],
    ])
    let report = try Deduplicator(layout: try layout(connection))
      .run(on: connection, clock: someInstant)
    #expect(report.changes.filledWinnerCount == 0)
    #expect(try rows("SELECT a FROM t", in: connection) == [""])
  }

  @Test func `a reference to a row of the same table stays the winner's`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT, at INTEGER, dead INTEGER, a TEXT,
        up INTEGER REFERENCES t (id));
      INSERT INTO t VALUES (1, 'x', 1, 0, 'p', 3), (2, 'x', 2, 0, NULL, NULL), (3, 'y', 1, 0, 'q', NULL),
        (4, 'y', 2, 0, NULL, 1)
      """)
    _ = try merge(connection)
    #expect(
      try rows("SELECT id, a, up FROM t ORDER BY id", in: connection) == ["2|p|", "4|q|2"])
  }

  @Test(arguments: ["mark", "delete"])
  func `the tombstone stays the winner's`(removal: String) throws {
    let feed = try FeedStore(
      Model(
        parsing: """
          {"x-table":"note","x-key":"id","x-timestamp":"at",
           "x-tombstone":{"attribute":"gone","removal":"\(removal)"},"required":["id"],
           "properties":{"id":{"type":"integer"},"at":{"type":"integer","x-unit":"seconds"},
            "gone":{"type":["boolean","null"]},"name":{"type":"string"}}}
          """))
    try feed.take(#"{"id":1,"at":2}{"id":1,"at":1,"gone":false,"name":"n"}"#)
    var options = DeduplicationOptions()
    options.mergesLosers = true
    #expect(try feed.deduplicate(options).changes.filledValueCount == 1)
    #expect(try feed.rows("SELECT name, coalesce(gone, 'none') FROM note") == ["n|none"])
  }

  /// A store that keeps the times of attributes, with a record that gets a value of an older one.
  private func timedFeed() throws -> FeedStore {
    let feed = try FeedStore(
      Model(
        parsing: #"""
          {"x-table":"note","x-key":"id","x-timestamp":"at","properties":{
            "id":{"type":"integer"},"ref":{"type":"string"},"name":{"type":"string"},
            "at":{"type":"integer","x-unit":"seconds"},
            "kind":{"type":"object","x-relation":{"table":"kind","unique":"name"},
             "required":["name"],"properties":{"name":{"type":"string"}}}}}
          """#))
    var options = ImportOptions()
    options.mergePolicy = .newestByProperty
    try feed.take(
      #"{"id":1,"ref":"x","at":10}{"id":2,"ref":"x","at":5,"name":"old","kind":{"name":"k"}}"#,
      options: options)
    return feed
  }

  private func mergeByReference(_ feed: borrowing FeedStore) throws -> DeduplicationReport {
    var options = DeduplicationOptions()
    options.mergesLosers = true
    let store = try Store(feed.path)
    return try store.deduplicate(
      Deduplicator(layout: store.layout(key: ["ref"]), options: options), clock: someInstant)
  }

  @Test func `a value keeps the time at which its loser had it`() throws {
    let feed = try timedFeed()
    #expect(try mergeByReference(feed).changes.filledValueCount == 2)
    var options = ImportOptions()
    options.mergePolicy = .newestByProperty
    try feed.take(#"{"id":1,"at":3,"name":"older"}"#, options: options)
    #expect(try feed.rows("SELECT name FROM note") == ["old"])
    try feed.take(#"{"id":1,"at":7,"name":"newer"}"#, options: options)
    #expect(try feed.rows("SELECT name FROM note") == ["newer"])
  }

  @Test func `undoing counts what winners got as values, references to other tables too`() throws {
    let feed = try timedFeed()
    let before = try feed.rows("SELECT * FROM note ORDER BY 1")
    _ = try mergeByReference(feed)
    let undone = try Store(feed.path).undo(clock: someInstant)
    #expect(undone.restoredValueCount == 2)
    #expect(undone.restoredReferenceCount == 0)
    #expect(undone.restoredMarkCount == 0)
    #expect(try feed.rows("SELECT * FROM note ORDER BY 1") == before)
  }

  @Test(arguments: ["whole", "last"])
  func `a column computed from merged values cannot be key or timestamp`(
    column: String
  ) throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE m (k, given, family, changed, whole AS (given || family), last AS (changed));
      INSERT INTO m (k, given, family, changed) VALUES (1, 'a', 'b', 3), (1, 'a', NULL, NULL)
      """)
    var options = DeduplicationOptions()
    options.mergesLosers = true
    let isKey = column == "whole"
    let layout = try TableLayout(
      describing: "m", in: connection, key: [isKey ? column : "k"],
      timestamp: isKey ? "changed" : column)
    let error = #expect(throws: StoreError.self) {
      try Deduplicator(layout: layout, options: options).run(on: connection, clock: someInstant)
    }
    #expect(error?.code == .invalidOptions)
    #expect(error?.message.contains("'\(column)' of 'm' is computed") == true)
    options.mergesLosers = false
    _ = try Deduplicator(layout: layout, options: options).run(on: connection, clock: someInstant)
  }

  @Test func `a group of more losers than a portion is merged as a whole`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE m (k, name, at);
      INSERT INTO m (k, at) WITH RECURSIVE n (i) AS
        (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1200) SELECT 1, i FROM n;
      UPDATE m SET name = 'old' WHERE at = 1
      """)
    var options = DeduplicationOptions()
    options.mergesLosers = true
    let layout = try TableLayout(
      describing: "m", in: connection, key: ["k"], timestamp: "at")
    let report = try Deduplicator(layout: layout, options: options)
      .run(on: connection, clock: someInstant)
    #expect(report.rowsLeft == 1)
    #expect(try rows("SELECT name, at FROM m", in: connection) == ["old|1200"])
  }

  /// A best loser refers to the tag 2, which is removed because the tag 1 of the winner is the same.
  @Test(arguments: [400, 700], [true, false])
  func `a winner does not get a reference to a row that is removed too`(
    count: Int, isDeclared: Bool
  ) throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE r (id INTEGER PRIMARY KEY, k, ts, tag\(isDeclared ? " REFERENCES t (id)" : ""));
      CREATE TABLE t (id INTEGER PRIMARY KEY, rid REFERENCES r (id), name, UNIQUE (rid, name));
      INSERT INTO r (k, ts) WITH RECURSIVE n (i) AS
        (VALUES (\(count)) UNION ALL SELECT i - 1 FROM n WHERE i > 1) SELECT 1, i FROM n;
      UPDATE r SET tag = 2 WHERE id = 2;
      INSERT INTO t VALUES (1, 1, 'x'), (2, 2, 'x')
      """)
    if !isDeclared {
      try Deduplicator.name(
        [NamedReference(child: "r", column: "tag", parent: "t")], on: connection)
    }
    var options = DeduplicationOptions()
    options.mergesLosers = true
    let layout = try TableLayout(describing: "r", in: connection, key: ["k"], timestamp: "ts")
    let error = #expect(throws: StoreError.self) {
      try Deduplicator(layout: layout, options: options).run(on: connection, clock: someInstant)
    }
    #expect(error?.code == .unmergeableValue)
    #expect(try connection.integer("SELECT count(*) FROM r") == Int64(count))
  }

  @Test func `a value without a time of its own has the time of its row`() {
    #expect(PropertyTimes.text(#"{"a":2,"b":1}"#, withoutTimeOf: "a") == #"{"b":1}"#)
    #expect(PropertyTimes.text(#"{"a":2}"#, withoutTimeOf: "a") == nil)
  }
}
