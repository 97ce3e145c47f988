import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit

/// The digest that a deduplication computes without reading the remaining rows.
@Suite struct DeduplicatorDigestTests {
  /// Enough ids that a second thread takes part.
  private static let rowCount = 9_000

  private func fill(_ connection: Connection, seed: UInt64) throws {
    try connection.execute(
      "CREATE TABLE sample (\"key\" TEXT, part INTEGER, time INTEGER, dead INTEGER, note TEXT)")
    var generator = SplitMix64(seed: seed)
    try connection.begin()
    try SampleTable.insert(
      SampleRecord.random(count: Self.rowCount, using: &generator), into: connection)
    try connection.commit()
  }

  /// With an exclusive lock the second thread cannot read the file.
  @Test(arguments: [
    "journal_mode = DELETE", "journal_mode = WAL", "locking_mode = EXCLUSIVE",
  ])
  func `budget and batch size make no difference`(pragma: SQL) throws {
    let seed = UInt64.random(in: .min ... .max)
    let folder = try ScratchFolder()
    var results: Set<[String]> = []
    for (number, setting) in [(64 << 20, 500), (64 << 20, 499), (0, 77), (0, 9_999)].enumerated() {
      let connection = try Connection(path: folder.file("\(number).sqlite"))
      try connection.execute("PRAGMA \(pragma)")
      try fill(connection, seed: seed)
      var options = DeduplicationOptions()
      (options.memoryBudget, options.batchSize) = setting
      options.enforcement = number % 2 == 0 ? .index : .none
      let layout = try SampleTable.layout(in: connection)
      let report = try Deduplicator(layout: layout, options: options)
        .run(on: connection, clock: someInstant)
      let digest = try layout.digest(in: connection)
      #expect(report.digest == digest.digest, "seed \(seed)")
      #expect(report.rowsLeft == digest.rowCount, "seed \(seed)")
      let table = try dump("sample", in: connection)
      let archive = try dump("poikit_archive_sample", in: connection)
      results.insert(table + archive + ["\(digest.digest)"])
    }
    #expect(results.count == 1, "seed \(seed)")
  }

  @Test(arguments: [
    "CREATE TRIGGER c AFTER DELETE ON t BEGIN UPDATE t SET note = 'x' WHERE id = 4; END",
    "CREATE TEMP TRIGGER c AFTER DELETE ON t BEGIN UPDATE t SET note = 'x'; END",
    "CREATE TRIGGER c AFTER INSERT ON poikit_archive_t BEGIN UPDATE t SET note = 'x'; END",
    "CREATE TABLE other (t REFERENCES t (id)); INSERT INTO other VALUES (1), (4)",
    "ALTER TABLE t ADD COLUMN parent REFERENCES t (id); UPDATE t SET parent = 5 - id",
  ])
  func `it is right if more than losers changes`(script: SQL) throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, k, at, note);
      CREATE TABLE poikit_archive_t (poikit_number INTEGER PRIMARY KEY, poikit_run, poikit_row_id,
        poikit_winner_id, poikit_change, id, k, at, note);
      INSERT INTO t VALUES (1, 'a', 1, 'p'), (2, 'a', 2, 'q'), (3, 'b', 3, 'r'), (4, 'c', 3, 's'),
        (5, 'c', 1, 't');
      \(script)
      """)
    let layout = try TableLayout(describing: "t", in: connection, key: ["k"], timestamp: "at")
    let report = try Deduplicator(layout: layout).run(on: connection, clock: someInstant)
    #expect(report.rowsLeft == 3)
    #expect(try report.digest == layout.digest(in: connection).digest)
  }
}
