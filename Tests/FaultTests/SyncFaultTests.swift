import Foundation
import POISQLite
import POITestSupport
import Testing

/// Cycles with a server whose system calls fail, or that are killed at one.
@Suite struct SyncFaultTests {
  private static let model = #"""
    {"x-table":"note","x-key":"id","x-timestamp":"at","required":["id"],"properties":{
      "id":{"type":"integer"},"text":{"type":"string"},"at":{"type":"integer","x-unit":"seconds"}}}
    """#

  /// Runs a cycle again and again, each time with another fault.
  private final class Trial {
    private let folder: ScratchFolder
    private let server: PythonServer
    private let beginning: [UInt8]?
    private let arguments: [String]

    private static func records(_ ids: some Sequence<Int>, _ text: String) -> String {
      ids.map { #"{"id":\#($0),"text":"\#(text)","at":\#($0 % 5)}"# }.joined(separator: "\n")
    }

    /// - Parameter isFirst: whether the store does not exist yet; else both sides have changed some records.
    init(isFirst: Bool) throws {
      folder = try ScratchFolder()
      try folder.write(model, to: "model.json")
      let documents = try folder.write(Self.records(0..<40, "there"), to: "documents")
      server = try PythonServer(
        PythonServer.projectFile("scripts/fault_server.py"), [documents], in: folder.path)
      arguments =
        ["--page", "15", "--batch", "8", "--server", server.address, "--store", "store.sqlite"]
        + (isFirst ? ["--model", "model.json"] : [])
      guard !isFirst else {
        beginning = nil
        return
      }
      try folder.write(Self.records(20..<50, "here"), to: "base")
      for words in [
        ["--model", "model.json", "--merge", "newest", "base"], ["--track"],
      ] {
        let outcome = try Tool("poi-import").run(
          ["--store", "store.sqlite"] + words, in: folder.path)
        #expect(outcome.exitCode == 0, "\(outcome.messages)")
      }
      let app = try Connection(path: folder.file("store.sqlite"), access: .readWrite)
      try app.execute(
        "UPDATE note SET text = 'mine' WHERE id % 3 = 0; DELETE FROM note WHERE id % 7 = 1; PRAGMA journal_mode = DELETE"
      )
      beginning = try folder.bytes("store.sqlite")
    }

    /// Runs a cycle from the beginning, also of the server.
    func run(_ fault: [String: String]) throws -> Tool.Outcome {
      for suffix in ["", "-wal", "-shm", "-journal"] {
        try? FileManager.default.removeItem(atPath: folder.file("store.sqlite" + suffix))
      }
      if let beginning { try folder.write(beginning, to: "store.sqlite") }
      _ = try Tool(path: "/usr/bin/env").run(
        ["curl", "-sSf", "-X", "POST", server.address + "/restore"], in: folder.path)
      var environment = ["LD_PRELOAD": PreloadedLibrary.path("CallFaults")]
      for (name, value) in fault {
        environment[name.isEmpty ? "CALL_FAULT" : "CALL_FAULT_\(name)"] = value
      }
      return try Tool("poi-sync").run(arguments, in: folder.path, environment: environment)
    }

    /// The next cycle ends well, and both sides agree.
    func checkNext(_ place: String) throws {
      let outcome = try Tool("poi-sync").run(arguments, in: folder.path)
      #expect(outcome.exitCode == 0, "\(place): \(outcome.messages)")
      try checkAgreement(place)
    }

    func checkAgreement(_ place: String) throws {
      let page = try Tool(path: "/usr/bin/env").run(
        ["curl", "-sSf", server.address + "/pull?limit=1000"], in: folder.path)
      let document = try JSONSerialization.jsonObject(with: Data(page.output.utf8))
      let documents = (document as? [String: Any])?["documents"] as? [[String: Any]] ?? []
      let there = documents.filter { $0["_removed"] == nil }.map {
        "\($0["id"] ?? 0) \($0["text"] ?? "") \($0["at"] ?? "")"
      }
      let store = try Connection(path: folder.file("store.sqlite"), access: .readWrite)
      #expect(try store.text("PRAGMA integrity_check") == "ok", "\(place)")
      #expect(try store.integer("SELECT count(*) FROM poikit_change_note") == 0, "\(place)")
      let here = try store.rows("SELECT id || ' ' || text || ' ' || (at / 1000000) FROM note") {
        $0.text(0)
      }
      let differences = Set(here).symmetricDifference(there)
      #expect(differences.isEmpty && here.count == there.count, "\(place): \(differences)")
    }
  }

  private static func places(_ stride: Int) -> some Sequence<Int> {
    let step = StoreFaultTests.allocationStride != nil ? 1 : stride * TestLength.count(4, long: 1)
    return Swift.stride(from: Int.random(in: 1...min(step, 5)), to: .max, by: step)
  }

  @Test(arguments: [true, false])
  func `after a cycle that was killed at any file change, the next one lets both sides agree`(
    isFirst: Bool
  ) throws {
    let trial = try Trial(isFirst: isFirst)
    var killCount = 0
    for at in Self.places(13) {
      let place = "killed at change \(at), first pull: \(isFirst)"
      let outcome = try trial.run(["": "changes", "AT": "\(at)"])
      guard outcome.exitCode == 128 + SIGKILL else {
        #expect(outcome.exitCode == 0, "\(place): \(outcome.messages)")
        try trial.checkAgreement(place)
        break
      }
      killCount += 1
      try trial.checkNext(place)
    }
    #expect(killCount > 0)
  }

  @Test(arguments: [true, false], [ENOSPC, EIO])
  func `a failed write ends a cycle with 74, and the next one goes on`(
    isFirst: Bool, number: Int32
  ) throws {
    let trial = try Trial(isFirst: isFirst)
    var failureCount = 0
    for at in Self.places(29) {
      let place = "error \(number) at write \(at), first pull: \(isFirst)"
      let outcome = try trial.run([
        "": "writes", "AT": "\(at)", "ERRNO": "\(number)", "REPEATS": "1", "PATH": "/store.sqlite",
      ])
      guard outcome.exitCode != 0 else {
        try trial.checkAgreement(place)
        break
      }
      #expect(outcome.exitCode == 74, "\(place): \(outcome.messages)")
      #expect(outcome.messages.contains("error: store.sqlite: "), "\(place): \(outcome.messages)")
      failureCount += 1
      try trial.checkNext(place)
    }
    #expect(failureCount > 0)
  }
}
