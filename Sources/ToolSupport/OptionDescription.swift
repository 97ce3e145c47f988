/// One row of a tool's table of options.
public struct OptionDescription: Sendable, Equatable {
  /// A word that an option accepts, and what it means as a lower-case fragment.
  public struct Choice: Sendable, Equatable {
    let word: String
    let meaning: String
  }

  /// The name without its two dashes: lower-case ASCII letters, digits and dashes.
  let longName: String

  /// The letter of the short form.
  let shortName: Character?

  /// What the help calls the value; nil for a flag. `FILE`, `PATH` and `DIRECTORY` are completed as
  /// file names.
  let placeholder: String?

  /// The words that a value must be one of; empty if it may be any text.
  let choices: [Choice]

  /// Whether an option with a value may be given more than once; values then add up.
  let isRepeatable: Bool

  /// The value if the option is not given.
  let defaultValue: String?

  /// What the option does, as a lower-case fragment without a full stop.
  let summary: String

  /// What the manual page and the reference say beyond the summary, in sentences.
  let detail: String?

  /// The heading under which the option stands in the help.
  let section: String

  /// The environment variable that gives the value if the command line does not.
  let environmentVariable: String?

  /// The long name of the option that this one says more about; without that one it is refused.
  let requiredOption: String?

  /// A row of the table: a flag, or an option with a value if there is a placeholder.
  public init(
    _ longName: String,
    short shortName: Character? = nil,
    _ placeholder: String? = nil,
    choices: [Choice] = [],
    isRepeatable: Bool = false,
    default defaultValue: String? = nil,
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
    assert(environmentVariable == nil || !isRepeatable && choices.isEmpty)
    assert(
      choices.isEmpty || defaultValue.map(choices.map(\.word).contains) ?? true,
      "the default is one of the choices")
    self.longName = longName
    self.shortName = shortName
    self.placeholder = placeholder
    self.choices = choices
    self.isRepeatable = isRepeatable
    self.defaultValue = defaultValue
    self.summary = summary
    self.detail = detail
    self.section = section
    self.environmentVariable = environmentVariable
    self.requiredOption = requiredOption
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

  /// The short name, if there is one, and the long one, with their dashes.
  var flagNames: [String] { (shortName.map { ["-\($0)"] } ?? []) + [flagName] }

  /// The value as it is shown after the long name.
  var valueSuffix: String { placeholder.map { " " + $0 } ?? "" }

  /// Whether completions offer file names.
  var takesFileName: Bool { CommandDescription.namesFile(placeholder) }

  /// The words that the option accepts; empty if it accepts any text.
  var words: [String] { choices.map(\.word) }

  /// The summary with the default and the environment variable behind it.
  var summaryWithDefault: String {
    var remarks: [String] = []
    if isRepeatable { remarks.append("repeatable") }
    if let defaultValue { remarks.append("default: \(defaultValue)") }
    if let environmentVariable { remarks.append("environment: \(environmentVariable)") }
    return remarks.isEmpty ? summary : summary + " (" + remarks.joined(separator: "; ") + ")"
  }
}
