import SQLiteKit
import TestSupport
import Testing

/// Reject files that would overwrite what must stay.
@Suite struct RejectFileToolTests {
  private let tool = Tool("poi-import")

  @Test(arguments: [
    "poi.sqlite", "poi.sqlite-wal", "poi.sqlite-shm", "poi.sqlite-journal", "./poi.sqlite-wal",
    "link",
  ])
  func `rejects never overwrite the store or what SQLite has beside it`(path: String) throws {
    let folder = try ScratchFolder()
    try folder.write(ImportToolTests.array(0..<100), to: "data.json")
    #expect(try tool.run(["--quiet", "data.json"], in: folder.path).exitCode == 0)
    _ = try Tool(path: "/bin/ln").run(["-s", "poi.sqlite-wal", "link"], in: folder.path)
    try folder.write(
      ImportToolTests.records(100..<200).joined(separator: "\n") + "\n{}\n", to: "more.ndjson")
    let outcome = try tool.run(
      ["--batch", "10", "--rejects", path, "more.ndjson"], in: folder.path)
    #expect(outcome.exitCode == 64)
    #expect(
      outcome.messages.contains("would overwrite the store; name another file for --rejects"),
      "\(outcome.messages)")
    #expect(try ImportToolTests.content(of: folder.file("poi.sqlite")).count == 100)
  }

  @Test func `a corrected reject file that is read as standard input is not overwritten`() throws {
    let folder = try ScratchFolder()
    try folder.write("{\"name\":1}\n{\"name\":2}\n", to: "data.ndjson")
    let first = try tool.run(["--rejects", "bad", "data.ndjson"], in: folder.path)
    #expect(first.exitCode == 1)
    let rejects = try folder.bytes("bad")
    let outcome = try Tool(path: "/bin/sh").run(
      ["-c", "exec \"$0\" --rejects bad - < bad", tool.path], in: folder.path)
    #expect(outcome.exitCode == 64)
    #expect(outcome.messages.contains("would overwrite the input"), "\(outcome.messages)")
    #expect(try folder.bytes("bad") == rejects)
  }

  @Test func `a dry run that finds too many rejects speaks of no batches`() throws {
    let folder = try ScratchFolder()
    try folder.write("{\"name\":1}\n{\"name\":2}\n", to: "data.ndjson")
    let outcome = try tool.run(["-n", "--max-rejects", "1", "data.ndjson"], in: folder.path)
    #expect(outcome.exitCode == 65)
    #expect(outcome.messages.contains("2 of 2 records were rejected"))
    #expect(!outcome.messages.contains("--resume"), "\(outcome.messages)")
  }
}
