import SQLiteKit
import TestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Which row a winner gets if the rows of several losers conflict.
@Suite struct DeduplicatorOrderTests {
  private static let batchSizes = [1, 2, 3, 500]

  private static func deduplicator(
    _ layout: TableLayout, batchSize: Int, mergesLosers: Bool = false
  ) -> Deduplicator {
    var options = DeduplicationOptions()
    options.batchSize = batchSize
    options.mergesLosers = mergesLosers
    return Deduplicator(layout: layout, options: options)
  }

  @Test(arguments: [1, 2, 3, 500])
  func `the winner gets the element of the newer of two losers`(
    batchSize: Int
  ) throws {
    func comment(_ text: String, _ sizes: String) -> String {
      #""thread":{"comments":[{"author":"ann","number":1,"text":"\#(text)","files":[\#(sizes)]}]}"#
    }
    let newer = comment("newer", #"{"path":"a","size":2}"#)
    let older = comment("older", #"{"path":"a","size":1},{"path":"b","size":1}"#)
    let records = [
      #"{"number":1,"changed":1,\#(older)}"#, #"{"number":1,"changed":2,\#(newer)}"#,
      #"{"number":1,"changed":3}"#,
    ]
    for records in [records, records.reversed()] {
      let outcome = try IssueTracker.imported(records)
      let report = try outcome.store.deduplicate(
        Self.deduplicator(outcome.store.layout(), batchSize: batchSize))
      #expect(report.plan.loserCount == 2)
      #expect(try rows("SELECT text FROM comment", in: outcome.store) == ["newer"])
      #expect(
        try rows("SELECT path, size FROM file ORDER BY 1", in: outcome.store)
          == ["a|2.0", "b|1.0"])
    }
  }

  @Test(arguments: [false, true])
  func `a winner gets the same array elements in any order and batch size`(
    mergesLosers: Bool
  ) throws {
    for seed in TestLength.some(UInt64(1)...12, 3) {
      var generator = SplitMix64(seed: seed)
      // Many losers of one issue, many of them with the same timestamp.
      let records = (0..<30).map { _ in
        IssueTracker.record(
          number: Int.random(in: 0..<3, using: &generator),
          changed: ["1", "2", "3", "null"].randomElement(using: &generator)!, using: &generator)
      }
      var digests: Set<Digest> = []
      for batchSize in Self.batchSizes + Self.batchSizes {
        let outcome = try IssueTracker.imported(records.shuffled(using: &generator))
        let before = try IssueTracker.dump(outcome.store)
        let deduplicator = Self.deduplicator(
          try outcome.store.layout(), batchSize: batchSize, mergesLosers: mergesLosers)
        let plan = try outcome.store.plan(deduplicator)
        let report = try outcome.store.deduplicate(deduplicator)
        #expect(plan?.loserCount == report.changes.removedRowCount, "seed \(seed)")
        #expect(
          try outcome.store.digest(of: IssueTracker.model()).digest == report.digest,
          "seed \(seed)")
        digests.insert(try #require(report.digest))
        _ = try outcome.store.undo()
        #expect(try IssueTracker.dump(outcome.store) == before, "seed \(seed)")
      }
      #expect(digests.count == 1, "seed \(seed)")
    }
  }

  /// A row of an app's table, the rows that refer to it, and their child rows.
  private struct Parent {
    let key: Int
    let time: Int
    let note: Int
    let children: [String]
  }

  private static func parents(using generator: inout SplitMix64) -> [Parent] {
    (0..<24).map { note in
      Parent(
        key: Int.random(in: 0..<3, using: &generator),
        time: Int.random(in: 0..<3, using: &generator), note: note,
        children: ["m", "n", "o"].filter { _ in Bool.random(using: &generator) })
    }
  }

  private static func tables(_ parents: [Parent]) throws -> Connection {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, k, at, note);
      CREATE TABLE c (id INTEGER PRIMARY KEY, t REFERENCES t (id), n, x, UNIQUE (t, n));
      CREATE TABLE d (c REFERENCES c (id), n, x, UNIQUE (c, n));
      """)
    for (index, parent) in parents.enumerated() {
      try connection.execute(
        "INSERT INTO t VALUES (\(index), \(parent.key), \(parent.time), \(parent.note))")
      for child in parent.children {
        try connection.execute(
          """
          INSERT INTO c (t, n, x) VALUES (\(index), \(literal: child), \(parent.note));
          INSERT INTO d SELECT max(id), 'same', \(parent.note) FROM c;
          INSERT INTO d SELECT max(id), \(parent.note % 4), \(parent.note) FROM c;
          """)
      }
    }
    return connection
  }

  /// The content of the tables without row ids.
  private static func content(_ connection: Connection) throws -> [String] {
    try rows(
      """
      SELECT t.note, c.n, c.x, d.n, d.x
      FROM t LEFT JOIN c ON c.t = t.id LEFT JOIN d ON d.c = c.id ORDER BY 1, 2, 3, 4, 5
      """, in: connection)
  }

  @Test func `the ranks of losers decide between conflicting rows of other tables`() throws {
    for seed in TestLength.some(UInt64(1)...12, 3) {
      var generator = SplitMix64(seed: seed)
      let parents = Self.parents(using: &generator)
      var contents: Set<[String]> = []
      for batchSize in Self.batchSizes + Self.batchSizes {
        let connection = try Self.tables(parents.shuffled(using: &generator))
        let before = try Self.content(connection)
        let layout = try TableLayout(describing: "t", in: connection, key: ["k"], timestamp: "at")
        _ = try Self.deduplicator(layout, batchSize: batchSize).run(
          on: connection, clock: someInstant)
        contents.insert(try Self.content(connection))
        // The remaining row of each name belongs to the newest record with the name.
        for row in try rows("SELECT t.k, c.n, c.x FROM t JOIN c ON c.t = t.id", in: connection) {
          let parts = row.split(separator: "|").map(String.init)
          let times = parents.filter {
            String($0.key) == parts[0] && $0.children.contains(parts[1])
          }.map(\.time)
          #expect(parents[try #require(Int(parts[2]))].time == times.max(), "seed \(seed)")
        }
        _ = try Deduplicator.undo(on: connection, clock: someInstant)
        #expect(try Self.content(connection) == before, "seed \(seed)")
      }
      #expect(contents.count == 1, "seed \(seed)")
    }
  }

  @Test func `the ids of equal losers decide between their rows, in every batch size`() throws {
    for batchSize in Self.batchSizes {
      let connection = try Connection.inMemory()
      try connection.execute(
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY, k, at);
        CREATE TABLE c (id INTEGER PRIMARY KEY, t REFERENCES t (id), x, UNIQUE (t));
        INSERT INTO t VALUES (1, 'a', 3), (2, 'a', 1), (3, 'a', 1), (4, 'a', 2);
        INSERT INTO c VALUES (1, 3, 'from 3'), (2, 2, 'from 2');
        """)
      let layout = try TableLayout(describing: "t", in: connection, key: ["k"], timestamp: "at")
      _ = try Self.deduplicator(layout, batchSize: batchSize).run(
        on: connection, clock: someInstant)
      #expect(try rows("SELECT * FROM c", in: connection) == ["2|1|from 2"])
    }
  }

  @Test func `different keys with the same sort key are refused`() throws {
    let connection = try Connection.inMemory()
    // The integer 0 and this UUID have the same 128 bits.
    try connection.execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, k, ts INTEGER);
      INSERT INTO t VALUES (1, 0, 1), (2, 0, 2), (3, '00000000-0000-0000-0000-000000000001', 1)
      """)
    let layout = try TableLayout(describing: "t", in: connection, key: ["k"], timestamp: "ts")
    let before = try dump("t", in: connection)
    let error = storeError {
      _ = try Deduplicator(layout: layout).run(on: connection, clock: someInstant)
    }
    #expect(error?.code == .unsupportedTable)
    #expect(
      error?.message.contains("rows 2 and 3 of 't' have different keys with the same hash") == true,
      "\(error?.message ?? "")")
    #expect(try dump("t", in: connection) == before)
    try connection.execute("DELETE FROM t WHERE id = 3")
    let report = try Deduplicator(layout: layout).run(on: connection, clock: someInstant)
    #expect(report.rowsLeft == 1)
  }
}
