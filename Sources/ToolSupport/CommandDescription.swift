/// A tool's name, options and examples: the one table that its parsing, help, manual page,
/// completions and README follow.
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

  /// Command lines worth showing.
  public let examples: [Example]

  /// Paragraphs that say what the options alone do not.
  public let notes: [String]

  /// A tool's table.
  ///
  /// `--quiet`, `--progress`, `--help`, `--version`, `--completions` and `--manual` are added to
  /// `options`. Two options of one name are a mistake of the caller.
  public init(
    name: String,
    version: String,
    summary: String,
    positional: PositionalDescription? = nil,
    options: [OptionDescription] = [],
    examples: [Example] = [],
    notes: [String] = []
  ) {
    self.name = name
    self.version = version
    self.summary = summary
    self.positional = positional
    self.options = options + OptionDescription.standard
    self.examples = examples
    self.notes = notes
    precondition(Self.areDistinct(self.options.map(\.longName)), "an option is in the table twice")
    precondition(Self.areDistinct(self.options.compactMap(\.shortName)), "a letter is used twice")
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
