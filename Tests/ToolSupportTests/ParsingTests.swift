import Testing

@testable import ToolSupport

@Suite("CommandDescription+Parsing")
struct ParsingTests {
  @Test(arguments: [
    ["--mesh", "20", "a"], ["--mesh=20", "a"], ["-m", "20", "a"], ["-m20", "a"],
    ["a", "--mesh", "20"], ["-nm", "20", "a"], ["-nqm20", "a"], ["--mesh=20", "--", "a"],
  ])
  func `every way to write a value gives the same value`(arguments: [String]) throws {
    let parsed = try CommandDescription.example.parse(arguments)
    #expect(parsed.text("mesh") == "20")
    #expect(parsed.positionals == ["a"])
    #expect(parsed.isGiven("mesh"))
  }

  @Test func `flags join in one argument`() throws {
    let parsed = try CommandDescription.parse("-nq", "a")
    #expect(parsed.flag("dry-run"))
    #expect(parsed.flag("quiet"))
    #expect(try !CommandDescription.parse("a").flag("dry-run"))
  }

  @Test func `a single dash is positional, and everything behind two dashes`() throws {
    let parsed = try CommandDescription.parse("-", "--dry-run", "--", "--mesh", "--", "-n")
    #expect(parsed.positionals == ["-", "--mesh", "--", "-n"])
    #expect(!parsed.isGiven("mesh"))
  }

  @Test func `a value may be empty, hold an equals sign or start with a dash`() throws {
    #expect(try CommandDescription.parse("--heap=", "a").text("heap") == "")
    #expect(try CommandDescription.parse("--heap=x=y", "a").text("heap") == "x=y")
    #expect(try CommandDescription.parse("--heap=\u{301}", "a").text("heap") == "\u{301}")
    #expect(try CommandDescription.parse("--heap", "-", "a").text("heap") == "-")
    #expect(try CommandDescription.parse("--heap=--mesh", "a").text("heap") == "--mesh")
    #expect(try CommandDescription.parse("--limit", "-5", "a").text("limit") == "-5")
  }

  @Test func `values of a repeatable option add up in their order`() throws {
    let parsed = try CommandDescription.parse("-k", "a", "x", "--key=b")
    #expect(parsed.texts("key") == ["a", "b"])
    #expect(parsed.text("key") == "b")
  }

  @Test func `the command line goes before the environment and that before the default`() throws {
    let environment = ["SAND_HEAP": "env.sand", "HOME": "/"]
    let given = try CommandDescription.parse("-o", "own.sand", "a", environment: environment)
    #expect(given.text("heap") == "own.sand")
    let found = try CommandDescription.parse("a", environment: environment)
    #expect(found.text("heap") == "env.sand")
    #expect(found.isGiven("heap"))
    let absent = try CommandDescription.parse("a", environment: ["SAND_HEAP": ""])
    #expect(absent.text("heap") == "heap.sand")
    #expect(!absent.isGiven("heap"))
    #expect(absent.text("limit") == nil)
  }

  @Test(arguments: [
    (["--help"], "help"), (["-h"], "help"), (["-nhx"], "help"), (["--help=markdown"], "help"),
    (["--version", "--nonsense"], "version"), (["--manual", "--mesh"], "manual"),
  ])
  func `a question is answered whatever comes behind it or is missing`(
    arguments: [String], name: String
  ) throws {
    #expect(try CommandDescription.example.parse(arguments).flag(name))
  }

  struct Mistake: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let code: UsageError.Code
    let message: String

    var testDescription: String { arguments.joined(separator: " ") }

