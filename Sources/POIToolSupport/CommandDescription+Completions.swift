extension CommandDescription {
  /// A script that completes the tool's options and their values in a shell.
  ///
  /// bash reads it with `source`; zsh finds it as `_NAME` in its `fpath`; fish finds it as
  /// `NAME.fish` in its completions folder.
  func completions(for shell: Shell) -> String {
    switch shell {
    case .bash: bashCompletions
    case .zsh: zshCompletions
    case .fish: fishCompletions
    }
  }

  private var takesFiles: Bool {
    Self.namesFile(positional?.placeholder)
  }

  // MARK: bash

  private var bashCompletions: String {
    let function = "_" + name.split(separator: "-").joined(separator: "_")
    var lines = [
      "# bash completion for \(name)",
      "\(function)() {",
      "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD - 1]}\"",
      "  local equals=''",
      "  COMPREPLY=()",
      "  # bash splits --option=value at the equals sign.",
      "  if [[ $current == '=' ]]; then",
      "    current='' equals='='",
      "  elif [[ $previous == '=' ]]; then",
      "    previous=\"${COMP_WORDS[COMP_CWORD - 2]}\" equals='='",
      "  fi",
      "  case $previous$equals in",
    ]
    for option in options where option.placeholder != nil {
      let names = option.needsValue ? option.flagNames : []
      lines.append("    \((names + [option.flagName + "="]).joined(separator: " | ")))")
      if !option.words.isEmpty {
        let words = option.words.joined(separator: " ")
        lines.append("      mapfile -t COMPREPLY < <(compgen -W '\(words)' -- \"$current\")")
      } else if option.takesFileName {
        lines.append("      compopt -o filenames")
        lines.append("      mapfile -t COMPREPLY < <(compgen -f -- \"$current\")")
      } else if let kind = option.completed {
        // A name is no word for `compgen`, which would expand it.
        lines += [
          "      local name given=\"${current%\"${current##*,}\"}\"",
          "      compopt -o nospace",
          "      while IFS= read -r name; do",
          "        if [[ $given$name == \"$current\"* ]]; then COMPREPLY+=(\"$given$(printf '%q' \"$name\")\"); fi",
          "      done < <(\(name) \(StoreCompletion.option) \(kind) \"${COMP_WORDS[@]:1}\" 2> /dev/null)",
        ]
      }
      lines += ["      return", "      ;;"]
    }
    let names = options.flatMap(\.flagNames)
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
    let lister = "_\(name.replacing("-", with: "_"))_names"
    var lines = [
      "#compdef \(name)", "\(lister)() {", "  local -a names",
      "  names=(${(f)\"$(\(name) \(StoreCompletion.option) $1 ${(Q)words[2,-1]} 2> /dev/null)\"})",
      "  compset -P '*,'", "  compadd -S '' -a names", "}", "_arguments -s -S \\",
    ]
    for option in options {
      let names = option.flagNames
      let prefix = option.isRepeatable ? "*" : "(" + names.joined(separator: " ") + ")"
      let description =
        "[" + Self.zshEscaped(option.summary) + "]" + Self.zshValue(of: option, lister)
      for name in names {
        let suffix =
          option.impliedValue != nil
          ? "=-" : option.placeholder == nil ? "" : name.hasPrefix("--") ? "=" : "+"
        lines.append("  '\(prefix)\(name)\(suffix)\(description)' \\")
      }
    }
    if let positional {
      let action = takesFiles ? "_files" : " "
      let prefix = positional.isRepeatable ? "*" : "1"
      lines.append("  '\(prefix):\(Self.zshEscaped(positional.placeholder)):\(action)'")
    } else {
      lines.append("  '*: :'")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func zshValue(of option: OptionDescription, _ lister: String) -> String {
    guard let placeholder = option.placeholder else { return "" }
    guard option.choices.isEmpty else {
      return (option.impliedValue == nil ? "" : ":") + ":word:("
        + option.words.joined(separator: " ") + ")"
    }
    let action = option.completed.map { "{\(lister) \($0)}" } ?? " "
    return ":\(zshEscaped(placeholder)):" + (option.takesFileName ? "_files" : action)
  }

  /// Escapes a text for single quotes and the brackets of an `_arguments` specification.
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
      if !option.choices.isEmpty {
        let words = option.choices.map { "\($0.word)\\t\"\(Self.fishEscaped($0.meaning))\"" }
        line += (option.needsValue ? " -x" : "") + " -a '\(words.joined(separator: " "))'"
      } else if let kind = option.completed {
        line +=
          " -x -a '(__fish_complete_list , \"\(name) \(StoreCompletion.option) \(kind) (commandline -opc)[2..-1] 2> /dev/null\")'"
      } else if option.placeholder != nil {
        line += option.takesFileName ? " -r -F" : " -x"
      }
      lines.append(line + " -d '\(Self.fishEscaped(option.summary))'")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Escapes a text for single quotes of fish.
  private static func fishEscaped(_ text: String) -> String {
    var result = ""
    for character in text {
      if character == "'" || character == "\\" { result += "\\" }
      result.append(character)
    }
    return result
  }
}

/// A shell with completion support.
public enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish
}
