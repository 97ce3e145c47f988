extension CommandDescription {
  /// The options as Markdown for the reference: a heading for each section, and below it one for each
  /// option, so that a link can lead to it.
  ///
  /// The heading of an option is its long name alone: a link stays right if the value or the short name
  /// changes.
  func markdownOptions() -> String {
    var paragraphs: [String] = []
    for section in sections {
      paragraphs.append("## \(section.title)")
      for option in section.options {
        let names = option.flagNames.joined(separator: "`, `") + option.valueSuffix
        paragraphs.append("### `\(option.flagName)`")
        paragraphs.append("`\(names)`: \(Self.marked(option.summaryWithDefault)).")
        if let detail = option.detail { paragraphs.append(Self.marked(detail)) }
        if option.choices.isEmpty { continue }
        paragraphs.append(
          option.choices.map { "- `\($0.word)`: \(Self.marked($0.meaning))" }
            .joined(separator: "\n"))
      }
    }
    return paragraphs.joined(separator: "\n\n") + "\n"
  }

  /// Marks option names as code: some Markdown renderers turn two dashes of plain text into one long dash.
  private static func marked(_ text: String) -> String {
    text.replacing(/--[a-z-]+/) { "`\($0.output)`" }
  }
}
