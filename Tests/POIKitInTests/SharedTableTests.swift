import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Relations of one model that share a table, such as the start and the end of a route.
@Suite struct SharedTableTests {
  /// Routes between stations, which they name by a plain value, an object and an array; their legs
  /// name stations too.
  ///
  /// - Parameter tables: the tables of the four relations.
  private static func document(tables: [String]) -> String {
    #"""
    {"x-table":"route","x-key":"id","x-timestamp":"changed","properties":{
      "id":{"type":"integer"},"changed":{"type":"integer","x-unit":"seconds"},
      "from":{"type":["string","null"],"x-relation":{"table":"\#(tables[0])","unique":"code"}},
      "to":{"type":["object","null"],"x-relation":{"table":"\#(tables[1])","unique":"code"},
        "required":["code"],"properties":{"code":{"type":"string","maxLength":5}}},
      "via":{"type":"array","items":{"type":"string"},
        "x-relation":{"table":"\#(tables[2])","unique":"code","join":"route_via"}},
      "legs":{"type":"array","x-relation":{"table":"leg","unique":"number"},
        "items":{"type":"object","required":["number"],"properties":{"number":{"type":"integer"},
          "stop":{"type":["string","null"],
            "x-relation":{"table":"\#(tables[3])","unique":"code"}}}}}}}
    """#
  }

  private static let shared = document(tables: ["station", "station", "station", "station"])
  private static let apart = document(tables: ["a", "b", "c", "d"])

  /// The codes named by a route, by attribute.
  private static func content(tables: [String]) -> SQL {
    """
    SELECT r.id, r.changed, f.code, t.code,
      (SELECT group_concat(code) FROM (
        SELECT v.code FROM route_via AS j JOIN \(name: tables[2]) AS v
        ON v.poikit_id = j.\(name: tables[2]) WHERE j.route = r.poikit_id ORDER BY v.code)),
      (SELECT group_concat(leg) FROM (
        SELECT l.number || ifnull(s.code, '-') AS leg FROM leg AS l
        LEFT JOIN \(name: tables[3]) AS s ON s.poikit_id = l.stop WHERE l.route = r.poikit_id
        ORDER BY leg))
    FROM route AS r LEFT JOIN \(name: tables[0]) AS f ON f.poikit_id = r."from"
    LEFT JOIN \(name: tables[1]) AS t ON t.poikit_id = r."to"
    ORDER BY r.id, r.changed, f.code, t.code
    """
  }

  private static func route(_ using: inout SplitMix64) -> String {
    func code() -> String {
      [#""A""#, #""B""#, #""C""#, #""LONGER""#].randomElement(using: &using)!
    }
    var members = [
      #""id":\#(Int.random(in: 0..<9, using: &using))"#,
      #""changed":\#(Int.random(in: 0..<3, using: &using))"#,
    ]
    if Bool.random(using: &using) { members.append(#""from":\#(code())"#) }
    if Bool.random(using: &using) { members.append(#""to":{"code":\#(code())}"#) }
    if Bool.random(using: &using) { members.append(#""via":[\#(code()),\#(code())]"#) }
    if Bool.random(using: &using) {
      members.append(#""legs":[{"number":1,"stop":\#(code())},{"number":2}]"#)
    }
    return "{" + members.joined(separator: ",") + "}"
  }

  @Test func `a value is one row, whichever relation names it`() throws {
    let feed = try FeedStore(Model(parsing: Self.shared))
    let report = try feed.take(
      #"""
      {"id":1,"from":"A","to":{"code":"A"},"via":["A","B"],"legs":[{"number":1,"stop":"B"}]}
      {"id":2,"from":"C","to":{"code":"B"}}
      """#)
    #expect(report.counters.inserted == 2)
    #expect(try feed.rows("SELECT code FROM station ORDER BY 1") == ["A", "B", "C"])
    #expect(
      try feed.rows("SELECT id, \"from\", \"to\", via, legs FROM poikit_readable_route")
        == ["1|A|A|2|1", "2|C|B|0|0"])
    #expect(try feed.rows("PRAGMA foreign_key_check").isEmpty)
    #expect(try feed.digest() == report.digest)
  }

  @Test(arguments: [MergePolicy.append, .newest, .objectTrump, .newestByProperty])
  func `a shared table has the same content as separate tables`(policy: MergePolicy) throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    let shared = try FeedStore(Model(parsing: Self.shared))
    let apart = try FeedStore(Model(parsing: Self.apart))
    for _ in 0..<6 {
      let text = (0..<Int.random(in: 1...30, using: &generator))
        .map { _ in Self.route(&generator) }.joined(separator: "\n")
      var options = ImportOptions()
      options.mergePolicy = policy
      options.batchSize = Int.random(in: 1...9, using: &generator)
      options.jobCount = Int.random(in: 1...2, using: &generator)
      options.directRecordLimit = [0, 5, .max].randomElement(using: &generator)!
      options.windowBlockSize = [0, 4].randomElement(using: &generator)!
      let reports = [
        try shared.take(text, options: options), try apart.take(text, options: options),
      ]
      #expect(reports[0].counters == reports[1].counters, "seed \(seed)")
      #expect(reports[0].digest == reports[1].digest, "seed \(seed)")
      try expectSameContent(shared, apart, seed)
    }
    guard policy == .append else { return }
    let reports = [try shared.deduplicate(), try apart.deduplicate()]
    #expect(reports[0].digest == reports[1].digest, "seed \(seed)")
    try expectSameContent(shared, apart, seed)
    _ = try Store(shared.path).undo(clock: someInstant)
    _ = try Store(apart.path).undo(clock: someInstant)
    try expectSameContent(shared, apart, seed)
  }

  private func expectSameContent(
    _ shared: borrowing FeedStore, _ apart: borrowing FeedStore, _ seed: UInt64
  ) throws {
    let stations = Array(repeating: "station", count: 4)
    #expect(
      try shared.rows(Self.content(tables: stations))
        == apart.rows(Self.content(tables: ["a", "b", "c", "d"])), "seed \(seed)")
    #expect(try shared.digest() == apart.digest(), "seed \(seed)")
    #expect(try shared.rows("PRAGMA foreign_key_check").isEmpty, "seed \(seed)")
  }

  @Test func `a relation that is added later finds the rows of another one`() throws {
    let first = try FeedStore(
      Model(
        parsing: #"""
          {"x-table":"route","x-key":"id","properties":{"id":{"type":"integer"},
            "from":{"type":"string","x-relation":{"table":"station","unique":"code"}}}}
          """#))
    try first.take(#"{"id":1,"from":"A"}"#)
    let wider = try Model(
      parsing: #"""
        {"x-table":"route","x-key":"id","properties":{"id":{"type":"integer"},
          "from":{"type":"string","x-relation":{"table":"station","unique":"code"}},
          "to":{"type":"string","x-relation":{"table":"station","unique":"code"}}}}
        """#)
    var session = try ImportSession(into: Store(first.path), model: wider)
    try session.append(Array(#"{"id":2,"from":"B","to":"A"}"#.utf8).span)
    let report = try session.finish()
    #expect(try first.rows("SELECT poikit_id, code FROM station") == ["1|A", "2|B"])
    #expect(try first.rows("SELECT id, \"from\", \"to\" FROM route") == ["1|1|", "2|2|1"])
    #expect(try Store(first.path).digest(of: wider).digest == report.digest)
  }

  @Test func `the digest is computed again after an app changes shared rows`() throws {
    let feed = try FeedStore(Model(parsing: Self.shared))
    let report = try feed.take(#"{"id":1,"from":"A","to":{"code":"A"},"via":["B"]}"#)
    try feed.execute("UPDATE station SET code = 'Z' WHERE code = 'A'")
    let changed = try feed.digest()
    #expect(changed != report.digest)
    let other = try FeedStore(Model(parsing: Self.apart))
    let expected = try other.take(#"{"id":1,"from":"Z","to":{"code":"Z"},"via":["B"]}"#)
    #expect(changed == expected.digest)
  }
}
