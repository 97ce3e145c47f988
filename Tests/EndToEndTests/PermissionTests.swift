import Glibc
import POIKit
import POISQLite
import POITestSupport
import Testing

@Suite struct PermissionTests {
  private let importer = Tool("poi-import")
  private let deduplicator = Tool("poi-dedup")
  private let exporter = Tool("poi-export")
  private static let bad = "{\"name\":1}\n"

  private func run(
    _ tool: Tool, umask: String, _ arguments: [String], in folder: borrowing ScratchFolder
  ) throws -> Tool.Outcome {
    try Tool(path: "/bin/sh").run(
      ["-c", "umask \(umask); exec \"$@\"", "sh", tool.path] + arguments, in: folder.path)
  }

  @Test(arguments: [("022", 0o644), ("077", 0o600), ("027", 0o640)] as [(String, UInt32)])
  func `a new store and its reject file follow the umask`(umask: String, mode: UInt32) throws {
    let folder = try ScratchFolder()
    try folder.write(Self.bad, to: "data.ndjson")
    let outcome = try run(
      importer, umask: umask, ["-m", "poi", "--rejects", "rejects.ndjson", "data.ndjson"],
      in: folder)
    #expect(outcome.exitCode == 1, "\(outcome)")
    #expect(Files.mode(of: folder.file("poi.sqlite")) == mode)
    #expect(Files.mode(of: folder.file("rejects.ndjson")) == mode)
  }

