import Foundation
import POISQLite
import POITestSupport
import Testing

/// `poi-export` with failing system calls, or killed at one.
@Suite struct ExportFaultTests {
  /// The options of an export to a file, and its name.
  struct Job: Sendable, CustomStringConvertible {
    var options: [String]
    var output: String

    /// Whether there is a file that the export replaces.
    var replaces = true

    /// The program that writes the file, if it is not `poi-export`.
    var compressor: String?

    var isDatabase: Bool { !replaces }

    var description: String { options.joined(separator: " ") }
  }

  private static let jobs: [Job] =
    ["ndjson", "json", "geojson", "geojsonseq", "csv"].map { format in
      Job(options: ["-o", "out.\(format)"], output: "out.\(format)")
    }
    + [Job(options: ["--check", "-o", "out.ndjson"], output: "out.ndjson")]
    + [("gz", "gzip"), ("zst", "zstd"), ("xz", "xz"), ("bz2", "bzip2")].map { end, program in
      Job(options: ["-o", "out.json.\(end)"], output: "out.json.\(end)", compressor: program)
    } + [
      Job(options: ["-o", "out.gpkg"], output: "out.gpkg", replaces: false),
      Job(
        options: [
          "--ship", "out.app", "--spatial-index", "--full-text", "name", "--index", "name",
        ],
        output: "out.app", replaces: false),
      Job(options: ["--diff", "old.sqlite", "-o", "out.diff"], output: "out.diff"),
    ]

