/// What a command line says, read by the names in the tool's table.
///
/// A value comes from the command line, else from the option's environment variable, else it is the
/// table's default. To ask for an option that the table does not have is a mistake of the caller.
public struct ParsedArguments: Sendable {
  /// The arguments that are no options, in their order.
  public internal(set) var positionals: [String] = []

  /// Values given on the command line by long name; a flag has none.
  var values: [String: [String]] = [:]

  /// Values found in the environment by long name.
  var environmentValues: [String: String] = [:]

  /// Whether one of the options was met that are answered at once.
  var endsAtOnce = false

  let command: CommandDescription

  init(command: CommandDescription) {
    self.command = command
  }
}

extension ParsedArguments {
  /// Whether an option is given, on the command line or by its environment variable.
  public func isGiven(_ name: String) -> Bool {
    let option = option(name)
    return values[option.longName] != nil || environmentValues[option.longName] != nil
  }

  /// Whether a flag is given.
  public func flag(_ name: String) -> Bool {
    precondition(!option(name).needsValue, "--\(name) is no flag")
    return values[name] != nil
  }

  /// The value of an option, or its default if it has one. Of a repeatable option it is the last
  /// value.
  public func text(_ name: String) -> String? {
    texts(name).last
  }

  /// All values of an option in the order given, or its default if it has one.
  public func texts(_ name: String) -> [String] {
    let option = option(name)
    if let given = values[option.longName] { return given }
    if let value = environmentValues[option.longName] { return [value] }
    return option.defaultValue.map { [$0] } ?? []
  }

  /// The word chosen, one of those that the table lists; nil without a default.
  public func choice(_ name: String) -> String? {
    precondition(!option(name).words.isEmpty, "--\(name) has no choices")
    return text(name)
  }

  /// The word chosen as a value of the type whose raw values are the table's words.
  public func choice<Choice: RawRepresentable<String>>(
    _ name: String, as type: Choice.Type
  ) -> Choice? {
    guard let word = choice(name) else { return nil }
    let choice = Choice(rawValue: word)
    precondition(choice != nil, "--\(name) lists \(word), which \(type) does not have")
    return choice
  }

  /// A whole number.
  ///
  /// - Throws: `UsageError` if the value is no whole number in `range`.
  public func integer(
    _ name: String, in range: ClosedRange<Int> = 0...Int.max
  ) throws(UsageError) -> Int? {
    guard let text = text(name) else { return nil }
    guard let number = Self.wholeNumber(text), range.contains(number) else {
      throw invalidValue(
        name, text, "is not a whole number \(Self.words(for: range, QuantityFormat.plain))")
    }
    return number
  }

  /// A number of bytes: `4096`, `500k`, `64M`, `1G`, `64MB` in thousands, `8KiB`, `8MiB`, `1GiB` in
  /// steps of 1,024.
  ///
  /// - Throws: `UsageError` if the value is no such size in `range`.
  public func byteCount(
    _ name: String, in range: ClosedRange<Int> = 0...Int.max
  ) throws(UsageError) -> Int? {
    guard let text = text(name) else { return nil }
    guard let count = Self.byteCount(text), range.contains(count) else {
      let limits = Self.words(for: range, QuantityFormat.byteLimit)
      throw invalidValue(name, text, "is not a size in bytes \(limits), such as 64M or 8MiB")
    }
    return count
  }

  /// A span of time: `90s`, `15m`, `36h`, `90d` or `2w`.
  ///
  /// - Throws: `UsageError` if the value is none.
  public func duration(_ name: String) throws(UsageError) -> Duration? {
    guard let text = text(name) else { return nil }
    let unit: Int? =
      switch text.last {
      case "s": 1
      case "m": 60
      case "h": 3_600
      case "d": 86_400
      case "w": 604_800
      default: nil
      }
    guard let unit,
      let number = Self.wholeNumber(String(text.dropLast())), number >= 0,
      number <= 100_000 * 366 * 86_400 / unit
    else {
      throw invalidValue(name, text, "is not a span of time such as 90s, 15m, 36h, 90d or 2w")
    }
    return .seconds(number * unit)
  }

  /// A count such as `10`, or a share such as `2.5%`.
  ///
  /// - Throws: `UsageError` if the value is neither, or a share beyond 100 %.
  public func countOrPercent(_ name: String) throws(UsageError) -> CountOrPercent? {
    guard let text = text(name) else { return nil }
    guard let limit = CountOrPercent(text) else {
      throw invalidValue(name, text, "is neither a count such as 10 nor a share such as 2.5%")
    }
    return limit
  }
}

extension ParsedArguments {
  private func option(_ name: String) -> OptionDescription {
    guard let option = command.option(named: name) else {
      preconditionFailure("\(command.name) has no option --\(name)")
    }
    return option
  }

  private func invalidValue(_ name: String, _ value: String, _ complaint: String) -> UsageError {
    let option = option(name)
    let isFromEnvironment = values[name] == nil && environmentValues[name] != nil
    let location =
      isFromEnvironment ? option.environmentVariable ?? option.flagName : option.flagName
    return UsageError(.invalidValue, at: location, "\(location): '\(value)' \(complaint)")
  }

  /// Complains about a value that is not among an option's choices, if it has any.
  static func checkChoice(
    _ value: String, of option: OptionDescription, at location: String
  ) throws(UsageError) {
    guard !option.words.isEmpty, !option.words.contains(value) else { return }
    let words = option.words.joined(separator: ", ")
    throw UsageError(
      .invalidValue, at: location,
      option.words.count == 1
        ? "\(location): '\(value)' is not \(words), the only choice"
        : "\(location): '\(value)' is not one of \(words)")
  }

  /// The number that decimal digits spell, with a minus sign before them or not; nil beyond 64
  /// bits.
  private static func wholeNumber(_ text: String) -> Int? {
    let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
    guard digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else { return nil }
    return Int(text)
  }

  private static func byteCount(_ text: String) -> Int? {
    let units: [(suffixes: [String], size: Int)] = [
      (["", "B"], 1),
      (["k", "K", "kB", "KB"], 1_000), (["M", "MB"], 1_000_000), (["G", "GB"], 1_000_000_000),
      (["KiB", "kiB"], 1 << 10), (["MiB"], 1 << 20), (["GiB"], 1 << 30),
    ]
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let suffix = text.dropFirst(digits.count)
    guard let number = Int(digits),
      let unit = units.first(where: { $0.suffixes.contains(String(suffix)) })
    else { return nil }
    let (count, overflows) = number.multipliedReportingOverflow(by: unit.size)
    return overflows ? nil : count
  }

  private static func words(for range: ClosedRange<Int>, _ format: (Int) -> String) -> String {
    range.upperBound == .max
      ? "of at least \(format(range.lowerBound))"
      : "from \(format(range.lowerBound)) to \(format(range.upperBound))"
  }
}
