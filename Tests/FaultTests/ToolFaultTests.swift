import Foundation
import TestSupport
import Testing

/// The tools with calls to the system that fail, or with which they are killed.
///
/// Of the calls some are tried, beginning at a random one; with `ALL_FAULTS` all of them.
@Suite struct ToolFaultTests {
  private static func places(_ stride: Int) -> some Sequence<Int> {
    let step = StoreFaultTests.allocationStride == nil ? stride : 1
    return Swift.stride(from: Int.random(in: 1...step), to: .max, by: step)
  }

  @Test(arguments: ToolJob.all)
  func `a tool that is killed at any change to a file ends in the same when it is run again`(
    job: ToolJob
  ) throws {
    let trial = try ToolTrial(job)
    var killCount = 0
    for at in Self.places(13) {
      let place = "\(job), killed at change \(at)"
      let outcome = try trial.run(["": "changes", "AT": "\(at)"])
      guard outcome.exitCode == 128 + SIGKILL else {
        try trial.checkDone(outcome, place)
        break
      }
      killCount += 1
      try trial.checkRetry(place)
    }
    #expect(killCount > 0)
  }

  /// The error, and what the message says of it.
  @Test(
    arguments: ToolJob.all,
    [(ENOSPC, "there is no space left"), (EFBIG, "File too large"), (EIO, "Input/output error")])
  func `a write that fails ends with 74, and says which file and why`(
    job: ToolJob, fault: (number: Int32, message: String)
  ) throws {
    let trial = try ToolTrial(job)
    var failureCount = 0
    for at in Self.places(29) {
      let place = "\(job), error \(fault.number) at write \(at)"
      let outcome = try trial.run(
        ["": "writes", "AT": "\(at)", "ERRNO": "\(fault.number)", "GOES_ON": "1"])
      guard outcome.exitCode == 74 else {
        try trial.checkDone(outcome, place)
        break
      }
      failureCount += 1
      #expect(outcome.messages.contains(fault.message), "\(place): \(outcome.messages)")
      #expect(
        ["store.sqlite: ", "bad: "].contains { outcome.messages.contains("error: \($0)") }
          || outcome.messages.contains("standard output"), "\(place): \(outcome.messages)")
      try trial.checkRetry(place)
    }
    #expect(failureCount > 0)
  }
}
