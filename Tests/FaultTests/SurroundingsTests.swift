import Foundation
import POISQLite
import POITestSupport
import Testing

/// Full disks, other processes, signals, and files of unusual kinds.
@Suite struct SurroundingsTests {
  private let importer = Tool("poi-import")
  private let deduplicator = Tool("poi-dedup")

  /// Places with `copies` keys in turn, so that later ones are newer.
  private static func places(_ range: Range<Int>, keys: Int = .max) -> String {
    range.map { index in
      let tail = String(format: "%012d", index % keys)
      return
        #"{"identifier":"00000000-0000-0000-0000-\#(tail)","name":"place \#(index)","latitude":1.5,"longitude":2,"#
        + #""updatedAt":"2024-02-29T12:30:\#(10 + index / keys % 50)Z","category":{"name":"c\#(index % 7)"}}"#
    }.joined(separator: "\n")
  }

  private static func value(_ sql: SQL, _ path: String) throws -> String? {
    try Connection(path: path, access: .readWrite).text(sql)
  }

  private static func digest(_ store: String, in folder: borrowing ScratchFolder) throws -> String {
    let outcome = try Tool("poi-dedup").run(["--store", store, "--digest"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
    return outcome.output
  }

  /// Runs a shell line, in which `import` and `dedup` are the tools.
  private func shell(
    _ line: String, in folder: borrowing ScratchFolder
  ) throws -> Tool.Outcome {
    let functions = """
      import() { '\(importer.path)' "$@"; }
      dedup() { '\(deduplicator.path)' "$@"; }
      """
    return try Tool(path: "/bin/sh").run(["-c", "\(functions)\n\(line)"], in: folder.path)
  }

  /// Whether a shell line exits with 0 in a new folder.
  private static func succeeds(_ line: String) -> Bool {
    guard let folder = try? ScratchFolder() else { return false }
    return (try? Tool(path: "/bin/sh").run(["-c", line], in: folder.path).exitCode) == 0
  }

  // MARK: Full disks

  @Test(arguments: ["1", "2"])
  func `a store at its size limit keeps its batches, and the run continues later`(
    jobs: String
  ) throws {
    let folder = try ScratchFolder()
    try folder.write(Self.places(0..<3000), to: "data")
    #expect(try importer.run(["data", "--store", "whole"], in: folder.path).exitCode == 0)
    let full = try shell(
      "ulimit -f 500; import --batch 20 --jobs \(jobs) --store poi data", in: folder)
    #expect(full.exitCode == 74, "\(full.messages)")
    #expect(full.messages.contains("error: poi: ") && full.messages.contains("File too large"))
    #expect(try Self.value("PRAGMA integrity_check", folder.file("poi")) == "ok")
    #expect(try Self.value("SELECT count(*) % 20 FROM poi", folder.file("poi")) == "0")
    let resumed = try importer.run(["data", "--resume", "--store", "poi"], in: folder.path)
    #expect(resumed.exitCode == 0, "\(resumed.messages)")
    #expect(try Self.digest("poi", in: folder) == Self.digest("whole", in: folder))
  }

  @Test func `a reject file on a full disk is named, and a later run writes it`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.places(0..<50) + "\n{}\n" + Self.places(50..<100), to: "data")
    let full = try importer.run(
      ["data", "--batch", "20", "--rejects", "/dev/full"], in: folder.path)
    #expect(full.exitCode == 74)
    #expect(
      full.messages.contains(
        "/dev/full: the reject file cannot be written: No space left on device"),
      "\(full.messages)")
    let resumed = try importer.run(["data", "--resume", "--rejects", "bad"], in: folder.path)
    #expect(resumed.exitCode == 1, "\(resumed.messages)")
    #expect(try String(contentsOfFile: folder.file("bad"), encoding: .utf8).contains("required"))
    #expect(try Self.value("SELECT count(*) FROM poi", folder.file("poi.sqlite")) == "100")
  }

  @Test func `a sort without room for its temporary file names the place and changes nothing`()
    throws
  {
    let folder = try ScratchFolder()
    try folder.write(Self.places(0..<40_000, keys: 30_000), to: "data")
    #expect(try importer.run(["data", "-q"], in: folder.path).exitCode == 0)
    let before = try Self.digest("poi.sqlite", in: folder)
    let full = try shell(
      "mkdir tmp; ulimit -f 100; TMPDIR=$PWD/tmp dedup --memory 1MiB", in: folder)
    #expect(full.exitCode == 74, "\(full.messages)")
    #expect(
      full.messages.contains(folder.file("tmp")) && full.messages.contains("File too large"),
      "\(full.messages)")
    #expect(try Self.digest("poi.sqlite", in: folder) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("tmp")).isEmpty)
    let later = try deduplicator.run(["--memory", "1MiB"], in: folder.path)
    #expect(later.output.contains("rows left  30,000"), "\(later.output)\(later.messages)")
  }

  /// Needs the superuser, and does not work in every container.
  private static let canMount = succeeds(
    "mkdir disk && mount -t tmpfs -o size=900k tmpfs disk && umount disk")

  @Test(.enabled(if: canMount, "no small disk can be mounted here"))
  func `a full disk is reported, and the run continues once there is room`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.places(0..<6000), to: "data")
    let mounted = try shell("mkdir disk && mount -t tmpfs -o size=900k tmpfs disk", in: folder)
    try #require(mounted.exitCode == 0, "\(mounted.messages)")
    defer { _ = try? shell("umount disk", in: folder) }
    let full = try importer.run(
      ["data", "--batch", "50", "--store", "disk/poi"], in: folder.path)
    #expect(full.exitCode == 74, "\(full.messages)")
    #expect(
      full.messages.contains("disk/poi: ") && full.messages.contains("there is no space left"),
      "\(full.messages)")
    #expect(try shell("mount -o remount,size=20m disk", in: folder).exitCode == 0)
    #expect(try Self.value("PRAGMA integrity_check", folder.file("disk/poi")) == "ok")
    let resumed = try importer.run(["data", "--resume", "--store", "disk/poi"], in: folder.path)
    #expect(resumed.exitCode == 0, "\(resumed.messages)")
    #expect(try Self.value("SELECT count(*) FROM poi", folder.file("disk/poi")) == "6000")
  }

  @Test(.enabled(if: canMount, "no small disk can be mounted here"))
  func `a full folder of temporary files is not called the disk of the store`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.places(0..<20_000), to: "data")
    let imported = try importer.run(["data", "--store", "poi"], in: folder.path)
    #expect(imported.exitCode == 0, "\(imported.messages)")
    let mounted = try shell("mkdir disk && mount -t tmpfs -o size=64k tmpfs disk", in: folder)
    try #require(mounted.exitCode == 0, "\(mounted.messages)")
    defer { _ = try? shell("umount disk", in: folder) }
    let outcome = try Tool("poi-export").run(
      ["--store", "poi", "--order", "-name", "-o", "out.json"], in: folder.path,
      environment: ["TMPDIR": folder.file("disk"), "SQLITE_TMPDIR": folder.file("disk")])
    #expect(
      outcome.exitCode == 74
        && outcome.messages.contains("poi: no space is left for temporary files"),
      "\(outcome.messages)")
    #expect(!Files.names(in: folder.path, isWhole: true).contains { $0.contains("out.json") })
  }

  // MARK: Other processes

  @Test(arguments: [["--batch", "50"], ["--batch", "50", "--merge", "newest"]])
  func `two imports at once leave the same as one after the other`(
    options: [String]
  ) throws {
    let folder = try ScratchFolder()
    try folder.write(Self.places(0..<1500, keys: 1000), to: "a")
    try folder.write(Self.places(700..<2200, keys: 1000), to: "b")
    for store in ["one", "two"] {
      let first = try importer.run(
        options + ["-s", store, "-"], in: folder.path, input: Array(Self.places(0..<1).utf8))
      #expect(first.exitCode == 0, "\(first.messages)")
    }
    for name in ["a", "b"] {
      #expect(try importer.run(options + ["-s", "one", name], in: folder.path).exitCode == 0)
    }
    let running = try ["a", "b"].map { name in
      try importer.start(options + ["-s", "two", name], in: folder.path)
    }
    for run in running {
      let outcome = try run.wait()
      #expect(outcome.exitCode == 0, "\(outcome.messages)")
    }
    #expect(try Self.digest("one", in: folder) == Self.digest("two", in: folder))
    let counted = try Self.value(
      "SELECT sum(counters ->> 'inserted') = (SELECT count(*) FROM poi) FROM poikit_run",
      folder.file("two"))
    #expect(counted == "1")
  }

  @Test func `an import beside a deduplication loses nothing`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.places(0..<2000, keys: 700), to: "a")
    try folder.write(Self.places(2000..<4000, keys: 700), to: "b")
    #expect(try importer.run(["a", "-q"], in: folder.path).exitCode == 0)
    let importing = try importer.start(["b", "--batch", "20"], in: folder.path)
    let deduplicating = try deduplicator.start(["--batch", "20"], in: folder.path)
    let imported = try importing.wait()
    let deduplicated = try deduplicating.wait()
    #expect(imported.exitCode == 0, "\(imported.messages)")
    #expect(
      deduplicated.exitCode == 0 || deduplicated.messages.contains("another program"),
      "\(deduplicated.messages)")
    #expect(try deduplicator.run([], in: folder.path).exitCode == 0)
    for store in ["alone"] {
      #expect(try importer.run(["a", "b", "-s", store], in: folder.path).exitCode == 0)
      #expect(try deduplicator.run(["-s", store], in: folder.path).exitCode == 0)
      #expect(try Self.digest(store, in: folder) == Self.digest("poi.sqlite", in: folder))
    }
    #expect(try Self.value("PRAGMA integrity_check", folder.file("poi.sqlite")) == "ok")
  }

  @Test func `an app reads and writes while an import runs`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.places(0..<4000), to: "data")
    let begun = try importer.run(
      ["-"], in: folder.path, input: Array(Self.places(5000..<5001).utf8))
    #expect(begun.exitCode == 0)
    let app = try Connection(path: folder.file("poi.sqlite"), access: .readWrite)
    try app.execute("CREATE TABLE favorite (poi INTEGER)")
    let reader = try Connection(path: folder.file("poi.sqlite"), access: .readOnly)
    try reader.begin(.deferred)
    #expect(try reader.integer("SELECT count(*) FROM poi") == 1)
    let importing = try importer.start(["data", "--batch", "20"], in: folder.path)
    for _ in 0..<40 {
      try app.execute("INSERT INTO favorite SELECT max(poikit_id) FROM poi")
      usleep(2_000)
    }
    // A long read transaction sees the old content and blocks no writer.
    let outcome = try importing.wait()
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
    #expect(try reader.integer("SELECT count(*) FROM poi") == 1)
    reader.rollback()
    #expect(try reader.integer("SELECT count(*) FROM poi") == 4001)
    #expect(try app.integer("SELECT count(*) FROM favorite") == 40)
    #expect(try app.text("PRAGMA integrity_check") == "ok")
  }

  @Test func `a store locked by another program is reported, and usable after that`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.places(0..<10), to: "data")
    #expect(try importer.run(["data"], in: folder.path).exitCode == 0)
    let holder = try Connection(path: folder.file("poi.sqlite"))
    try holder.begin(.immediate)
    let waiting = [
      try importer.start(["data"], in: folder.path), try deduplicator.start([], in: folder.path),
    ]
    for outcome in try waiting.map({ try $0.wait() }) {
      #expect(outcome.exitCode == 74)
      #expect(
        outcome.messages.contains(
          "another program holds the store, and did not let go of it in time; let it finish and "),
        "\(outcome.messages)")
    }
    holder.rollback()
    #expect(try importer.run(["data"], in: folder.path).exitCode == 0)
  }

  // MARK: Signals and closed streams

  @Test(arguments: [SIGINT, SIGTERM])
  func `a deduplication that is interrupted ends at a batch, and the same command continues`(
    signal: Int32
  ) throws {
    let folder = try ScratchFolder()
    try folder.write(Self.places(0..<9000, keys: 1000), to: "data")
    #expect(try importer.run(["data", "-q"], in: folder.path).exitCode == 0)
    let running = try deduplicator.start(["--batch", "5"], in: folder.path)
    // It is writing, or has already ended.
    for _ in 0..<4_000 {
      if let log = try? folder.bytes("poi.sqlite-wal"), !log.isEmpty { break }
      usleep(1_000)
    }
    running.signal(signal)
    let outcome = try running.wait()
    if outcome.exitCode != 0 {
      #expect(outcome.exitCode == 130, "\(outcome.messages)")
      #expect(outcome.messages.contains("the same command continues"), "\(outcome.messages)")
    }
    #expect(try deduplicator.run([], in: folder.path).exitCode == 0)
    #expect(try Self.value("SELECT count(*) FROM poi", folder.file("poi.sqlite")) == "1000")
  }

  /// The shell line, and the output at its end.
  @Test(
    arguments: [
      ("import data 2>&-", 0), ("import data >&-", 74), ("import data >&- 2>&-", 74),
      ("import --quiet data >&-", 0), ("import data >/dev/full", 74),
      ("(import data; echo $? >code) | true; exit $(cat code)", 0),
      ("(import --help; echo $? >code) | true; exit $(cat code)", 0),
      ("import data 2>/dev/full", 0),
    ] as [(String, Int32)])
  func `closed streams lose only their own output`(
    line: String, code: Int32
  ) throws {
    let folder = try ScratchFolder()
    try folder.write(Self.places(0..<100), to: "data")
    let outcome = try shell(line, in: folder)
    #expect(outcome.exitCode == code, "\(outcome.messages)")
    guard !line.contains("--help") else { return }
    #expect(try Self.value("SELECT count(*) FROM poi", folder.file("poi.sqlite")) == "100")
  }

  // MARK: Files

  @Test(arguments: ["with spaces", "it's \"quoted\"", "Zürich 東京 😀", "file:a?mode=ro#%41"])
  func `file names of any kind are used verbatim`(name: String) throws {
    let folder = try ScratchFolder()
    try folder.write(Self.places(0..<40, keys: 20), to: "\(name).json")
    let store = "\(name).sqlite"
    for (tool, arguments) in [
      (importer, ["\(name).json", "--rejects", "\(name).bad"]), (deduplicator, ["--enforce"]),
      (importer, ["\(name).json"]), (deduplicator, ["--undo"]),
    ] {
      let outcome = try tool.run(["--store", store] + arguments, in: folder.path)
      #expect(outcome.exitCode == 0, "\(arguments): \(outcome.messages)")
    }
    #expect(FileManager.default.fileExists(atPath: folder.file(store)))
    #expect(try Self.value("SELECT count(*) FROM poi", folder.file(store)) == "40")
  }

  @Test func `a symbolic link leads to input and store, whose log is beside the target`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.places(0..<100), to: "data")
    let made = try shell(
      "mkdir real; ln -s real/poi.sqlite poi.sqlite; ln -s data link", in: folder)
    #expect(made.exitCode == 0)
    #expect(try importer.run(["link"], in: folder.path).exitCode == 0)
    // Ends the run between its commit and closing the store.
    let killed = try importer.run(
      ["link", "--batch", "10"], in: folder.path,
      environment: [
        "LD_PRELOAD": PreloadedLibrary.path("CallFaults"), "CALL_FAULT": "changes",
        "CALL_FAULT_AT": "60", "CALL_FAULT_PATH": "sqlite",
      ])
    #expect(killed.exitCode == 128 + SIGKILL, "\(killed.messages)")
    #expect(FileManager.default.fileExists(atPath: folder.file("real/poi.sqlite-wal")))
    #expect(!FileManager.default.fileExists(atPath: folder.file("poi.sqlite-wal")))
    #expect(try importer.run(["link", "--resume"], in: folder.path).exitCode == 0)
    #expect(try Self.value("SELECT count(*) FROM poi", folder.file("real/poi.sqlite")) == "200")
  }

  @Test func `a failed sync of the reject file is reported, and the run continues later`() throws {
    let folder = try ScratchFolder()
    try folder.write("{\"name\":1}\n{\"name\":2}\n", to: "data")
    func take(_ more: [String: String], _ arguments: String...) throws -> Tool.Outcome {
      try importer.run(
        ["-m", "poi", "--rejects", "bad.ndjson", "data"] + arguments, in: folder.path,
        environment: [
          "LD_PRELOAD": PreloadedLibrary.path("CallFaults"), "CALL_FAULT": "changes",
          "CALL_FAULT_PATH": "bad.ndjson",
        ].merging(more) { $1 })
    }
    // The sync is the last call that changes the file.
    #expect(try take(["CALL_FAULT_COUNT": folder.file("count")], "--store", "other").exitCode == 1)
    let count = try String(contentsOfFile: folder.file("count"), encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    try FileManager.default.removeItem(atPath: folder.file("bad.ndjson"))
    let refused = try take(["CALL_FAULT_AT": count, "CALL_FAULT_ERRNO": "\(EIO)"])
    #expect(refused.exitCode == 74)
    #expect(refused.messages.contains("the reject file cannot be written"), "\(refused.messages)")
    #expect(try take([:], "--resume").exitCode == 1)
  }

  @Test func `a named pipe is an input`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.places(0..<1000), to: "data")
    let outcome = try shell("mkfifo pipe; cat data >pipe & import pipe", in: folder)
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
    #expect(try Self.value("SELECT count(*) FROM poi", folder.file("poi.sqlite")) == "1000")
  }

  @Test func `a file that grows is read to its end, and not resumed as another`()
    throws
  {
    let folder = try ScratchFolder()
    try folder.write(Self.places(0..<3000) + "\n", to: "data")
    try folder.write(Self.places(3000..<3500) + "\n", to: "more")
    let outcome = try shell("import --batch 5 data & cat more >>data; wait $!", in: folder)
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
    let count = try #require(
      try Self.value("SELECT count(*) FROM poi", folder.file("poi.sqlite")).flatMap { Int($0) })
    #expect((3000...3500).contains(count))
    let killed = try importer.run(
      ["data", "--store", "killed", "--batch", "100"], in: folder.path,
      environment: [
        "LD_PRELOAD": PreloadedLibrary.path("CallFaults"), "CALL_FAULT": "changes",
        "CALL_FAULT_AT": "90", "CALL_FAULT_PATH": "killed",
      ])
    #expect(killed.exitCode == 128 + SIGKILL, "\(killed.messages)")
    try folder.write(Self.places(0..<4000) + "\n", to: "data")
    let resumed = try importer.run(["data", "--store", "killed", "--resume"], in: folder.path)
    #expect(resumed.exitCode == 64, "\(resumed.messages)")
    #expect(resumed.messages.contains("it has changed"), "\(resumed.messages)")
  }

  /// The superuser may write everywhere, and another user may not reach the tool.
  private static let canBeOther =
    geteuid() != 0
    || succeeds(
      "chmod a+rx . && setpriv --reuid=65534 --clear-groups '\(Tool("poi-import").path)' --version")

  @Test(.enabled(if: canBeOther, "no user without rights can start the tool here"))
  func `a read-only store is not changed, and the message says so`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.places(0..<10), to: "data")
    let line = """
      import --quiet data && chmod a-w poi.sqlite . || exit 1
      if [ "$(id -u)" = 0 ]; then
        chmod a+rx . && setpriv --reuid=65534 --clear-groups '\(importer.path)' data
      else
        import data
      fi
      code=$?; chmod u+w . poi.sqlite; exit $code
      """
    let outcome = try shell(line, in: folder)
    #expect(outcome.exitCode == 74, "\(outcome.messages)")
    #expect(
      outcome.messages.contains("error: poi.sqlite: ") && outcome.messages.contains("permissions"),
      "\(outcome.messages)")
    #expect(try Self.value("SELECT count(*) FROM poi", folder.file("poi.sqlite")) == "10")
  }

  @Test(.enabled(if: canBeOther, "no user without rights can start the tool here"))
  func `a folder without write permission is distinguished from a missing one`() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.places(0..<1), to: "data")
    let line = """
      mkdir -m 555 sealed; chmod a+rx .
      if [ "$(id -u)" = 0 ]; then
        setpriv --reuid=65534 --clear-groups '\(importer.path)' --store sealed/s data
      else
        import --store sealed/s data
      fi
      """
    let sealed = try shell(line, in: folder)
    #expect(sealed.exitCode == 74, "\(sealed.messages)")
    #expect(sealed.messages.contains("Permission denied"), "\(sealed.messages)")
    let missing = try importer.run(["--store", "none/s", "data"], in: folder.path)
    #expect(missing.exitCode == 74, "\(missing.messages)")
    #expect(missing.messages.contains("No such file or directory"), "\(missing.messages)")
  }
}
