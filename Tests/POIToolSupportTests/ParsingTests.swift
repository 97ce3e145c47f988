import Testing

@testable import POIToolSupport

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
    #expect(parsed.values["mesh"] != nil)
  }

  @Test func `an option with an implied word takes another one only after an equals sign`() throws {
    let command = CommandDescription(
      name: "sift", version: "1", summary: "sift",
      positional: .init("FILE", isRepeatable: true, help: "sand"),
      options: [
        OptionDescription(
          "sort", "HOW",
          choices: [.init(word: "fine", meaning: "a"), .init(word: "rough", meaning: "b")],
          implied: "fine", summary: "sort"),
        OptionDescription("mesh", "N", summary: "mesh"),
      ],
      tasks: [TaskDescription("sort", "rough", accepts: [])], exitCodes: [.done])
    #expect(try command.parse(["--sort", "rough"]).text("sort") == "fine")
    #expect(try command.parse(["--sort", "rough"]).positionals == ["rough"])
    #expect(try command.parse(["--sort=rough"]).text("sort") == "rough")
    #expect(try command.parse(["a"]).text("sort") == nil)
    #expect(try command.parse(["--sort", "--mesh", "3"]).text("mesh") == "3")
    let refused = #expect(throws: UsageError.self) {
      try command.parse(["--sort=rough", "--mesh", "3"])
    }
    #expect(refused?.message.contains("--sort=rough") == true)
    #expect(throws: UsageError.self) { try command.parse(["--sort=x"]) }
    #expect(command.help().contains("--sort[=HOW]"))
  }

  @Test func `flags join in one argument`() throws {
    let parsed = try CommandDescription.parse("-nq", "a")
    #expect(parsed.flag("dry-run"))
    #expect(parsed.flag("quiet"))
    #expect(try !CommandDescription.parse("a").flag("dry-run"))
  }

  @Test func `a single dash is positional, and so is everything after two dashes`() throws {
    let parsed = try CommandDescription.parse("-", "--dry-run", "--", "--mesh", "--", "-n")
    #expect(parsed.positionals == ["-", "--mesh", "--", "-n"])
    #expect(parsed.values["mesh"] == nil)
  }

  @Test func `a value may be empty, contain an equals sign or start with a dash`() throws {
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

  @Test func `the command line precedes the environment, which precedes the default`() throws {
    let environment = ["SAND_HEAP": "env.sand", "HOME": "/"]
    let given = try CommandDescription.parse("-o", "own.sand", "a", environment: environment)
    #expect(given.text("heap") == "own.sand")
    let found = try CommandDescription.parse("a", environment: environment)
    #expect(found.text("heap") == "env.sand")
    let absent = try CommandDescription.parse("a", environment: ["SAND_HEAP": ""])
    #expect(absent.text("heap") == "heap.sand")
    #expect(absent.text("limit") == nil)
  }

  @Test(arguments: [
    (["--help"], "help"), (["-h"], "help"), (["-nhx"], "help"), (["--markdown"], "markdown"),
    (["--version", "--nonsense"], "version"), (["--manual", "--mesh"], "manual"),
  ])
  func `an immediate option is answered whatever follows or is missing`(
    arguments: [String], name: String
  ) throws {
    #expect(try CommandDescription.example.parse(arguments).flag(name))
  }

  struct Mistake: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let message: String

    var testDescription: String { arguments.joined(separator: " ") }

    init(_ arguments: String..., says message: String) {
      self.arguments = arguments
      self.message = message
    }
  }

  @Test(arguments: [
    Mistake("--mehs", "1", says: "unknown option '--mehs'; did you mean --mesh?"),
    Mistake("--dry", says: "unknown option '--dry'; did you mean --dry-run?"),
    Mistake("--order-by=x", says: "unknown option '--order-by'"),
    Mistake("--xylophone", says: "unknown option '--xylophone'"),
    Mistake("-x", says: "unknown option '-x'"),
    Mistake("-nxq", says: "unknown option '-x'"),
    Mistake("-n=1", says: "unknown option '-='"),
    Mistake("--mesh", says: "--mesh needs a value: --mesh N"),
    Mistake("-m", says: "--mesh needs a value: --mesh N"),
    Mistake(
      "--mesh", "--dry-run", "a",
      says: "--mesh needs a value: --mesh N; if '--dry-run' is the value, write --mesh=--dry-run"),
    Mistake(
      "--mesh", "-n", "a",
      says: "--mesh needs a value: --mesh N; if '-n' is the value, write --mesh=-n"),
    Mistake(
      "--dry-run=yes",
      says: "--dry-run takes no value, but 'yes' follows its equals sign"),
    Mistake("-n", "-n", says: "--dry-run is given twice; give it once"),
    Mistake("-m1", "--mesh=2", says: "--mesh is given twice; give it once"),
    Mistake(
      "--order", "size", says: "--order: 'size' is not one of fine, coarse"),
    Mistake("--help=mehs", says: "unknown option '--mehs'; did you mean --mesh?"),
    Mistake("--pk", "x", says: "unknown option '--pk'; use --key"),
    Mistake("--no-progress", says: "unknown option '--no-progress'; use --progress never"),
  ])
  func `a mistake is reported with advice`(mistake: Mistake) {
    let error = #expect(throws: UsageError.self) {
      try CommandDescription.example.parse(mistake.arguments)
    }
    #expect(error?.message == mistake.message)
  }

  static let scales = CommandDescription(
    name: "scales", version: "1", summary: "weigh sand",
    options: [
      OptionDescription("heap", "PATH", summary: "what", environmentVariable: "SAND_HEAP"),
      OptionDescription("clean", summary: "clean the scales"),
      OptionDescription("cloth", "NAME", summary: "what with", with: "clean"),
      OptionDescription("tare", "N", summary: "what the bowl weighs"),
      OptionDescription("no-bowl", summary: "weigh without a bowl"),
      .report,
    ],
    tasks: [TaskDescription("clean", accepts: ["cloth"])], exclusions: [["tare", "no-bowl"]])

  @Test(arguments: [
    Mistake(
      "--clean", "--tare", "20",
      says: "--tare cannot be used with --clean; give one of them"),
    Mistake(
      "--report", "json", "--clean",
      says: "--report cannot be used with --clean; give one of them"),
    Mistake(
      "--no-bowl", "--tare", "5",
      says: "--tare and --no-bowl exclude each other; give one of them"),
    Mistake("--cloth", "a", says: "--cloth needs --clean; give both"),
  ])
  func `conflicting options are refused`(mistake: Mistake) {
    let error = #expect(throws: UsageError.self) { try Self.scales.parse(mistake.arguments) }
    #expect(error?.message == mistake.message)
  }

  @Test func `a task accepts its own options and the environment`() throws {
    let parsed = try Self.scales.parse(
      ["--clean", "--cloth", "a", "-q", "--progress", "never"], environment: ["SAND_HEAP": "x"])
    #expect(parsed.text("cloth") == "a")
    #expect(parsed.text("heap") == "x")
  }

  @Test func `arguments are counted`() throws {
    func command(_ positional: CommandDescription.Positional?) -> CommandDescription {
      CommandDescription(name: "x", version: "1", summary: "y", positional: positional)
    }
    let allowed: [(CommandDescription.Positional?, Int)] = [
      (nil, 0), (.init("FILE", help: "z"), 1), (.init("FILE", isRepeatable: true, help: "z"), 9),
    ]
    for (positional, maximumCount) in allowed {
      for count in [0, 1, 2, 9] {
        let arguments = Array(repeating: "a", count: count)
        if count <= maximumCount {
          #expect(try command(positional).parse(arguments).positionals == arguments)
        } else {
          #expect(throws: UsageError.self) { try command(positional).parse(arguments) }
        }
      }
    }
    let extra = #expect(throws: UsageError.self) {
      try command(.init("FILE", help: "z")).parse(["a", "b"])
    }
    #expect(extra?.message == "unexpected argument 'b'; only one FILE is accepted")
    let any = #expect(throws: UsageError.self) { try command(nil).parse(["a"]) }
    #expect(any?.message == "unexpected argument 'a'; only options are accepted")
  }
}
