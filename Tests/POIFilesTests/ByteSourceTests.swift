import Glibc
import POITestSupport
import Testing

@testable import POIFiles

extension ScratchFolder {
  /// Runs a command in the folder.
  fileprivate func run(_ command: String) throws {
    try #require(unsafe system("cd '\(path)' && \(command)") == 0)
  }
}

/// All remaining bytes of `source`, read in pieces of at most `capacity` bytes.
private func readAll(
  _ source: inout some ByteSource & ~Copyable, capacity: Int = 50_000
) throws(InputError) -> [UInt8] {
  var all: [UInt8] = []
  while true {
    let piece = try [UInt8](capacity: capacity) { output throws(InputError) in
      try source.read(into: &output)
    }
    if piece.isEmpty { return all }
    all += piece
  }
}

private func contents(ofFileAt path: String) throws(InputError) -> [UInt8] {
  var source = try FileSource(path: path)
  return try readAll(&source)
}

/// Bytes that no program can compress well, the same for the same seed.
private func noise(byteCount: Int, seed: UInt64) -> [UInt8] {
  var state = seed
  return (0..<byteCount).map { _ in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return UInt8(truncatingIfNeeded: state >> 56)
  }
}

private func message(of body: () throws(InputError) -> Void) -> InputError? {
  do throws(InputError) {
    try body()
    return nil
  } catch {
    return error
  }
}

private let programs = [
  (program: "gzip", suffix: ".gz"), (program: "zstd", suffix: ".zst"),
  (program: "xz", suffix: ".xz"), (program: "bzip2", suffix: ".bz2"),
]

@Suite struct BytesSourceTests {
  @Test func `hands over its bytes in chunks`() {
    var source = BytesSource([1, 2, 3, 4, 5], name: "answer", chunkSize: 2)
    #expect(source.name == "answer")
    #expect(source.totalByteCount == 5)
    var pieces: [[UInt8]] = []
    for _ in 0..<4 {
      pieces.append([UInt8](capacity: 9) { source.read(into: &$0) })
    }
    #expect(pieces == [[1, 2], [3, 4], [5], []])
    #expect(source.consumedByteCount == 5)
  }

  @Test func `a read returns at most the requested bytes`() {
    var source = BytesSource([1, 2, 3])
    let piece = [UInt8](capacity: 3) { output in
      output.append(0)
      source.read(into: &output)
    }
    #expect(piece == [0, 1, 2])
    #expect(source.consumedByteCount == 2)
  }

  @Test func `restarts at its first byte`() throws {
    var source = BytesSource([1, 2, 3])
    let first = try readAll(&source)
    let isRestarted = source.restart()
    #expect(isRestarted)
    #expect(source.consumedByteCount == 0)
    #expect(try readAll(&source) == first)
  }
}

@Suite struct FileSourceTests {
  @Test func `reads a file whole, whatever the capacity`() throws {
    let scratch = try ScratchFolder()
    let bytes = noise(byteCount: 10_000, seed: 1)
    let path = try scratch.write(bytes, to: "data.json")
    for capacity in [1, 7, 4_096, 10_000, 20_000] {
      var source = try FileSource(path: path)
      #expect(source.totalByteCount == 10_000)
      #expect(try readAll(&source, capacity: capacity) == bytes)
      #expect(source.consumedByteCount == 10_000)
    }
  }

  @Test func `an empty file gives no bytes`() throws {
    let scratch = try ScratchFolder()
    let path = try scratch.write([], to: "empty.json")
    #expect(try contents(ofFileAt: path) == [])
  }

  @Test func `a path that leads nowhere is not found`() throws {
    let error = message { () throws(InputError) in _ = try FileSource(path: "/nowhere/data.json") }
    #expect(error?.code == .notFound)
    #expect(error?.path == "/nowhere/data.json")
    #expect(error?.message.hasPrefix("no such file") == true)
  }

  @Test func `an empty path and one with a NUL are not found`() {
    for path in ["", "/etc/passwd\0.json"] {
      let error = message { () throws(InputError) in _ = try FileSource(path: path) }
      #expect(error?.code == .notFound)
    }
  }

  @Test func `a path through a file is not found`() throws {
    let scratch = try ScratchFolder()
    let path = try scratch.write([], to: "data.json")
    let error = message { () throws(InputError) in _ = try FileSource(path: path + "/data.json") }
    #expect(error?.code == .notFound)
  }

  @Test func `a directory is not a file`() throws {
    let scratch = try ScratchFolder()
    let error = message { () throws(InputError) in _ = try FileSource(path: scratch.path) }
    #expect(error?.code == .isDirectory)
    #expect(error?.message.contains("*.json") == true)
  }

