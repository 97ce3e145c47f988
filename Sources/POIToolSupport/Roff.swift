/// The source of a manual page, written request by request.
///
/// - SeeAlso: `groff_man(7)`
struct Roff {
  private(set) var source = ""

  /// Appends a request with its arguments, each quoted.
  mutating func request(_ name: String, _ arguments: [String]) {
    source += name
    for argument in arguments {
      let parts = Self.escaped(argument).split(separator: "\"", omittingEmptySubsequences: false)
      source += " \"" + parts.joined(separator: "\\(dq") + "\""
    }
    source += "\n"
  }

  mutating func text(_ text: String) {
    markup(Self.escaped(text))
  }

  /// Appends a line that may contain roff escapes. A control character at its start stays text.
  mutating func markup(_ line: String) {
    if line.hasPrefix(".") || line.hasPrefix("'") { source += "\\&" }
    source += line + "\n"
  }

  /// Appends a tagged paragraph: a label with roff escapes and a plain text.
  mutating func item(_ label: String, _ text: String) {
    source += ".TP\n"
    markup(label)
    self.text(text)
  }

  /// Escapes a text so that backslashes, quotes and dashes print literally and can be copied.
  static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\(rs"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      default: result.append(character)
      }
    }
    return result
  }
}