  private static let document = #"""
    {"x-table":"place","x-key":"id","properties":{"id":{"type":"integer"},"name":{"type":"string"},
     "lat":{"type":"number"},"lon":{"type":"number"}}}
    """#

  /// Exports again and again, each time with another failing call.
  private final class Trial {
    let job: Job
    let folder: ScratchFolder
    private let expected: [String]
    private let expectedCode: Int32

    init(_ job: Job) throws {
      self.job = job
      folder = try ScratchFolder()
      try folder.write(ExportFaultTests.document, to: "model.json")
      for (store, count) in [("store.sqlite", 300), ("old.sqlite", 100)] {
        let records = (0..<count).map {
          #"{"id":\#($0),"name":"n \#($0) \#(String(repeating: "x", count: $0))","lat":\#($0 % 90),"lon":1}"#
        }
        try folder.write(records.joined(separator: "\n"), to: "data")
        let outcome = try Tool("poi-import").run(
          ["-q", "-m", "model.json", "-s", store, "data"], in: folder.path)
        try #require(outcome.exitCode == 0, "\(outcome)")
      }
      let outcome = try ExportFaultTests.export(job, in: folder, [:])
      expectedCode = outcome.exitCode
      try #require(outcome.exitCode <= 1, "\(job): \(outcome)")
      expected = try ExportFaultTests.content(of: job, in: folder)
    }

    /// Runs the job with a fault.
    ///
    /// - Parameter fault: the variables of `CallFaults.h`, without their prefix.
    func run(_ fault: [String: String]) throws -> Tool.Outcome {
      try? FileManager.default.removeItem(atPath: folder.file(job.output))
      if job.replaces { try folder.write("old", to: job.output) }
      return try ExportFaultTests.export(job, in: folder, fault)
    }

    /// Checks that a failed run left the old file or the whole new one, and that the next run succeeds.
    func checkRetry(_ place: String) throws {
      if job.compressor != nil {
        // It has the lock, too, and ends when it finds no more input.
        let outcome = try Tool.shell(
          #"for file in .out.*.partial-*; do [ ! -e "$file" ] || flock -w 10 "$file" true; done"#,
          in: folder.path)
        #expect(outcome.exitCode == 0, "\(place): \(outcome)")
      }
      let isThere = Files.names(in: folder.path).contains(job.output)
      let isOld = try isThere && folder.bytes(job.output) == Array("old".utf8)
      #expect(isThere || !job.replaces, "\(place): the old file is gone")
      if isThere, !isOld { try checkContent(place) }
      let outcome = try run([:])
      try checkDone(outcome, place)
    }

    func checkDone(
      _ outcome: Tool.Outcome, _ place: String, isClean: Bool = true
    ) throws {
      #expect(outcome.exitCode == expectedCode, "\(place): \(outcome)")
      try checkContent(place)
      guard isClean else { return }
      let names = Files.names(in: folder.path, isWhole: true)
      #expect(!names.contains { $0.contains(".partial-") }, "\(place): \(names)")
    }

    private func checkContent(_ place: String) throws {
      let isSame = try ExportFaultTests.content(of: job, in: folder) == expected
      #expect(isSame, "\(place): another content")
    }
  }

  private static func export(
    _ job: Job, in folder: borrowing ScratchFolder, _ fault: [String: String]
  ) throws -> Tool.Outcome {
    var environment = ["LD_PRELOAD": PreloadedLibrary.path("CallFaults")]
    for (name, value) in fault {
      environment[name.isEmpty ? "CALL_FAULT" : "CALL_FAULT_\(name)"] = value
    }
    return try Tool("poi-export").run(
      job.options + ["--store", "store.sqlite"], in: folder.path, environment: environment)
  }

  /// The rows of a database, or the text of another file.
  private static func content(
    of job: Job, in folder: borrowing ScratchFolder
  ) throws -> [String] {
    if job.isDatabase {
      let connection = try Connection(path: folder.file(job.output), access: .readOnly)
      #expect(try connection.text("PRAGMA integrity_check") == "ok")
      // A GeoPackage holds the time at which it was made.
      var tables = try connection.prepare(
        """
        SELECT name, (SELECT group_concat('quote("' || c.name || '")', ' || '','' || ')
          FROM pragma_table_info(t.name) AS c)
        FROM sqlite_schema AS t WHERE type = 'table' AND rootpage > 0 AND name <> 'gpkg_contents' ORDER BY name
        """)
      var lines: [String] = []
      while try tables.step() {
        var rows = try connection.prepare(
          "SELECT \(SQL(verbatim: tables.text(1))) FROM \(name: tables.text(0))")
        while try rows.step() { lines.append("\(tables.text(0)): \(rows.text(0))") }
      }
      return lines
    }
    if let compressor = job.compressor {
      let outcome = try Tool(path: "/usr/bin/env").run(
        [compressor, "-dc", job.output], in: folder.path)
      #expect(outcome.exitCode == 0, "\(job): \(outcome.messages)")
      return [outcome.output]
    }
    return [String(decoding: try folder.bytes(job.output), as: UTF8.self)]
  }

  /// The numbers of the calls that fail: all of the first ones, then a sample.
  private static func places() -> some Sequence<Int> {
    let step = TestLength.count(29, long: 3)
    return (1...).lazy.filter { $0 <= 12 || $0 % step == 0 }
  }

  @Test(arguments: jobs)
  func `a killed export leaves the old file or the new one, and the next one cleans up`(
    job: Job
  ) throws {
    let trial = try Trial(job)
    var killCount = 0
    for at in Self.places() {
      let place = "\(job), killed at change \(at)"
      let outcome = try trial.run(["": "changes", "AT": "\(at)"])
      // The program that compresses may be killed instead.
      guard outcome.exitCode == 128 + SIGKILL || job.compressor != nil && outcome.exitCode == 74
      else {
        try trial.checkDone(outcome, place)
        break
      }
      killCount += 1
      try trial.checkRetry(place)
    }
    #expect(killCount >= 3, "\(job)")
  }

  @Test(
    arguments: jobs,
    [(ENOSPC, "No space left on device"), (EIO, "Input/output error")] as [(Int32, String)])
  func `a failed change ends with 74 and names the file, and the next export cleans up`(
    job: Job, fault: (number: Int32, text: String)
  ) throws {
    let trial = try Trial(job)
    var failureCount = 0
    for at in Self.places() {
      let place = "\(job), error \(fault.number) at change \(at)"
      let outcome = try trial.run(
        [
          "": "changes", "AT": "\(at)", "ERRNO": "\(fault.number)", "REPEATS": "1", "PATH": "/.out",
        ])
      guard outcome.exitCode == 74 else {
        // The last change removes a name that the file no longer needs.
        try trial.checkDone(outcome, place, isClean: false)
        break
      }
      failureCount += 1
      let isReported =
        outcome.messages.contains(fault.text)
        || outcome.messages.contains("database or disk is full")
        || job.compressor != nil && outcome.messages.contains("is the disk full?")
      #expect(
        outcome.messages.contains("error: \(job.output): ") && isReported
          && (job.compressor != nil || !outcome.messages.contains(".partial-")),
        "\(place): \(outcome.messages)")
      try trial.checkRetry(place)
    }
    #expect(failureCount > 0, "\(job)")
  }

  @Test(arguments: jobs)
  func `a folder that cannot be synced is reported`(job: Job) throws {
    let trial = try Trial(job)
    let outcome = try trial.run(["": "folders", "AT": "1", "ERRNO": "\(EIO)"])
    #expect(outcome.exitCode == 74 && outcome.messages.contains("\(job.output): "), "\(outcome)")
    try trial.checkRetry("\(job), the folder is not synced")
  }
}
