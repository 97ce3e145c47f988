import Foundation
import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIKit

@Suite struct DeduplicatorTransactionTests {
  /// The number of commits to a database without a write-ahead log, read from its header.
  ///
  /// Page: Database File Format, "File change counter"
  private func commitCount(_ path: String) throws -> Int {
    try Data(contentsOf: URL(fileURLWithPath: path))[24..<28].reduce(0) { $0 << 8 | Int($1) }
  }

  @Test(arguments: [DeduplicationOptions.KeyEnforcement.none, .index], [1, 7, 40, 500])
  func `a batch is one transaction, and so are the beginning and the end of a run`(
    enforcement: DeduplicationOptions.KeyEnforcement, batchSize: Int
  ) throws {
    let folder = try ScratchFolder()
    let path = folder.file("app.db")
    let connection = try Connection(path: path)
    try connection.execute(
      """
      CREATE TABLE t (k);
      WITH RECURSIVE c (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < 159)
      INSERT INTO t SELECT n / 2 FROM c
      """)
    let before = try commitCount(path)
    var options = DeduplicationOptions()
    options.batchSize = batchSize
    options.enforcement = enforcement
    let layout = try TableLayout(describing: "t", in: connection, key: ["k"])
    let report = try Deduplicator(layout: layout, options: options)
      .run(on: connection, clock: someInstant)
    #expect(report.changes.removedRowCount == 80)
    let batchCount = (80 + batchSize - 1) / batchSize
    #expect(try commitCount(path) - before == 1 + batchCount + 1)
  }
}
