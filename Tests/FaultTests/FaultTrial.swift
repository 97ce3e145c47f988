import Foundation
import POISQLite
import POITestSupport
import StoreFaults
import Testing

@testable import POIKit
@testable import POIRecords

/// Runs a job again and again, each time with another failing call.
final class FaultTrial {
  /// A kind of failing call, and the code that SQLite gets.
  struct Fault {
    var name: String
    var kind: StoreFault
    var code: Int32
    /// Whether all calls after the first one fail, too.
    var repeats = false
    /// Every how many calls one is tried.
    var stride = 1
  }

  /// - Parameter allocationStride: every how many allocations one is tried, with every other call;
  ///   nil for a quarter of the long form's trials.
  static func faults(allocationStride: Int?) -> [Fault] {
    var faults = [
      Fault(name: "open", kind: STORE_FAULT_OPEN, code: 14),
      Fault(name: "read", kind: STORE_FAULT_READ, code: 266, stride: 3),
      Fault(name: "write, disk full", kind: STORE_FAULT_WRITE, code: 13, stride: 7),
      Fault(name: "write", kind: STORE_FAULT_WRITE, code: 778, stride: 11),
      Fault(name: "sync", kind: STORE_FAULT_SYNC, code: 1034),
      Fault(name: "truncate", kind: STORE_FAULT_TRUNCATE, code: 1546),
      Fault(name: "delete", kind: STORE_FAULT_DELETE, code: 2570),
      Fault(name: "lock, held", kind: STORE_FAULT_LOCK, code: 5, stride: 5),
      Fault(name: "lock", kind: STORE_FAULT_LOCK, code: 3850, stride: 7),
      Fault(name: "map", kind: STORE_FAULT_MAP, code: 5386),
      Fault(name: "allocation", kind: STORE_FAULT_ALLOCATION, code: 0, stride: 173),
    ]
    faults += faults.map { fault in
      var fault = fault
      fault.repeats = true
      return fault
    }
    guard let allocationStride else {
      for index in faults.indices { faults[index].stride *= TestLength.count(4, long: 1) }
      return faults
    }
    for index in faults.indices {
      faults[index].stride = faults[index].kind == STORE_FAULT_ALLOCATION ? allocationStride : 1
    }
    return faults
  }

  private let job: FaultJob
  private let folder: ScratchFolder
  private let path: String
  private let beginning: [UInt8]?

  private let before: [String]
  private let expected: [String]

  private(set) var runCount = 0
  private(set) var failureCount = 0
  private var issueCount = 0

  init(_ job: FaultJob) throws {
    self.job = job
    folder = try ScratchFolder()
    path = folder.file("store.sqlite")
    try job.prepare(path)
    beginning = try? folder.bytes("store.sqlite")
    before = try beginning == nil ? [] : Self.content(of: path)
    try job.run(path, isRetry: false)
    expected = try Self.content(of: path)
  }

  /// Runs the job with each call of a kind failing in turn, until all have failed.
  func run(_ fault: Fault) throws {
    var at = Int.random(in: 1...fault.stride)
    while issueCount < 5 {
      let place = "\(job), \(fault.name) \(at)\(fault.repeats ? " and all that follow" : "")"
      // Remains of a trap.
      FileHandle.standardError.write(Data("\(place)\n".utf8))
      try reset()
      store_faults_arm(fault.kind, at, fault.code, fault.repeats)
      var failure: (any Error)?
      do { try job.run(path, isRetry: false) } catch { failure = error }
      let failedCount = store_faults_disarm()
      runCount += 1
      if let failure {
        failureCount += 1
        checkError(failure, place)
        do {
          try checkStore(place)
          try retry()
        } catch {
          report("\(place): \(failure), then \(error)")
        }
      }
      do {
        let content = try Self.content(of: path)
        if content != expected {
          report("\(place): \(failure.map { "\($0)" } ?? "no error"), \(difference(content))")
        }
      } catch {
        report("\(place): \(error)")
      }
      if failedCount == 0 { return }
      at += fault.stride
    }
  }

  private func report(_ text: String) {
    issueCount += 1
    Issue.record("\(text)")
  }

  private func difference(_ content: [String]) -> String {
    let missing = expected.filter { !content.contains($0) }.prefix(3)
    let added = content.filter { !expected.contains($0) }.prefix(3)
    return "missing \(missing), added \(added)"
  }

