import POIKitTestSupport
import POISQLite
import Testing

@testable import POIKit
@testable import POIRecords

/// Rows that a snapshot must not remove.
@Suite struct SnapshotRefusalTests {
  private static func model() throws -> Model {
    try Model(
      parsing: """
        {"x-table":"note","x-key":"id","x-timestamp":"at","x-tombstone":"gone","required":["id"],
         "properties":{"id":{"type":"integer"},"at":{"type":"integer","x-unit":"seconds"},
          "gone":{"type":"boolean"}}}
        """)
  }

  private static func snapshot(_ limit: ImportOptions.Limit, source: String = "") -> ImportOptions {
    var options = ImportOptions()
    options.isSnapshot = true
    options.removalLimit = limit
    options.source = source
    return options
  }

  @Test(arguments: [true, false])
  func `rows of a source that kept no token are of another source`(isNamed: Bool) throws {
    let feed = try FeedStore(Self.model())
    var options = ImportOptions()
    options.mergePolicy = .newest
    if isNamed {
      options.source = "one"
      options.rejectLimit = .count(0)
      #expect(throws: StoreError.self) {
        try feed.take(#"{"id":1,"at":1}{"id":2,"at":1}{"at":1}"#, options: options)
      }
    } else {
      // Without timestamps no newer records can be requested.
      try feed.take(#"{"id":1}{"id":2}"#, options: options)
    }
    #expect(try feed.token() == nil)
    let error = #expect(throws: StoreError.self) {
      try feed.take(
        #"{"id":5,"at":1}"#, options: Self.snapshot(.percent(100), source: "two"))
    }
    #expect(error?.code == .invalidOptions, "\(error?.message ?? "")")
    #expect(try feed.rows("SELECT id FROM note WHERE gone IS NOT 1") == ["1", "2"])
  }

  @Test func `a source whose records are all in other shards has no rows`() throws {
    var refusedCount = 0
    for shard in 0..<4 {
      let feed = try FeedStore(Self.model())
      var options = ImportOptions()
      options.mergePolicy = .newest
      options.source = "one"
      options.shard = .init(shard, of: 4)
      let report = try feed.take(#"{"id":1,"at":1}"#, options: options)
      let isRefused =
        storeError {
          try feed.take(
            #"{"id":5,"at":1}"#, options: Self.snapshot(.percent(100), source: "two"))
        } != nil
      #expect(isRefused == (report.counters.elsewhere == 0))
      refusedCount += isRefused ? 1 : 0
    }
    #expect(refusedCount == 1)
  }

  @Test func `a row that was marked before a refused snapshot does not count as missing`() throws {
    let feed = try FeedStore(Self.model())
    var options = ImportOptions()
    options.mergePolicy = .newest
    try feed.take(#"{"id":1,"at":1}{"id":2,"at":1,"gone":true}"#, options: options)
    let refused = #expect(throws: StoreError.self) {
      try feed.take(#"{"id":2,"at":2}{"id":3,"at":2}"#, options: Self.snapshot(.percent(20)))
    }
    #expect(refused?.code == .snapshotRefused)
    // The one earlier row and the one that was marked and came back are both missing.
    let report = try feed.take(#"{"id":3,"at":2}"#, options: Self.snapshot(.percent(100)))
    #expect(report.counters.removed == 2)
  }

  @Test func `a snapshot is refused if another key than the model's is enforced`() throws {
    let feed = try FeedStore(Self.model())
    try feed.take(#"{"id":1,"at":5}{"id":3,"at":6}"#)
    try feed.enforce(["at"])
    let error = #expect(throws: StoreError.self) {
      try feed.take(#"{"id":2,"at":5}{"id":3,"at":6}"#, options: Self.snapshot(.percent(100)))
    }
    #expect(error?.code == .invalidOptions)
    #expect(
      error?.message.hasSuffix(
        "the table \"note\" is unique by at, and a snapshot finds missing rows by id, so it "
          + "would remove rows that it holds") == true, "\(error?.message ?? "")")
    #expect(error?.advice == [.undoEnforcement, .snapshot(false)])
    #expect(try feed.rows("SELECT id FROM note WHERE gone IS NOT 1") == ["1", "3"])
  }

  @Test func `a snapshot says which constraint keeps a row`() throws {
    let feed = try FeedStore(
      Model(
        parsing: #"{"x-table":"note","x-key":"id","properties":{"id":{"type":"integer"}}}"#))
    var options = Self.snapshot(.percent(100))
    options.mergePolicy = .overwrite
    try feed.take(#"{"id":1}{"id":2}"#, options: options)
    try feed.execute(
      """
      CREATE TRIGGER keep BEFORE DELETE ON note BEGIN SELECT raise(ABORT, 'rows are protected'); END
      """)
    let error = #expect(throws: StoreError.self) { try feed.take(#"{"id":1}"#, options: options) }
    #expect(error?.message.contains("cannot be deleted: rows are protected") == true)
    options.isRestarting = true
    for action in ["RESTRICT", "NO ACTION"] {
      try feed.execute(
        """
        DROP TRIGGER IF EXISTS keep; DROP TABLE IF EXISTS child;
        CREATE TABLE child (note INTEGER REFERENCES note (poikit_id) ON DELETE \(SQL(verbatim: action)));
        INSERT INTO child SELECT poikit_id FROM note
        """)
      options.removalLimit = .percent(action == "RESTRICT" ? 99 : 98)
      let error = #expect(throws: StoreError.self) { try feed.take(#"{"id":1}"#, options: options) }
      #expect(
        error?.message.contains("declare ON DELETE CASCADE") == true, "\(error?.message ?? "")")
    }
  }
}
