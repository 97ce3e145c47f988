import Foundation
import POITestSupport
import Testing

/// The tools with failing system calls, or killed at one.
///
/// Only a sample of the calls is tried, from a random one on: three times as many with
/// `LONG_TESTS=1`, all of them with `ALL_FAULTS`.
@Suite struct ToolFaultTests {
  private static func places(_ stride: Int) -> some Sequence<Int> {
    // Calls of rare kinds have a stride of 1, so all of them are tried.
    let isWhole = StoreFaultTests.allocationStride != nil || stride == 1
    let step = isWhole ? 1 : stride * TestLength.count(3, long: 1)
    return Swift.stride(from: Int.random(in: 1...min(step, 5)), to: .max, by: step)
  }

  @Test(arguments: ToolJob.all + ToolJob.tracking)
  func `a tool killed at any file change ends in the same when run again`(
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

  /// The file whose writes fail, the error, and its text in the message.
  @Test(
    arguments: ToolJob.all + ToolJob.tracking,
    [
      ("/store.sqlite", ENOSPC, "there is no space left"),
      ("/store.sqlite", EFBIG, "File too large"), ("/store.sqlite", EIO, "Input/output error"),
      ("/bad", ENOSPC, "the reject file cannot be written: No space left on device"),
    ])
  func `a failed write ends with 74 and names the file and the reason`(
    job: ToolJob, fault: (file: String, number: Int32, message: String)
  ) throws {
    let trial = try ToolTrial(job)
    var failureCount = 0
    for at in Self.places(fault.file == "/bad" ? 1 : 29) {
      let place = "\(job), error \(fault.number) at write \(at) of \(fault.file)"
      let outcome = try trial.run(
        [
          "": "writes", "AT": "\(at)", "ERRNO": "\(fault.number)", "REPEATS": "1",
          "PATH": fault.file,
        ])
      guard outcome.exitCode == 74 else {
        try trial.checkDone(outcome, place)
        break
      }
      failureCount += 1
      let start = "error: \(fault.file.dropFirst()): "
      // If the store cannot be opened at all, the message has the system's words.
      let isReported =
        outcome.messages.contains(fault.message)
        || fault.number == ENOSPC && outcome.messages.contains("No space left on device")
      #expect(
        outcome.messages.contains(start) && isReported,
        "\(place): \(outcome.messages)")
      try trial.checkRetry(place)
    }
    #expect(failureCount > 0 || fault.file == "/bad" && !job.arguments.contains("bad"))
  }

  @Test(arguments: ToolJob.all.filter { $0.retry != nil })
  func `short, interrupted or failed reads lose nothing`(job: ToolJob) throws {
    let trial = try ToolTrial(job)
    let file = job.input == nil ? "/\(job.inputFile)" : ".in"
    try trial.checkDone(
      trial.run(["SIZE": "1", "PATH": file]), "\(job), a byte at a time")
    // A program that decompresses reports its other errors itself.
    guard job.inputFile != "packed.gz" else { return }
    for at in 1... {
      let place = "\(job), read \(at)"
      let interrupted = try trial.run(
        ["": "reads", "AT": "\(at)", "ERRNO": "\(EINTR)", "PATH": file])
      try trial.checkDone(interrupted, place)
      let failed = try trial.run(["": "reads", "AT": "\(at)", "ERRNO": "\(EIO)", "PATH": file])
      if failed.exitCode <= 1 {
        try trial.checkDone(failed, place)
        #expect(at > 1)
        break
      }
      #expect(failed.exitCode == 74, "\(place): \(failed.messages)")
      #expect(failed.messages.contains("Input/output error"), "\(place): \(failed.messages)")
      try trial.checkRetry(place)
    }
  }

  @Test(arguments: ToolJob.all.filter { $0.retry != nil } + ToolJob.readingMore)
  func `a parser without memory ends the process, and the run can be resumed`(
    job: ToolJob
  ) throws {
    let trial = try ToolTrial(job)
    var failureCount = 0
    let count = try trial.callCount("parser")
    // Some jobs make few allocations.
    for at in [1] + Self.places(7).prefix(while: { $0 <= count }) where at <= count {
      let place = "\(job), allocation \(at) of the parser"
      let outcome = try trial.run(["": "parser", "AT": "\(at)"])
      if outcome.exitCode <= 1 {
        try trial.checkDone(outcome, place)
        continue
      }
      failureCount += 1
      #expect(
        outcome.exitCode == 128 + SIGABRT
          && outcome.messages.contains("there is no memory to parse JSON"),
        "\(place): \(outcome.exitCode), \(outcome.messages)")
      try trial.checkRetry(place)
    }
    #expect((failureCount > 0) != ToolJob.needingNoParser.contains(job.name))
  }
}
