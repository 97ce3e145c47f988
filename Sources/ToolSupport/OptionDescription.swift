/// One row of a tool's table of options.
public struct OptionDescription: Sendable, Equatable {
  /// What follows an option's name.
  public enum Value: Sendable, Equatable {
    /// Nothing: the option is given or it is not.
    case flag
    /// A text, shown as this placeholder. `FILE`, `PATH` and `DIRECTORY` are completed as file
    /// names.
    case value(String)
    /// Nothing or, after an equals sign, one of these words.
    case optionalChoice([String])
  }

  /// A word that an option accepts, and what it means as a lower-case fragment.
  public struct Choice: Sendable, Equatable {
    /// The word, as it is given on the command line.
    public let word: String

    /// What the word means.
    public let meaning: String
  }

  /// The name without its two dashes.
  public let longName: String

  /// The letter of the short form, if there is one.
  public let shortName: Character?

  /// What follows the name.
  public let value: Value

  /// The words that a value must be one of; empty if it may be any text.
  public let choices: [Choice]

  /// Whether the option may be given more than once. A flag never may.
  public let isRepeatable: Bool

  /// The value that holds when the option is not given; nil where that has no value.
  public let defaultValue: String?

  /// What the option does, as a lower-case fragment for the help.
  public let summary: String

  /// What the manual page and the reference say beyond the summary, in sentences.
  public let detail: String?

  /// The heading of the group that the option belongs to.
  public let section: String

  /// The environment variable that gives the value when the command line does not.
  public let environmentVariable: String?

  /// The long name of the option that this one says more about; without that one it is refused.
  public let requiredOption: String?

  /// A row of the table.
  ///
  /// - Parameters:
  ///   - longName: the name without its dashes: lower-case ASCII letters, digits and dashes.
  ///   - shortName: an ASCII letter or digit.
  ///   - value: what follows the name.
  ///   - choices: the words that a value must be one of; empty if it may be any text.
  ///   - isRepeatable: whether values add up. An option that is not repeatable is given at most
  ///     once.
  ///   - defaultValue: a text that is valid for the option; only for options with a value.
  ///   - summary: a lower-case fragment without a closing full stop.
  ///   - detail: sentences for the manual page and the reference.
  ///   - section: a heading; options of one section stand together in the help.
  ///   - environmentVariable: only for options with a value that are not repeatable.
  ///   - requiredOption: the long name of an option that this one says more about.
  public init(
    _ longName: String,
    short shortName: Character? = nil,
    _ value: Value = .flag,
    choices: [Choice] = [],
    isRepeatable: Bool = false,
    default defaultValue: String? = nil,
    summary: String,
    detail: String? = nil,
    section: String = "Options",
    environmentVariable: String? = nil,
    with requiredOption: String? = nil
  ) {
    assert(Self.isLongName(longName), "an option's name holds lower-case letters and dashes")
    assert(shortName.map { $0.isASCII && ($0.isLetter || $0.isNumber) } ?? true)
    switch value {
    case .flag, .optionalChoice:
      assert(!isRepeatable && choices.isEmpty && defaultValue == nil && environmentVariable == nil)
    case .value:
      assert(!isRepeatable || environmentVariable == nil)
      assert(
        choices.isEmpty || defaultValue.map(choices.map(\.word).contains) ?? true,
        "the default is one of the choices")
    }
    self.longName = longName
    self.shortName = shortName
    self.value = value
    self.choices = choices
    self.isRepeatable = isRepeatable
    self.defaultValue = defaultValue
    self.summary = summary
    self.detail = detail
    self.section = section
    self.environmentVariable = environmentVariable
    self.requiredOption = requiredOption
  }

  private static func isLongName(_ name: String) -> Bool {
    name.utf8.count > 1 && !name.utf8.starts(with: "-".utf8)
      && name.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || byte == UInt8(ascii: "-")
      }
  }
}

extension [OptionDescription.Choice] {
  /// The cases of an enumeration.
  ///
  /// - Parameter meaning: what a case means, as a lower-case fragment.
  public static func cases<Word: CaseIterable & RawRepresentable<String>>(
    _ meaning: (Word) -> String
  ) -> Self {
    Word.allCases.map { .init(word: $0.rawValue, meaning: meaning($0)) }
  }
}

extension OptionDescription {
  /// The long name with its dashes.
  var flagName: String { "--" + longName }

  /// The value as it is shown after the long name: ` N`, `[=markdown]` or an empty text.
  var valueSuffix: String {
    switch value {
    case .flag: ""
    case .value(let placeholder): " " + placeholder
    case .optionalChoice(let words): "[=" + words.joined(separator: "|") + "]"
    }
  }

  /// Whether the value is a file's name, for completions.
  var takesFileName: Bool {
    guard case .value(let placeholder) = value else { return false }
    return CommandDescription.namesFile(placeholder)
  }

  /// The words that the option accepts; empty if it accepts any text.
  var words: [String] {
    guard case .optionalChoice(let words) = value else { return choices.map(\.word) }
    return words
  }

  /// Whether a value must follow the name.
  var needsValue: Bool {
    switch value {
    case .flag, .optionalChoice: false
    case .value: true
    }
  }

  /// The summary with the default and the environment variable behind it.
  var summaryWithDefault: String {
    var remarks: [String] = []
    if isRepeatable { remarks.append("repeatable") }
    if let defaultValue { remarks.append("default: \(defaultValue)") }
    if let environmentVariable { remarks.append("environment: \(environmentVariable)") }
    return remarks.isEmpty ? summary : summary + " (" + remarks.joined(separator: "; ") + ")"
  }
}
