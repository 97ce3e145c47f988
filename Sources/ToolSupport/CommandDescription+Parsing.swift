extension CommandDescription {
  /// Reads a command line.
  ///
  /// Options and positional arguments may be mixed. Accepted are `--option value`,
  /// `--option=value`, `-o value`, `-ovalue`, `-abc` for three flags, and `--`, after which
  /// everything is positional; `-` alone is positional. A value that looks like one of the tool's
  /// options is taken for a forgotten one unless it follows an equals sign. Reading ends at
  /// `--help`, `--version`, `--completions` and `--manual`, so none of them fails for what comes
  /// behind it or is missing.
  ///
  /// - Parameters:
  ///   - arguments: the command line without the program's name.
  ///   - environment: values of environment variables; only those named in the table are looked at,
  ///     and an empty one
  ///     counts as unset.
  /// - Throws: `UsageError` for the first mistake.
  /// - Complexity: O(number of arguments × number of options)
  public func parse(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws(UsageError) -> ParsedArguments {
    var parser = ArgumentParser(command: self, arguments: arguments)
    var parsed = try parser.parse()
    guard !parsed.endsAtOnce else { return parsed }
    for option in options {
      guard let variable = option.environmentVariable, let value = environment[variable],
        !value.isEmpty
      else { continue }
      try ParsedArguments.checkChoice(value, of: option, at: variable)
      parsed.environmentValues[option.longName] = value
    }
    try checkCount(of: parsed.positionals)
    return parsed
  }

  private func checkCount(of positionals: [String]) throws(UsageError) {
    let placeholder = positional?.placeholder ?? ""
    if positionals.count < positional?.minimumCount ?? 0 {
      throw UsageError(.missingArgument, at: placeholder, "no \(placeholder) given")
    }
    let maximumCount = positional?.maximumCount ?? 0
    if positionals.count > maximumCount {
      let extra = positionals[maximumCount]
      let allowed =
        maximumCount == 0 ? "only options are taken" : "only one \(placeholder) is taken"
      throw UsageError(
        .unexpectedArgument, at: placeholder, "unexpected argument '\(extra)'; \(allowed)")
    }
  }
}
