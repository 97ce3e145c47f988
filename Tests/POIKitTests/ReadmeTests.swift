import POIKit
import Testing

@Suite struct ReadmeTests {
  /// Run with `WRITE_README=1` in the environment to bring the README up to date.
  @Test func `the README's table of rules is the catalogue`() throws {
    try Readme.check(part: "rules", is: RuleDescription.markdownTable)
  }
}

extension RuleDescription {
  /// The rules as a Markdown table.
  fileprivate static var markdownTable: String {
    var text = "| rule | asks that | model | accepted | rejected |\n|---|---|---|---|---|\n"
    for rule in catalogue {
      func code(_ examples: [String]) -> String {
        examples.map { "`" + $0.replacing("|", with: "\\|") + "`" }.joined(separator: "<br>")
      }
      let required = rule.required.isEmpty ? "" : "<br>required"
      let root = rule.root.isEmpty ? "" : "<br>root: \(code([rule.root]))"
      text += "| `\(rule.name)` | \(rule.summary) | \(code([rule.attributes]))\(required)\(root) "
      text += "| \(code(rule.accepted)) | \(code(rule.rejected)) |\n"
    }
    return text
  }
}