  @Test func `files beside a private store are private`() throws {
    let folder = try ScratchFolder()
    try folder.write(ImportToolTests.array(0..<3) + "\n", to: "good.json")
    try folder.write(Self.bad, to: "data.ndjson")
    _ = try run(importer, umask: "077", ["good.json"], in: folder)
    let outcome = try run(
      importer, umask: "000", ["--rejects", "rejects.ndjson", "data.ndjson"], in: folder)
    #expect(outcome.exitCode == 1, "\(outcome)")
    #expect(Files.mode(of: folder.file("rejects.ndjson")) == 0o600)

    // An open reader keeps the log and its index from being removed at the end.
    let reader = try Connection(path: folder.file("poi.sqlite"))
    _ = try reader.integer("SELECT count(*) FROM poi")
    _ = try run(importer, umask: "000", ["good.json"], in: folder)
    _ = try run(deduplicator, umask: "000", [], in: folder)
    for name in ["poi.sqlite", "poi.sqlite-wal", "poi.sqlite-shm"] {
      #expect(Files.mode(of: folder.file(name)) == 0o600, "\(name)")
    }
    try Store(folder.file("poi.sqlite")).save(to: folder.file("saved.sqlite"))
    #expect(Files.mode(of: folder.file("saved.sqlite")) == 0o600)
    #expect(throws: StoreError.self) {
      try Store(folder.file("poi.sqlite")).save(to: folder.file("saved.sqlite"))
    }
    #expect(Files.mode(of: folder.file("saved.sqlite")) == 0o600)
  }

  /// No server listens on port 1.
  private static let synchronising = ["--server", "http://127.0.0.1:1", "-s", "a.sqlite"]

  @Test func `the lock of a synchronisation is as private as its store`() throws {
    let folder = try ScratchFolder()
    let synchroniser = Tool("poi-sync")
    let first = try run(
      synchroniser, umask: "077", Self.synchronising + ["-m", "poi"], in: folder)
    #expect(first.exitCode == 75, "\(first)")
    #expect(Files.mode(of: folder.file("a.sqlite")) == 0o600)
    #expect(Files.mode(of: folder.file("a.sqlite-sync")) == 0o600)
    #expect(unsafe unlink(folder.file("a.sqlite-sync")) == 0)
    _ = try run(synchroniser, umask: "000", Self.synchronising, in: folder)
    #expect(Files.mode(of: folder.file("a.sqlite-sync")) == 0o600)
  }

  @Test func `an address with a password or to an open line does not come into a store`() throws {
    let folder = try ScratchFolder()
    let synchroniser = Tool("poi-sync")
    for address in ["https://me:secret@example.org", "http://example.org"] {
      let outcome = try synchroniser.run(
        ["--server", address, "-s", "a.sqlite", "-m", "poi"], in: folder.path)
      #expect(outcome.exitCode == 64, "\(outcome)")
      #expect(unsafe access(folder.file("a.sqlite"), F_OK) != 0)
    }
    let none = try synchroniser.run(["-s", "a.sqlite"], in: folder.path)
    #expect(none.exitCode == 66, "\(none)")
    _ = try synchroniser.run(Self.synchronising + ["-m", "poi"], in: folder.path)
    let missing = try synchroniser.run(
      Self.synchronising + ["--headers", "missing"], in: folder.path)
    #expect(missing.exitCode == 66 && missing.messages.contains("missing"), "\(missing)")
  }

  private static let exports: [[String]] = [
    ["-o", "out.ndjson"], ["-o", "out.json.gz"], ["-f", "gpkg", "-o", "out.gpkg"],
    ["--ship", "out.sqlite", "--spatial-index"], ["--diff", "old.sqlite", "-o", "out.diff"],
  ]

  @Test(arguments: exports, [(0o600, "000", 0o600), (0o664, "027", 0o640), (0o444, "022", 0o444)])
  func `what is exported has the mode of the store`(
    options: [String], modes: (store: UInt32, umask: String, output: UInt32)
  ) throws {
    let folder = try ScratchFolder()
    try folder.write(ImportToolTests.array(0..<3) + "\n", to: "data.json")
    for store in ["poi.sqlite", "old.sqlite"] {
      _ = try importer.run(["-s", store, "data.json"], in: folder.path)
    }
    #expect(unsafe chmod(folder.file("poi.sqlite"), modes.store) == 0)
    let name = options.first { $0.hasPrefix("out") } ?? ""
    // A file that is replaced has another mode.
    if options[0] == "-o" || options[0] == "--diff" {
      try folder.write("old", to: name)
      #expect(unsafe chmod(folder.file(name), 0o666) == 0)
    }
    let outcome = try run(exporter, umask: modes.umask, options, in: folder)
    #expect(outcome.exitCode == 0, "\(outcome)")
    let expected = modes.output & (options[0] == "--diff" ? 0o644 : 0o666)
    #expect(Files.mode(of: folder.file(name)) == expected)
  }

  @Test func `differences are not readable by more users than either store`() throws {
    let folder = try ScratchFolder()
    try folder.write(ImportToolTests.array(0..<3) + "\n", to: "data.json")
    for store in ["poi.sqlite", "old.sqlite"] {
      _ = try importer.run(["-s", store, "data.json"], in: folder.path)
    }
    #expect(unsafe chmod(folder.file("old.sqlite"), 0o600) == 0)
    _ = try run(exporter, umask: "000", ["--diff", "old.sqlite", "-o", "out"], in: folder)
    #expect(Files.mode(of: folder.file("out")) == 0o600)
  }

  @Test func `a dry run's new reject file is private, an existing one keeps its mode`()
    throws
  {
    let folder = try ScratchFolder()
    try folder.write(Self.bad, to: "data.ndjson")
    for _ in 0..<2 {
      let outcome = try run(
        importer, umask: "000", ["-n", "--rejects", "rejects.ndjson", "data.ndjson"], in: folder)
      #expect(outcome.exitCode == 1, "\(outcome)")
      #expect(Files.mode(of: folder.file("rejects.ndjson")) == 0o600)
    }
    #expect(unsafe chmod(folder.file("rejects.ndjson"), 0o640) == 0)
    _ = try run(importer, umask: "000", ["--rejects", "rejects.ndjson", "data.ndjson"], in: folder)
    #expect(Files.mode(of: folder.file("rejects.ndjson")) == 0o640)
  }

  /// A user who may write into the folder of temporary files could replace a file with a known name
  /// by a link.
  @Test func `the temporary files of a sort have no name`() throws {
    let folder = try ScratchFolder()
    #expect(unsafe mkdir(folder.file("tmp"), 0o777) == 0)
    try folder.write(ImportToolTests.array(0..<60_000), to: "data.json")
    _ = try importer.run(["data.json"], in: folder.path)
    let outcome = try Tool(path: "/usr/bin/strace").runIfPresent(
      ["-f", "-e", "trace=openat,open,unlink,unlinkat", deduplicator.path, "--memory", "1M"],
      in: folder.path,
      environment: ["TMPDIR": folder.file("tmp"), "SQLITE_TMPDIR": folder.file("tmp")])
    #expect(Files.names(in: folder.file("tmp")).isEmpty)
    guard let outcome else { return }
    let opened = outcome.messages.split(separator: "\n").filter {
      $0.contains("/tmp/") && $0.contains("O_CREAT") && $0.contains(folder.file("tmp"))
    }
    #expect(opened.allSatisfy { $0.contains("O_EXCL") && $0.contains("0600") }, "\(opened)")
  }
}

extension Tool {
  fileprivate func runIfPresent(
    _ arguments: [String], in folder: String, environment: [String: String]
  ) throws -> Outcome? {
    guard unsafe access(path, X_OK) == 0 else {
      let program = arguments.firstIndex { $0.hasPrefix("/") } ?? 0
      _ = try Tool(path: arguments[program]).run(
        Array(arguments[(program + 1)...]), in: folder, environment: environment)
      return nil
    }
    return try run(arguments, in: folder, environment: environment)
  }
}
