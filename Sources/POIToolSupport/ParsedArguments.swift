internal import POIFiles
public import POIKit
internal import POIRecords

/// The content of a command line, read by the names in the tool's table.
///
/// A value comes from the command line, else from the option's environment variable, else from the
/// table's default. It is a programming error to ask for an option that is not in the table.
public struct ParsedArguments: Sendable {
  /// The arguments that are not options, in order.
  public internal(set) var positionals: [String] = []

  /// Values of the command line or the environment, by long name; a flag has an empty list.
  var values: [String: [String]] = [:]

  /// The long names of the options on the command line.
  var given: Set<String> = []

  var endsAtOnce = false

  /// What `--help` is about: `all`, or an option's long name; nil for the short help.
  var helpTopic: String?

  /// The command line without the program's name.
  var commandLine: [String] = []

  let command: CommandDescription
}

extension ParsedArguments {
  /// The command line with more arguments before the given ones, as a command for a shell, without what is secret in
  /// addresses.
  public func commandLine(adding arguments: [String]) -> String {
    ([command.name] + arguments + commandLine.map(Self.shown))
      .map(\.shellWord).joined(separator: " ")
  }

  /// The command line with only these of its positional arguments.
  public func commandLine(naming positionals: [String]) -> String {
    let others = Set(self.positionals).subtracting(positionals)
    return
      ([command.name] + commandLine.filter { !others.contains($0) }.map(Self.shown))
      .map(\.shellWord).joined(separator: " ")
  }

  private static func shown(_ argument: String) -> String {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard argument.hasPrefix("-"), parts.count == 2 else { return FileSource.shown(path: argument) }
    return "\(parts[0])=" + FileSource.shown(path: String(parts[1]))
  }

  /// The positional arguments that name the same as an option, or else the option's values.
  ///
  /// - Throws: `UsageError` if both are on the command line.
  public func texts(
    _ name: String, orPositionals positionals: [String]
  ) throws(UsageError) -> [String] {
    guard let first = positionals.first else { return texts(name) }
    guard !given.contains(name) else {
      throw UsageError("'\(first)' and --\(name) name the same; give one of them")
    }
    return positionals
  }

  /// Whether a flag is given.
  public func flag(_ name: String) -> Bool {
    precondition(option(name).placeholder == nil, "--\(name) is no flag")
    return values[name] != nil
  }

  /// The value of an option, or its default; the last value of a repeatable option.
  public func text(_ name: String) -> String? {
    texts(name).last
  }

  /// All values of an option in order, or its default.
  public func texts(_ name: String) -> [String] {
    let option = option(name)
    return values[name] ?? option.defaultValue.map { [$0] } ?? []
  }

  /// The chosen word as a value of a type whose raw values are the table's words; nil without a
  /// default.
  public func choice<Choice: RawRepresentable<String>>(
    _ name: String, as type: Choice.Type
  ) -> Choice? {
    guard let word = text(name) else { return nil }
    let choice = Choice(rawValue: word)
    precondition(choice != nil, "--\(name) lists \(word), which \(type) does not have")
    return choice
  }

  /// A value converted by `read`; nil if the option is not given and has no default.
  ///
  /// - Throws: `UsageError` with the complaint if `read` returns nil.
  public func value<Value>(
    _ name: String, _ complaint: String, _ read: (String) -> Value?
  ) throws(UsageError) -> Value? {
    guard let text = text(name) else { return nil }
    guard let value = read(text) else { throw UsageError("--\(name): '\(text)' \(complaint)") }
    return value
  }

  /// A whole number.
  ///
  /// - Throws: `UsageError` if the value is not a whole number in `range`.
  public func integer(
    _ name: String, in range: ClosedRange<Int> = 0...Int.max
  ) throws(UsageError) -> Int? {
    try value(name, "is not a whole number \(Self.words(for: range, \.description))") { text in
      Self.wholeNumber(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// A number of bytes: `4096`, `500k`, `64M`, `1G`, `64MB` in thousands, `8KiB`, `8MiB`, `1GiB` in
  /// steps of 1,024.
  ///
  /// - Throws: `UsageError` if the value is not a size in `range`.
  public func byteCount(
    _ name: String, in range: ClosedRange<Int> = 0...Int.max
  ) throws(UsageError) -> Int? {
    let limits = Self.words(for: range, QuantityFormat.byteLimit)
    return try value(name, "is not a size in bytes \(limits), such as 64M or 8MiB") { text in
      Self.byteCount(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// A count such as `10` or a share such as `2.5%`: digits with at most one decimal point.
  ///
  /// - Throws: `UsageError` if the value is neither.
  public func limit(_ name: String) throws(UsageError) -> ImportOptions.Limit? {
    try value(name, "is neither a count such as 10 nor a share such as 2.5%") { text in
      let isPercent = text.hasSuffix("%")
      let number = isPercent ? text.dropLast() : text[...]
      guard number.allSatisfy({ "0123456789.".contains($0) }), number.first != ".",
        number.last != "."
      else { return nil }
      if !isPercent { return Int(number).map { .count($0) } }
      return Double(number).flatMap { $0 <= 100 ? .percent($0) : nil }
    }
  }

  /// A duration: `90s`, `15m`, `36h`, `90d` or `2w`.
  ///
  /// - Throws: `UsageError` if the value is not a duration.
  public func duration(_ name: String) throws(UsageError) -> Duration? {
    let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
    return try value(name, "is not a span of time such as 90s, 15m, 36h, 90d or 2w") { text in
      guard let unit = text.last.flatMap({ units[$0] }),
        let number = Self.wholeNumber(String(text.dropLast())),
        (0...100_000 * 366 * 86_400 / unit).contains(number)
      else { return nil }
      return .seconds(number * unit)
    }
  }
}

extension ParsedArguments {
  /// The names in the values of an option, separated by commas.
  ///
  /// - Parameter known: the existing names; a text that equals one of them is not split at commas.
  /// - Throws: `UsageError` for an empty name.
  public static func names(
    in texts: [String], option: String, known: [String]
  ) throws(UsageError) -> [String] {
    var names: [String] = []
    for text in texts {
      let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard !known.contains(text) else {
        names.append(text)
        continue
      }
      guard !parts.contains("") else {
        throw UsageError(
          "--\(option) '\(text)' has an empty name; separate names by single commas")
      }
      names += parts
    }
    return names
  }

  private func option(_ name: String) -> OptionDescription {
    guard let option = command.option(named: name) else {
      preconditionFailure("\(command.name) has no option --\(name)")
    }
    return option
  }

  private static func wholeNumber(_ text: String) -> Int? {
    text.hasPrefix("+") ? nil : Int(text)
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
