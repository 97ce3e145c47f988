/// A shell that completions can be written for.
public enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish
}
