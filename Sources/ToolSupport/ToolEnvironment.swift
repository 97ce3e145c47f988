/// What a tool's body writes to.
public struct ToolEnvironment: ~Copyable {
  /// Results, on standard output.
  public var output: StandardOutput

  /// Messages and progress, on standard error.
  public let diagnostics: Diagnostics

  /// Whether `--quiet` is given.
  public let isQuiet: Bool
}
