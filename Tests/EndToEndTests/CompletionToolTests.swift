import Foundation
import POISQLite
import POITestSupport
import Testing

/// Completion of the names in a store, by the script of a tool in a shell.
@Suite struct CompletionToolTests {
  private static let shells = ["bash", "zsh", "fish"].filter {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
  }

  /// What a shell offers for the last word of a command line of `poi-export`.
  private func offers(
    _ words: [String], of kind: String, in shell: String, _ folder: borrowing ScratchFolder
  ) throws -> [String] {
    let tool = Tool("poi-export")
    let script = try tool.run(["--completions", shell], in: folder.path).output
    try folder.write(script, to: "script")
    let quoted = words.map { "'\($0)'" }.joined(separator: " ")
    let lines =
      switch shell {
      case "bash":
        """
        . ./script; compopt() { :; }; COMP_WORDS=(poi-export \(quoted)); COMP_CWORD=\(words.count)
        _poi_export; printf '%s\\n' "${COMPREPLY[@]}"
        """
      case "zsh":
        """
        . ./script 2> /dev/null; compset() { :; }; compadd() { print -rl -- $names }
        words=(poi-export \(quoted)); _poi_export_names \(kind)
        """
      default:
        "source script; complete -C \"poi-export \(words.joined(separator: " "))\" | string replace -r '\\t.*' ''"
      }
    let folders =
      "\(URL(fileURLWithPath: tool.path).deletingLastPathComponent().path):/usr/bin:/bin"
    let outcome = try Tool(path: "/usr/bin/\(shell)").run(
      ["-c", lines], in: folder.path, environment: ["PATH": folders, "HOME": folder.path])
    return outcome.output.split(separator: "\n").map(String.init).sorted()
  }

  @Test(arguments: shells)
  func `the tables and attributes of a store are offered`(shell: String) throws {
    let folder = try ScratchFolder()
    try folder.write(#"{"id":1,"city":"Łódź","kind":{"name":"x"}}"#, to: "a.json")
    let outcome = try Tool("poi-import").run(
      ["-q", "--infer", "-s", "a.sqlite", "a.json"], in: folder.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try offers(["-s", "a.sqlite", "-t", ""], of: "tables", in: shell, folder) == ["a"])
    #expect(try offers(["a.sqlite", "-t", ""], of: "tables", in: shell, folder) == ["a"])
    let columns = try offers(["a.sqlite", "-c", ""], of: "attributes", in: shell, folder)
    #expect(columns.contains("id") && columns.contains("city"), "\(columns)")
    if shell != "zsh" {
      let words = ["a.sqlite", "-t", "a", "-c", "id,ci"]
      #expect(try offers(words, of: "attributes", in: shell, folder) == ["id,city"])
    }
    #expect(try offers(["-s", "none.sqlite", "-t", ""], of: "tables", in: shell, folder) == [])
  }

  @Test(arguments: shells)
  func `a name in a store is text for a shell`(shell: String) throws {
    let folder = try ScratchFolder()
    try Connection(path: folder.file("o.sqlite")).execute(
      "CREATE TABLE \(name: "a $(touch made) `touch made`; touch made")(x)")
    let found = try offers(["-s", "o.sqlite", "-t", ""], of: "tables", in: shell, folder)
    #expect(found.count == 1 && found[0].hasPrefix("a"), "\(found)")
    #expect(!FileManager.default.fileExists(atPath: folder.file("made")))
  }
}