    init(_ arguments: String..., code: UsageError.Code, _ message: String) {
      self.arguments = arguments
      self.code = code
      self.message = message
    }
  }

  @Test(arguments: [
    Mistake("--mehs", "1", code: .unknownOption, "unknown option '--mehs'; did you mean --mesh?"),
    Mistake("--dry", code: .unknownOption, "unknown option '--dry'; did you mean --dry-run?"),
    Mistake("--order-by=x", code: .unknownOption, "unknown option '--order-by'"),
    Mistake("--xylophone", code: .unknownOption, "unknown option '--xylophone'"),
    Mistake("-x", code: .unknownOption, "unknown option '-x'"),
    Mistake("-nxq", code: .unknownOption, "unknown option '-x'"),
    Mistake("-n=1", code: .unknownOption, "unknown option '-='"),
    Mistake("--mesh", code: .missingValue, "--mesh needs a value: --mesh N"),
    Mistake("-m", code: .missingValue, "--mesh needs a value: --mesh N"),
    Mistake(
      "--mesh", "--dry-run", "a", code: .missingValue,
      "--mesh needs a value: --mesh N; if '--dry-run' is the value, write --mesh=--dry-run"),
    Mistake(
      "--mesh", "-n", "a", code: .missingValue,
      "--mesh needs a value: --mesh N; if '-n' is the value, write --mesh=-n"),
    Mistake(
      "--dry-run=yes", code: .unexpectedValue,
      "--dry-run takes no value, but 'yes' follows its equals sign"),
    Mistake("-n", "-n", code: .repeatedOption, "--dry-run is given twice; give it once"),
    Mistake("-m1", "--mesh=2", code: .repeatedOption, "--mesh is given twice; give it once"),
    Mistake(
      "--order", "size", code: .invalidValue, "--order: 'size' is not one of fine, coarse"),
    Mistake(
      "--help=xml", code: .invalidValue, "--help: 'xml' is not markdown, the only choice"),
    Mistake(code: .missingArgument, "no FILE given"),
  ])
  func `a mistake is named with what to do`(mistake: Mistake) {
    let error = #expect(throws: UsageError.self) {
      try CommandDescription.example.parse(mistake.arguments)
    }
    #expect(error?.code == mistake.code)
    #expect(error?.message == mistake.message)
  }

  /// A tool with tasks beside its main work.
  static let scales = CommandDescription(
    name: "scales", version: "1", summary: "weigh sand",
    options: [
      OptionDescription("heap", .value("PATH"), summary: "what", environmentVariable: "SAND_HEAP"),
      OptionDescription("clean", summary: "clean the scales"),
      OptionDescription("cloth", .value("NAME"), summary: "what with", with: "clean"),
      OptionDescription("tare", .value("N"), summary: "what the bowl weighs"),
      OptionDescription("no-bowl", summary: "weigh without a bowl"),
      .report,
    ],
    tasks: [TaskDescription("clean", accepts: ["cloth"])], exclusions: [["tare", "no-bowl"]])

  @Test(arguments: [
    Mistake(
      "--clean", "--tare", "20", code: .conflict,
      "--tare means nothing beside --clean; give one of them"),
    Mistake(
      "--report", "json", "--clean", code: .conflict,
      "--report means nothing beside --clean; give one of them"),
    Mistake(
      "--no-bowl", "--tare", "5", code: .conflict,
      "--tare and --no-bowl exclude each other; give one of them"),
    Mistake("--cloth", "a", code: .conflict, "--cloth says more about --clean; give both"),
  ])
  func `options that mean nothing together are refused`(mistake: Mistake) {
    let error = #expect(throws: UsageError.self) { try Self.scales.parse(mistake.arguments) }
    #expect(error?.code == mistake.code)
    #expect(error?.message == mistake.message)
  }

  @Test func `what a task accepts goes with it, and so does what stands in the environment`() throws
  {
    let parsed = try Self.scales.parse(
      ["--clean", "--cloth", "a", "-q", "--progress", "never"], environment: ["SAND_HEAP": "x"])
    #expect(parsed.text("cloth") == "a")
    #expect(parsed.text("heap") == "x")
  }

  @Test func `arguments are counted`() throws {
    func command(_ cardinality: PositionalDescription.Cardinality?) -> CommandDescription {
      CommandDescription(
        name: "x", version: "1", summary: "y",
        positional: cardinality.map { PositionalDescription("FILE", $0, help: "z") })
    }
    let allowed: [(PositionalDescription.Cardinality?, ClosedRange<Int>)] = [
      (nil, 0...0), (.one, 1...1), (.zeroOrOne, 0...1), (.oneOrMore, 1...9), (.zeroOrMore, 0...9),
    ]
    for (cardinality, counts) in allowed {
      for count in [0, 1, 2, 9] {
        let arguments = Array(repeating: "a", count: count)
        if counts.contains(count) {
          #expect(try command(cardinality).parse(arguments).positionals == arguments)
        } else {
          #expect(throws: UsageError.self) { try command(cardinality).parse(arguments) }
        }
      }
    }
    let error = #expect(throws: UsageError.self) { try command(.one).parse(["a", "b"]) }
    #expect(error?.message == "unexpected argument 'b'; only one FILE is taken")
  }

  @Test func `a bad choice in the environment names the variable`() {
    let command = CommandDescription(
      name: "x", version: "1", summary: "y",
      options: [
        OptionDescription(
          "form",
          .value("FORM"),
          choices: [.init(word: "a", meaning: "a"), .init(word: "b", meaning: "b")],
          summary: "z", environmentVariable: "X_FORM")
      ])
    let error = #expect(throws: UsageError.self) {
      try command.parse([], environment: ["X_FORM": "c"])
    }
    #expect(error?.message == "X_FORM: 'c' is not one of a, b")
    #expect(error?.location == "X_FORM")
  }
}