  private func reset() throws {
    for suffix in ["", "-wal", "-shm", "-journal"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
    if let beginning { try folder.write(beginning, to: "store.sqlite") }
  }

  private func checkError(_ error: any Error, _ place: String) {
    let isRight =
      switch error {
      case let error as StoreError where error.code == .inputOutput: error.message.contains(path)
      case let error as StoreError where error.code == .database:
        error.message.contains(path) || error.cause != nil
      default: false
      }
    if !isRight { report("\(place): \(error)") }
  }

  private func checkStore(_ place: String) throws {
    guard let connection = try? Connection(path: path, access: .readWrite) else {
      // A new store may not exist yet.
      if beginning != nil { report("\(place): the store does not open") }
      return
    }
    #expect(try connection.text("PRAGMA integrity_check") == "ok", "\(place)")
    #expect(try connection.integer("SELECT count(*) FROM pragma_foreign_key_check") == 0)
    guard try connection.integer("PRAGMA user_version") == Store.formatVersion else { return }
    if job.isImport {
      let runs = try UnfinishedImport.list(into: try job.model().table, in: connection)
      if let run = runs.first {
        let checkpoint = try #require(run.checkpoint)
        #expect(checkpoint.counters.areBalanced, "\(place)")
        // While duplicates are removed, the checkpoint has the digest of all rows.
        guard checkpoint.appending?.isCounted != true else { return }
        let store = try Store(path, for: .existing)
        #expect(try store.digest(of: job.model()).digest == checkpoint.digest, "\(place)")
      }
      return
    }
    let losers = try connection.integer(
      "SELECT counters ->> 'losers' + counters ->> 'removed' FROM poikit_run WHERE tool = 'poi-dedup' AND state = 'running'"
    )
    if let losers {
      #expect(
        try connection.integer("SELECT count(*) FROM poikit_archive_note") == losers, "\(place)")
    } else {
      let content = try Self.content(of: path)
      if content != before, content != expected {
        report("\(place): the store is neither as before nor as after: \(difference(content))")
      }
    }
  }

  private func retry() throws {
    guard job.isImport else {
      // The failure may come after the commit.
      if try Self.content(of: path) == expected { return }
      return try job.run(path, isRetry: true)
    }
    do {
      try job.run(path, isRetry: true)
    } catch let error as StoreError where error.code == .cannotResume {
      // Nothing was committed, or everything.
      if try Self.content(of: path) == expected { return }
      try job.run(path, isRetry: false)
    }
  }

  /// The content of the store, except for the records of unfinished runs.
  ///
  /// The remembered digest of a finished run is only checked: it must match the rows.
  static func content(of path: String) throws -> [String] {
    try checkRememberedDigest(of: path)
    let connection = try Connection(path: path, access: .readWrite)
    var lines: [String] = []
    var tables = try connection.prepare(
      """
      SELECT name, (SELECT group_concat('quote("' || c.name || '")', ' || '','' || ')
        FROM pragma_table_info(t.name) AS c WHERE c.name NOT IN ('run', 'poikit_run'))
      FROM sqlite_schema AS t WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
        AND name NOT IN ('poikit_run', 'poikit_checkpoint', 'poikit_digest')
      """)
    while try tables.step() {
      var rows = try connection.prepare(
        "SELECT \(SQL(verbatim: tables.text(1))) FROM \(name: tables.text(0))")
      while try rows.step() { lines.append("\(tables.text(0)): \(rows.text(0))") }
    }
    for sql in [
      "SELECT tool || state || counters FROM poikit_run WHERE state IN ('finished', 'undone')",
      "SELECT type || name FROM sqlite_schema WHERE tbl_name <> 'poikit_digest' AND name NOT LIKE 'poikit_digest_%'",
    ] as [SQL] {
      var rows = try connection.prepare(sql)
      while try rows.step() { lines.append(rows.text(0)) }
    }
    return lines.sorted()
  }

  private static func checkRememberedDigest(of path: String) throws {
    let store = try Store(path, for: .existing)
    guard try store.tables().contains("note") else { return }
    let model = try store.model(ofTable: "note")
    let lease = try store.lease()
    let remembered = RememberedDigest(TableLayout(contentOf: model), in: lease.connection)
    guard let digest = try remembered.read() else { return }
    #expect(try lease.digest(of: model).digest == digest)
  }
}
