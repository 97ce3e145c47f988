extension CommandDescription {
  /// Reads a command line.
  ///
  /// Options and positional arguments may be mixed. Accepted are `--option value`,
  /// `--option=value`, `-o value`, `-ovalue`, `-abc` for three flags, and `--`, after which
  /// everything is positional; `-` alone is positional. A value that looks like one of the tool's
  /// options counts as a missing value, unless it follows an equals sign. Parsing ends at `--help`
  /// and the other immediate options.
  ///
  /// - Parameters:
  ///   - arguments: the command line without the program's name.
  ///   - environment: values of environment variables; an empty one counts as unset.
  /// - Throws: `UsageError` for the first mistake.
  func parse(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws(UsageError) -> ParsedArguments {
    var parser = ArgumentParser(command: self, arguments: arguments)
    var parsed = try parser.parse()
    guard !parsed.endsAtOnce else { return parsed }
    try refuseConflicts(of: parsed.values)
    parsed.given = Set(parsed.values.keys)
    for option in options where parsed.values[option.longName] == nil {
      let value = option.environmentVariable.flatMap { environment[$0] } ?? ""
      if !value.isEmpty { parsed.values[option.longName] = [value] }
    }
    let maximumCount = positional?.maximumCount ?? 0
    if parsed.positionals.count > maximumCount {
      let allowed = positional.map { positional in
        positional.second.map { "only \(positional.placeholder) and \($0) are accepted" }
          ?? "only one \(positional.placeholder) is accepted"
      }
      throw UsageError(
        "unexpected argument '\(parsed.positionals[maximumCount])'; "
          + (allowed ?? "only options are accepted"))
    }
    return parsed
  }

  /// Refuses options that have no effect with the others.
  private func refuseConflicts(of values: [String: [String]]) throws(UsageError) {
    let given = Set(values.keys)
    let ownOptions = options.filter {
      given.contains($0.longName) && !OptionDescription.standard.contains($0)
    }
    for task in tasks where given.contains(task.option) {
      if let word = task.word, values[task.option] != [word] { continue }
      let name = task.option + (task.word.map { "=" + $0 } ?? "")
      let accepted = task.acceptedOptions + [task.option]
      if let other = ownOptions.first(where: { !accepted.contains($0.longName) }) {
        throw UsageError(
          "\(other.flagName) cannot be used with --\(name); give one of them")
      }
    }
    for exclusion in exclusions {
      let both = exclusion.filter(given.contains)
      if both.count > 1 {
        throw UsageError("--\(both[0]) and --\(both[1]) exclude each other; give one of them")
      }
    }
    for option in ownOptions {
      if let required = option.requiredOption, !given.contains(required) {
        throw UsageError("\(option.flagName) needs --\(required); give both")
      }
    }
  }
}
