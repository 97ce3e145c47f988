import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Deliveries in the order of the rows, merged through a window, against the same with a search for each record.
@Suite struct RowWindowTests {
  private static let policies = [
    MergePolicy.newest, .objectTrump, .storeTrump, .overwrite, .rollback, .newestByProperty,
  ]

  private static let textKeys = #"""
    {"x-table":"note","x-key":["place","id"],"x-timestamp":"at",
     "properties":{
      "id":{"type":["integer","number","string","null"]},
      "place":{"type":["string","null"]},
      "text":{"type":["string","null"]},
      "at":{"type":["integer","null"],"x-unit":"seconds"}}}
    """#

  /// A model whose removals delete rows.
  private static let removals = #"""
    {"x-table":"note","x-key":"id","x-timestamp":"at","x-tombstone":{"attribute":"gone","removal":"delete"},
     "properties":{
      "id":{"type":["integer","null"]},
      "text":{"type":["string","null"]},
      "gone":{"type":["boolean","null"]},
      "at":{"type":["integer","null"],"x-unit":"seconds"}}}
    """#

  private static func record(
    _ key: Int, _ version: Int, using generator: inout SplitMix64
  ) -> String {
    let isNull = key % 17 == 16
    let id = key % 5 == 4 ? #""\#(key)""# : key % 3 == 1 ? "\(key).5" : "\(key)"
    let time = version == 0 ? 1 : Int.random(in: 0...2, using: &generator)
    var members = [
      #""id":\#(isNull ? "null" : id)"#, #""place":"a place with a long name \#(key / 7)""#,
      #""text":"\#(version)""#, #""at":\#(time)"#,
      #""zone":"\#("ab".randomElement(using: &generator)!)""#,
    ]
    if version == 0 { members[4] = #""zone":"a""# }
    if version > 0, Int.random(in: 0..<6, using: &generator) == 0 { members.remove(at: 2) }
    if version > 0, Int.random(in: 0..<4, using: &generator) == 0 {
      members.append(#""gone":true"#)
    }
    return "{\(members.joined(separator: ","))}"
  }

  /// A delivery of the keys below `count` in their order, with records that are gone, new, changed, repeated or in
  /// another place.
  private static func delivery(_ count: Int, using generator: inout SplitMix64) -> [String] {
    var records: [String] = []
    func roll(_ sides: Int, using generator: inout SplitMix64) -> Bool {
      Int.random(in: 0..<sides, using: &generator) == 0
    }
    for key in 0..<count where !roll(20, using: &generator) {
      let version = roll(8, using: &generator) ? Int.random(in: 1...3, using: &generator) : 0
      records.append(record(key, version, using: &generator))
      if roll(12, using: &generator) {
        let other = Int.random(in: 0..<count * 2, using: &generator)
        records.append(record(other, Int.random(in: 0...3, using: &generator), using: &generator))
      }
    }
    if !records.isEmpty, roll(3, using: &generator) {
      let middle = Int.random(in: 0..<records.count, using: &generator)
      records = Array(records[middle...] + records[..<middle])
    }
    return records
  }

  private static func integers(_ document: String, _ record: String) -> String {
    // Keys of one integer.
    guard document != textKeys else { return record }
    return record.replacing(#/"id":"?(\d+)(\.5)?"?/#) { #""id":\#($0.1)"# }
  }

  @Test(arguments: policies, [MergeFixture.documentWithDefaults, textKeys, removals])
  func `a window changes no row, row id, counter or digest`(
    policy: MergePolicy, document: String
  ) throws {
    if policy == .newestByProperty, document == Self.removals { return }
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    for trial in 0..<TestLength.count(3, long: 60) {
      let count = Int.random(in: 1...120, using: &generator)
      let first = (0..<count).map {
        Self.integers(document, Self.record($0, 0, using: &generator))
      }
      let second = Self.delivery(count, using: &generator).map { Self.integers(document, $0) }
      var options = ImportOptions()
      options.batchSize = Int.random(in: 1...40, using: &generator)
      options.jobCount = 1
      options.clock = someInstant
      options.directRecordLimit = .max
      let changes: [SQL] = [
        "", "UPDATE note SET text = 'by another' WHERE poikit_id % 3 = 0",
        "DELETE FROM note WHERE poikit_id % 4 = 1",
        "UPDATE note SET id = id + 1000000 WHERE poikit_id % 5 = 2",
      ]
      let change = changes.randomElement(using: &generator)!
      let changedBatch = Int.random(in: 1...4, using: &generator)
      var outcomes: [[String]] = []
      for blockSize in [0, [1, 2, 4, 16, 64, 4_096].randomElement(using: &generator)!] {
        let feed = try FeedStore(Model(parsing: document))
        var before = options
        before.mergePolicy = .append
        try feed.take(first.joined(separator: "\n"), options: before)
        var rule = DeduplicationOptions()
        rule.enforcement = trial % 3 == 2 && document == Self.textKeys ? .hash : .index
        try feed.deduplicate(rule)
        options.mergePolicy = policy
        options.windowBlockSize = blockSize
        var batchCount = 0
        let report = try feed.take(second.joined(separator: "\n"), options: options) { _ in
          batchCount += 1
          if batchCount == changedBatch, !change.text.isEmpty { try? feed.execute(change) }
          return .proceed
        }
        #expect(report.counters.areBalanced)
        let isDigestRight = try feed.digest() == report.digest
        #expect(isDigestRight, "seed \(seed)")
        let table = try dump("note", in: Store(feed.path))
        outcomes.append(
          table + ["\(report.counters)", report.digest.description, "\(report.tiedCount)"])
      }
      let difference = Set(outcomes[0]).symmetricDifference(outcomes[1])
      #expect(difference.isEmpty, "seed \(seed), trial \(trial)")
    }
  }

  @Test func `a window of few long rows moves, too`() throws {
    let text = String(repeating: "x", count: 400_000)
    let records = (0..<50).map { #"{"id":\#($0),"text":"\#(text)","at":1}"# }
    let store = try MergeStore()
    _ = try store.run(records, .newest)
    var options = ImportOptions()
    options.batchSize = 5
    options.directRecordLimit = 10
    options.windowBlockSize = 64
    var landedCount = 0
    let report = try store.run(records + records, options) { progress in
      landedCount = max(landedCount, progress.counters.landed)
      return .proceed
    }
    #expect(report.counters.unchanged == 100)
    #expect(landedCount == 0)
  }

  @Test func `a number that a program stored with another type is the same`() throws {
    let store = try MergeStore()
    let records = (0..<200).map {
      #"{"id":\#($0),"tag":\#($0 < 100 ? "\($0)" : "\($0).5"),"at":1}"#
    }
    _ = try store.run(records, .newest)
    try store.execute(
      """
      UPDATE note SET tag = tag + 0.0 WHERE id < 50; UPDATE note SET tag = tag + 0.5 WHERE id BETWEEN 50 AND 99;
      UPDATE note SET tag = id WHERE id > 149
      """)
    #expect(
      try store.rows("SELECT typeof(tag), count(*) FROM note GROUP BY 1")
        == ["integer|50", "real|150"])
    var options = ImportOptions()
    options.mergePolicy = .overwrite
    options.windowBlockSize = 16
    let report = try store.run(records, options)
    #expect(report.counters.unchanged == 100)
    #expect(report.counters.updated == 100)
  }

  @Test func `records in the order of the rows do not land, others do`() throws {
    let records = (0..<600).map { #"{"id":\#($0),"text":"\#($0)","at":1}"# }
    // The first part may be missing, and records from another place may be between.
    var drifted = Array(records.dropFirst(150))
    for place in stride(from: 10, to: 400, by: 10) {
      drifted.insert(records[599 - place], at: place)
    }
    for (delivery, lands) in [
      (records, false), (drifted, false), (Array(records.reversed()), true),
    ] {
      let store = try MergeStore()
      _ = try store.run(records, .newest)
      var options = ImportOptions()
      options.directRecordLimit = 1
      options.batchSize = 10
      options.windowBlockSize = 64
      var landedCount = 0
      let report = try store.run(delivery, options) { progress in
        landedCount = max(landedCount, progress.counters.landed)
        return .proceed
      }
      #expect(report.counters.unchanged == delivery.count)
      #expect((landedCount > 0) == lands)
    }
  }
}
