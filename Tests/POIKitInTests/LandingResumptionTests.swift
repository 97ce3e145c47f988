import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Resumed imports with landed records, of which some are merged when other programs change the
/// table.
@Suite struct LandingResumptionTests {
  private static let document = #"""
    {"x-table":"note","x-key":"id","x-timestamp":"at",
     "x-tombstone":{"attribute":"gone","removal":"delete"},
     "required":["id"],
     "properties":{
      "id":{"type":"integer"},
      "gone":{"type":["boolean","null"]},
      "at":{"type":["integer","null"],"x-unit":"seconds"}}}
    """#

  private static func options() -> ImportOptions {
    var options = ImportOptions()
    options.mergePolicy = .newest
    options.batchSize = 3
    options.directRecordLimit = 0
    options.clock = { Instant(microseconds: 0) }
    return options
  }

  private static func records(_ ids: Range<Int>, at time: Int) -> [String] {
    ids.map { #"{"id":\#($0),"at":\#(time)}"# }
  }

  /// The second delivery: 20 of its records match a stored row, 10 do not.
  private static let landed = records(0..<30, at: 2)

  /// A store with a stopped run that has merged some of its landed records.
  private static func stopped(
    mergedCount: Int, _ store: MergeStore? = nil
  ) throws -> MergeStore {
    let store = try store ?? MergeStore(document)
    _ = try store.run(records(0..<20, at: 1), .newest)
    let report = try store.run(landed, options()) { progress in
      let merged = progress.counters.updated + progress.counters.inserted
      return progress.counters.read == 30 && merged >= mergedCount ? .stop : .proceed
    }
    #expect(report.counters.landed == landed.count - mergedCount)
    return store
  }

  private static func resumed(_ store: MergeStore) throws -> ImportReport {
    var options = options()
    options.isResuming = true
    return try store.run(landed, options)
  }

  @Test(arguments: [3, 9, 18, 20, 26, 29])
  func `a row that another program deletes meanwhile returns if its record was not merged`(
    mergedCount: Int
  ) throws {
    let merged = (mergedCount + 2) / 3 * 3
    let store = try Self.stopped(mergedCount: merged)
    try store.execute("DELETE FROM note WHERE id % 2 = 0")
    let report = try Self.resumed(store)
    let expected = (0..<30).filter { $0 % 2 == 1 || $0 >= merged }
    #expect(
      try store.rows("SELECT group_concat(id) FROM (SELECT id FROM note ORDER BY id)")
        == [expected.map(String.init).joined(separator: ",")])
    #expect(try store.rows("SELECT DISTINCT at FROM note") == ["2000000"])
    #expect(report.counters.landed == 0 && report.counters.areBalanced)
    #expect(report.counters.updated + report.counters.inserted == 30)
    #expect(try store.digest() == report.digest)
    #expect(
      try store.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'poikit_landing%'").isEmpty)
  }

  @Test func `a removal that is imported meanwhile stays`() throws {
    let store = try Self.stopped(mergedCount: 9)
    // One of a merged record, one of a record that is not merged.
    var options = ImportOptions()
    options.clock = { Instant(microseconds: 0) }
    var session = try ImportSession(into: store.store, model: store.model, options: options)
    #expect(try session.beginInput(named: "removals"))
    try session.append(
      Array(#"{"id":4,"at":3,"gone":true}{"id":15,"at":3,"gone":true}"#.utf8).span)
    #expect(try session.finish().counters.removals == 2)
    let report = try Self.resumed(store)
    #expect(report.counters.landed == 0 && report.counters.stale == 1)
    #expect(try store.rows("SELECT count(*), min(at) FROM note") == ["28|2000000"])
    #expect(try store.digest() == report.digest)
  }

  @Test func `a row with the id of an earlier row matches its landed record`() throws {
    let store = try Self.stopped(mergedCount: 24)
    try store.execute(
      """
      DELETE FROM note WHERE poikit_id = 1;
      INSERT INTO note (poikit_id, id, at) VALUES (1, 29, 0)
      """)
    let report = try Self.resumed(store)
    #expect(report.counters.landed == 0 && report.counters.areBalanced)
    #expect(try store.rows("SELECT at FROM note WHERE id = 29") == ["2000000"])
    #expect(try store.rows("SELECT count(*) FROM note") == ["29"])
  }

  @Test func `a run whose merged records are unknown does not count below zero`() throws {
    let folder = try ScratchFolder()
    do {
      let store = try Self.stopped(
        mergedCount: 21, MergeStore(Self.document, store: Store(folder.file("s"))))
      try store.execute("DELETE FROM poikit_landing_merged_2")
      let error = #expect(throws: StoreError.self) { _ = try Self.resumed(store) }
      #expect(
        error?.message.hasSuffix(
          "s: the records that were read and wait to be merged are damaged") == true)
      #expect(error?.advice == [.restart])
    }
    let store = try MergeStore(Self.document, store: Store(folder.file("s")))
    var options = Self.options()
    options.isRestarting = true
    #expect(try store.run(Self.landed, options).counters.landed == 0)
    #expect(try store.rows("SELECT count(*), min(at) FROM note") == ["30|2000000"])
  }

  @Test func `places of merged records that are cut off end the run with an error`() throws {
    let store = try Self.stopped(mergedCount: 3)
    try store.change("places", ofRow: 1, in: "poikit_landing_merged_2") { $0.removeLast() }
    let error = #expect(throws: StoreError.self) { _ = try Self.resumed(store) }
    #expect(error?.message.contains("are damaged") == true && error?.advice == [.restart])
  }
}
