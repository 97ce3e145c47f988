import SQLiteKit
import TestSupport
import Testing

@testable import POIKit

/// The inputs of a session, one after the other, above all of one that resumes.
@Suite struct ImportSessionInputTests {
  static func bytes(_ range: Range<Int>) -> [UInt8] {
    Array(range.map { ImportSessionTests.poi($0) }.joined().utf8)
  }

  /// Gives a session an input whose bytes it may not want.
  ///
  /// - Parameter name: that of the input; nothing leaves it to the session.
  private static func give(
    _ bytes: [UInt8], named name: String?, to session: inout ImportSession
  ) throws {
    if let name { try session.beginInput(named: name) }
    for start in stride(from: 0, to: bytes.count, by: 100) {
      try session.append(bytes[start..<min(start + 100, bytes.count)].span)
    }
    try session.endInput()
  }

  @Test(arguments: [nil, "feed"], [false, true])
  func `the bytes of an input that a resumed run had finished are skipped`(
    name: String?, isLanding: Bool
  ) throws {
    for jobCount in [1, 2] {
      let feed = try FeedStore(.poi)
      var options = ImportOptions()
      options.batchSize = 10
      options.jobCount = jobCount
      if isLanding {
        options.mergePolicy = .newest
        options.directRecordLimit = 0
      }
      var stopped = try ImportSession(
        into: Store(path: feed.path), model: .poi, options: options
      ) { progress in
        let isMerging = progress.counters.landed < progress.counters.read
        return progress.counters.read == 15 && isMerging ? .stop : .proceed
      }
      try Self.give(Self.bytes(0..<15), named: name, to: &stopped)
      let first = try stopped.finish()
      #expect(first.ending == .stopped && first.counters.read == 15)
      #expect(first.counters.landed == (isLanding ? 5 : 0))
      _ = stopped.takeStore()

      options.isResuming = true
      var resumed = try ImportSession(into: Store(path: feed.path), model: .poi, options: options)
      try Self.give(Self.bytes(0..<15), named: name, to: &resumed)
      try Self.give(Self.bytes(15..<20), named: "other", to: &resumed)
      let report = try resumed.finish()
      #expect(report.counters.read == 20 && report.counters.inserted == 20)
      #expect(report.inputs.map(\.name) == [name ?? "bytes", "other"])
      #expect(try feed.rows("SELECT count(*) FROM poi") == ["20"])
    }
  }

  @Test func `an input whose bytes are not wanted need not be ended`() throws {
    let feed = try FeedStore(.poi)
    var options = ImportOptions()
    var stopped = try ImportSession(
      into: Store(path: feed.path), model: .poi, onProgress: { _ in .stop })
    try Self.give(Self.bytes(0..<3), named: "a", to: &stopped)
    _ = try stopped.finish()
    _ = stopped.takeStore()
    options.isResuming = true
    var resumed = try ImportSession(into: Store(path: feed.path), model: .poi, options: options)
    #expect(try !resumed.beginInput(named: "a", byteCount: nil))
    #expect(try resumed.beginInput(named: "b"))
    try resumed.append(Self.bytes(3..<5).span)
    #expect(try resumed.finish().counters.inserted == 5)
  }
}
