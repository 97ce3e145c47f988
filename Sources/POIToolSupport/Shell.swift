/// A shell with completion support.
public enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish
}
