import Foundation
import Glibc

/// A built tool, run as a user runs it.
public struct Tool: Sendable {
  /// The outcome of a run.
  public struct Outcome: Sendable {
    public var exitCode: Int32
    public var output: String
    public var messages: String
  }

  private let executable: URL

  /// The tool called `name`, built beside the test runner.
  public init(_ name: String) {
    let runner = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    // `swift test` runs the bundle itself, or a helper of the toolchain that loads it.
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? runner.path
    executable = URL(fileURLWithPath: bundle).deletingLastPathComponent()
      .appendingPathComponent(name)
  }

  /// The program at `path`.
  public init(path: String) {
    executable = URL(fileURLWithPath: path)
  }

  /// The tool's path.
  public var path: String { executable.path }

  /// Runs lines of a shell in `folder`. What still runs after five minutes is killed.
  ///
  /// The lines can call `wait_until_idle PID`. It returns as soon as a started tool handles signals and waits
  /// for input, or has ended.
  public static func shell(_ lines: String, _ arguments: [String] = [], in folder: String) throws
    -> Outcome
  {
    // No thread ran between two looks. S is a thread that waits, Z an ended tool, bit 14 SIGTERM.
    let waitUntilIdle = """
      wait_until_idle() {
        before=
        while :; do
          now=$(grep -hE '^State|^SigCgt|ctxt_switches' /proc/$1/task/*/status)
          caught=$(echo "$now" | sed -n 's/^SigCgt:[[:space:]]*//p' | head -n 1)
          if echo "$now" | grep -q '^State:[[:space:]]*Z'; then return; fi
          if [ "$now" = "$before" ] && [ $((0x$caught & 0x4000)) != 0 ] &&
            ! echo "$now" | grep -q '^State:[[:space:]]*[^S[:space:]]'; then
            return
          fi
          before=$now
          sleep 0.01
        done
      }

      """
    return try Tool(path: "/usr/bin/timeout").run(
      ["-s", "KILL", "300", "/bin/sh", "-c", waitUntilIdle + lines, "sh"] + arguments, in: folder)
  }

  /// Runs the tool to its end.
  ///
  /// - Parameters:
  ///   - arguments: the command line after the tool's name.
  ///   - folder: the working folder of the run.
  ///   - input: the bytes of standard input.
  ///   - environment: variables added to the test runner's.
  public func run(
    _ arguments: [String], in folder: String, input: [UInt8] = [],
    environment: [String: String] = [:]
  ) throws -> Outcome {
    try start(arguments, in: folder, input: input, environment: environment).wait()
  }

  /// Starts the tool.
  public func start(
    _ arguments: [String], in folder: String, input: [UInt8] = [],
    environment: [String: String] = [:]
  ) throws -> RunningTool {
    var variables = ProcessInfo.processInfo.environment
    variables["POI_STORE"] = nil
    // Some runs end with a signal on purpose, and the backtrace of the Swift runtime can change or delay it.
    variables["SWIFT_BACKTRACE"] = "enable=no"
    variables.merge(environment) { $1 }
    // Files, not pipes: they hold any amount of output and need no reader.
    let files = try ["in", "out", "err"].map { name in
      let url = URL(fileURLWithPath: "\(folder)/.\(UUID().uuidString).\(name)")
      try Data(name == "in" ? input : []).write(to: url)
      return url
    }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, files[0].path, O_RDONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 1, files[1].path, O_WRONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 2, files[2].path, O_WRONLY, 0)
    var words =
      unsafe (["env", "-C", folder, executable.path] + arguments).map { unsafe strdup($0) } + [nil]
    var settings = unsafe variables.map { unsafe strdup("\($0)=\($1)") } + [nil]
    defer {
      for index in unsafe words.indices { unsafe free(words[index]) }
      for index in unsafe settings.indices { unsafe free(settings[index]) }
    }
    // Signals have their default handling, whatever the test runner blocks or ignores.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var identifier: pid_t = 0
    let failure = unsafe posix_spawn(
      &identifier, "/usr/bin/env", &actions, &attributes, &words, &settings)
    guard failure == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EINVAL)
    }
    return RunningTool(identifier: identifier, files: files)
  }
}

/// A started tool; call `wait` once. Without that it is killed: an ended child that is not awaited keeps the exit tests from
/// seeing theirs.
public final class RunningTool: @unchecked Sendable {
  private let identifier: pid_t
  private let files: [URL]
  private var isAwaited = false

  fileprivate init(identifier: pid_t, files: [URL]) {
    self.identifier = identifier
    self.files = files
  }

  deinit {
    guard !isAwaited else { return }
    kill(identifier, SIGKILL)
    var status: Int32 = 0
    while unsafe waitpid(identifier, &status, 0) == -1, errno == EINTR {}
  }

  /// Sends a signal to the tool.
  public func signal(_ number: Int32) { kill(identifier, number) }

  /// Waits for the tool's end. The exit code is 128 + the signal if a signal ended it.
  public func wait() throws -> Tool.Outcome {
    var status: Int32 = 0
    while unsafe waitpid(identifier, &status, 0) == -1, errno == EINTR {}
    isAwaited = true
    let texts = try files.dropFirst().map { file in
      String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }
    for file in files { try FileManager.default.removeItem(at: file) }
    return Tool.Outcome(
      exitCode: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F,
      output: texts[0], messages: texts[1])
  }
}
