import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct ImportSessionSkewTests {
  private static let now = Instant(microseconds: 1_732_000_000_000_000)

  /// The report of an import of one record with the timestamp, at `now`.
  private func report(
    timestamp: String, skew: Duration?? = .none
  ) throws -> ImportReport {
    let model = try Model(
      parsing: #"""
        {"x-table":"t","x-timestamp":"at","properties":{
         "at":{"type":["integer","null"],"x-unit":"microseconds"},
         "due":{"type":["integer","null"],"x-unit":"microseconds"}}}
        """#)
    var options = ImportOptions()
    options.pointer = ""
    options.clock = { Self.now }
    if let skew { options.maximumSkew = skew }
    var session = try ImportSession(checking: model, options: options)
    try session.append(Array("[{\"at\":\(timestamp),\"due\":\(Int64.max / 40)}]".utf8).span)
    return try session.finish()
  }

  @Test(arguments: [
    ("1732000000000000", true), ("1732086400000000", true), ("1732086400000001", false),
    ("253402300799999999", false), ("null", true), ("-1", true),
  ])
  func `a timestamp may be a day ahead of the clock`(timestamp: String, isAccepted: Bool) throws {
    let report = try report(timestamp: timestamp)
    #expect(report.counters.inserted == (isAccepted ? 1 : 0))
    #expect(report.rejectsByRule.map(\.rule) == (isAccepted ? [] : ["skew"]))
  }

  @Test func `the caller can choose the skew`() throws {
    #expect(try report(timestamp: "1732000000000001", skew: .zero).counters.rejected == 1)
    #expect(try report(timestamp: "1732000060000000", skew: .seconds(60)).counters.inserted == 1)
    #expect(try report(timestamp: "253402300799999999", skew: .some(nil)).counters.inserted == 1)
  }

  @Test func `instants advance by durations and stop at the ends of 64 bits`() {
    #expect(Self.now.advanced(by: .milliseconds(-1)).microseconds == 1_731_999_999_999_000)
    #expect(Self.now.advanced(by: .nanoseconds(1_999)).microseconds == 1_732_000_000_000_001)
    #expect(Self.now.advanced(by: .seconds(Int64.max)).microseconds == .max)
    #expect(Self.now.advanced(by: .seconds(Int64.min)).microseconds == .min)
    let last = Duration.seconds(Int64.max / 1_000_000)
    #expect(Self.now.advanced(by: last + .milliseconds(900)).microseconds == .max)
    let epoch = Instant(microseconds: 0)
    #expect(epoch.advanced(by: last + .microseconds(775_807)).microseconds == .max)
    #expect(epoch.advanced(by: last + .microseconds(775_808)).microseconds == .max)
    #expect(epoch.advanced(by: last).microseconds == .max - 775_807)
  }

  @Test func `the advice for a rejected timestamp is to raise the limit`() {
    #expect(Advice.Limit(rule: "skew") == .skew)
    #expect(Advice.Limit(rule: "type") == nil)
  }
}
