import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Values of losers that their winner does not get, because of the rules of the model.
@Suite struct FillCheckTests {
  private static func feed() throws -> FeedStore {
    try FeedStore(
      Model(
        parsing: #"""
          {"x-table":"place","x-key":"id","x-timestamp":"at",
           "x-coordinates":{"latitude":"lat","longitude":"lon"},
           "dependentRequired":{"note":["tags","id"],"source":["at"]},
           "properties":{
            "id":{"type":"integer"},"at":{"type":["integer","null"],"x-unit":"seconds"},
            "tags":{"type":"array","maxItems":3,"x-merge":"union","items":{"type":"string"}},
            "lat":{"type":"number"},"lon":{"type":"number"},
            "note":{"type":"string"},"source":{"type":"string"}}}
          """#))
  }

  /// The winner of the records, and the number of values that it did not get, also by the plan.
  private func merged(_ records: String...) throws -> (row: String, refusedCount: Int) {
    let feed = try Self.feed()
    let report = try feed.take(records.joined(separator: "\n"))
    #expect(report.counters.inserted == records.count)
    var options = DeduplicationOptions()
    options.mergesLosers = true
    let plan = try {
      let store = try Store(feed.path)
      return try store.plan(Deduplicator(layout: store.layout(), options: options))
    }()
    let changes = try feed.deduplicate(options).changes
    #expect(plan?.refusedValueCount == changes.refusedValueCount)
    #expect(plan?.filledValueCount == changes.filledValueCount)
    let refused = try feed.rows(
      "SELECT coalesce(counters ->> 'refusedValues', 0) FROM poikit_run WHERE tool = 'poi-dedup'")
    #expect(refused == ["\(changes.refusedValueCount)"])
    let rows = try feed.rows("SELECT tags, lat, lon, note, source FROM place")
    #expect(rows.count == 1)
    return (rows[0], changes.refusedValueCount)
  }

  @Test func `a list that grew too long is left out, with values that need it`() throws {
    let fits = try merged(
      #"{"id":1,"at":2,"tags":["a"]}"#, #"{"id":1,"at":1,"tags":["b","c"],"note":"n"}"#)
    #expect(fits == (#"["a","b","c"]|||n|"#, 0))
    let grown = try merged(
      #"{"id":1,"at":2,"tags":["a","b"]}"#, #"{"id":1,"at":1,"tags":["c","d"],"note":"n"}"#)
    #expect(grown == (#"["a","b"]|||n|"#, 1))
    let needed = try merged(
      #"{"id":1,"at":3}"#, #"{"id":1,"at":2,"tags":["a","b"]}"#,
      #"{"id":1,"at":1,"tags":["c","d"],"note":"n"}"#)
    #expect(needed == ("||||", 2))
  }

  @Test func `a value that needs one that is never merged is left out`() throws {
    let merged = try merged(#"{"id":1}"#, #"{"id":1,"at":null,"source":"s","note":"n","tags":[]}"#)
    // The winner of the two depends on their digests.
    #expect(merged == ("[]|||n|", 1) || merged == ("[]|||n|s", 0))
  }

  @Test func `a position comes complete from one record, or is left out`() throws {
    let whole = try merged(#"{"id":1,"at":2}"#, #"{"id":1,"at":1,"lat":52.5,"lon":5.5}"#)
    #expect(whole == ("|52.5|5.5||", 0))
    let mixed = try merged(
      #"{"id":1,"at":3}"#, #"{"id":1,"at":2,"lat":52.5}"#, #"{"id":1,"at":1,"lat":1,"lon":5.5}"#)
    #expect(mixed == ("||||", 2))
    let half = try merged(#"{"id":1,"at":2,"lat":52.5}"#, #"{"id":1,"at":1,"lat":1,"lon":5.5}"#)
    #expect(half == ("|52.5|||", 1))
  }

  @Test func `a longitude is left out with a latitude that needs a missing value`() throws {
    let feed = try FeedStore(
      Model(
        parsing: #"""
          {"x-table":"place","x-key":"id","x-timestamp":"at","x-tombstone":"gone",
           "x-coordinates":{"latitude":"lat","longitude":"lon"},"dependentRequired":{"lat":["gone"]},
           "properties":{
            "id":{"type":"integer"},"at":{"type":"integer","x-unit":"seconds"},
            "gone":{"type":"boolean"},"lat":{"type":"number"},"lon":{"type":"number"}}}
          """#))
    try feed.take(
      #"{"id":1,"at":2}"# + "\n" + #"{"id":1,"at":1,"gone":false,"lat":52.5,"lon":5.5}"#)
    var options = DeduplicationOptions()
    options.mergesLosers = true
    #expect(try feed.deduplicate(options).changes.refusedValueCount == 2)
    #expect(try feed.rows("SELECT lat, lon FROM place") == ["|"])
  }
}