  @Test func `an unreadable file is reported`() async {
    // The superuser may read everything, so a separate process gives up that right.
    await #expect(processExitsWith: .success) {
      let scratch = try ScratchFolder()
      let path = try scratch.write([1], to: "data.json")
      unsafe chmod(scratch.path, 0o755)
      unsafe chmod(path, 0)
      if geteuid() == 0 { try #require(seteuid(65_534) == 0) }
      let error = message { () throws(InputError) in _ = try FileSource(path: path) }
      seteuid(getuid())
      #expect(error?.code == .noPermission)
    }
  }

  @Test(arguments: programs)
  func `decompresses by name`(_ compression: (program: String, suffix: String)) throws {
    let scratch = try ScratchFolder()
    let bytes = noise(byteCount: 1_000_000, seed: 2)
    _ = try scratch.write(bytes, to: "data.json")
    try scratch.run("\(compression.program) -q data.json")
    var source = try FileSource(path: "\(scratch.path)/data.json\(compression.suffix)")
    #expect(try readAll(&source) == bytes)
    #expect(source.consumedByteCount == source.totalByteCount)
    let isRestarted = try source.restart()
    #expect(isRestarted)
    #expect(try readAll(&source, capacity: 999) == bytes)
  }

  @Test(arguments: programs)
  func `decompresses by content`(_ compression: (program: String, suffix: String)) throws {
    let scratch = try ScratchFolder()
    let bytes = noise(byteCount: 5_000, seed: 3)
    _ = try scratch.write(bytes, to: "data.json")
    try scratch.run("\(compression.program) -c data.json > packed.json")
    #expect(try contents(ofFileAt: "\(scratch.path)/packed.json") == bytes)
  }

  @Test(arguments: programs)
  func `decompresses a pipe`(
    _ compression: (program: String, suffix: String)
  ) throws {
    let scratch = try ScratchFolder()
    // More than sockets and pipes hold, in both directions, and mostly of one byte: the child
    // writes much more than it reads.
    let bytes = noise(byteCount: 1_000_000, seed: 4) + [UInt8](repeating: 32, count: 5_000_000)
    _ = try scratch.write(bytes, to: "data.json")
    try scratch.run(
      "mkfifo pipe && (\(compression.program) -c data.json > pipe 2> /dev/null &)")
    var source = try FileSource(path: "\(scratch.path)/pipe")
    #expect(source.totalByteCount == nil)
    #expect(try readAll(&source) == bytes)
    #expect(source.consumedByteCount > 1_000_000)
    #expect(source.consumedByteCount < 2_000_000)
    let isRestarted = try source.restart()
    #expect(!isRestarted)
  }

  @Test func `several compressed parts in one file are all read`() throws {
    let scratch = try ScratchFolder()
    try scratch.run("(printf one | gzip; printf two | gzip) > data.json.gz")
    #expect(try contents(ofFileAt: "\(scratch.path)/data.json.gz") == Array("onetwo".utf8))
  }

  @Test(arguments: [[], [0x5B], [0x42, 0x5A], [0xFD, 0x37, 0x7A, 0x58], Array("[1,2,3]".utf8)])
  func `a pipe that is not compressed is read from its first byte`(_ bytes: [UInt8]) throws {
    let scratch = try ScratchFolder()
    _ = try scratch.write(bytes, to: "data.json")
    try scratch.run("mkfifo pipe && (cat data.json > pipe &)")
    var source = try FileSource(path: "\(scratch.path)/pipe")
    #expect(try readAll(&source, capacity: 1) == bytes)
    #expect(source.consumedByteCount == bytes.count)
  }

  @Test func `bytes that come slowly are all read`() throws {
    let scratch = try ScratchFolder()
    try scratch.run(
      "mkfifo pipe; printf trickle | gzip > data; (for i in 1 2 3 4 5 6 7 8; do "
        + "dd if=data bs=4 count=1 skip=$((i - 1)) 2> /dev/null; sleep 0.01; done > pipe &)")
    #expect(try contents(ofFileAt: "\(scratch.path)/pipe") == Array("trickle".utf8))
  }

  @Test func `the content of a file counts, whatever its name`() throws {
    let scratch = try ScratchFolder()
    let plain = try scratch.write(Array("[]".utf8), to: "data.json.gz")
    try scratch.run("printf 1 | gzip > data.json.zst")
    #expect(try contents(ofFileAt: plain) == Array("[]".utf8))
    #expect(try contents(ofFileAt: "\(scratch.path)/data.json.zst") == Array("1".utf8))
  }

