/// A tool's name, options and examples: the one table that its parsing, help, manual page,
/// completions and reference follow.
public struct CommandDescription: Sendable {
  /// A command line that shows what the tool can do.
  public struct Example: Sendable {
    let command: String
    let explanation: String

    /// A command line without a prompt, and what it does as a lower-case fragment.
    public init(_ command: String, _ explanation: String) {
      self.command = command
      self.explanation = explanation
    }
  }

  /// What a tool accepts besides options: any number of arguments, or at most one.
  public struct Positional: Sendable {
    /// What the help calls an argument; `FILE`, `PATH` and `DIRECTORY` are completed as file names.
    let placeholder: String
    let isRepeatable: Bool
    let help: String

    /// Arguments, and what they are as a lower-case fragment.
    public init(_ placeholder: String, isRepeatable: Bool = false, help: String) {
      self.placeholder = placeholder
      self.isRepeatable = isRepeatable
      self.help = help
    }
  }

  let name: String
  let version: String

  /// What the tool does, as a lower-case fragment.
  let summary: String

  let positional: Positional?

  /// The tool's own options and behind them the standard ones, in the order of the help.
  let options: [OptionDescription]

  /// The options that ask for something else than the tool's main work.
  let tasks: [TaskDescription]

  /// The long names of options of which at most one is given, group by group.
  let exclusions: [[String]]

  /// What the tool may end with, in ascending order.
  let exitCodes: [ExitCode]

  let examples: [Example]

  /// A tool's table; the standard options are added to `options`.
  public init(
    name: String,
    version: String,
    summary: String,
    positional: Positional? = nil,
    options: [OptionDescription] = [],
    tasks: [TaskDescription] = [],
    exclusions: [[String]] = [],
    exitCodes: [ExitCode] = [.done, .usage, .internalError, .ioError],
    examples: [Example] = []
  ) {
    self.name = name
    self.version = version
    self.summary = summary
    self.positional = positional
    self.options = options + OptionDescription.standard
    self.tasks = tasks
    self.exclusions = exclusions
    self.exitCodes = exitCodes
    self.examples = examples
    assert(Self.areDistinct(self.options.map(\.longName)), "an option is in the table twice")
    assert(Self.areDistinct(self.options.compactMap(\.shortName)), "a letter is used twice")
    assert(namesOptionsOnly, "every option named is in the table")
  }

  /// Whether every option that tasks, exclusions and other options name is in the table.
  private var namesOptionsOnly: Bool {
    let named =
      tasks.flatMap { [$0.option] + $0.acceptedOptions } + exclusions.joined()
      + options.compactMap(\.requiredOption)
    return Set(named).isSubset(of: options.map(\.longName))
  }

  private static func areDistinct<Element: Hashable>(_ elements: [Element]) -> Bool {
    Set(elements).count == elements.count
  }
}

extension CommandDescription {
  func option(named longName: String) -> OptionDescription? {
    options.first { $0.longName == longName }
  }

  /// The headings with their options, in the order in which the table first names them.
  var sections: [(title: String, options: [OptionDescription])] {
    var sections: [(title: String, options: [OptionDescription])] = []
    for option in options {
      if let index = sections.firstIndex(where: { $0.title == option.section }) {
        sections[index].options.append(option)
      } else {
        sections.append((option.section, [option]))
      }
    }
    return sections
  }

  /// Everything behind the tool's name on a usage line.
  var usage: String {
    guard let positional else { return "[OPTION]..." }
    return "[OPTION]... [\(positional.placeholder)]" + (positional.isRepeatable ? "..." : "")
  }

  static func namesFile(_ placeholder: String?) -> Bool {
    ["FILE", "PATH", "DIRECTORY"].contains(placeholder)
  }
}
