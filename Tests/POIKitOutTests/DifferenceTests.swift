import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct DifferenceTests {
  private static let document = #"""
    {"x-table":"t","x-key":"id","x-unmapped-column":"rest","x-tombstone":{"attribute":"gone"},"properties":{
      "id":{"type":["integer","null"]},"name":{"type":["string","null"]},"level":{"type":["number","null"]},
      "gone":{"type":["boolean","null"]},
      "at":{"type":["string","null"],"format":"date-time"},
      "kind":{"type":["string","null"],"x-relation":{"table":"kind","unique":"kind"}},
      "tags":{"type":"array","x-relation":{"table":"tag","unique":"tag"},"items":{"type":"string"}}}}
    """#

  private static func store(
    _ records: [String], _ document: String = document, enforces: Bool = false
  ) throws -> Store {
    let store = try Store.inMemory()
    let model = try Model(parsing: document)
    let report = try store.importRecords(
      from: .text(records.joined(separator: "\n")), model: model)
    #expect(report.counters.rejected == 0)
    var options = DeduplicationOptions()
    options.enforcement = .index
    if enforces { try store.deduplicate(options: options) }
    return store
  }

  @discardableResult
  private static func lines(
    _ newer: Store, _ older: Store, _ options: DifferenceOptions = DifferenceOptions()
  ) throws -> (lines: [String], report: DifferenceReport) {
    var text = ""
    let report = try newer.compare(withOlder: older, options: options) {
      text += String(copying: $0)
    }
    return (text.split(separator: "\n").map(String.init), report)
  }

  @Test(arguments: [false, true], [false, true])
  func `differences are written with the old and the new value`(
    older: Bool, newer: Bool
  ) throws {
    let old = try Self.store(
      [
        #"{"id":1,"name":"a","level":1,"at":"2024-01-01T00:00:00Z","kind":"x","tags":["p","q"]}"#,
        #"{"id":2,"name":"b","more":1}"#, #"{"id":3,"name":"c"}"#, #"{"id":4,"gone":false}"#,
        #"{"id":5,"name":"same","kind":"x","tags":["p"],"more":[1]}"#,
      ], enforces: older)
    let new = try Self.store(
      [
        #"{"id":5,"name":"same","kind":"x","tags":["p"],"more":[1]}"#, #"{"id":4,"gone":true}"#,
        #"{"id":1,"name":"a","level":2,"kind":"y","tags":["q"]}"#,
        #"{"id":2,"name":null,"more":2}"#, #"{"id":6,"name":"new","level":0.5}"#,
      ], enforces: newer)
    let (lines, report) = try Self.lines(new, old)
    #expect(
      lines == [
        #"{"change":"changed","key":{"id":1},"attributes":{"level":{"old":1.0,"new":2.0},"#
          + #""at":{"old":"2024-01-01T00:00:00Z","new":null},"kind":{"old":"x","new":"y"},"#
          + #""tags":{"old":["p","q"],"new":["q"]}}}"#,
        #"{"change":"changed","key":{"id":2},"attributes":{"name":{"old":"b","new":null},"#
          + #""rest":{"old":{"more":1},"new":{"more":2}}}}"#,
        #"{"change":"added","key":{"id":6},"record":{"id":6,"name":"new","level":0.5}}"#,
        #"{"change":"removed","key":{"id":3},"record":{"id":3,"name":"c"}}"#,
        #"{"change":"removed","key":{"id":4},"record":{"id":4,"gone":false}}"#,
      ])
    #expect(report.addedCount == 1 && report.removedCount == 2 && report.equalCount == 1)
    #expect(
      report.changedAttributes.map { "\($0.name) \($0.recordCount)" } == [
        "name 1", "level 1", "at 1", "kind 1", "rest 1", "tags 1",
      ])
    #expect(report.uncomparedAttributes.isEmpty && !report.areEqual)

    var options = DifferenceOptions()
    options.ignoredAttributes = ["name", "level", "at", "kind", "rest", "tags"]
    #expect(try Self.lines(new, old, options).report.changedCount == 0)
    // A second comparison of the same stores finds the same.
    #expect(try Self.lines(new, old).lines == lines)
    options.ignoredAttributes = ["nam"]
    #expect(throws: StoreError.self) { try Self.lines(new, old, options) }
    options = DifferenceOptions()
    options.key = ["nam"]
    #expect(throws: StoreError.self) { try Self.lines(new, old, options) }
  }

  @Test func `records without a key of their own are counted, not compared`() throws {
    let old = try Self.store([
      #"{"id":1,"name":"a"}"#, #"{"id":1,"name":"b"}"#, #"{"id":null,"name":"c"}"#,
      #"{"id":2}"#, #"{"id":3}"#,
    ])
    let new = try Self.store([
      #"{"id":1,"name":"x"}"#, #"{"id":null}"#, #"{"id":null}"#, #"{"id":2}"#, #"{"id":3}"#,
      #"{"id":3}"#, #"{"id":3}"#,
    ])
    let (lines, report) = try Self.lines(new, old)
    #expect(lines.isEmpty && report.equalCount == 1 && !report.areEqual)
    #expect(report.keylessCounts.older == 1 && report.keylessCounts.newer == 2)
    #expect(report.repeatedKeyCounts.older == 1 && report.repeatedKeyCounts.newer == 1)
  }

  @Test func `an attribute is not compared with an attribute of a related record of its name`()
    throws
  {
    let document =
      #"{"x-table":"t","x-key":"id","properties":{"id":{"type":"integer"},"c.name":{"type":["string","null"]},"#
      + #""c":{"type":["object","null"],"x-relation":{"table":"c","unique":"name"},"required":["name"],"#
      + #""properties":{"name":{"type":"string"}}}}}"#
    let old = try Self.store([#"{"id":1,"c.name":"x","c":{"name":"y"}}"#], document)
    let new = try Self.store([#"{"id":1,"c.name":"x","c":{"name":"z"}}"#], document)
    #expect(
      try Self.lines(new, old).lines == [
        #"{"change":"changed","key":{"id":1},"attributes":{"c.name":{"old":"y","new":"z"}}}"#
      ])
  }

  @Test func `a key of another type is refused`() throws {
    let text = #"{"x-table":"t","x-key":"id","properties":{"id":{"type":"string"}}}"#
    let old = try Self.store([#"{"id":"5"}"#, #"{"id":"05"}"#], text)
    let new = try Self.store([#"{"id":5}"#])
    for (newer, older) in [(new, old), (old, new)] {
      let error = #expect(throws: StoreError.self) { try Self.lines(newer, older) }
      #expect(error?.message.contains("the key \"id\" has another type") == true, "\(error as Any)")
    }
    let either = #"{"x-table":"t","x-key":"id","properties":{"id":{"type":["string","integer"]}}}"#
    let report = try Self.lines(new, Self.store([#"{"id":"5"}"#, #"{"id":5}"#], either)).report
    #expect(report.equalCount == 1 && report.removedCount == 1 && report.addedCount == 0)
  }

  @Test func `a comparison leaves no temporary tables`() throws {
    let store = try Self.store([#"{"id":1}"#])
    try Self.lines(store, Self.store([#"{"id":1}"#]))
    #expect(try store.integer("SELECT count(*) FROM temp.sqlite_schema") == 0)
  }

  @Test func `models that differ are compared by what they share`() throws {
    let old = try Self.store(
      [#"{"id":1,"level":2,"at":5,"name":"a","a":1}"#],
      #"{"x-table":"t","x-key":"id","properties":{"id":{"type":"integer"},"level":{"type":"integer"},"#
        + #""at":{"type":"integer"},"name":{"type":"string"},"a":{"type":"integer"}}}"#)
    let new = try Self.store(
      [#"{"id":1,"level":2.0,"at":"2024-01-01T00:00:00Z","name":"b","tags":["p"]}"#])
    let (lines, report) = try Self.lines(new, old)
    #expect(
      lines == [
        #"{"change":"changed","key":{"id":1},"attributes":{"name":{"old":"a","new":"b"}}}"#
      ])
    #expect(
      !report.areEqual
        && report.uncomparedAttributes == ["gone", "at", "kind", "rest", "tags", "a"],
      "\(report.uncomparedAttributes)")
  }

  @Test func `the differences of random stores are the differences of their records`() throws {
    for _ in 0..<TestLength.count(60, long: 3_000) {
      let seed = UInt64.random(in: 0...UInt64.max)
      var generator = SplitMix64(seed: seed)
      func records() -> [Int: String] {
        var records: [Int: String] = [:]
        for id in 0..<12 where Int.random(in: 0..<4, using: &generator) > 0 {
          let members = [
            #""name":"a""#, #""level":1"#, #""kind":"k""#, #""tags":["p"]"#, #""z":1"#,
          ]
          records[id] = members.filter { _ in Int.random(in: 0..<4, using: &generator) > 0 }
            .map { $0 + "," }.joined()
        }
        return records
      }
      let (old, new) = (records(), records())
      func store(_ records: [Int: String]) throws -> Store {
        try Self.store(
          records.map { "{\($0.value)\"id\":\($0.key)}" }.shuffled(using: &generator),
          enforces: Bool.random(using: &generator))
      }
      let (lines, report) = try Self.lines(store(new), store(old))
      let added = Set(new.keys).subtracting(old.keys)
      let removed = Set(old.keys).subtracting(new.keys)
      let both = Set(new.keys).intersection(old.keys)
      let changed = both.filter { old[$0] != new[$0] }
      func written(_ change: String) throws -> Set<Int> {
        Set(
          try lines.map { try JSONValue(parsing: $0) }.filter { $0["change"]?.string == change }
            .compactMap { $0["key"]?["id"]?.integer })
      }
      #expect(try written("added") == added, "seed \(seed)")
      #expect(try written("removed") == removed, "seed \(seed)")
      #expect(try written("changed") == changed, "seed \(seed)")
      #expect(lines.count == added.count + removed.count + changed.count, "seed \(seed)")
      #expect(report.equalCount == both.count - changed.count, "seed \(seed)")
      #expect(report.areEqual == lines.isEmpty)
    }
  }

  @Test func `a comparison stops when it is told to, and at an error of its reader`() throws {
    let records = (0..<9_000).map { "{\"id\":\($0)}" }
    let (old, new) = (try Self.store([]), try Self.store(records))
    let report = try new.compare(withOlder: old, progress: { _ in .stop }, to: { _ in })
    #expect(!report.isFinished && report.addedCount < 9_000)
    struct Failure: Error {}
    #expect(throws: Failure.self) { try new.compare(withOlder: old) { _ in throw Failure() } }
    #expect(try new.compare(withOlder: old) { _ in }.addedCount == 9_000)
  }

  @Test func `a model without a key is refused, and keys are compared as blobs, too`() throws {
    let keyless = #"{"x-table":"t","properties":{"id":{"type":"string"}}}"#
    let pair = [try Self.store([#"{"id":"a"}"#], keyless), try Self.store([], keyless)]
    #expect(storeError { try Self.lines(pair[0], pair[1]) }?.code == .invalidOptions)
    let document =
      #"{"x-table":"t","x-key":"id","properties":{"id":{"type":["string","integer"]}}}"#
    let newer = try Self.store([#"{"id":"a"}"#], document)
    let older = try Self.store([#"{"id":"b"}"#, #"{"id":"a"}"#], document)
    for store in [newer, older] { try store.execute("UPDATE t SET id = x'01' WHERE id = 'a'") }
    #expect(try Self.lines(newer, older).lines.count == 1)
  }
}
