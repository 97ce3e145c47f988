import Foundation
import StoreFaults
import Testing

/// Every call of SQLite to the system fails once, and once with all that follow it.
///
/// Some calls are tried, beginning at a random one: with `LONG_TESTS=1` all of the kinds that there
/// are few of, otherwise a quarter of these. With `ALL_FAULTS=1` all calls are tried, which takes hours;
/// with another number every allocation of so many.
@Suite struct StoreFaultTests {
  static let allocationStride = ProcessInfo.processInfo.environment["ALL_FAULTS"].flatMap {
    Int($0)
  }

  @Test(arguments: FaultJob.allCases)
  func `after any call that fails the store is whole, and the next run ends in the same`(
    job: FaultJob
  ) async {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent, \.standardOutputContent]
    ) { [job] in
      try #require(store_faults_install())
      let trial = try FaultTrial(job)
      for fault in FaultTrial.faults(allocationStride: StoreFaultTests.allocationStride) {
        try trial.run(fault)
      }
      print("\(job): \(trial.runCount) runs, \(trial.failureCount) of them failed")
      #expect(trial.failureCount > 0)
    }
    guard let result else { return }
    guard result.exitStatus == .exitCode(0) else {
      let messages = String(decoding: result.standardErrorContent.suffix(2_000), as: UTF8.self)
      Issue.record("the process ended at: \(messages)")
      return
    }
    print(String(decoding: result.standardOutputContent, as: UTF8.self), terminator: "")
  }
}
