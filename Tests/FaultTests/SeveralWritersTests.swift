import Foundation
import POISQLite
import POITestSupport
import Testing

/// Two tools at once on a store to which an app writes.
@Suite struct SeveralWritersTests {
  private enum Pair: CaseIterable {
    case twoImports, importAndDeduplication, importAndExport, importAndShipping
    case deduplicationAndExport
  }

  private let importer = Tool("poi-import")
  private let deduplicator = Tool("poi-dedup")
  private let exporter = Tool("poi-export")

  private static let batchSize = 20

  private static func places(_ range: Range<Int>, keyCount: Int) -> String {
    range.map { index in
      let key = String(format: "%012d", index % keyCount)
      return
        #"{"identifier":"00000000-0000-0000-0000-\#(key)","name":"place \#(index)","latitude":1,"#
        + #""longitude":2,"updatedAt":"2026-01-01T00:00:00.\#(100_000 + index)Z"}"#
    }.joined(separator: "\n")
  }

  private func digest(_ store: String, in folder: borrowing ScratchFolder) throws -> String {
    let outcome = try deduplicator.run(["-s", store, "--digest"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    return outcome.output
  }

  /// Writes to a table of the app, and to rows of the tools without changing them.
  private func writeAsApp(_ path: String, _ generator: inout SplitMix64) throws -> Int64 {
    let app = try Connection(path: path, access: .readWrite)
    // On a slow machine the tools write for longer than a connection waits.
    try app.execute("PRAGMA busy_timeout = 120000")
    var count: Int64 = 0
    for _ in 0..<30 {
      try app.execute("INSERT INTO favorite SELECT max(poikit_id) FROM poi")
      count += 1
      let row = Int.random(in: 1...400, using: &generator)
      try app.execute("UPDATE poi SET name = name WHERE poikit_id = \(row)")
      usleep(UInt32.random(in: 0..<6_000, using: &generator))
    }
    return count
  }

  @Test(arguments: 0..<TestLength.count(5, long: 100))
  func `two tools and an app at once lose nothing`(round: Int) throws {
    let pair = Pair.allCases[round % Pair.allCases.count]
    var generator = SplitMix64(seed: UInt64(round))
    let keyCount = Int.random(in: 200...900, using: &generator)
    let firstCount = Int.random(in: 300...700, using: &generator)
    let count = firstCount + Int.random(in: 300...900, using: &generator)
    let folder = try ScratchFolder()
    try folder.write(Self.places(0..<firstCount, keyCount: keyCount), to: "a")
    try folder.write(Self.places(firstCount..<count, keyCount: keyCount), to: "b")
    let options = pair == .twoImports ? ["--merge", "newest"] : []
    let batch = ["-q", "--batch", "\(Self.batchSize)"]

    // The store as it is if one tool runs after the other.
    for name in ["a", "b"] {
      #expect(
        try importer.run(options + ["-s", "alone", "-q", name], in: folder.path).exitCode == 0)
    }
    let ordered = try exporter.run(["-q", "-s", "alone"], in: folder.path).output
    if pair == .importAndDeduplication || pair == .deduplicationAndExport {
      #expect(try deduplicator.run(["-s", "alone", "-q"], in: folder.path).exitCode == 0)
    }

    var first = ["a"]
    if pair == .twoImports {
      try folder.write(Self.places(0..<1, keyCount: keyCount), to: "start")
      first = ["start"]
    } else if pair == .deduplicationAndExport {
      first = ["a", "b"]
    }
    for name in first {
      #expect(try importer.run(options + ["-q", name], in: folder.path).exitCode == 0)
    }
    let store = folder.file("poi.sqlite")
    try Connection(path: store, access: .readWrite).execute("CREATE TABLE favorite (poi INTEGER)")

    let commands: [(tool: Tool, arguments: [String])] =
      switch pair {
      case .twoImports:
        [(importer, options + batch + ["a"]), (importer, options + batch + ["b"])]
      case .importAndDeduplication: [(importer, batch + ["b"]), (deduplicator, batch)]
      case .importAndExport: [(importer, batch + ["b"]), (exporter, ["-q", "-o", "out.ndjson"])]
      case .importAndShipping: [(importer, batch + ["b"]), (exporter, ["-q", "--ship", "app"])]
      case .deduplicationAndExport:
        [(deduplicator, batch), (exporter, ["-q", "-o", "out.ndjson"])]
      }
    let running = try commands.map { try $0.tool.start($0.arguments, in: folder.path) }
    let writtenCount = try writeAsApp(store, &generator)
    let outcomes = try running.map { try $0.wait() }

    for (command, outcome) in zip(commands, outcomes) where outcome.exitCode != 0 {
      // It gave way to the others; nothing is lost if it runs later.
      let isExpected =
        outcome.exitCode == 74 && outcome.messages.contains("another program")
        || outcome.messages.contains("is not finished")
      #expect(isExpected, "round \(round), \(pair): \(command.arguments): \(outcome)")
      let again =
        command.tool.path == importer.path ? command.arguments + ["--resume"] : command.arguments
      let repeated = try command.tool.run(again, in: folder.path)
      #expect(repeated.exitCode == 0, "round \(round), \(pair): \(again): \(repeated)")
    }
    if pair == .importAndDeduplication {
      #expect(try deduplicator.run(["-q"], in: folder.path).exitCode == 0)
    }
    #expect(
      try digest("poi.sqlite", in: folder) == digest("alone", in: folder), "round \(round), \(pair)"
    )
    try checkOutput(of: pair, folder, ordered, firstCount, round)
    let connection = try Connection(path: store, access: .readOnly)
    #expect(try connection.integer("SELECT count(*) FROM favorite") == writtenCount)
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
  }

  /// An export is of one state of the store: whole batches of an import, or all rows with or without duplicates.
  private func checkOutput(
    of pair: Pair, _ folder: borrowing ScratchFolder, _ ordered: String, _ firstCount: Int,
    _ round: Int
  ) throws {
    switch pair {
    case .twoImports, .importAndDeduplication: break
    case .importAndExport:
      let lines = ordered.split(separator: "\n")
      let text = String(decoding: try folder.bytes("out.ndjson"), as: UTF8.self)
      let found = text.split(separator: "\n")
      #expect(lines.starts(with: found), "round \(round)")
      let imported = found.count - firstCount
      #expect(
        found.count == lines.count || imported >= 0 && imported.isMultiple(of: Self.batchSize),
        "round \(round): \(imported)")
    case .deduplicationAndExport:
      let text = String(decoding: try folder.bytes("out.ndjson"), as: UTF8.self)
      let known = Set(ordered.split(separator: "\n"))
      #expect(text.split(separator: "\n").allSatisfy(known.contains), "round \(round)")
    case .importAndShipping:
      let shipped = try Connection(path: folder.file("app"), access: .readOnly)
      #expect(try shipped.text("PRAGMA integrity_check") == "ok")
      // A store with an unfinished import is not shipped.
      let rowCount = try shipped.integer("SELECT count(*) FROM poi") ?? 0
      let possible = [firstCount, ordered.split(separator: "\n").count]
      #expect(possible.contains(Int(rowCount)), "round \(round): \(rowCount), not \(possible)")
      #expect(try digest("app", in: folder).hasSuffix(" of \(rowCount) rows\n"))
    }
  }
}
