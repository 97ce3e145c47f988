/// One row of a tool's table of options.
public struct OptionDescription: Sendable, Equatable {
  /// A word that an option accepts, with its meaning as a lower-case fragment.
  public struct Choice: Sendable, Equatable {
    let word: String
    let meaning: String
  }

  /// The name without its two dashes: lower-case ASCII letters, digits and dashes.
  let longName: String

  let shortName: Character?

  /// The name of the value in the help; nil for a flag. `FILE`, `PATH`, `DIRECTORY`, `STORE` and `OLD` are
  /// completed as file names.
  let placeholder: String?

  /// The accepted words; empty if any text is accepted.
  let choices: [Choice]

  /// Whether an option with a value may be given more than once; its values are collected.
  let isRepeatable: Bool

  let defaultValue: String?

  /// The word that the option means when none follows an equals sign; nil if it needs a value.
  let impliedValue: String?

  /// What the option does, as a lower-case fragment without a full stop.
  let summary: String

  /// What the manual page and the reference add to the summary, in sentences.
  let detail: String?

  /// The heading of the option in the help.
  let section: String

  /// The environment variable used if the command line does not give the value.
  let environmentVariable: String?

  /// The long name of an option without which this one is refused.
  let requiredOption: String?

  /// A flag, or an option with a value if there is a placeholder.
  public init(
    _ longName: String,
    short shortName: Character? = nil,
    _ placeholder: String? = nil,
    choices: [Choice] = [],
    isRepeatable: Bool = false,
    default defaultValue: String? = nil,
    implied impliedValue: String? = nil,
    summary: String,
    detail: String? = nil,
    section: String = "Options",
    environmentVariable: String? = nil,
    with requiredOption: String? = nil
  ) {
    assert(longName.wholeMatch(of: /[a-z0-9][a-z0-9-]+/) != nil)
    assert(shortName.map { $0.isASCII && ($0.isLetter || $0.isNumber) } ?? true)
    assert(
      placeholder != nil
        || !isRepeatable && choices.isEmpty && defaultValue == nil && environmentVariable == nil,
      "a flag has no value")
    assert(environmentVariable == nil || choices.isEmpty)
    assert(
      choices.isEmpty || defaultValue.map(choices.map(\.word).contains) ?? true,
      "the default is one of the choices")
    assert(
      impliedValue.map(choices.map(\.word).contains) ?? true,
      "an implied word is one of the choices")
    assert(impliedValue == nil || shortName == nil, "a short name cannot have an implied word")
    self.longName = longName
    self.shortName = shortName
    self.placeholder = placeholder
    self.choices = choices
    self.isRepeatable = isRepeatable
    self.defaultValue = defaultValue
    self.impliedValue = impliedValue
    self.summary = summary
    self.detail = detail
    self.section = section
    self.environmentVariable = environmentVariable
    self.requiredOption = requiredOption
  }
}

extension [OptionDescription.Choice] {
  /// Choices for the cases of an enumeration.
  ///
  /// - Parameter meaning: the meaning of a case, as a lower-case fragment.
  public static func cases<Word: CaseIterable & RawRepresentable<String>>(
    _ meaning: (Word) -> String
  ) -> Self {
    Word.allCases.map { .init(word: $0.rawValue, meaning: meaning($0)) }
  }
}

extension OptionDescription {
  var flagName: String { "--" + longName }

  var flagNames: [String] { (shortName.map { ["-\($0)"] } ?? []) + [flagName] }

  var valueSuffix: String {
    guard let placeholder else { return "" }
    return impliedValue == nil ? " " + placeholder : "[=\(placeholder)]"
  }

  /// Whether the next argument is the option's value, if none follows an equals sign.
  var needsValue: Bool { placeholder != nil && impliedValue == nil }

  var takesFileName: Bool { CommandDescription.namesFile(placeholder) }

  /// The accepted words; empty if any text is accepted.
  var words: [String] { choices.map(\.word) }

  var summaryWithDefault: String {
    var remarks: [String] = []
    if isRepeatable { remarks.append("repeatable") }
    if let defaultValue { remarks.append("default: \(defaultValue)") }
    if let environmentVariable { remarks.append("environment: \(environmentVariable)") }
    return remarks.isEmpty ? summary : summary + " (" + remarks.joined(separator: "; ") + ")"
  }
}
