import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Which rows a snapshot holds: those that its records met, by whatever road.
@Suite struct SnapshotRowTests {
  private static func record(_ key: Int, _ version: Int = 0) -> String {
    #"{"id":\#(key),"text":"\#(version)","at":\#(version)}"#
  }

  @Test func `a snapshot leaves the rows of its keys, in any order, by any road, with any row ids`()
    throws
  {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    for _ in 0..<TestLength.count(10, long: 200) {
      let feed = try FeedStore(Model(parsing: MergeFixture.document))
      let count = Int.random(in: 1...80, using: &generator)
      var options = ImportOptions()
      options.mergePolicy = .newest
      options.clock = someInstant
      try feed.take((0..<count).map { Self.record($0) }.joined(separator: "\n"), options: options)
      let factor = [1, 1, 7, 1_000_003].randomElement(using: &generator)!
      let offset = Int.random(in: -200...0, using: &generator)
      // Twice, so that no id is taken for a moment.
      for sum in [1_000_000_000, offset - 1_000_000_000 * factor] {
        try feed.execute(
          "UPDATE note SET poikit_id = poikit_id * \(sum < 0 ? factor : 1) + \(sum)")
      }
      var keys = (0..<count).filter { _ in Int.random(in: 0..<8, using: &generator) > 0 }
      keys += (0..<Int.random(in: 0...20, using: &generator)).map { count + $0 }
      keys += keys.prefix(5)
      if Bool.random(using: &generator) { keys.shuffle(using: &generator) }
      guard !keys.isEmpty else { continue }
      let text = keys.map { key in
        Self.record(key, Int.random(in: -1...1, using: &generator))
      }.joined(separator: "\n")
      options.isSnapshot = true
      options.removalLimit = .percent(100)
      options.batchSize = Int.random(in: 1...30, using: &generator)
      options.directRecordLimit = [0, 10, .max].randomElement(using: &generator)!
      options.windowBlockSize = [0, 2, 16].randomElement(using: &generator)!
      let stop = Int.random(in: 0...keys.count, using: &generator)
      var report = try feed.take(text, options: options) {
        $0.counters.read < stop ? .proceed : .stop
      }
      if report.ending == .stopped {
        options.isResuming = true
        report = try feed.take(text, options: options)
      }
      let left = try feed.rows("SELECT id FROM note ORDER BY id")
      let areExpected = left == Set(keys).sorted().map(String.init)
      #expect(areExpected, "seed \(seed)")
      let isDigestRight = try feed.digest() == report.digest
      #expect(isDigestRight, "seed \(seed)")
    }
  }

  @Test(arguments: [0, Int.max])
  func `a record or a removal that an older removal or a newer row supersedes holds its row`(
    directRecordLimit: Int
  ) throws {
    let feed = try FeedStore(
      Model(
        parsing: #"""
          {"x-table":"note","x-key":"id","x-timestamp":"at",
           "x-tombstone":{"attribute":"gone","removal":"delete"},"properties":{
            "id":{"type":"integer"},
            "text":{"type":["string","null"]},
            "gone":{"type":["boolean","null"]},
            "at":{"type":["integer","null"],"x-unit":"seconds"}}}
          """#))
    var options = ImportOptions()
    options.mergePolicy = .newest
    options.directRecordLimit = directRecordLimit
    options.clock = someInstant
    try feed.take((1...4).map { Self.record($0, 12) }.joined(separator: "\n"), options: options)
    // It is stored, and counts once the row is gone.
    try feed.take(#"{"id":1,"gone":true,"at":10}"#, options: options)
    options.isSnapshot = true
    options.removalLimit = .percent(50)
    let snapshot = [Self.record(1, 5), #"{"id":2,"gone":true,"at":5}"#, Self.record(3, 12)]
    let report = try feed.take(snapshot.joined(separator: "\n"), options: options)
    #expect(report.counters.stale == 2)
    #expect(report.counters.removed == 1)
    #expect(try feed.rows("SELECT id FROM note ORDER BY id") == ["1", "2", "3"])
  }
}
