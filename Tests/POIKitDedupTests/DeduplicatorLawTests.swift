import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// The laws of the winner rule, on random records with every kind of tie.
@Suite struct DeduplicatorLawTests {
  /// The winners by the rule, found in the simplest way.
  private func expectedContent(
    _ records: [SampleRecord], key: [String], keep: DeduplicationOptions.KeepRule,
    nullKey: DeduplicationOptions.NullKeyRule
  ) throws -> [String] {
    func digest(_ record: SampleRecord) -> Digest {
      var content = CanonicalContent()
      func append(_ text: String?, _ name: String) {
        guard let text else { return }
        content.append(text: Array(text.utf8).span, nameTag: CanonicalContent.nameTag(name))
      }
      func append(_ integer: Int64?, _ name: String) {
        guard let integer else { return }
        content.append(integer: integer, nameTag: CanonicalContent.nameTag(name))
      }
      append(record.isRemoval ? 1 : 0, "dead")
      append(record.key, "key")
      append(record.note, "note")
      append(record.part, "part")
      append(record.time, "time")
      return content.digest
    }
    func beats(_ left: SampleRecord, _ right: SampleRecord) -> Bool {
      if left.time != right.time {
        guard let leftTime = left.time else { return false }
        guard let rightTime = right.time else { return true }
        return keep == .newest ? leftTime > rightTime : leftTime < rightTime
      }
      if left.isRemoval != right.isRemoval { return left.isRemoval }
      return digest(left) > digest(right)
    }
    var winners: [[String?]: SampleRecord] = [:]
    var kept: [SampleRecord] = []
    for record in records {
      let values = key.map { $0 == "key" ? record.key : record.part.map(String.init) }
      if values.contains(nil), nullKey == .keep {
        kept.append(record)
      } else if let winner = winners[values] {
        if beats(record, winner) { winners[values] = record }
      } else {
        winners[values] = record
      }
    }
    return try SampleTable.content(try SampleTable.connection(kept + winners.values))
  }

  private func deduplicate(
    _ connection: Connection, key: [String], _ options: DeduplicationOptions
  ) throws -> DeduplicationReport {
    let deduplicator = Deduplicator(
      layout: try SampleTable.layout(key: key, in: connection), options: options)
    return try deduplicator.run(on: connection, clock: someInstant)
  }

  @Test(
    arguments: DeduplicationOptions.KeepRule.allCases, DeduplicationOptions.NullKeyRule.allCases)
  func `the winners follow the rule, for any order, batch size and budget`(
    keep: DeduplicationOptions.KeepRule, nullKey: DeduplicationOptions.NullKeyRule
  ) throws {
    for seed in TestLength.some(UInt64(1)...25, 5) {
      var generator = SplitMix64(seed: seed)
      let records = SampleRecord.random(
        count: Int.random(in: 1...160, using: &generator), using: &generator)
      let key = seed % 2 == 0 ? ["key"] : ["part", "key"]
      let expected = try expectedContent(records, key: key, keep: keep, nullKey: nullKey)
      var digests: Set<Digest> = []
      var reasons: Set<DeduplicationPlan.ReasonCounts> = []
      for _ in 0..<3 {
        var options = DeduplicationOptions()
        options.keep = keep
        options.nullKey = nullKey
        options.archive = Bool.random(using: &generator)
        options.batchSize = Int.random(in: 1...40, using: &generator)
        options.memoryBudget = Bool.random(using: &generator) ? 0 : 1 << 20
        let connection = try SampleTable.connection(records.shuffled(using: &generator))
        let report = try deduplicate(connection, key: key, options)
        #expect(try SampleTable.content(connection) == expected, "seed \(seed)")
        #expect(report.rowsLeft == expected.count, "seed \(seed)")
        #expect(report.plan.loserCount == records.count - expected.count, "seed \(seed)")
        digests.insert(try #require(report.digest))
        reasons.insert(report.plan.reasons)
      }
      #expect(digests.count == 1, "seed \(seed)")
      #expect(reasons.count == 1, "seed \(seed)")
    }
  }

  @Test func `a second pass finds nothing`() throws {
    for seed in TestLength.some(UInt64(1)...10, 4) {
      var generator = SplitMix64(seed: seed)
      let records = SampleRecord.random(count: 100, using: &generator)
      let connection = try SampleTable.connection(records)
      let first = try deduplicate(connection, key: ["key"], DeduplicationOptions())
      let second = try deduplicate(connection, key: ["key"], DeduplicationOptions())
      #expect(first.plan.loserCount > 0, "seed \(seed)")
      #expect(second.plan.loserCount == 0, "seed \(seed)")
      #expect(second.digest == first.digest, "seed \(seed)")
    }
  }

  @Test func `deduplicating parts before the whole changes nothing`() throws {
    for seed in TestLength.some(UInt64(1)...20, 6) {
      var generator = SplitMix64(seed: seed)
      let records = SampleRecord.random(count: 120, using: &generator)
      let whole = try SampleTable.connection(records)
      let expected = try deduplicate(whole, key: ["key"], DeduplicationOptions()).digest

      let parts = try Connection.inMemory()
      try parts.execute(
        "CREATE TABLE sample (\"key\" TEXT, part INTEGER, time INTEGER, dead INTEGER, note TEXT)")
      var rest = records.shuffled(using: &generator)[...]
      while !rest.isEmpty {
        let count = Int.random(in: 1...50, using: &generator)
        try SampleTable.insert(Array(rest.prefix(count)), into: parts)
        rest = rest.dropFirst(count)
        _ = try deduplicate(parts, key: ["key"], DeduplicationOptions())
      }
      #expect(
        try deduplicate(parts, key: ["key"], DeduplicationOptions()).digest == expected,
        "seed \(seed)")
    }
  }

