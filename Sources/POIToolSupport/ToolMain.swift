internal import POIPlatform
internal import POISQLite

/// Runs a tool: the whole of its `main`.
///
/// It answers options such as `--help` and mistakes on the command line. Otherwise `body` does the
/// work and returns the exit code. An error of `body` is reported: a `UsageError` ends with
/// `ExitCode.usage`, a `ToolFailure` with its own code, anything else with
/// `ExitCode.internalError`. A failed write to standard output ends with `ExitCode.ioError`, unless
/// the reader closed it.
///
/// SIGINT and SIGTERM set `Interruption.isRequested`.
public func runTool(
  _ command: CommandDescription,
  body: (ParsedArguments, inout ToolEnvironment) throws -> ExitCode
) -> Never {
  ToolMain.reserveStandardDescriptors()
  Interruption.install()
  StatementInterruption.watch { Interruption.isRequested }
  Interruption.catchFailedWrites()
  let tool = ToolMain(
    command: command, output: .standardOutput, messages: .standardError,
    environment: ToolMain.environment(for: command))
  exit(tool.run(ToolMain.commandLine(), body).value)
}

/// A tool's run from its command line to its exit code.
struct ToolMain {
  let command: CommandDescription
  let output: OutputDescriptor
  let messages: OutputDescriptor
  let environment: [String: String]

  /// - Parameter arguments: the command line without the program's name; nil for an argument that
  ///   is not UTF-8.
  func run(
    _ arguments: [String?], _ body: (ParsedArguments, inout ToolEnvironment) throws -> ExitCode
  ) -> ExitCode {
    let parsed: ParsedArguments
    if arguments.first == StoreCompletion.option {
      var names = StandardOutput(descriptor: output)
      names.write(
        StoreCompletion(arguments.dropFirst().compactMap(\.self), of: command)?.text ?? "")
      names.flush()
      return .done
    }
    do {
      parsed = try command.parse(Self.checked(arguments), environment: environment)
    } catch {
      return report(error, to: diagnostics())
    }
    let diagnostics = diagnostics(for: parsed)
    var tool = ToolEnvironment(
      output: StandardOutput(descriptor: output), diagnostics: diagnostics,
      isQuiet: parsed.flag("quiet"))
    var code: ExitCode
    var isJobDone = false
    do {
      if let answer = answer(to: parsed) {
        tool.output.write(answer)
        code = .done
      } else {
        code = try body(parsed, &tool)
        isJobDone = code == .done || code == .rejected
      }
    } catch {
      code = report(error, to: diagnostics)
    }
    diagnostics.clearProgress()
    tool.output.flush()
    if let failure = tool.output.failure {
      diagnostics.error(failure + (isJobDone ? "; everything else is done" : ""))
      if code == .done || code == .rejected { code = .ioError }
    }
    return code
  }

  /// The answer to an immediate option; nil if no such option is given.
  private func answer(to parsed: ParsedArguments) -> String? {
    if parsed.flag("help") {
      return command.help(about: parsed.helpTopic, width: min(output.terminalWidth ?? 80, 100))
    }
    if parsed.flag("version") { return command.versionLine + "\n" }
    if parsed.flag("manual") { return command.manual() }
    if parsed.flag("markdown") { return command.markdownOptions() }
    return parsed.choice("completions", as: Shell.self).map(command.completions)
  }

  private func report(_ error: any Error, to diagnostics: Diagnostics) -> ExitCode {
    switch error {
    case let error as UsageError:
      diagnostics.error(error.message, details: error.details)
      diagnostics.note("\(command.name) --help lists the options")
      return .usage
    case let failure as ToolFailure:
      diagnostics.error(failure.message, details: failure.details)
      return failure.code
    default:
      diagnostics.error("internal error: \(error)")
      return .internalError
    }
  }

  private func diagnostics(for parsed: ParsedArguments? = nil) -> Diagnostics {
    Diagnostics(
      name: command.name, descriptor: messages,
      style: Diagnostics.Style(
        isTerminal: messages.isTerminal, environment: environment,
        isQuiet: parsed?.flag("quiet") ?? false,
        progress: parsed?.choice("progress", as: ProgressLine.Mode.self) ?? .auto),
      clock: MonotonicClock.now)
  }

  private static func checked(_ arguments: [String?]) throws(UsageError) -> [String] {
    var checked: [String] = []
    for (index, argument) in arguments.enumerated() {
      guard let argument else {
        throw UsageError(
          "argument \(index + 1) is not UTF-8; rename the file, or redirect it to standard input")
      }
      checked.append(argument)
    }
    return checked
  }
}

extension ToolMain {
  /// The arguments without the program's name; nil for one that is not UTF-8.
  static func commandLine() -> [String?] {
    (1..<max(1, Int(CommandLine.argc))).map { index in
      guard let argument = unsafe CommandLine.unsafeArgv[index] else { return nil }
      return unsafe String(validatingCString: argument)
    }
  }

  /// The environment variables that the options and messages use.
  ///
  /// - SeeAlso: `getenv(3)`
  static func environment(for command: CommandDescription) -> [String: String] {
    var environment: [String: String] = [:]
    for name in command.options.compactMap(\.environmentVariable) + ["NO_COLOR", "TERM"] {
      if let value = unsafe getenv(name) { environment[name] = unsafe String(cString: value) }
    }
    return environment
  }

  /// Opens `/dev/null` for closed standard descriptors, so that no other file gets their number.
  ///
  /// It is opened for the other direction, so that using the descriptor still fails.
  static func reserveStandardDescriptors() {
    for number: Int32 in 0...2 where fcntl(number, F_GETFD) == -1 && errno == EBADF {
      _ = unsafe open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}

/// The outputs of a tool's body.
public struct ToolEnvironment: ~Copyable {
  /// Results, on standard output.
  public var output: StandardOutput

  /// Messages and progress, on standard error.
  public let diagnostics: Diagnostics

  /// Whether `--quiet` is given.
  public let isQuiet: Bool
}
