/// The outputs of a tool's body.
public struct ToolEnvironment: ~Copyable {
  /// Results, on standard output.
  public var output: StandardOutput

  /// Messages and progress, on standard error.
  public let diagnostics: Diagnostics

  /// Whether `--quiet` is given.
  public let isQuiet: Bool
}
