import Foundation
import StoreFaults
import Testing

/// Makes every system call of SQLite fail, once alone and once with all that follow.
///
/// Only a sample is tried, from a random call on: with `LONG_TESTS=1` all of the rare kinds,
/// otherwise a quarter of these. `ALL_FAULTS=1` tries all calls, which takes hours; another number
/// is the stride of the allocations.
@Suite struct StoreFaultTests {
  static let allocationStride = ProcessInfo.processInfo.environment["ALL_FAULTS"].flatMap {
    Int($0)
  }

  @Test(arguments: FaultJob.allCases)
  func `after any failed call the store is intact, and the next run ends in the same`(
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
