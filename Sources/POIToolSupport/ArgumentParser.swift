struct ArgumentParser {
  private let command: CommandDescription
  private let arguments: [String]
  private var index = 0
  private var parsed: ParsedArguments

  init(command: CommandDescription, arguments: [String]) {
    self.command = command
    self.arguments = arguments
    parsed = ParsedArguments(commandLine: arguments, command: command)
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
    if parts.count == 2, option.placeholder == nil {
      throw UsageError(
        "\(option.flagName) takes no value, but '\(parts[1])' follows its equals sign")
    }
    try record(option, attached: parts.count == 2 ? parts[1] : nil)
  }

  private mutating func parseShortOptions(_ argument: String) throws(UsageError) {
    var letters = argument.dropFirst()
    while !parsed.endsAtOnce, let letter = letters.popFirst() {
      guard let option = command.options.first(where: { $0.shortName == letter }) else {
        throw unknownOption("-\(letter)")
      }
      guard option.placeholder == nil else {
        return try record(option, attached: letters.isEmpty ? nil : String(letters))
      }
      try record(option, attached: nil)
    }
  }

  private mutating func nextValue(for option: OptionDescription) throws(UsageError) -> String {
    let name = option.flagName
    let complaint = "\(name) needs a value: \(name)\(option.valueSuffix)"
    guard index < arguments.count else { throw UsageError(complaint) }
    let value = arguments[index]
    if looksLikeOption(value) {
      throw UsageError(complaint + "; if '\(value)' is the value, write \(name)=\(value)")
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

  /// - Parameter attached: the value in the option's own argument, if there is one.
  private mutating func record(_ option: OptionDescription, attached: String?) throws(UsageError) {
    var value = attached ?? option.impliedValue
    if value == nil, option.needsValue { value = try nextValue(for: option) }
    if parsed.values[option.longName] != nil, !option.isRepeatable {
      throw UsageError("\(option.flagName) is given twice; give it once")
    }
    if let value, !option.choices.isEmpty, !option.words.contains(value) {
      throw UsageError(
        "\(option.flagName): '\(value)' is not one of \(option.words.joined(separator: ", "))")
    }
    parsed.values[option.longName, default: []] += value.map { [$0] } ?? []
    if OptionDescription.immediate.contains(option) { parsed.endsAtOnce = true }
  }

  private func unknownOption(_ argument: String) -> UsageError {
    let names = command.options.map(\.flagName)
    var message = "unknown option '\(argument)'"
    if argument.hasPrefix("--"), let name = nearest(to: argument, in: names) {
      message += "; did you mean \(name)?"
    }
    return UsageError(message)
  }
}
