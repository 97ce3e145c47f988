// C lets any code change `environ`; here it is only read and passed to the child.
@unsafe @preconcurrency internal import Glibc
internal import JSONStreaming

/// A program that runs beside the toolkit, killed and reaped with its owner.
///
/// It has its own process group: an interruption from the terminal reaches the toolkit, which ends
/// at a batch boundary, but not the child. A broken pipe ends it, even if this process ignores
/// broken pipes.
struct ChildProcess: ~Copyable {
  enum Ending: Equatable {
    case exited(code: Int32)
    case killed(signal: Int32)
  }

  /// The process id, or nil once it was reaped.
  private var number: pid_t?

  /// Starts `program`, looked up in `PATH`, in the environment of this process: `posix_spawnp(3)`.
  ///
  /// The program inherits only the three descriptors; the toolkit's own close on exec.
  ///
  /// - Throws: the system's error; ENOENT if there is no such program.
  init(
    program: String, arguments: [String], standardInput: borrowing Descriptor,
    standardOutput: borrowing Descriptor, standardError: borrowing Descriptor
  ) throws(SystemError) {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, standardInput.number, STDIN_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, standardOutput.number, STDOUT_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, standardError.number, STDERR_FILENO)

    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

    var words = unsafe ([program] + arguments).map { unsafe strdup($0) }
    defer {
      for index in unsafe words.indices { unsafe free(words[index]) }
    }
    unsafe words.append(nil)
    var started: pid_t = 0
    let failure = unsafe posix_spawnp(&started, program, &actions, &attributes, words, environ)
    guard failure == 0 else { throw SystemError(number: failure) }
    number = started
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
