/// A tool's name, options and examples: the one table that its parsing, help, manual page,
/// completions and reference follow.
public struct CommandDescription: Sendable {
  /// A command line that shows what the tool can do.
  public struct Example: Sendable, Equatable {
    /// The command line, without a prompt.
    public let command: String

    /// What it does, as a lower-case fragment.
    public let explanation: String

    /// A command line with its explanation.
    public init(_ command: String, _ explanation: String) {
      self.command = command
      self.explanation = explanation
    }
  }

  /// The program's name, with which its messages begin.
  public let name: String

  /// The version, as `--version` shows it.
  public let version: String

  /// What the tool does, as a lower-case fragment.
  public let summary: String

  /// What the tool takes besides options; nil if nothing.
  public let positional: PositionalDescription?

  /// The tool's own options and behind them the standard ones, in the order of the help.
  public let options: [OptionDescription]

  /// The options that ask for something else than the tool's main work.
  public let tasks: [TaskDescription]

  /// The long names of options of which at most one is given, group by group.
  public let exclusions: [[String]]

  /// What the tool may end with, in ascending order.
  public let exitCodes: [ExitCode]

  /// Command lines worth showing.
  public let examples: [Example]

  /// A tool's table.
  ///
  /// `--quiet`, `--progress`, `--help`, `--version`, `--completions` and `--manual` are added to
  /// `options`. Two options of one name are a mistake of the caller, and so is a task or an exclusion
  /// of an option that is not in the table.
  /// Without `exitCodes` the tool ends with what every tool may end with.
  public init(
    name: String,
    version: String,
    summary: String,
    positional: PositionalDescription? = nil,
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
  /// The option of that long name, without dashes.
  ///
  /// - Complexity: O(number of options)
  func option(named longName: String) -> OptionDescription? {
    options.first { $0.longName == longName }
  }

  /// The option of that letter.
  ///
  /// - Complexity: O(number of options)
  func option(letter: Character) -> OptionDescription? {
    options.first { $0.shortName == letter }
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
    ["[OPTION]...", positional?.usage].compactMap(\.self).joined(separator: " ")
  }

  /// Whether a placeholder stands for a file's name.
  static func namesFile(_ placeholder: String) -> Bool {
    ["FILE", "PATH", "DIRECTORY"].contains(placeholder)
  }
}
