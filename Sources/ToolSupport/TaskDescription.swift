/// An option that asks a tool for another task than its main one, and the long names of the tool's
/// own options that may be given with it. All others are refused.
public struct TaskDescription: Sendable {
  let option: String
  let acceptedOptions: [String]

  /// A task, by the long name of its option.
  public init(_ option: String, accepts acceptedOptions: [String]) {
    self.option = option
    self.acceptedOptions = acceptedOptions
  }
}
