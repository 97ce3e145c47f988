import POISQLite
import POITestSupport

@testable import POIKit
@testable import POIRecords

/// A small piece of work on a store for fault injection. Together the jobs use all of the toolkit.
enum FaultJob: String, CaseIterable, Codable, Sendable {
  case append, appendOnTwoThreads, firstMerge, merge, mergeByProperty, land, snapshot
  case deduplicate, mergeLosers, undo, undoSnapshot, purge, edit

  static let document = #"""
    {"x-table":"note","x-key":"id","x-timestamp":"at","x-unmapped-column":"more",
     "x-tombstone":{"attribute":"gone","removal":"delete"},"required":["id"],
     "properties":{
      "id":{"type":"integer"},
      "text":{"type":["string","null"]},
      "at":{"type":["integer","null"],"x-unit":"seconds"},
      "gone":{"type":["boolean","null"]},
      "kind":{"type":["object","null"],"x-relation":{"table":"kind","unique":"name"},
       "required":["name"],"properties":{"name":{"type":"string"}}},
      "tags":{"type":["array","null"],"items":{"type":"string"},
       "x-relation":{"table":"tag","unique":"name","join":"note_tag"}},
      "parts":{"type":["array","null"],"x-relation":{"table":"part","unique":"n"},
       "items":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}}}}
    """#

  /// The same model, but removals mark rows, which timestamps per attribute require.
  static let markingDocument = document.replacing(
    #""removal":"delete""#, with: #""removal":"mark""#)

  /// The same model without removals and arrays, so that a first import appends its records and merges them at the end.
  static let plainDocument = #"""
    {"x-table":"note","x-key":"id","x-timestamp":"at","x-unmapped-column":"more","required":["id"],
     "properties":{
      "id":{"type":"integer"},
      "text":{"type":["string","null"]},
      "at":{"type":["integer","null"],"x-unit":"seconds"},
      "kind":{"type":["object","null"],"x-relation":{"table":"kind","unique":"name"},
       "required":["name"],"properties":{"name":{"type":"string"}}}}}
    """#

  /// Whether a failed run is resumed and not started again.
  var isImport: Bool {
    switch self {
    case .append, .appendOnTwoThreads, .firstMerge, .merge, .mergeByProperty, .land, .snapshot: true
    case .deduplicate, .mergeLosers, .undo, .undoSnapshot, .purge, .edit: false
    }
  }

  /// Creates the initial store; does nothing for an import into a new one.
  func prepare(_ path: String) throws {
    switch self {
    case .append, .appendOnTwoThreads, .firstMerge: break
    case .merge, .mergeByProperty, .land, .snapshot, .edit:
      try importRecords(Self.records(14, seed: 1), into: path) { $0.mergePolicy = .newest }
    case .deduplicate, .mergeLosers, .purge:
      try importRecords(Self.records(40, seed: 2), into: path) { _ in }
    case .undo:
      try FaultJob.deduplicate.prepare(path)
      try FaultJob.deduplicate.run(path, isRetry: false)
    case .undoSnapshot:
      try FaultJob.snapshot.prepare(path)
      try FaultJob.snapshot.run(path, isRetry: false)
    }
  }

  /// Runs the job.
  ///
  /// - Parameter isRetry: whether it resumes a failed run.
  func run(_ path: String, isRetry: Bool) throws {
    let records = Self.records(20, seed: 3) + [#"{"id":"none"}"#, #"{"id":1,"at":"#]
    switch self {
    case .append: try importRecords(records, into: path) { $0.isResuming = isRetry }
    case .appendOnTwoThreads:
      try importRecords(records, into: path) {
        $0.isResuming = isRetry
        $0.jobCount = 2
      }
    case .firstMerge, .merge, .mergeByProperty, .land:
      try importRecords(records, into: path) {
        $0.isResuming = isRetry
        $0.windowBlockSize = 3
        $0.mergePolicy = self == .mergeByProperty ? .newestByProperty : .newest
        if self == .land { $0.directRecordLimit = 0 }
      }
    case .snapshot:
      try importRecords(Self.records(9, seed: 4), into: path) {
        $0.isResuming = isRetry
        $0.isSnapshot = true
        $0.removalLimit = .percent(100)
      }
    case .deduplicate, .mergeLosers:
      var options = DeduplicationOptions()
      options.batchSize = 5
      options.memoryBudget = 1
      options.enforcement = .index
      options.mergesLosers = self == .mergeLosers
      let store = try Store(path, for: .existing)
      let deduplicator = Deduplicator(layout: try TableLayout(model()), options: options)
      _ = try store.deduplicate(deduplicator, clock: Self.clock)
    case .undo, .undoSnapshot:
      _ = try Store(path, for: .existing).undo(clock: Self.clock)
    case .purge:
      _ = try Store(path, for: .existing).purgeTombstones(
        of: model(), olderThan: .zero, clock: Self.clock)
    case .edit:
      try Store(path, for: .existing).edit { records in
        for id in 0..<8 {
          try records.upsert(
            [
              "id": .integer(Int64(id)), "text": .text("mine"), "at": .instant(Self.clock()),
              "kind": .object(["name": .text("z")]), "tags": .array([.text("q"), .text("r")]),
            ] as [String: RowValue])
        }
        try records.remove(key: 9)
      }
    }
  }

  func model() throws -> Model {
    try Model(
      parsing: self == .mergeByProperty
        ? Self.markingDocument : self == .firstMerge ? Self.plainDocument : Self.document)
  }

  @Sendable static func clock() -> Instant { Instant(microseconds: 1_700_000_000_000_000) }

  private func importRecords(
    _ records: [String], into path: String, _ adjust: (inout ImportOptions) -> Void
  ) throws {
    var options = ImportOptions()
    options.batchSize = 7
    options.jobCount = 1
    options.clock = Self.clock
    adjust(&options)
    var session = try ImportSession(into: Store(path), model: model(), options: options)
    if try session.beginInput(named: "notes") {
      try session.append(Array(records.joined(separator: "\n").utf8).span)
    }
    _ = try session.finish()
  }

  /// Records with few keys and instants, some of them removals; the same for one seed.
  static func records(_ count: Int, seed: UInt64) -> [String] {
    var generator = SplitMix64(seed: seed)
    func pick(_ choices: String...) -> String { choices.randomElement(using: &generator)! }
    return (0..<count).map { _ in
      """
      {"id":\(Int.random(in: 0..<12, using: &generator)),"at":\(pick("1", "2", "3", "null")),\
      "text":\(pick("\"a\"", "\"b\"", "null")),"gone":\(pick("false", "false", "null", "true")),\
      "kind":\(pick("{\"name\":\"x\"}", "{\"name\":\"y\"}", "null")),"other":\(pick("1", "2")),\
      "tags":\(pick("[]", "[\"p\"]", "[\"q\",\"p\"]")),\
      "parts":\(pick("[]", "[{\"n\":1}]", "[{\"n\":2},{\"n\":1}]"))}
      """
    }
  }
}
