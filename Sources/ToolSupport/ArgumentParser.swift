/// One pass over a command line.
struct ArgumentParser {
  let command: CommandDescription
  let arguments: [String]
  var index = 0
  var parsed: ParsedArguments

  init(command: CommandDescription, arguments: [String]) {
    self.command = command
    self.arguments = arguments
    parsed = ParsedArguments(command: command)
  }

  mutating func parse() throws(UsageError) -> ParsedArguments {
    while index < arguments.count, !parsed.endsAtOnce {
      let argument = arguments[index]
      index += 1
      if argument == "--" {
        parsed.positionals += arguments[index...]
        break
      } else if argument.hasPrefix("--") {
        try parseLongOption(argument)
      } else if argument.hasPrefix("-"), argument != "-" {
        try parseShortOptions(argument)
      } else {
        parsed.positionals.append(argument)
      }
    }
    return parsed
  }

  private mutating func parseLongOption(_ argument: String) throws(UsageError) {
    let parts = argument.unicodeScalars.dropFirst(2).split(
      separator: "=", maxSplits: 1, omittingEmptySubsequences: false
    ).map(String.init)
    let name = parts[0]
    guard let option = command.option(named: name) else { throw unknownOption("--" + name) }
    guard parts.count == 2 else {
      return try record(option, value: option.needsValue ? nextValue(for: option) : nil)
    }
    if option.value == .flag {
      throw UsageError(
        .unexpectedValue, at: option.flagName,
        "\(option.flagName) takes no value, but '\(parts[1])' follows its equals sign")
    }
    try record(option, value: parts[1])
  }

  private mutating func parseShortOptions(_ argument: String) throws(UsageError) {
    var letters = argument.dropFirst()
    while !parsed.endsAtOnce, let letter = letters.popFirst() {
      guard let option = command.option(letter: letter) else {
        throw unknownOption(letters.isEmpty && argument.count == 2 ? argument : "-\(letter)")
      }
      if option.needsValue {
        let value = try letters.isEmpty ? nextValue(for: option) : String(letters)
        return try record(option, value: value)
      }
      try record(option, value: nil)
    }
  }

  /// The next argument as a value.
  private mutating func nextValue(for option: OptionDescription) throws(UsageError) -> String {
    var example: String { option.flagName + option.valueSuffix }
    guard index < arguments.count else {
      throw UsageError(
        .missingValue, at: option.flagName, "\(option.flagName) needs a value: \(example)")
    }
    let value = arguments[index]
    if looksLikeOption(value) {
      throw UsageError(
        .missingValue, at: option.flagName,
        "\(option.flagName) needs a value: \(example); if '\(value)' is the value, write "
          + "\(option.flagName)=\(value)")
    }
    index += 1
    return value
  }

  private func looksLikeOption(_ argument: String) -> Bool {
    if argument == "--" { return true }
    guard argument.hasPrefix("--") else {
      guard argument.utf8.count == 2, argument.hasPrefix("-") else { return false }
      return command.options.contains { $0.shortName == argument.last }
    }
    let name = argument.dropFirst(2).prefix { $0 != "=" }
    return command.option(named: String(name)) != nil
  }

  private mutating func record(_ option: OptionDescription, value: String?) throws(UsageError) {
    if parsed.values[option.longName] != nil, !option.isRepeatable {
      throw UsageError(
        .repeatedOption, at: option.flagName, "\(option.flagName) is given twice; give it once")
    }
    if let value { try ParsedArguments.checkChoice(value, of: option, at: option.flagName) }
    parsed.values[option.longName, default: []] += value.map { [$0] } ?? []
    if OptionDescription.immediate.contains(option) { parsed.endsAtOnce = true }
  }

  private func unknownOption(_ argument: String) -> UsageError {
    let names = command.options.map(\.flagName)
    var message = "unknown option '\(argument)'"
    if argument.hasPrefix("--"), let name = nearest(to: argument, in: names) {
      message += "; did you mean \(name)?"
    }
    return UsageError(.unknownOption, at: argument, message)
  }
}
