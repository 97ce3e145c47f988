import Glibc
import POIKitTestSupport
import POISQLite
import POITestSupport
import Testing

@testable import POIFiles
@testable import POIKit
@testable import POIRecords

/// Successive versions of the same open data, if they exist beside the package.
@Suite struct RealFeedTests {
  private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
  private static let folder = root + "/../shared/data/csc/sync"

  private static let absence: Comment = "shared/data/csc/sync is not beside the package"

  private static func hasData() -> Bool { unsafe access(folder, R_OK) == 0 }

  private static func feed() throws -> FeedStore {
    try FeedStore(Model(contentsOf: root + "/Samples/models/cities.json"))
  }

  /// Imports files of the folder, one in each run.
  @discardableResult
  private static func take(
    _ names: [String], into feed: borrowing FeedStore, options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    var options = options
    options.mergePolicy = .newest
    var report = ImportReport()
    for name in names {
      var session = try ImportSession(
        into: Store(feed.path), model: feed.model, options: options)
      var source = try FileSource(path: "\(folder)/\(name).json")
      try session.importAll(from: &source)
      report = try session.finish()
    }
    return report
  }

  @Test(
    .enabled(if: hasData(), absence),
    arguments: [
      ["UY-1-3361f7c", "UY-2-6a695da", "UY-3-2aef04c", "UY-4-e7263cc"],
      ["SA-1-3361f7c", "SA-2-3b6c4e9", "SA-3-c67aab2", "SA-4-e15d205", "SA-5-c5eb777"],
    ])
  func `versions in any order end in the same store`(versions: [String]) throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    var digests: Set<Digest> = []
    for order in [versions] + (0..<2).map({ _ in versions.shuffled(using: &generator) }) {
      let feed = try Self.feed()
      try Self.take(order, into: feed)
      // A second import changes no row with a key.
      let again = try Self.take([versions[0]], into: feed)
      #expect(again.counters.updated == 0, "seed \(seed)")
      digests.insert(try Self.digestOfKeyed(feed))
    }
    #expect(digests.count == 1, "seed \(seed)")
  }

  /// The digest without the rows without a key, which every import adds again.
  private static func digestOfKeyed(_ feed: borrowing FeedStore) throws -> Digest {
    try feed.execute("DELETE FROM city WHERE id IS NULL")
    return try feed.digest()
  }

  @Test(.enabled(if: hasData(), absence))
  func `a version as a snapshot removes the rows that it lacks, up to the limit`() throws {
    let feed = try Self.feed()
    try Self.take(["UA-1-371b8ae"], into: feed)
    var options = ImportOptions()
    options.isSnapshot = true
    options.removalLimit = .percent(1)
    let error = #expect(throws: StoreError.self) {
      try Self.take(["UA-2-79887e8"], into: feed, options: options)
    }
    #expect(error?.code == .snapshotRefused)
    options.removalLimit = .percent(20)
    let report = try Self.take(["UA-2-79887e8"], into: feed, options: options)
    #expect(report.counters.removed == 130)
    let undone = try Store(feed.path).undo(clock: someInstant)
    #expect(undone.restoredRowCount == 130)
  }
}
