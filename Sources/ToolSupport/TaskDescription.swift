/// An option that asks a tool for another task than its main one, and the options that may stand
/// beside it. The tool refuses all others.
public struct TaskDescription: Sendable, Equatable {
  /// The long name of the option that asks for it, without dashes.
  public let option: String

  /// The long names of the tool's own options that have a meaning beside it.
  public let acceptedOptions: [String]

  /// A task.
  public init(_ option: String, accepts acceptedOptions: [String]) {
    self.option = option
    self.acceptedOptions = acceptedOptions
  }
}
