extension CommandDescription {
  /// The manual page, for `man -l -` or a `man1` folder.
  ///
  /// It contains no date, so that the output is reproducible.
  ///
  /// - SeeAlso: `man(7)`
  func manual() -> String {
    var page = Roff()
    page.request(".TH", [name.uppercased(), "1", "", versionLine, "User Commands"])
    page.request(".SH", ["NAME"])
    page.text("\(name) - \(summary)")
    page.request(".SH", ["SYNOPSIS"])
    page.markup("\\fB\(Roff.escaped(name))\\fR \(Roff.escaped(usage))")
    if let positional {
      page.request(".SH", ["ARGUMENTS"])
      page.item("\\fI\(Roff.escaped(positional.placeholder))\\fR", positional.help)
    }
    page.request(".SH", ["OPTIONS"])
    for section in sections {
      page.request(".SS", [section.title])
      for option in section.options {
        page.item(Self.manualLabel(of: option), option.summaryWithDefault + ".")
        if let detail = option.detail { page.text(detail) }
        if option.choices.isEmpty { continue }
        page.request(".RS", [])
        for choice in option.choices {
          page.item("\\fB\(Roff.escaped(choice.word))\\fR", choice.meaning)
        }
        page.request(".RE", [])
      }
    }
    page.request(".SH", ["EXIT STATUS"])
    for code in exitCodes {
      page.item("\\fB\(code.value)\\fR", code.meaning)
    }
    if !examples.isEmpty { page.request(".SH", ["EXAMPLES"]) }
    for example in examples {
      page.item("\\fB\(Roff.escaped(example.command))\\fR", example.explanation)
    }
    return page.source
  }

  private static func manualLabel(of option: OptionDescription) -> String {
    option.flagNames.map { "\\fB\(Roff.escaped($0))\\fR" }.joined(separator: ", ")
      + "\\fI\(Roff.escaped(option.valueSuffix))\\fR"
  }
}
