/// An option that selects another task, with the long names of the tool's own options that it
/// accepts. All others are refused.
public struct TaskDescription: Sendable {
  let option: String
  let acceptedOptions: [String]

  /// A task with the long name of its option.
  public init(_ option: String, accepts acceptedOptions: [String]) {
    self.option = option
    self.acceptedOptions = acceptedOptions
  }
}
