// What this target needs of the operating system beyond files: programs, sockets, open descriptors.

// C lets any code change `environ`; here it is only read and passed to the child.
@unsafe @preconcurrency internal import Glibc
package import JSONStreaming
internal import Synchronization

/// A program that runs beside the toolkit, killed and reaped with its owner.
///
/// It has its own session: an interruption from the terminal reaches the toolkit, which ends
/// at a batch boundary, but not the child. A broken pipe ends it, even if this process ignores
/// broken pipes.
struct ChildProcess: ~Copyable {
  enum Ending: Equatable {
    case exited(code: Int32)
    case killed(signal: Int32)
  }

  /// The number that the attachment has in the program.
  static let attachmentNumber: Int32 = STDERR_FILENO + 1

  /// Held while a program is started, and while a pipe would be inherited.
  static let starts = Mutex(())

  /// The process id, or nil once it was reaped.
  private var number: pid_t?

  /// Starts `program`, looked up in `PATH`, in the environment of this process: `posix_spawnp(3)`.
  ///
  /// The program inherits only these descriptors; the toolkit's own close on exec.
  ///
  /// - Parameter attachment: the program's descriptor 3, if it is open.
  /// - Throws: the system's error; ENOENT if there is no such program.
  init(
    program: String, arguments: [String], standardInput: borrowing Descriptor,
    standardOutput: borrowing Descriptor, standardError: borrowing Descriptor,
    attachment: borrowing Descriptor = .none
  ) throws(SystemError) {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, standardInput.number, STDIN_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, standardOutput.number, STDOUT_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, standardError.number, STDERR_FILENO)
    if !attachment.isClosed {
      unsafe posix_spawn_file_actions_adddup2(
        &actions, attachment.number, ChildProcess.attachmentNumber)
    }

    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    // `POSIX_SPAWN_SETSID`: without a terminal no program can ask for a password.
    let newSession = 0x80
    let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | Int32(newSession)
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

    var words = unsafe ([program] + arguments).map { unsafe strdup($0) }
    defer {
      for index in unsafe words.indices { unsafe free(words[index]) }
    }
    unsafe words.append(nil)
    // Names are UTF-8, and messages English.
    var variables = unsafe Self.environment.map { unsafe strdup($0) }
    defer {
      for index in unsafe variables.indices { unsafe free(variables[index]) }
    }
    unsafe variables.append(nil)
    var started: pid_t = 0
    let failure = Self.starts.withLock { _ in
      unsafe posix_spawnp(&started, program, &actions, &attributes, words, variables)
    }
    guard failure == 0 else { throw SystemError(number: failure) }
    number = started
  }

  /// The variables of this process, with a locale of UTF-8.
  private static var environment: [String] {
    var found = ["LC_ALL=C.UTF-8"]
    var next = unsafe environ
    while let variable = unsafe next.pointee {
      let text = unsafe String(cString: variable)
      if !text.hasPrefix("LC_ALL=") { found.append(text) }
      unsafe next += 1
    }
    return found
  }

  deinit {
    guard let number else { return }
    kill(number, SIGKILL)
    _ = try? Self.reap(number)
  }

  /// Waits until the program has ended; call it once.
  ///
  /// - Throws: the system's error; ECHILD if this process ignores SIGCHLD, so the exit status is
  ///   lost.
  mutating func wait() throws(SystemError) -> Ending {
    guard let running = number else { preconditionFailure("the child was reaped before") }
    number = nil
    let status = try Self.reap(running)
    let signal = status & 0x7F
    return signal == 0 ? .exited(code: (status >> 8) & 0xFF) : .killed(signal: signal)
  }

  private static func reap(_ number: pid_t) throws(SystemError) -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(number, &status, 0) < 0 {
      let failure = SystemError.last
      guard failure.number == EINTR else { throw failure }
    }
    return status
  }
}

/// Two connected stream sockets, or the ends of a pipe: the parent's and the child's.
///
/// Unlike a pipe, it is closed on exec from the start, also if another thread starts a program, and
/// writing without a reader raises no signal.
struct SocketPair: ~Copyable {
  let ours: Descriptor
  let childs: Descriptor

  private init(ours: consuming Descriptor, childs: consuming Descriptor) {
    self.ours = ours
    self.childs = childs
  }

  /// Makes a pair: `socketpair(2)`.
  static func make() throws(SystemError) -> SocketPair {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    return try make { numbers in unsafe socketpair(AF_UNIX, kind, 0, &numbers) }
  }

  /// Makes a pipe from the child, which may open its standard output by its name: `pipe(2)`.
  static func makePipe() throws(SystemError) -> SocketPair {
    try make { numbers in
      ChildProcess.starts.withLock { _ in
        guard unsafe pipe(&numbers) == 0 else { return -1 }
        for number in numbers { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
        return 0
      }
    }
  }

  private static func make(
    _ open: (inout [Int32]) -> Int32
  ) throws(SystemError) -> SocketPair {
    var numbers: [Int32] = [-1, -1]
    guard open(&numbers) == 0 else { throw .last }
    let ours: Descriptor
    do throws(SystemError) {
      ours = try Descriptor(owning: numbers[0])
    } catch {
      close(numbers[1])
      throw error
    }
    return SocketPair(ours: ours, childs: try Descriptor(owning: numbers[1]))
  }

  /// The parent's end; the child's is closed.
  consuming func takeOurs() -> Descriptor { ours }

  /// Sends bytes to the child without waiting: `send(2)`. A child that has ended raises no signal.
  ///
  /// - Returns: the number of bytes that were sent.
  /// - Throws: the system's error; EAGAIN if the socket is full.
  static func send(_ bytes: ArraySlice<UInt8>, to number: Int32) throws(SystemError) -> Int {
    let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
    let sent = unsafe bytes.withUnsafeBytes { bytes in
      unsafe Glibc.send(number, bytes.baseAddress, bytes.count, flags)
    }
    guard sent >= 0 else { throw .last }
    return sent
  }
}

/// The open descriptors of this process.
enum OpenDescriptors {
  /// The descriptors of a file.
  ///
  /// - Throws: the system's error if it does not list them.
  static func ofFile(_ file: stat) throws(SystemError) -> [Int32] {
    guard let folder = unsafe opendir("/proc/self/fd") else { throw .last }
    defer { unsafe closedir(folder) }
    var found: [Int32] = []
    while let entry = unsafe readdir(folder) {
      unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe name.withMemoryRebound(
          to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)
        ) { name in
          var status = stat()
          guard unsafe fstatat(dirfd(folder), name, &status, 0) == 0,
            status.st_dev == file.st_dev, status.st_ino == file.st_ino,
            let number = unsafe Int32(String(cString: name))
          else { return }
          found.append(number)
        }
      }
    }
    return found
  }
}

extension Descriptor {
  /// A new file without a name, for this user alone: `mkstemp(3)`.
  ///
  /// - Parameter bytes: its content; the next read begins at the first byte.
  package static func temporary(holding bytes: Span<UInt8>) throws(SystemError) -> Descriptor {
    let folder = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var path = Array("\(folder)/poi-XXXXXX".utf8CString)
    let number = unsafe mkstemp(&path)
    guard number >= 0 else { throw .last }
    unsafe unlink(path)
    let file = try Descriptor(owning: number)
    _ = fcntl(file.number, F_SETFD, FD_CLOEXEC)
    try file.write(bytes)
    try file.seek(to: 0)
    return file
  }
}