  @Test func `a pass stopped after every batch ends like one that was not stopped`() throws {
    for seed in TestLength.some(UInt64(1)...10, 4) {
      var generator = SplitMix64(seed: seed)
      let records = SampleRecord.random(count: 90, using: &generator)
      let whole = try SampleTable.connection(records)
      let expected = try deduplicate(whole, key: ["key"], DeduplicationOptions())

      let stopped = try SampleTable.connection(records)
      let before = try dump("sample", in: stopped)
      var options = DeduplicationOptions()
      let batchSize = Int.random(in: 1...20, using: &generator)
      options.batchSize = batchSize
      let deduplicator = Deduplicator(
        layout: try SampleTable.layout(in: stopped), options: options)
      var removedCount = 0
      while true {
        let report = try deduplicator.run(on: stopped, clock: someInstant) { progress in
          if progress.stage == .removing { .stop } else { .proceed }
        }
        removedCount += report.changes.removedRowCount
        #expect(report.changes.removedRowCount <= batchSize)
        if report.isFinished { break }
        #expect(report.digest == nil)
      }
      #expect(removedCount == expected.plan.loserCount, "seed \(seed)")
      #expect(
        try dump("sample", in: stopped) == dump("sample", in: whole), "seed \(seed)")
      // It is still one run, which is undone as a whole.
      #expect(try stopped.integer("SELECT count(*) FROM poikit_run") == 1)
      #expect(
        try stopped.integer("SELECT counters ->> 'losers' FROM poikit_run") == Int64(removedCount))
      _ = try Deduplicator.undo(on: stopped, clock: someInstant)
      #expect(try dump("sample", in: stopped) == before, "seed \(seed)")
    }
  }

  @Test(arguments: [("id", "up"), ("code", "'c' || up"), ("name", "'n' || up")] as [(SQL, SQL)])
  func `a pass stopped after every batch ends the same if rows refer to rows of their table`(
    target: SQL, value: SQL
  ) throws {
    for seed in TestLength.some(UInt64(1)...20, 6) {
      var generator = SplitMix64(seed: seed)
      // Some refer to missing rows, some are NULL.
      let values: [SQL] = (1...24).map { id in
        let key = Int.random(in: 0..<6, using: &generator)
        let up = Int.random(in: 1...26, using: &generator)
        return "(\(id), \(key), 'c\(id)', 'N\(id)', nullif(\(up), 26))"
      }
      let script: SQL = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, k, code UNIQUE, name TEXT COLLATE NOCASE,
          up REFERENCES t (\(target)));
        CREATE UNIQUE INDEX t_name ON t (name);
        INSERT INTO t VALUES \(values.joined(separator: ", "));
        UPDATE t SET up = \(value);
        """
      let whole = try Connection.inMemory()
      try whole.execute("PRAGMA foreign_keys = OFF; \(script)")
      let layout = try TableLayout(describing: "t", in: whole, key: ["k"])
      let expected = try Deduplicator(layout: layout).run(on: whole, clock: someInstant)

      let stopped = try Connection.inMemory()
      try stopped.execute("PRAGMA foreign_keys = OFF; \(script)")
      var options = DeduplicationOptions()
      options.batchSize = Int.random(in: 1...3, using: &generator)
      let deduplicator = Deduplicator(layout: layout, options: options)
      var digest: Digest?
      while digest == nil {
        digest = try deduplicator.run(on: stopped, clock: someInstant) { progress in
          if progress.stage == .removing { .stop } else { .proceed }
        }.digest
      }
      #expect(digest == expected.digest, "seed \(seed)")
      #expect(try dump("t", in: stopped) == dump("t", in: whole), "seed \(seed)")
    }
  }

  @Test func `records with equal digests and different contents have one winner in any order`()
    throws
  {
    for seed in TestLength.some(UInt64(1)...10, 4) {
      var generator = SplitMix64(seed: seed)
      let records = SampleRecord.random(count: 60, using: &generator)
      var contents: Set<[String]> = []
      for _ in 0..<4 {
        let connection = try SampleTable.connection(records.shuffled(using: &generator))
        var deduplicator = Deduplicator(layout: try SampleTable.layout(in: connection))
        deduplicator.contentHash = { _ in .zero }
        _ = try deduplicator.run(on: connection, clock: someInstant)
        contents.insert(try SampleTable.content(connection))
      }
      #expect(contents.count == 1, "seed \(seed)")
    }
  }

  @Test func `a single group of all rows needs no more memory than many groups`() throws {
    var generator = SplitMix64(seed: 42)
    // All records tie except for the digest, so all pass through the log of tied rows.
    let records = (0..<20_000).map { number in
      SampleRecord(key: "same", part: nil, time: 1, note: "note \(number % 15_000)")
    }
    let connection = try SampleTable.connection(records.shuffled(using: &generator))
    var options = DeduplicationOptions()
    options.memoryBudget = 64 << 10
    options.batchSize = 5_000
    let report = try deduplicate(connection, key: ["key"], options)
    #expect(report.rowsLeft == 1)
    #expect(report.plan.duplicateGroupCount == 1)
    #expect(report.plan.largestGroups.first?.rowCount == 20_000)
    #expect(report.plan.reasons.digest + report.plan.reasons.identical == 19_999)
    #expect(report.plan.spilledByteCount > 20_000 * 32)
    let winner = try SampleTable.content(connection)
    let expected = try expectedContent(
      Array(records.prefix(15_000)), key: ["key"], keep: .newest, nullKey: .keep)
    #expect(winner == expected)
  }
}
