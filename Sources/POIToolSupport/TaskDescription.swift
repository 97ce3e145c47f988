/// An option that selects another task, perhaps only with one of its words, with the long names of the
/// tool's own options that it accepts. All others are refused.
public struct TaskDescription: Sendable {
  let option: String
  let word: String?
  let acceptedOptions: [String]

  /// A task with the long name of its option.
  ///
  /// - Parameter word: the word of the option that selects the task; nil for any.
  public init(_ option: String, _ word: String? = nil, accepts acceptedOptions: [String]) {
    self.option = option
    self.word = word
    self.acceptedOptions = acceptedOptions
  }
}