  @Test(arguments: [
    ("SQLite format 3\0", "is a SQLite database"),
    ("<!DOCTYPE html>", "is XML or HTML"),
  ])
  func `an input that does not begin as JSON is refused`(content: String, beginning: String)
    throws
  {
    let scratch = try ScratchFolder()
    let path = try scratch.write(Array(content.utf8), to: "data")
    try scratch.run(
      "mkfifo pipe; (for i in 1 2 3 4 5 6; do "
        + "dd if=data bs=1 count=1 skip=$((i - 1)) 2> /dev/null; sleep 0.01; done > pipe &)")
    for path in [path, "\(scratch.path)/pipe"] {
      let error = message { () throws(InputError) in _ = try FileSource(path: path) }
      #expect(error?.code == .notJSON)
      #expect(error?.message.hasPrefix(beginning) == true, "\(error?.message ?? "")")
    }
  }

  @Test(arguments: programs)
  func `a compressed file that was cut is an error and not a short input`(
    _ compression: (program: String, suffix: String)
  ) throws {
    let scratch = try ScratchFolder()
    _ = try scratch.write(noise(byteCount: 100_000, seed: 5), to: "data.json")
    try scratch.run(
      "\(compression.program) -c data.json | head -c 50000 > cut\(compression.suffix)")
    var source = try FileSource(path: "\(scratch.path)/cut\(compression.suffix)")
    for _ in 0..<2 {
      do {
        _ = try readAll(&source)
        Issue.record("the end of a cut input was not reported")
      } catch {
        #expect(error.code == .programFailed)
        #expect(error.message.hasPrefix("\(compression.program) failed with exit code "))
        #expect(error.message.contains("\(compression.program) -t"))
      }
    }
  }

