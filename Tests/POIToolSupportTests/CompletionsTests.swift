import Testing

@testable import POIToolSupport

@Suite("CommandDescription+Completions")
struct CompletionsTests {
  private let command = CommandDescription.example

  @Test(arguments: Shell.allCases)
  func `every option and every choice is completed`(shell: Shell) {
    let script = command.completions(for: shell)
    for option in command.options {
      let name = shell == .fish ? "-l \(option.longName)" : option.flagName
      #expect(script.contains(name), "\(option.flagName) is missing")
      if let letter = option.shortName {
        #expect(script.contains(shell == .fish ? "-s \(letter)" : "-\(letter)"))
      }
      for word in option.words {
        #expect(script.contains(word), "\(word) of \(option.flagName) is missing")
      }
    }
  }

  @Test(arguments: Shell.allCases)
  func `a shell that is installed reads its script`(shell: Shell) throws {
    guard Child.isInstalled(shell.rawValue) else { return }
    let output = ScratchFile()
    let check = Child.run(
      [shell.rawValue, "-n", "-c", command.completions(for: shell)], output: output)
    #expect(check?.status == 0)
    #expect(output.text == "")
  }

  @Test(
    .enabled(if: Child.isInstalled("bash")),
    arguments: [
      (["sift-sand", "--me"], "--mesh"),
      (["sift-sand", "--order", "f"], "fine"),
      (["sift-sand", "--order", "=", "co"], "coarse"),
      (["sift-sand", "--order", "="], "fine coarse"),
      (["sift-sand", "-m", ""], ""),
      (["sift-sand", "--progress", ""], "auto always never"),
    ])
  func `bash completes words`(words: [String], expected: String) {
    #expect(Self.bashCompletions(of: words, by: command) == expected)
  }

  /// The words that bash offers for the last of the words of a command line.
  private static func bashCompletions(of words: [String], by command: CommandDescription) -> String
  {
    let quoted = words.map { "'\($0)'" }.joined(separator: " ")
    let script =
      command.completions(for: .bash) + """
        COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count - 1)
        _\(command.name.replacing("-", with: "_")); echo "${COMPREPLY[*]}"
        """
    let output = ScratchFile()
    #expect(Child.run(["bash", "-c", script], output: output)?.status == 0)
    return String(output.text.dropLast())
  }

  @Test(
    .enabled(if: Child.isInstalled("bash")),
    arguments: [(["sift", "--sort", "="], "fine rough"), (["sift", "--sort", "--s"], "--sort")])
  func `bash completes the words of an option with an implied one only after an equals sign`(
    words: [String], expected: String
  ) {
    let choices = ["fine", "rough"].map { OptionDescription.Choice(word: $0, meaning: "so") }
    let command = CommandDescription(
      name: "sift", version: "1", summary: "sift",
      options: [
        OptionDescription("sort", "HOW", choices: choices, implied: "fine", summary: "sort")
      ])
    #expect(Self.bashCompletions(of: words, by: command) == expected)
  }

  @Test func `quotes and brackets of a summary stay text`() {
    let command = CommandDescription(
      name: "x", version: "1", summary: "y",
      options: [OptionDescription("odd", summary: "it's [a:b] \\ c")])
    #expect(
      command.completions(for: .zsh).contains(#"'(--odd)--odd[it'\''s \[a\:b\] \\ c]' \"#))
    #expect(command.completions(for: .fish).contains(#"-l odd -d 'it\'s [a:b] \\ c'"#))
  }
}
