/// A tool's name, options and examples: the table behind parsing, help, manual page, completions
/// and reference.
public struct CommandDescription: Sendable {
  /// A command line that shows what the tool can do.
  public struct Example: Sendable {
    let command: String
    let explanation: String

    /// A command line without a prompt, and its effect as a lower-case fragment.
    public init(_ command: String, _ explanation: String) {
      self.command = command
      self.explanation = explanation
    }
  }

  /// The positional arguments: any number, at most one, or one and then another.
  public struct Positional: Sendable {
    /// The name in the help; `FILE`, `PATH`, `DIRECTORY`, `STORE` and `OLD` are completed as file names.
    let placeholder: String
    /// The name of the second argument.
    let second: String?
    let isRepeatable: Bool
    let help: String

    var maximumCount: Int { isRepeatable ? .max : second == nil ? 1 : 2 }

    /// Positional arguments with a lower-case fragment for the help.
    public init(
      _ placeholder: String, then second: String? = nil, isRepeatable: Bool = false, help: String
    ) {
      self.placeholder = placeholder
      self.second = second
      self.isRepeatable = isRepeatable
      self.help = help
    }
  }

  let name: String
  let version: String

  let summary: String

  let positional: Positional?

  /// The tool's own options, then the standard ones, in the order of the help.
  let options: [OptionDescription]

  /// The options that select another task than the main one.
  let tasks: [TaskDescription]

  /// Groups of long names of options that exclude each other.
  let exclusions: [[String]]

  /// The possible exit codes, in ascending order.
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

  /// The sections with their options, in the order in which the table first names them.
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

  var usage: String {
    guard let positional else { return "[OPTION]..." }
    return "[OPTION]... [\(positional.placeholder)\(positional.second.map { " [\($0)]" } ?? "")]"
      + (positional.isRepeatable ? "..." : "")
  }

  static func namesFile(_ placeholder: String?) -> Bool {
    ["FILE", "PATH", "DIRECTORY", "STORE", "OLD"].contains(placeholder)
  }
}

/// An option that selects another task, perhaps only with one of its words, with the long names of the
/// tool's own options that it accepts. All others are refused.
public struct TaskDescription: Sendable {
  let option: String
  let word: String?
  let acceptedOptions: [String]

  /// A task with the long name of its option.
  ///
  /// - Parameter word: the word of the option that selects the task; nil for any.
  public init(_ option: String, _ word: String? = nil, accepts acceptedOptions: [String]) {
    self.option = option
    self.word = word
    self.acceptedOptions = acceptedOptions
  }
}
