import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct LandedRecordTests {
  private static let landing = "poikit_landing_2"

  private static func options(isResuming: Bool) -> ImportOptions {
    var options = ImportOptions()
    options.mergePolicy = .newest
    options.batchSize = 7
    options.directRecordLimit = 0
    options.isResuming = isResuming
    options.clock = { Instant(microseconds: 0) }
    return options
  }

  /// A store with merged records, and the landed records of a run that was stopped before it merged them.
  private static func stopped(_ document: String, _ records: [String]) throws -> MergeStore {
    let store = try MergeStore(document)
    _ = try store.run(records.prefix(20), .newest)
    var seen = 0
    let report = try store.run(records, options(isResuming: false)) { _ in
      seen += 1
      return seen == (records.count + 6) / 7 ? .stop : .proceed
    }
    #expect(report.counters.landed > 0)
    return store
  }

  /// Resumes the run.
  ///
  /// - Returns: the message of the error, or nil if it finishes.
  private static func resumed(_ store: MergeStore, _ records: [String]) throws -> String? {
    do {
      _ = try store.run(records, options(isResuming: true))
      return nil
    } catch let error as StoreError {
      #expect(error.code == .inputOutput, "\(error)")
      return error.message
    }
  }

  private static func change(
    _ bytes: inout [UInt8], using generator: inout SplitMix64
  ) {
    let place = bytes.indices.randomElement(using: &generator)!
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: bytes.removeSubrange(place...)
    case 1: bytes.insert(.random(in: 0...255, using: &generator), at: place)
    case 2: for index in bytes[place...].prefix(10).indices { bytes[index] = 0xFF }
    case 3: for index in bytes.indices { bytes[index] = .random(in: 0...255, using: &generator) }
    default: bytes[place] = .random(in: 0...255, using: &generator)
    }
  }

  private static let removable = #"""
    {"x-table":"note","x-key":"id","x-timestamp":"at",
     "x-tombstone":{"attribute":"gone","removal":"delete"},
     "properties":{
      "id":{"type":["number","string"]},
      "gone":{"type":["boolean","null"]},
      "at":{"type":["integer","null"],"x-unit":"seconds"}}}
    """#

  @Test(arguments: ["notes", "issues", "removals"])
  func `landed records that are damaged anywhere are merged or end the run with an error`(
    kind: String
  ) throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    let (document, records) =
      switch kind {
      case "notes": (MergeFixture.document, MergeFixture.records(40, using: &generator))
      case "issues": (IssueTracker.document, IssueTracker.records(40, using: &generator))
      default:
        (
          Self.removable,
          (0..<40).map { #"{"id":\#(Double($0 % 25) / 2),"gone":\#($0 % 3 == 0),"at":\#($0)}"# }
        )
      }
    var endedCount = 0
    for trial in 0..<60 where trial < TestLength.count(12, long: 60) || endedCount == 0 {
      let store = try Self.stopped(document, records)
      let rowCount = Int(try store.rows("SELECT count(*) FROM \(name: Self.landing)")[0])!
      for _ in 0...trial % 3 {
        try store.change(
          Bool.random(using: &generator) ? "directory" : "content",
          ofRow: .random(in: 1...rowCount, using: &generator), in: Self.landing
        ) { bytes in
          if !bytes.isEmpty { Self.change(&bytes, using: &generator) }
        }
      }
      do {
        if try Self.resumed(store, records) != nil { endedCount += 1 }
      } catch {
        Issue.record("seed \(seed), trial \(trial): \(error)")
      }
    }
    #expect(endedCount > 0, "seed \(seed)")
  }

  @Test func `the error names what is damaged and what to do`() throws {
    let records = (0..<40).map { #"{"id":\#($0),"tag":2.5,"at":1}"# }
    let changes: [(MergeStore) throws -> Void] = [
      { try $0.change("directory", ofRow: 1, in: Self.landing) { $0.removeLast(4) } },
      { try $0.change("directory", ofRow: 1, in: Self.landing) { $0.removeLast(24) } },
      // The number of bytes of a record: one less, one more, zero, too many.
      { try $0.change("directory", ofRow: 1, in: Self.landing) { $0[16] -= 1 } },
      { try $0.change("directory", ofRow: 1, in: Self.landing) { $0[16] += 1 } },
      { try $0.change("directory", ofRow: 1, in: Self.landing) { $0[16] = 0 } },
      { try $0.change("directory", ofRow: 1, in: Self.landing) { $0[23] = 1 } },
      { try $0.change("content", ofRow: 1, in: Self.landing) { $0.removeLast() } },
      // The number of its input, one that is too great, a length, a kind of value, a real.
      { try $0.change("content", ofRow: 1, in: Self.landing) { $0[0] = 1 } },
      {
        try $0.change("content", ofRow: 1, in: Self.landing) {
          for index in 1..<9 { $0[index] = 0xFF }
        }
      },
      { try $0.change("content", ofRow: 1, in: Self.landing) { $0[5] = 0x7F } },
      { try $0.change("content", ofRow: 1, in: Self.landing) { $0[24] = 6 } },
      {
        try $0.change("content", ofRow: 1, in: Self.landing) {
          for index in 35..<43 { $0[index] = 0xFF }
        }
      },
      { try $0.execute("UPDATE poikit_landing_2 SET id = -1 WHERE id = 1") },
      { try $0.execute("UPDATE poikit_landing_2 SET id = 1 << 32 WHERE id = 1") },
      { try $0.execute("DELETE FROM poikit_landing_2 WHERE id = 1") },
    ]
    for (index, change) in changes.enumerated() {
      let store = try Self.stopped(MergeFixture.document, records)
      try change(store)
      let message = try Self.resumed(store, records)
      #expect(
        message?.contains("are damaged") == true,
        "\(index): \(message ?? "no error")")
    }
  }
}
