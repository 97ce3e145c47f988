import Glibc
import Testing

@testable import POIToolSupport

@Suite struct ToolMainTests {
  private let output = ScratchFile()
  private let messages = ScratchFile()

  private func tool() -> ToolMain {
    ToolMain(
      command: .example, output: output.descriptor, messages: messages.descriptor, environment: [:])
  }

  private func unreachable(_: ParsedArguments, _: inout ToolEnvironment) -> ExitCode {
    Issue.record("the body ran")
    return .internalError
  }

  @Test func `the body's code is the tool's, and its output is flushed`() {
    let code = tool().run(["-q", "a"]) { arguments, tool in
      let isQuiet = tool.isQuiet
      #expect(isQuiet)
      tool.output.write(arguments.positionals[0])
      tool.diagnostics.note("not shown")
      return .rejected
    }
    #expect(code == .rejected)
    #expect(output.text == "a")
    #expect(messages.text == "")
  }

  @Test func `immediate options are answered without the tool's body`() {
    let command = CommandDescription.example
    let questions = [
      (["--help"], command.help(about: nil)), (["-qh", "--nonsense"], command.help(about: nil)),
      (["help"], command.help(about: nil)), (["--help=all"], command.help(width: 80)),
      (["--help", "mesh"], command.help(about: "mesh")),
      (["-h", "-m"], command.help(about: "mesh")),
      (["-V"], "sift-sand 1.2.3\n"), (["version"], "sift-sand 1.2.3\n"),
      (["--markdown"], command.markdownOptions()), (["--version"], "sift-sand 1.2.3\n"),
      (["--manual"], command.manual()), (["--completions", "zsh"], command.completions(for: .zsh)),
    ]
    var answers = ""
    for (arguments, answer) in questions {
      #expect(tool().run(arguments, unreachable) == .done)
      answers += answer
      #expect(output.text == answers)
    }
    #expect(messages.text == "")
  }

  @Test func `a mistake on the command line ends with 64`() {
    #expect(tool().run(["--mehs", "a"], unreachable) == .usage)
    #expect(output.text == "")
    #expect(
      messages.text == """
        sift-sand: error: unknown option '--mehs'; did you mean --mesh?
        sift-sand: note: sift-sand --help lists the options

        """)
  }

  @Test func `an argument that is not UTF-8 is refused`() {
    #expect(tool().run(["a", nil], unreachable) == .usage)
    #expect(messages.text.hasPrefix("sift-sand: error: argument 2 is not UTF-8; "))
  }

  @Test func `the body's error decides the code`() {
    struct Odd: Error {}
    let failure = ToolFailure(.dataError, "no sand")
    #expect(tool().run(["a"]) { _, _ in throw failure } == .dataError)
    #expect(
      tool().run(["a"]) { arguments, _ in
        _ = try arguments.integer("mesh", in: 1...2)
        return .done
      } == .usage)
    #expect(tool().run(["a"]) { _, _ in throw Odd() } == .internalError)
    #expect(
      messages.text == """
        sift-sand: error: no sand
        sift-sand: error: --mesh: '500' is not a whole number from 1 to 2
        sift-sand: note: sift-sand --help lists the options
        sift-sand: error: internal error: Odd()

        """)
  }

  @Test(arguments: [
    (ExitCode.done, ExitCode.ioError, "; everything else is done"),
    (.rejected, .ioError, "; everything else is done"), (.dataError, .dataError, ""),
  ])
  func `output that cannot be written ends with 74`(
    returned: ExitCode, expected: ExitCode, remark: String
  ) {
    let number = unsafe open("/dev/full", O_WRONLY)
    defer { close(number) }
    let tool = ToolMain(
      command: .example, output: OutputDescriptor(number: number, name: "standard output"),
      messages: messages.descriptor, environment: [:])
    let code = tool.run(["a"]) { _, tool in
      tool.output.write("x")
      return returned
    }
    #expect(code == expected)
    #expect(
      messages.text
        == "sift-sand: error: cannot write to standard output: No space left on device\(remark)\n")
  }

  @Test func `only relevant variables are read`() {
    unsafe setenv("SAND_HEAP", "x", 1)
    defer { unsafe unsetenv("SAND_HEAP") }
    let environment = ToolMain.environment(for: .example)
    #expect(environment["SAND_HEAP"] == "x")
    #expect(Set(environment.keys).isSubset(of: ["SAND_HEAP", "NO_COLOR", "TERM"]))
  }

  @Test func `a closed standard descriptor is not given to a file`() async {
    await #expect(processExitsWith: .success) {
      close(1)
      ToolMain.reserveStandardDescriptors()
      let next = unsafe open("/dev/null", O_RDONLY)
      let result = unsafe write(1, "x", 1)
      exit(next > 2 && result == -1 ? 0 : 1)
    }
  }
}
