import Foundation
import POISQLite
import POITestSupport
import Testing

/// Runs a tool again and again, each time with another failing system call.
final class ToolTrial {
  private static let faults = PreloadedLibrary.path("CallFaults")
  private static let files = ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm", "bad"]

  let job: ToolJob
  private let folder: ScratchFolder
  private let input: [UInt8]

  /// The files before the job, and the content of the store after a run without faults.
  private let beginning: [String: [UInt8]]
  private let expected: [String]
  private let expectedCode: Int32
  private let expectedRejects: [UInt8]?

  init(_ job: ToolJob) throws {
    self.job = job
    folder = try ScratchFolder()
    try ToolJob.writeInputs(to: folder)
    for run in job.preparation { _ = try Self.run(run, in: folder.path, input: []) }
    var beginning: [String: [UInt8]] = [:]
    for file in Self.files { beginning[file] = try? folder.bytes(file) }
    self.beginning = beginning
    input = if let file = job.input { try folder.bytes(file) } else { [] }
    let outcome = try Self.run(job.arguments, in: folder.path, input: input)
    expectedCode = outcome.exitCode
    #expect(outcome.exitCode <= 1, "\(job): \(outcome.messages)")
    expected = try FaultTrial.content(of: folder.file("store.sqlite"))
    expectedRejects = try? folder.bytes("bad")
  }

  private static func run(
    _ words: [String], in folder: String, input: [UInt8], environment: [String: String] = [:]
  ) throws -> Tool.Outcome {
    try Tool(words[0]).run(
      Array(words.dropFirst()), in: folder, input: input, environment: environment)
  }

  /// Runs the job from its beginning with a fault.
  ///
  /// - Parameter fault: the variables of `CallFaults.h`, without their prefix.
  func run(_ fault: [String: String]) throws -> Tool.Outcome {
    for file in Self.files {
      try? FileManager.default.removeItem(atPath: folder.file(file))
      if let bytes = beginning[file] { try folder.write(bytes, to: file) }
    }
    var environment = ["LD_PRELOAD": Self.faults]
    for (name, value) in fault {
      environment[name.isEmpty ? "CALL_FAULT" : "CALL_FAULT_\(name)"] = value
    }
    return try Self.run(job.arguments, in: folder.path, input: input, environment: environment)
  }

  func callCount(_ kind: String) throws -> Int {
    try checkDone(run(["": kind, "COUNT": folder.file("count")]), "\(job), undisturbed")
    let text = String(decoding: try folder.bytes("count"), as: UTF8.self)
    return try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  /// Checks a run that no fault reached, or that recovered from its fault.
  func checkDone(_ outcome: Tool.Outcome, _ place: String) throws {
    #expect(outcome.exitCode == expectedCode, "\(place): \(outcome.messages)")
    try checkContent(place)
  }

  /// Checks that the store is intact after a failed run, and that the next run ends in the same.
  func checkRetry(_ place: String) throws {
    if let connection = try? Connection(path: folder.file("store.sqlite"), access: .readWrite) {
      #expect(try connection.text("PRAGMA integrity_check") == "ok", "\(place)")
      #expect(
        try connection.integer("SELECT count(*) FROM pragma_foreign_key_check") == 0, "\(place)")
    } else {
      // A new store may not exist yet.
      try #require(beginning["store.sqlite"] == nil, "\(place): the store does not open")
    }
    // The run may have been killed after its end; repeating a job that is not an import would do it
    // twice.
    if job.retry == nil, try FaultTrial.content(of: folder.file("store.sqlite")) == expected {
      return
    }
    let again = try Self.run(job.retry ?? job.arguments, in: folder.path, input: input)
    if again.exitCode == 64, job.retry != nil {
      // Nothing was committed, or everything.
      let isThere = FileManager.default.fileExists(atPath: folder.file("store.sqlite"))
      if try !isThere || FaultTrial.content(of: folder.file("store.sqlite")) != expected {
        let whole = try Self.run(job.arguments, in: folder.path, input: input)
        #expect(whole.exitCode == expectedCode, "\(place): \(again.messages)\(whole.messages)")
      }
    } else {
      #expect(again.exitCode == expectedCode, "\(place): \(again.messages)")
    }
    try checkContent(place)
  }

  private func checkContent(_ place: String) throws {
    let content = try FaultTrial.content(of: folder.file("store.sqlite"))
    let difference = Set(expected).symmetricDifference(content)
    #expect(
      difference.isEmpty && content.count == expected.count,
      "\(place): \(Array(difference.prefix(4)))")
    let rejects = try? folder.bytes("bad")
    let areSame = rejects == expectedRejects
    #expect(areSame, "\(place): other rejects")
  }
}