  @Test func `the message quotes the program's error output`() throws {
    let scratch = try ScratchFolder()
    try scratch.run("head -c 100000 /dev/zero | gzip | head -c 60 > cut.gz")
    #expect {
      _ = try contents(ofFileAt: "\(scratch.path)/cut.gz")
    } throws: { error in
      "\(error)".contains("unexpected end of file")
    }
  }

  @Test func `a program that is not installed is named with its package`() async {
    await #expect(processExitsWith: .success) {
      let scratch = try ScratchFolder()
      for (program, package) in [("xz", "xz-utils"), ("gzip", "gzip")] {
        try scratch.run("printf 1 | \(program) > data")
        unsafe setenv("PATH", "/nowhere", 1)
        let path = "\(scratch.path)/data"
        let error = message { () throws(InputError) in _ = try FileSource(path: path) }
        unsafe setenv("PATH", "/bin:/usr/bin", 1)
        #expect(error?.code == .programMissing)
        #expect(error?.message.contains("apt-get install \(package)'") == true)
      }
    }
  }

  @Test func `a program that a signal kills is an error`() async {
    await #expect(processExitsWith: .success) {
      let scratch = try ScratchFolder()
      _ = try scratch.write(Array("#!/bin/sh\nprintf '[1'\nkill -9 $$\n".utf8), to: "gzip")
      try scratch.run("chmod 755 gzip; printf 1 | /bin/gzip > data.json.gz")
      unsafe setenv("PATH", "\(scratch.path):/bin:/usr/bin", 1)
      let path = "\(scratch.path)/data.json.gz"
      let error = message { () throws(InputError) in _ = try contents(ofFileAt: path) }
      #expect(error?.code == .programFailed)
      #expect(error?.message.hasPrefix("gzip was killed by signal 9") == true)
    }
  }

  @Test func `a program that writes many errors does not block itself`() async {
    await #expect(processExitsWith: .success) {
      let scratch = try ScratchFolder()
      let script = "#!/bin/sh\nhead -c 3000000 /dev/zero | tr '\\0' x >&2\nprintf good\nexit 3\n"
      _ = try scratch.write(Array(script.utf8), to: "gzip")
      try scratch.run("chmod 755 gzip; printf 1 | /bin/gzip > data.json.gz")
      unsafe setenv("PATH", "\(scratch.path):/bin:/usr/bin", 1)
      let path = "\(scratch.path)/data.json.gz"
      let error = message { () throws(InputError) in _ = try contents(ofFileAt: path) }
      #expect(error?.message.hasPrefix("gzip failed with exit code 3: xxxx") == true)
      #expect((error?.message.utf8.count ?? 0) < 3_000)
    }
  }

  @Test func `sources leave neither descriptors nor processes behind`() async {
    await #expect(processExitsWith: .success) {
      let scratch = try ScratchFolder()
      let plain = try scratch.write(noise(byteCount: 1_000_000, seed: 6), to: "data.json")
      try scratch.run("gzip -k data.json; head -c 5000 data.json.gz > cut.gz")
      let packed = "\(scratch.path)/data.json.gz"
      func openDescriptors() -> [Int32] { (0..<256).filter { fcntl($0, F_GETFD) >= 0 } }
      let before = openDescriptors()
      for path in [plain, packed, "\(scratch.path)/cut.gz"] {
        // One dropped early, one restarted in the middle, one read to the end or the error.
        _ = try FileSource(path: path)
        var begun = try FileSource(path: path)
        _ = try [UInt8](capacity: 10) { output throws(InputError) in
          try begun.read(into: &output)
        }
        let isRestarted = try begun.restart()
        #expect(isRestarted)
        _ = try? contents(ofFileAt: path)
      }
      try scratch.run("mkfifo pipe; (gzip -c data.json > pipe 2> /dev/null &)")
      do {
        var early = try FileSource(path: "\(scratch.path)/pipe")
        _ = try [UInt8](capacity: 10) { output throws(InputError) in
          try early.read(into: &output)
        }
      }
      #expect(openDescriptors() == before)
      var status: Int32 = 0
      #expect(unsafe waitpid(-1, &status, WNOHANG) == -1)
      #expect(errno == ECHILD)
    }
  }

  @Test func `standard input is read from its offset, and can restart if it is a file`() async {
    await #expect(processExitsWith: .success) {
      let scratch = try ScratchFolder()
      let path = try scratch.write(Array("passed[1]".utf8), to: "data.json")
      let file = unsafe open(path, O_RDONLY)
      lseek(file, 6, SEEK_SET)
      dup2(file, 0)
      var source = try FileSource(path: "-")
      #expect(source.name == "standard input")
      #expect(source.totalByteCount == 3)
      #expect(try readAll(&source) == Array("[1]".utf8))
      let isRestarted = try source.restart()
      #expect(isRestarted)
      #expect(try readAll(&source) == Array("[1]".utf8))
    }
  }

  @Test func `standard input is decompressed, through a pipe too`() async {
    await #expect(processExitsWith: .success) {
      let scratch = try ScratchFolder()
      try scratch.run("printf '[1]' | zstd -q > packed; mkfifo pipe; (cat packed > pipe &)")
      for name in ["packed", "pipe"] {
        let file = unsafe open("\(scratch.path)/\(name)", O_RDONLY)
        dup2(file, 0)
        close(file)
        #expect(try contents(ofFileAt: "-") == Array("[1]".utf8))
      }
    }
  }

  @Test func `a pipe that does not wait is waited for`() async {
    await #expect(processExitsWith: .success) {
      let scratch = try ScratchFolder()
      try scratch.run("mkfifo pipe; ((sleep 0.1; printf '['; sleep 0.1; printf ']') > pipe &)")
      let pipe = unsafe open("\(scratch.path)/pipe", O_RDONLY)
      #expect(fcntl(pipe, F_SETFL, O_NONBLOCK) == 0)
      dup2(pipe, 0)
      #expect(try contents(ofFileAt: "-") == Array("[]".utf8))
    }
  }

  @Test func `closed standard input is reported`() async {
    await #expect(processExitsWith: .success) {
      // No other thread of the process may open a file with the number meanwhile.
      var limit = rlimit()
      try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      var lowered = limit
      lowered.rlim_cur = 0
      try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &lowered) == 0)
      close(0)
      let error = message { () throws(InputError) in _ = try FileSource(path: "-") }
      try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      #expect(error?.code == .readFailed(errno: EBADF))
      #expect(error?.path == "standard input")
    }
  }

  @Test func `a program that cannot be started is an error with the reason`() async {
    await #expect(processExitsWith: .success) {
      let scratch = try ScratchFolder()
      try scratch.run("printf 1 | gzip > data.json.gz; mkdir bin; printf x > bin/gzip")
      unsafe setenv("PATH", "\(scratch.path)/bin", 1)
      let path = "\(scratch.path)/data.json.gz"
      let error = message { () throws(InputError) in _ = try FileSource(path: path) }
      unsafe setenv("PATH", "/bin:/usr/bin", 1)
      #expect(error?.code == .programFailed)
      #expect(error?.message.hasPrefix("cannot start gzip: Permission denied") == true)
    }
  }

  @Test func `a host program that ignores SIGCHLD gets an error`() async {
    await #expect(processExitsWith: .success) {
      let scratch = try ScratchFolder()
      try scratch.run("printf 1 | gzip > data.json.gz")
      signal(SIGCHLD, SIG_IGN)
      let error = message { () throws(InputError) in
        _ = try contents(ofFileAt: "\(scratch.path)/data.json.gz")
      }
      signal(SIGCHLD, SIG_DFL)
      #expect(error?.code == .programFailed)
      #expect(error?.message.contains("ignores SIGCHLD") == true, "\(error?.message ?? "")")
    }
  }

  @Test func `after the end there are no more bytes`() throws {
    let scratch = try ScratchFolder()
    try scratch.run("printf 12 | gzip > data.gz")
    var source = try FileSource(path: "\(scratch.path)/data.gz")
    for count in [2, 0, 0] {
      let bytes = try [UInt8](capacity: 10) { output throws(InputError) in
        try source.read(into: &output)
      }
      #expect(bytes.count == count)
    }
  }
}
