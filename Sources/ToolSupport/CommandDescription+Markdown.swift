extension CommandDescription {
  /// The options as Markdown, for the reference: each group is a heading and a list.
  public func markdownOptions() -> String {
    var lines: [String] = []
    for section in sections {
      lines += lines.isEmpty ? [] : [""]
      lines += ["## \(section.title)", ""]
      for option in section.options {
        let names =
          (option.shortName.map { ["`-\($0)`"] } ?? []) + [
            "`" + option.flagName + option.valueSuffix + "`"
          ]
        let texts = [option.summaryWithDefault + ".", option.detail].compactMap(\.self)
        lines.append("- \(names.joined(separator: ", ")): \(Self.marked(texts))")
        lines += option.choices.map { "  - `\($0.word)`: \(Self.marked([$0.meaning]))" }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Sentences in one line, with the names of options as code: some readers of Markdown turn two
  /// dashes of plain text into one long dash.
  private static func marked(_ texts: [String]) -> String {
    texts.joined(separator: " ").replacing(/--[a-z-]+/) { "`\($0.output)`" }
  }
}
