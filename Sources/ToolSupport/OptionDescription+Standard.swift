/// The options that tools share.
extension OptionDescription {
  /// The heading of the options that every tool has.
  static let standardSection = "Messages and help"

  static let quiet = OptionDescription(
    "quiet", short: "q",
    summary: "no report as text, no notes, no progress; warnings and errors still show",
    section: standardSection)

  static let progress = OptionDescription(
    "progress", .choice(ProgressLine.Mode.allCases.map(\.rawValue)),
    default: ProgressLine.Mode.auto.rawValue,
    summary: "when to show a progress line on standard error",
    detail: "With auto it shows on a terminal that can redraw a line.",
    section: standardSection)

  static let help = OptionDescription(
    "help", short: "h", .optionalChoice(["markdown"]),
    summary: "show this help, or the options as a Markdown table",
    section: standardSection)

  static let version = OptionDescription(
    "version", summary: "show the version", section: standardSection)

  static let completions = OptionDescription(
    "completions", .choice(Shell.allCases.map(\.rawValue)),
    summary: "write a completion script for a shell",
    section: standardSection)

  static let manual = OptionDescription(
    "manual", summary: "write the manual page", detail: "Pipe it into man -l - to read it.",
    section: standardSection)

  /// The options that every tool has, in the order of the help.
  static let standard = [quiet, progress, help, version, completions, manual]

  /// The options that are answered at once, whatever else is asked for.
  static let immediate = [help, version, completions, manual]

  /// `--trust-schema`, for the table of a tool that opens databases.
  public static func trustSchema(section: String) -> OptionDescription {
    OptionDescription(
      "trust-schema",
      summary: "let the database's own triggers, checks and indexes call anything",
      detail:
        "Such as JSON functions and full-text tables. Name it only for a database whose makers "
        + "you know.",
      section: section)
  }

  /// `--report text|json`, for the table of a tool that ends with a report.
  public static let report = OptionDescription(
    "report", .choice(["text", "json"]), default: "text",
    summary: "the form of the report on standard output",
    detail: "The members of the JSON form have stable names, and it carries a version.",
    section: standardSection)
}
