extension CommandDescription {
  /// The table of options for a README: one row per option in the order of the help, with a line's
  /// end behind each row.
  public func markdownOptions() -> String {
    var lines = ["| option | what it does |", "|---|---|"]
    for option in sections.flatMap(\.options) {
      let names =
        (option.shortName.map { ["`-\($0)`"] } ?? []) + [
          "`" + option.flagName + option.valueSuffix + "`"
        ]
      let text = [option.summaryWithDefault + ".", option.detail].compactMap(\.self)
      let cells = [names.joined(separator: ", "), text.joined(separator: " ")]
      lines.append("| " + cells.map(Self.markdownCell).joined(separator: " | ") + " |")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func markdownCell(_ text: String) -> String {
    text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
  }
}
