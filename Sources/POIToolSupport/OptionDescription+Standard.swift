public import POIKit

/// The options that tools share.
extension OptionDescription {
  static let standardSection = "Messages and help"

  /// The form of a report.
  public enum ReportForm: String, CaseIterable, Sendable {
    case text, json
  }

  static let quiet = OptionDescription(
    "quiet", short: "q",
    summary: "print no text report, notes or progress; warnings and errors remain",
    detail: "What the command asks for, such as a plan, digest, token or model, is still printed.",
    section: standardSection)

  static let progress = OptionDescription(
    "progress", "WHEN",
    choices: .cases { (mode: ProgressLine.Mode) in
      switch mode {
      case .auto: "on a terminal that can redraw a line"
      case .always: "even if standard error is not a terminal"
      case .never: "not at all"
      }
    },
    default: ProgressLine.Mode.auto.rawValue,
    summary: "when to show a progress line on standard error",
    section: standardSection)

  static let help = OptionDescription(
    "help", short: "h",
    summary: "show what most need; --help=all shows all, --help OPTION explains one",
    section: standardSection)

  static let version = OptionDescription(
    "version", short: "V", summary: "show the version", section: standardSection)

  static let completions = OptionDescription(
    "completions", "SHELL",
    choices: .cases { (shell: Shell) in
      switch shell {
      case .bash: "a script to source in ~/.bashrc"
      case .zsh: "a function for a folder of $fpath"
      case .fish: "a file for its completions folder"
      }
    },
    summary: "write a completion script for a shell",
    section: standardSection)

  static let manual = OptionDescription(
    "manual", summary: "write the manual page", detail: "Pipe it into man -l - to read it.",
    section: standardSection)

  static let markdown = OptionDescription(
    "markdown", summary: "write all options as Markdown", section: standardSection)

  /// The options that are answered at once, whatever else is given.
  static let immediate = [help, version, completions, manual, markdown]

  /// The options that every tool has, in the order of the help.
  static let standard = [quiet, progress] + immediate

  /// `--trust-schema`, for tools that open databases.
  public static func trustSchema(section: String) -> OptionDescription {
    OptionDescription(
      "trust-schema",
      summary: "allow the database's triggers, checks and indexes to call any SQL function",
      detail: "They need it if they use JSON functions or full-text tables. Use it only for "
        + "databases that you trust.",
      section: section)
  }

  /// `--report FORM`, for tools that end with a report.
  public static let report = OptionDescription(
    "report", "FORM",
    choices: .cases { (form: ReportForm) in
      switch form {
      case .text: "lines for people"
      case .json: "one JSON object for programs"
      }
    },
    default: ReportForm.text.rawValue,
    summary: "the form of the report on standard output",
    section: standardSection)

  /// `--html FILE`, for tools that can show their report as a page.
  ///
  /// - Parameter other: the option that it needs.
  public static func html(with other: String? = nil) -> OptionDescription {
    OptionDescription(
      "html", "FILE",
      summary: "also write a page with pictures of what happened to FILE",
      detail:
        "FILE ends with .html. It is one file that loads nothing. It shows records, so it is as private as the store.",
      section: standardSection, with: other)
  }
}

extension DeduplicationOptions.NullKeyRule {
  /// What the rule means, for the help of tools.
  public var meaning: String {
    switch self {
    case .keep: "leave them alone"
    case .group: "group them as if NULLs were equal"
    }
  }
}

extension TieRule {
  /// What the rule means, for the help of tools.
  public var meaning: String {
    switch self {
    case .digest: "the one with the greater digest"
    case .later: "the one that comes later"
    }
  }
}
