import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Rows that a deduplication by another key removed, and that a later delivery brings back.
@Suite struct FoldTests {
  private static func model(key: String = #""id""#, type: String = "integer") throws -> Model {
    try Model(
      parsing: #"""
        {"x-table":"place","x-key":\#(key),"x-timestamp":"at","properties":{
          "id":{"type":"\#(type)"},"part":{"type":"integer"},"name":{"type":["string","null"]},
          "at":{"type":["integer","null"],"x-unit":"seconds"}}}
        """#)
  }

  private static func record(_ id: Int, _ name: String, at: Int = 1, quoted: Bool = false) -> String
  {
    #"{"id":\#(quoted ? "\"k\(id)\"" : "\(id)"),"part":0,"name":"\#(name)","at":\#(at)}"#
  }

  private static func options(snapshot: Bool = false) -> ImportOptions {
    var options = ImportOptions()
    options.mergePolicy = .newest
    options.isSnapshot = snapshot
    options.removalLimit = .percent(100)
    options.clock = someInstant
    return options
  }

  private static let delivery =
    record(1, "Cafe") + record(2, "Cafe", at: 2) + record(3, "Bar")

  private static func fold(
    _ feed: borrowing FeedStore, by key: [String] = ["name"]
  ) throws -> DeduplicationReport {
    let store = try Store(feed.path)
    return try store.deduplicate(
      Deduplicator(layout: store.layout(key: key)), clock: someInstant)
  }

  private static func ids(_ feed: borrowing FeedStore) throws -> [String] {
    try feed.rows("SELECT id FROM place ORDER BY id")
  }

  @Test(arguments: [false, true])
  func `a delivery that brings a loser back folds it again, until it is undone`(
    snapshot: Bool
  ) throws {
    let feed = try FeedStore(Self.model())
    let options = Self.options(snapshot: snapshot)
    try feed.take(Self.delivery, options: options)
    let folded = try Self.fold(feed)
    #expect(folded.changes.removedRowCount == 1)
    for _ in 1...2 {
      let again = try feed.take(Self.delivery, options: options)
      #expect(again.foldedCount == 1 && again.counters.inserted == 1)
      #expect(again.digest == folded.digest)
      #expect(try feed.digest() == folded.digest)
      #expect(try Self.ids(feed) == ["2", "3"])
      #expect(try feed.rows("SELECT loser_key, winner_key FROM poikit_redirect") == ["1|2"])
    }
    let undone = try Store(feed.path).undo(clock: someInstant)
    #expect(undone.restoredRowCount == 1)
    #expect(try Self.ids(feed) == ["1", "2", "3"])
    let last = try feed.take(Self.delivery, options: options)
    #expect(last.foldedCount == 0)
    #expect(try Self.ids(feed) == ["1", "2", "3"])
  }

  @Test func `the undo of the deduplication ends its redirects`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.delivery, options: Self.options())
    _ = try Self.fold(feed)
    _ = try Store(feed.path).undo(clock: someInstant)
    #expect(try feed.take(Self.delivery, options: Self.options()).foldedCount == 0)
    #expect(try Self.ids(feed) == ["1", "2", "3"])
  }

  @Test func `rows that are no longer equal stay, and their redirect ends`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.delivery, options: Self.options())
    _ = try Self.fold(feed)
    let renamed = Self.record(1, "Cafe") + Self.record(2, "Bakery", at: 3)
    #expect(try feed.take(renamed, options: Self.options()).foldedCount == 0)
    #expect(try Self.ids(feed) == ["1", "2", "3"])
    let equal = Self.record(1, "Cafe") + Self.record(2, "Cafe", at: 4)
    #expect(try feed.take(equal, options: Self.options()).foldedCount == 0)
    #expect(try Self.ids(feed) == ["1", "2", "3"])
  }

  @Test func `the newer row wins, also the one that came back`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.delivery, options: Self.options())
    _ = try Self.fold(feed)
    let report = try feed.take(Self.record(1, "Cafe", at: 9), options: Self.options())
    #expect(report.foldedCount == 1)
    #expect(try Self.ids(feed) == ["1", "3"])
    #expect(try feed.rows("SELECT loser_key, winner_key FROM poikit_redirect") == ["2|1"])
    #expect(try feed.take(Self.delivery, options: Self.options()).foldedCount == 1)
    #expect(try Self.ids(feed) == ["1", "3"])
  }

  @Test func `chains of redirects are followed`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.delivery, options: Self.options())
    _ = try Self.fold(feed)
    try feed.take(Self.record(5, "Cafe", at: 9), options: Self.options())
    _ = try Self.fold(feed)
    #expect(try Self.ids(feed) == ["3", "5"])
    // 1 lost to 2, which lost to 5.
    let report = try feed.take(Self.record(1, "Cafe"), options: Self.options())
    #expect(report.foldedCount == 1)
    #expect(try Self.ids(feed) == ["3", "5"])
  }

  @Test func `texts, several attributes and hashed keys are found`() throws {
    for (key, enforcement) in [
      (#""id""#, DeduplicationOptions.KeyEnforcement.hash), (#"["id","part"]"#, .index),
      (#"["part","id"]"#, .hash),
    ] {
      let feed = try FeedStore(Self.model(key: key, type: "string"))
      let delivery =
        Self.record(1, "a", quoted: true) + Self.record(2, "a", at: 2, quoted: true)
        + Self.record(3, "b", quoted: true)
      try feed.take(delivery)
      var enforcing = DeduplicationOptions()
      enforcing.enforcement = enforcement
      try feed.deduplicate(enforcing)
      _ = try Self.fold(feed)
      let report = try feed.take(delivery, options: Self.options())
      #expect(report.foldedCount == 1, "\(key)")
      #expect(try Self.ids(feed) == ["k2", "k3"])
    }
  }

  @Test func `an import without redirects lists nothing`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.delivery, options: Self.options())
    let store = try Store(feed.path)
    try store.importRecords(
      from: .bytes(Array(Self.delivery.utf8)), model: feed.model, options: Self.options())
    let made = try store.withConnection {
      try POIKitTestSupport.rows(
        "SELECT name FROM temp.sqlite_schema WHERE name = 'poikit_fold'", in: $0)
    }
    #expect(made == [])
    #expect(try feed.rows("SELECT count(*) FROM poikit_run WHERE tool = 'poi-dedup'") == ["0"])
  }

  @Test func `a fold removes only rows with redirects that equal a newer one`() throws {
    var foldedCount = 0
    var endedCount = 0
    for seed in TestLength.some(UInt64(1)...300, 12) {
      var generator = SplitMix64(seed: seed)
      let feed = try FeedStore(Self.model())
      var time = 0
      func delivery() -> String {
        var ids = Array(0..<10)
        ids.shuffle(using: &generator)
        return ids.prefix(Int.random(in: 1...10, using: &generator)).map { id in
          // Unique times, so that no digest decides.
          if Bool.random(using: &generator) { time += 1 }
          let at = Bool.random(using: &generator) ? time * 10 + id : id
          return Self.record(id, "n\(Int.random(in: 0...2, using: &generator))", at: at)
        }.joined()
      }
      try feed.take(delivery(), options: Self.options())
      for _ in 0..<4 {
        if Bool.random(using: &generator) { _ = try Self.fold(feed) }
        let redirects = try Set(
          feed.rows(
            "SELECT loser_key FROM poikit_redirect UNION SELECT winner_key FROM poikit_redirect"))
        let text = delivery()
        // A copy without redirects shows what the delivery alone makes of the table.
        let plain = try FeedStore(Self.model())
        try Store(feed.path).save(to: plain.path)
        try plain.execute("DELETE FROM poikit_redirect")
        #expect(try plain.take(text, options: Self.options()).foldedCount == 0)
        let report = try feed.take(text, options: Self.options())
        let rows: SQL = "SELECT id, name, at FROM place ORDER BY id"
        let (left, all) = (try feed.rows(rows), try plain.rows(rows))
        #expect(Set(left).isSubset(of: all), "seed \(seed)")
        #expect(all.count - left.count == report.foldedCount, "seed \(seed)")
        #expect(try feed.digest() == report.digest, "seed \(seed)")
        func parts(_ row: String) -> [Substring] { row.split(separator: "|") }
        for row in Set(all).subtracting(left).map(parts) {
          #expect(redirects.contains(String(row[0])), "seed \(seed)")
          let isBeaten = left.map(parts).contains {
            $0[1] == row[1] && Int($0[2]) ?? 0 > Int(row[2]) ?? 0
          }
          #expect(isBeaten, "seed \(seed): \(row)")
        }
        foldedCount += report.foldedCount
        if report.foldedCount == 0 { endedCount += 1 }
        if report.foldedCount > 0, Int.random(in: 0..<4, using: &generator) == 0 {
          _ = try Store(feed.path).undo(clock: someInstant)
        }
      }
    }
    #expect(foldedCount > 0 && endedCount > 0)
  }

  @Test func `a row that a trigger keeps stays, with the reason`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take(Self.delivery, options: Self.options())
    _ = try Self.fold(feed)
    try feed.execute(
      "CREATE TRIGGER app BEFORE DELETE ON place BEGIN SELECT RAISE(IGNORE); END")
    let report = try feed.take(Self.delivery, options: Self.options())
    #expect(report.foldedCount == 0)
    #expect(report.foldProblem?.contains("a trigger of the table interferes") == true)
    #expect(try Self.ids(feed) == ["1", "2", "3"])
    #expect(try feed.digest() == report.digest)
    try feed.execute("DROP TRIGGER app")
    #expect(try feed.take(Self.delivery, options: Self.options()).foldProblem == nil)
    #expect(try Self.ids(feed) == ["2", "3"])
  }

  @Test func `a fold that was killed at its end is ended by the next delivery`() throws {
    let feed = try FeedStore(Self.model())
    for _ in 1...2 {
      try feed.take(Self.delivery, options: Self.options())
      if try Self.ids(feed).count == 3 { _ = try Self.fold(feed) }
    }
    let runs: SQL = "poikit_run WHERE options ->> 'fold' = 1"
    #expect(try feed.rows("SELECT state FROM \(runs)") == ["finished"])
    // All but the last statement of its end.
    try feed.execute(
      "UPDATE poikit_run SET state = 'running', ended = NULL WHERE options ->> 'fold' = 1")
    let report = try feed.take(Self.record(7, "Deli"), options: Self.options())
    #expect(report.foldedCount == 0 && report.foldProblem == nil)
    #expect(try feed.rows("SELECT state, ended IS NULL FROM \(runs)") == ["finished|0"])
    #expect(try feed.digest() == report.digest)
    #expect(try Store(feed.path).undo(clock: someInstant).restoredRowCount == 1)
    #expect(try Self.ids(feed) == ["1", "2", "3", "7"])
  }
}
