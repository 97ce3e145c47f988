import POIKitTestSupport
import POISQLite
import POITestSupport
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

  /// Two blobs of 35 bytes whose canonical content has the same MurmurHash3: the content begins with 13 bytes
  /// besides the blob, and the last block cancels the difference of the one before.
  private static func collidingBlobs() throws -> [[UInt8]] {
    let (factor1, factor2): (UInt64, UInt64) = (0x87c3_7b91_1142_53d5, 0x4cf5_ad43_2745_937f)
    func inverse(_ factor: UInt64) -> UInt64 {
      var inverse = factor
      for _ in 0..<6 { inverse = inverse &* (2 &- factor &* inverse) }
      return inverse
    }
    func rotate(_ word: UInt64, _ count: UInt64) -> UInt64 { word << count | word >> (64 - count) }
    func mix(_ state: inout (UInt64, UInt64), _ block: [UInt8]) {
      let words = (0..<2).map { half in
        block[half * 8..<half * 8 + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      }
      state.0 ^= rotate(words[0] &* factor1, 31) &* factor2
      state.0 = (rotate(state.0, 27) &+ state.1) &* 5 &+ 0x52dc_e729
      state.1 ^= rotate(words[1] &* factor2, 33) &* factor1
      state.1 = (rotate(state.1, 31) &+ state.0) &* 5 &+ 0x3849_5ab5
    }
    func bytes(_ word: UInt64) -> [UInt8] {
      (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    }
    func digest(_ blob: [UInt8]) -> (Digest, [UInt8]) {
      var content = CanonicalContent()
      content.append(blob: blob.span, nameTag: 0)
      return (content.digest, content.bytes.indices.map { content.bytes[$0] })
    }
    let first = [UInt8](repeating: 0, count: 35)
    let content = digest(first).1
    try #require(content.count == 48)
    var target: (UInt64, UInt64) = (0, 0)
    for block in 0..<3 { mix(&target, Array(content[block * 16..<block * 16 + 16])) }
    var state: (UInt64, UInt64) = (0, 0)
    mix(&state, Array(content[..<16]))
    let different = [UInt8](repeating: 1, count: 16)
    mix(&state, different)
    let half1 = rotate((target.0 &- 0x52dc_e729) &* inverse(5) &- state.1, 37) ^ state.0
    let half2 = rotate((target.1 &- 0x3849_5ab5) &* inverse(5) &- target.0, 33) ^ state.1
    let last =
      bytes(rotate(half1 &* inverse(factor2), 33) &* inverse(factor1))
      + bytes(rotate(half2 &* inverse(factor1), 31) &* inverse(factor2))
    let second = Array(first[..<3]) + different + last
    try #require(digest(second).0 == digest(first).0)
    return [first, second]
  }

  @Test func `keys that were made to have the same hash are told apart`() throws {
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, k, ts INTEGER)")
    var insertion = try connection.prepare("INSERT INTO t (k, ts) VALUES (?1, ?2)")
    for time in 1...2 {
      for blob in try Self.collidingBlobs() {
        try insertion.bind(1, blob: blob.span)
        try insertion.bind(2, integer: Int64(time))
        try insertion.run()
      }
    }
    // Without its secret part the form of this UUID has the bits of the integer 0.
    try connection.execute(
      """
      INSERT INTO t (k, ts) VALUES (0, 1), (0, 2), ('00000000-0000-0000-0000-000000000001', 1),
        ('00000000-0000-0000-0000-000000000001', 2), ('ffffffff-ffff-ffff-0000-000000000001', 2),
        ('FFFFFFFF-FFFF-FFFF-0000-000000000001', 2)
      """)
    let layout = try TableLayout(describing: "t", in: connection, key: ["k"], timestamp: "ts")
    let report = try Deduplicator(layout: layout).run(on: connection, clock: someInstant)
    #expect(report.runChanges.removedRowCount == 4)
    #expect(
      try rows("SELECT count(*), count(DISTINCT k), min(ts) FROM t", in: connection) == ["6|6|2"])
  }

  @Test(arguments: [([], DeduplicationPlan.Reason.digest), (["tags"], .identical)])
  func `a relation that is left out of ties makes no difference`(
    ignored: [String], reason: DeduplicationPlan.Reason
  ) throws {
    let store = try MergeStore(
      #"""
      {"x-table":"t","x-key":"id","x-ties":"digest","properties":{"id":{"type":"integer"},
        "tags":{"type":"array","x-relation":{"table":"tag","unique":"tag"},"items":{"type":"string"}}}}
      """#)
    let records = ["a", "b"].map { #"{"id":1,"tags":["\#($0)"]}"# }
    #expect(try store.run(records, .append).counters.inserted == 2)
    var options = DeduplicationOptions()
    options.ignored = ignored
    let layout = try TableLayout(store.model)
    let plan = try store.store.plan(Deduplicator(layout: layout, options: options))
    #expect(plan?.reasons[reason] == 1, "\(String(describing: plan?.reasons))")
  }
}
