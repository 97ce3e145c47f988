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
    try refuseConflicts(of: Set(parsed.values.keys))
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

  /// Refuses options that would have no meaning beside the others given.
  private func refuseConflicts(of given: Set<String>) throws(UsageError) {
    let ownOptions = options.filter { given.contains($0.longName) && !Self.isStandard($0) }
    for task in tasks where given.contains(task.option) {
      let accepted = task.acceptedOptions + [task.option]
      guard let other = ownOptions.first(where: { !accepted.contains($0.longName) }) else {
        continue
      }
      throw UsageError(
        .conflict, at: other.flagName,
        "\(other.flagName) means nothing beside --\(task.option); give one of them")
    }
    for exclusion in exclusions {
      let both = exclusion.filter(given.contains)
      guard both.count > 1 else { continue }
      throw UsageError(
        .conflict, at: "--\(both[0])",
        "--\(both[0]) and --\(both[1]) exclude each other; give one of them")
    }
    for option in ownOptions {
      guard let required = option.requiredOption, !given.contains(required) else { continue }
      throw UsageError(
        .conflict, at: option.flagName,
        "\(option.flagName) says more about --\(required); give both")
    }
  }

  private static func isStandard(_ option: OptionDescription) -> Bool {
    OptionDescription.standard.contains(option)
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
