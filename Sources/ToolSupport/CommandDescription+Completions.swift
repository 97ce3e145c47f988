extension CommandDescription {
  /// A script that completes the tool's options and their values in a shell.
  ///
  /// bash reads it with `source`; zsh finds it as `_NAME` in its `fpath`; fish finds it as
  /// `NAME.fish` in its completions folder.
  public func completions(for shell: Shell) -> String {
    switch shell {
    case .bash: bashCompletions
    case .zsh: zshCompletions
    case .fish: fishCompletions
    }
  }

  private var takesFiles: Bool {
    positional.map { Self.namesFile($0.placeholder) } ?? false
  }

  // MARK: bash

  private var bashCompletions: String {
    let function = "_" + name.split(separator: "-").joined(separator: "_")
    var lines = [
      "# bash completion for \(name)",
      "\(function)() {",
      "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD - 1]}\"",
      "  COMPREPLY=()",
      "  # bash splits --option=value at the equals sign.",
      "  if [[ $current == '=' ]]; then",
      "    current=''",
      "  elif [[ $previous == '=' ]]; then",
      "    previous=\"${COMP_WORDS[COMP_CWORD - 2]}\"",
      "  fi",
      "  case $previous in",
    ]
    for option in options where option.needsValue {
      let pattern = (option.shortName.map { "-\($0) | " } ?? "") + option.flagName
      lines.append("    \(pattern))")
      if !option.words.isEmpty {
        let words = option.words.joined(separator: " ")
        lines.append("      mapfile -t COMPREPLY < <(compgen -W '\(words)' -- \"$current\")")
      } else if option.takesFileName {
        lines.append("      compopt -o filenames")
        lines.append("      mapfile -t COMPREPLY < <(compgen -f -- \"$current\")")
      }
      lines += ["      return", "      ;;"]
    }
    let names = options.flatMap { option in
      (option.shortName.map { ["-\($0)"] } ?? []) + [option.flagName]
    }
    lines += [
      "  esac",
      "  if [[ $current == -* ]]; then",
      "    mapfile -t COMPREPLY < <(compgen -W '\(names.joined(separator: " "))' -- \"$current\")",
    ]
    if takesFiles {
      lines += [
        "  else",
        "    compopt -o filenames",
        "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")",
      ]
    }
    lines += ["  fi", "}", "complete -F \(function) \(name)"]
    return lines.joined(separator: "\n") + "\n"
  }

  // MARK: zsh

  private var zshCompletions: String {
    var lines = ["#compdef \(name)", "_arguments -s -S \\"]
    for option in options {
      let description = "[" + Self.zshEscaped(option.summary) + "]" + Self.zshValue(of: option)
      let suffix =
        switch option.value {
        case .flag: ""
        case .value: "="
        case .optionalChoice: "=-"
        }
      var names = [option.flagName + suffix]
      if let letter = option.shortName {
        names.insert("-\(letter)" + (option.needsValue ? "+" : ""), at: 0)
      }
      let excluded = (option.shortName.map { ["-\($0)"] } ?? []) + [option.flagName]
      for name in names {
        let prefix = option.isRepeatable ? "*" : "(" + excluded.joined(separator: " ") + ")"
        let value = name.hasPrefix("--") || option.needsValue ? description : Self.zshFlag(option)
        lines.append("  '\(prefix)\(name)\(value)' \\")
      }
    }
    if let positional {
      let action = takesFiles ? "_files" : " "
      let prefix = positional.maximumCount == 1 ? "1" : "*"
      lines.append("  '\(prefix):\(Self.zshEscaped(positional.placeholder)):\(action)'")
    } else {
      lines.append("  '*: :'")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func zshFlag(_ option: OptionDescription) -> String {
    "[" + zshEscaped(option.summary) + "]"
  }

  private static func zshValue(of option: OptionDescription) -> String {
    switch option.value {
    case .flag: ""
    case .value where !option.choices.isEmpty: ":word:(" + option.words.joined(separator: " ") + ")"
    case .value(let placeholder):
      ":\(zshEscaped(placeholder)):" + (option.takesFileName ? "_files" : " ")
    case .optionalChoice(let words): "::word:(" + words.joined(separator: " ") + ")"
    }
  }

  /// A text inside single quotes and the brackets of an `_arguments` specification.
  private static func zshEscaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "[", "]", ":", "\\": result += "\\" + String(character)
      case "'": result += "'\\''"
      default: result.append(character)
      }
    }
    return result
  }

  // MARK: fish

  private var fishCompletions: String {
    var lines = ["# fish completion for \(name)"]
    if !takesFiles { lines.append("complete -c \(name) -f") }
    for option in options {
      var line = "complete -c \(name)"
      if let letter = option.shortName { line += " -s \(letter)" }
      line += " -l \(option.longName)"
      switch option.value {
      case .flag: break
      case .value where !option.choices.isEmpty:
        line += " -x -a '\(option.words.joined(separator: " "))'"
      case .value: line += option.takesFileName ? " -r -F" : " -x"
      case .optionalChoice(let words): line += " -a '\(words.joined(separator: " "))'"
      }
      lines.append(line + " -d '\(Self.fishEscaped(option.summary))'")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A text inside single quotes of fish.
  private static func fishEscaped(_ text: String) -> String {
    var result = ""
    for character in text {
      if character == "'" || character == "\\" { result += "\\" }
      result.append(character)
    }
    return result
  }
}
