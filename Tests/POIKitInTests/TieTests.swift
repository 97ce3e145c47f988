import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit
@testable import POIRecords

/// Records with one key that differ and are equally new.
@Suite struct TieTests {
  private static let document = #"""
    {"x-table":"note","x-key":"id","x-timestamp":"at","required":["id"],
     "properties":{"id":{"type":"integer"},"text":{"type":["string","null"]},
      "at":{"type":["integer","null"],"x-unit":"seconds"}}}
    """#

  private struct Note: Equatable {
    var id: Int
    var text: String
    var at: Int?

    var json: String { #"{"id":\#(id),"text":"\#(text)","at":\#(at.map(String.init) ?? "null")}"# }

    var row: String { "\(id)|\(text)|\(at.map { String($0 * 1_000_000) } ?? "")" }
  }

  private static func notes(_ count: Int, using generator: inout SplitMix64) -> [Note] {
    (0..<count).map { _ in
      Note(
        id: Int.random(in: 0..<max(1, count / 5), using: &generator),
        text: ["a", "b", "c"].randomElement(using: &generator)!,
        at: [1, 2, nil].randomElement(using: &generator)!)
    }
  }

  /// The rows and the number of ties if the later one of two equally new notes stays.
  private static func expected(_ notes: [Note]) -> (rows: [String], tiedCount: Int) {
    var kept: [Int: Note] = [:]
    var tiedCount = 0
    for note in notes {
      if let stored = kept[note.id] {
        if stored.at == note.at, stored != note { tiedCount += 1 }
        if (note.at ?? .min) < (stored.at ?? .min) { continue }
      }
      kept[note.id] = note
    }
    return (kept.values.sorted { $0.id < $1.id }.map(\.row), tiedCount)
  }

  private static func rows(_ store: MergeStore) throws -> [String] {
    try store.rows("SELECT id, text, coalesce(at, '') FROM note ORDER BY id")
  }

  private static func options(using generator: inout SplitMix64) -> ImportOptions {
    var options = ImportOptions()
    options.mergePolicy = .newest
    options.ties = .later
    options.batchSize = Int.random(in: 1...30, using: &generator)
    options.jobCount = Int.random(in: 1...2, using: &generator)
    options.directRecordLimit = [0, 20, .max].randomElement(using: &generator)!
    options.windowBlockSize = [0, 4, 16].randomElement(using: &generator)!
    return options
  }

  @Test func `the later one of equally new records stays, whatever the batches`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    for _ in 0..<TestLength.count(20, long: 200) {
      let notes = Self.notes(Int.random(in: 1...150, using: &generator), using: &generator)
      let store = try MergeStore(Self.document)
      var tiedCount = 0
      let border = Int.random(in: 0...notes.count, using: &generator)
      for delivery in [notes[..<border], notes[border...]] {
        tiedCount += try store.run(
          delivery.map(\.json), Self.options(using: &generator)
        ).tiedCount
      }
      let expected = Self.expected(notes)
      #expect(try Self.rows(store) == expected.rows, "seed \(seed)")
      #expect(tiedCount == expected.tiedCount, "seed \(seed)")
    }
  }

  @Test func `a resumed run keeps its rule and its count`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    for _ in 0..<TestLength.count(10, long: 100) {
      let notes = Self.notes(100, using: &generator)
      let store = try MergeStore(Self.document)
      var options = Self.options(using: &generator)
      let stopAt = Int.random(in: 1...100, using: &generator)
      var report = try store.run(notes.map(\.json), options) { progress in
        progress.counters.read >= stopAt ? .stop : .proceed
      }
      if report.ending == .stopped {
        options.ties = .digest
        options.isResuming = true
        report = try store.run(notes.map(\.json), options)
      }
      let expected = Self.expected(notes)
      #expect(try Self.rows(store) == expected.rows, "seed \(seed)")
      #expect(report.tiedCount == expected.tiedCount, "seed \(seed)")
      #expect(report.ties == .later, "seed \(seed)")
    }
  }

  @Test func `without a timestamp the later one stays, merged or deduplicated afterwards`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    let document = Self.document.replacing(#""x-timestamp":"at","#, with: "")
    for _ in 0..<TestLength.count(10, long: 100) {
      let notes = Self.notes(Int.random(in: 1...150, using: &generator), using: &generator)
      let border = Int.random(in: 0...notes.count, using: &generator)
      var kept: [Int: Note] = [:]
      for note in notes { kept[note.id] = note }
      let expected = kept.values.sorted { $0.id < $1.id }.map(\.row)
      for policy in [MergePolicy.newest, .append] {
        let store = try MergeStore(document)
        for delivery in [notes[..<border], notes[border...]] {
          var options = Self.options(using: &generator)
          options.ties = nil
          options.mergePolicy = policy
          _ = try store.run(delivery.map(\.json), options)
        }
        if policy == .append {
          let report = try store.store.deduplicate()
          #expect(report.plan.reasons.digest == 0, "seed \(seed)")
        }
        #expect(try Self.rows(store) == expected, "\(policy) seed \(seed)")
      }
    }
  }

  @Test func `deduplication by another key, and after --ties digest, decides by digest`() throws {
    let document = Self.document.replacing(#""x-timestamp":"at","#, with: "")
    let notes = ["a", "b", "c", "d"].map { Note(id: 1, text: $0, at: 1) }
    var options = DeduplicationOptions()
    func winner(_ notes: [Note], by key: [String] = []) throws -> [String] {
      let store = try MergeStore(document)
      _ = try store.run(notes.map(\.json), .append)
      let report = try store.store.deduplicate(by: key, options: options)
      #expect(report.plan.reasons.digest + report.plan.reasons.later == 3)
      return try Self.rows(store)
    }
    #expect(try winner(notes) == ["1|d|1000000"])
    #expect(try winner(notes.reversed()) == ["1|a|1000000"])
    #expect(try winner(notes, by: ["at"]) == winner(notes.reversed(), by: ["at"]))
    options.keep = .oldest
    #expect(try winner(notes) == ["1|a|1000000"])
    options.keep = .newest
    options.ties = .digest
    #expect(try winner(notes) == winner(notes.reversed()))
    options.ties = .later
    let error = #expect(throws: StoreError.self) { try winner(notes, by: ["at"]) }
    #expect(error?.code == .invalidOptions)
  }

  @Test func `ties are counted if the digest decides, and other policies have none`() throws {
    let notes = [
      Note(id: 1, text: "a", at: 1), Note(id: 1, text: "b", at: 1), Note(id: 1, text: "c", at: 1),
    ]
    let store = try MergeStore(Self.document)
    let report = try store.run(notes.map(\.json), .newest)
    #expect(report.tiedCount == 2 && report.counters.updated + report.counters.stale == 2)
    #expect(try store.run(notes.map(\.json), .overwrite).tiedCount == 0)
    var options = ImportOptions()
    options.ties = .later
    #expect(try store.run(notes.map(\.json), options).mergePolicy == .newest)
    options.mergePolicy = .overwrite
    let error = #expect(throws: StoreError.self) { try store.run([], options) }
    #expect(error?.advice == [.use(.newest)])
  }
}
