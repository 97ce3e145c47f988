import Foundation
import StoreFaults
import Testing

/// Every call of SQLite to the system fails once, and once with all that follow it.
@Suite struct StoreFaultTests {
  /// `ALL_FAULTS=1` tries every allocation, and not only some of them.
  static let isThorough = ProcessInfo.processInfo.environment["ALL_FAULTS"] != nil

  @Test(arguments: FaultJob.allCases)
  func `after any call that fails the store is whole, and the next run ends in the same`(
    job: FaultJob
  ) async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) { [job] in
      try #require(store_faults_install())
      let trial = try FaultTrial(job)
      for fault in FaultTrial.faults(isThorough: StoreFaultTests.isThorough) {
        for goesOn in [false, true] { try trial.run(fault, goesOn: goesOn) }
      }
      print("\(job): \(trial.runCount) runs, \(trial.failureCount) of them failed")
      #expect(trial.failureCount > 0)
    }
    guard let result, result.exitStatus != .exitCode(0) else { return }
    let messages = String(decoding: result.standardErrorContent.suffix(2_000), as: UTF8.self)
    Issue.record("the process ended at: \(messages)")
  }
}
