extension CommandDescription {
  /// The options as Markdown for the reference: each section is a heading and a list.
  func markdownOptions() -> String {
    var lines: [String] = []
    for section in sections {
      lines += lines.isEmpty ? [] : [""]
      lines += ["## \(section.title)", ""]
      for option in section.options {
        let names = option.flagNames.joined(separator: "`, `") + option.valueSuffix
        let detail = option.detail.map { " " + $0 } ?? ""
        lines.append("- `\(names)`: \(Self.marked(option.summaryWithDefault + "." + detail))")
        lines += option.choices.map { "  - `\($0.word)`: \(Self.marked($0.meaning))" }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Marks option names as code: some Markdown renderers turn two dashes of plain text into one long dash.
  private static func marked(_ text: String) -> String {
    text.replacing(/--[a-z-]+/) { "`\($0.output)`" }
  }
}
