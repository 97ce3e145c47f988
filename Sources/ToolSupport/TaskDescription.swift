/// An option that asks a tool for something else than its main work, and the options that have a
/// meaning beside it. Any other is refused, so that none is given in vain.
public struct TaskDescription: Sendable, Equatable {
  /// The long name of the option that asks for it, without dashes.
  public let option: String

  /// The long names of the tool's own options that it heeds.
  public let heeded: [String]

  /// A task.
  public init(_ option: String, heeds heeded: [String]) {
    self.option = option
    self.heeded = heeded
  }
}
