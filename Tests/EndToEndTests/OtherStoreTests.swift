import POISQLite
import POITestSupport
import Testing

/// Files that are not stores of this version: each is refused with a reason and not changed.
@Suite struct OtherStoreTests {
  private let importer = Tool("poi-import")
  private let deduplicator = Tool("poi-dedup")

  private func make(_ kind: Kind, at path: String, in folder: borrowing ScratchFolder) throws {
    switch kind {
    case .garbage: try folder.write([UInt8](repeating: 0xA5, count: 20_000), to: "poi.sqlite")
    case .text: try folder.write(#"[{"identifier":1}]"#, to: "poi.sqlite")
    case .encrypted:
      // As SQLCipher writes it: no header, and no repetition.
      var generator = SplitMix64(seed: 7)
      try folder.write(
        (0..<16_384).map { _ in UInt8.random(in: 0...255, using: &generator) }, to: "poi.sqlite")
    case .newerFormat, .noFormat, .noBookkeeping:
      try folder.write(ImportToolTests.array(0..<2), to: "data.json")
      _ = try importer.run(["data.json"], in: folder.path)
      let connection = try Connection(path: path)
      try connection.execute("PRAGMA journal_mode = DELETE")
      switch kind {
      case .newerFormat: try connection.execute("PRAGMA user_version = 99")
      case .noFormat: try connection.execute("PRAGMA user_version = 0")
      default: try connection.execute("DROP TABLE poikit_table")
      }
    case .truncated:
      try folder.write(ImportToolTests.array(0..<500), to: "data.json")
      _ = try importer.run(["data.json"], in: folder.path)
      try folder.write(Array(folder.bytes("poi.sqlite").prefix(20_000)), to: "poi.sqlite")
    }
  }

  enum Kind: CaseIterable {
    case garbage, text, encrypted, newerFormat, noFormat, noBookkeeping, truncated
  }

  @Test(arguments: Kind.allCases)
  func `another file is refused and not changed`(kind: Kind) throws {
    let folder = try ScratchFolder()
    try make(kind, at: folder.file("poi.sqlite"), in: folder)
    try folder.write(ImportToolTests.array(5..<7), to: "new.json")
    let before = try folder.bytes("poi.sqlite")
    for arguments in [["new.json"], ["--resume", "new.json"], ["--print-token"]] {
      let outcome = try importer.run(arguments, in: folder.path)
      #expect([64, 74].contains(outcome.exitCode), "\(arguments): \(outcome)")
      #expect(outcome.messages.contains("poi.sqlite"), "\(arguments): \(outcome)")
      #expect(try folder.bytes("poi.sqlite") == before, "\(arguments)")
    }
    for arguments in [["--dry-run"], ["--digest"], [], ["--undo"], ["--purge-tombstones", "1d"]] {
      let outcome = try deduplicator.run(arguments, in: folder.path)
      #expect([64, 74].contains(outcome.exitCode), "\(arguments): \(outcome)")
      #expect(outcome.messages.contains("poi.sqlite"), "\(arguments): \(outcome)")
      #expect(try folder.bytes("poi.sqlite") == before, "\(arguments)")
    }
  }

  @Test func `a folder is refused, an empty file becomes a store`() throws {
    let folder = try ScratchFolder()
    try folder.write(ImportToolTests.array(0..<2), to: "data.json")
    for arguments in [["--store", ".", "data.json"], ["--store", "/dev/null", "data.json"]] {
      let outcome = try importer.run(arguments, in: folder.path)
      #expect([64, 74].contains(outcome.exitCode), "\(arguments): \(outcome)")
    }
    for (tool, arguments) in [
      (importer, ["data.json"]), (importer, ["-m", "poi", "data.json"]),
      (importer, ["--print-token"]), (importer, ["--print-model", "poi"]), (deduplicator, []),
      (deduplicator, ["--dry-run"]), (deduplicator, ["--digest"]), (deduplicator, ["--undo"]),
    ] {
      let outcome = try tool.run(["-s", "."] + arguments, in: folder.path)
      #expect(outcome.exitCode == 74, "\(arguments): \(outcome)")
      #expect(
        outcome.messages.hasSuffix(
          "error: .: is a directory; name another file with --store\n"),
        "\(arguments): \(outcome)")
    }
    try folder.write("", to: "empty.sqlite")
    let outcome = try importer.run(["--store", "empty.sqlite", "data.json"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
  }

  /// SQLite identifies its own log by salt and checksum, and ignores another one.
  @Test func `a write-ahead log of another database is ignored`() throws {
    let folder = try ScratchFolder()
    try folder.write(ImportToolTests.array(0..<20), to: "data.json")
    try folder.write(ImportToolTests.array(30..<90), to: "other.json")
    _ = try importer.run(["data.json"], in: folder.path)
    let other = try Connection(path: folder.file("other.sqlite"))
    _ = try importer.run(["--store", "other.sqlite", "data.json"], in: folder.path)
    _ = try other.integer("SELECT count(*) FROM poi")
    _ = try importer.run(["--store", "other.sqlite", "other.json"], in: folder.path)
    let log = try folder.bytes("other.sqlite-wal")
    #expect(log.count > 32)
    try folder.write(Array(log.prefix(32 + 24 + 100)), to: "poi.sqlite-wal")
    let outcome = try deduplicator.run(["--digest"], in: folder.path)
    #expect(outcome.exitCode == 0 && outcome.output.contains("of 20 rows"), "\(outcome)")
    let connection = try Connection(path: folder.file("poi.sqlite"))
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
  }
}
