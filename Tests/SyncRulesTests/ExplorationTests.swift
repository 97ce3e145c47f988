import SyncRules
import Testing

/// The rules in every interleaving, within bounds; see `Explorer`.
@Suite struct ExplorationTests {
  static let sound: [Explorer.Bounds] = [
    Explorer.Bounds(deviceCount: 2, changeCount: 1, faultCount: 1, flushCount: 1),
    Explorer.Bounds(deviceCount: 2, changeCount: 1, faultCount: 2, flushCount: 1, clocks: [20]),
    Explorer.Bounds(deviceCount: 2, changeCount: 2),
    Explorer.Bounds(deviceCount: 2, changeCount: 2, faultCount: 1, clocks: [20]),
    Explorer.Bounds(
      deviceCount: 3, changeCount: 1, faultCount: 1, clocks: [20], hasLateRequests: false),
  ]

  @Test(arguments: sound.indices)
  func agreesWithoutLosingAnEdit(number: Int) {
    let report = Explorer(Self.sound[number]).run()
    #expect(report.failure == nil, "\(report.failure?.trace.joined(separator: "\n") ?? "")")
    #expect(report.endCount > 1_000)
    print(
      "explored \(report.stateCount) states, \(report.stepCount) steps, \(report.endCount) ends of \(Self.sound[number])"
    )
  }

  @Test(arguments: Explorer.Flaw.allCases)
  func findsRulesThatAreBrokenOnPurpose(flaw: Explorer.Flaw) throws {
    var bounds = Explorer.Bounds(deviceCount: 2, changeCount: 1, faultCount: 1, flushCount: 1)
    bounds.hasFiles = flaw == .fileIsSynchronised
    // This one needs a removal and a new record on one device.
    if flaw == .newRecordHasClockTime { bounds.changeCount = 2 }
    let failure = try #require(Explorer(bounds, flaw: flaw).run().failure)
    #expect(!failure.trace.isEmpty)
    print("\(flaw): \(failure.message)\n  \(failure.trace.joined(separator: "\n  "))")
  }
}
