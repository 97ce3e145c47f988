extension CommandDescription {
  var versionLine: String { "\(name) \(version)" }

  /// The text of `--help`.
  ///
  /// - Parameters:
  ///   - topic: `all`, or the long name of an option; nil for the commands that most need and the names of all options.
  ///   - width: the maximum columns of a line; values below 40 count as 40.
  func help(about topic: String?, width: Int = 80) -> String {
    guard let topic else { return shortHelp(width: max(width, 40)) }
    guard let option = option(named: topic) else { return help(width: width) }
    var lines: [String] = []
    for (label, summary) in Self.helpTexts(of: option) {
      lines += Self.helpRow(label, summary, Self.helpLabel(of: option).columnCount, max(width, 40))
    }
    if let detail = option.detail { lines += [""] + detail.wrapped(to: max(width, 40)) }
    return lines.joined(separator: "\n") + "\n"
  }

  private func shortHelp(width: Int) -> String {
    var lines = "\(name): \(summary)".wrapped(to: width)
    lines += ["", "usage: \(name) \(usage)", ""]
    for example in examples.prefix(5) {
      lines.append("  " + example.command)
      lines += example.explanation.wrapped(to: width - 6).map { "      " + $0 }
    }
    for (title, options) in sections {
      lines += ["", "\(title):"]
      lines += options.map(\.flagName).joined(separator: " ").wrapped(to: width - 2).map {
        "  " + $0
      }
    }
    lines += ["", "--help=all explains all options, --help OPTION one of them."]
    return lines.joined(separator: "\n") + "\n"
  }

  /// The text of `--help=all`.
  ///
  /// - Parameter width: the maximum columns of a line; values below 40 count as 40.
  func help(width: Int = 80) -> String {
    let width = max(width, 40)
    var lines = "\(name): \(summary)".wrapped(to: width)
    lines += ["", "usage: \(name) \(usage)"]

    let rows = sections.map { ($0.title, $0.options.flatMap(Self.helpTexts)) }
    let labels = rows.flatMap { $0.1.map(\.0) }
    let labelWidth = min(labels.map(\.columnCount).max() ?? 0, width * 2 / 5)
    if let positional {
      lines += [""]
      lines += Self.helpRow(positional.placeholder, positional.help, labelWidth, width)
    }
    for (title, options) in rows {
      lines += ["", "\(title):"]
      for (label, summary) in options {
        lines += Self.helpRow(label, summary, labelWidth, width)
      }
    }
    if !examples.isEmpty { lines += ["", "Examples:"] }
    for example in examples {
      lines.append("  " + example.command)
      lines += example.explanation.wrapped(to: width - 6).map { "      " + $0 }
    }
    lines += ["", "Exit status:"]
    for code in exitCodes {
      let number = String(code.value)
      let label = String(repeating: " ", count: 3 - number.count) + number
      lines += Self.helpRow(label, code.meaning, 3, width)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Rows for an option and each of its choices: a label and a text.
  private static func helpTexts(of option: OptionDescription) -> [(String, String)] {
    [(helpLabel(of: option), option.summaryWithDefault)]
      + option.choices.map { (String(repeating: " ", count: 8) + $0.word, $0.meaning) }
  }

  /// The names of an option and its value, indented so that long names are aligned.
  private static func helpLabel(of option: OptionDescription) -> String {
    (option.shortName.map { "-\($0), " } ?? "    ") + option.flagName + option.valueSuffix
  }

  /// A label with its text in a common column, or on the next line if the label is too long.
  private static func helpRow(
    _ label: String, _ text: String, _ labelWidth: Int, _ width: Int
  ) -> [String] {
    let indent = String(repeating: " ", count: 2 + labelWidth + 2)
    var lines = text.wrapped(to: width - indent.count).map { indent + $0 }
    if label.columnCount > labelWidth || lines.isEmpty {
      lines.insert("  " + label, at: 0)
    } else {
      lines[0] = "  " + label.padded(to: labelWidth + 2) + lines[0].dropFirst(indent.count)
    }
    return lines
  }
}
