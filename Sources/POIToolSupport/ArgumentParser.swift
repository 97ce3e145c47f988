internal import POIPlatform

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

  /// Words that other tools have as commands.
  private static let words = ["help": OptionDescription.help, "version": .version]

  mutating func parse() throws(UsageError) -> ParsedArguments {
    if let option = Self.words[arguments.first ?? ""], unsafe access(arguments[0], F_OK) != 0 {
      index = 1
      try record(option, attached: nil)
      return parsed
    }
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
    if option == .help, parts.count == 2 {
      parsed.helpTopic = parts[1]
      return try record(option, attached: nil)
    }
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
    if let given = value, !option.choices.isEmpty {
      value = option.words.first { $0.lowercased() == given.lowercased() }
      if value == nil {
        throw UsageError(
          "\(option.flagName): '\(given)' is not one of \(option.words.joined(separator: ", "))")
      }
    }
    parsed.values[option.longName, default: []] += value.map { [$0] } ?? []
    guard OptionDescription.immediate.contains(option) else { return }
    parsed.endsAtOnce = true
    guard option == .help else { return }
    if let text = parsed.helpTopic {
      guard let topic = helpTopic(text) else {
        throw unknownOption(text.hasPrefix("-") ? text : "--" + text)
      }
      parsed.helpTopic = topic
    } else {
      parsed.helpTopic = arguments.dropFirst(index).first.flatMap(helpTopic)
    }
  }

  /// The topic of the help: `all`, or the long name of an option, which may be given with dashes or by its letter; nil for
  /// another text.
  private func helpTopic(_ text: String) -> String? {
    if text == "all" { return text }
    let name = text.drop { $0 == "-" }
    return command.options.first {
      $0.longName == name || $0.shortName.map { String($0) == name } ?? false
    }?.longName
  }

  private func unknownOption(_ argument: String) -> UsageError {
    let names = command.options.map(\.flagName)
    var message = "unknown option '\(argument)'"
    if let advice = OtherToolOption.advice(on: argument, for: command) {
      message += "; \(advice)"
    } else if argument.hasPrefix("--"), let name = nearest(to: argument, in: names) {
      message += "; did you mean \(name)?"
    }
    return UsageError(message)
  }
}
