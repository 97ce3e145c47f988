import POITestSupport
import Testing

@Suite struct RulePageTests {
  /// Run with `WRITE_PAGES=1` in the environment to update the page.
  @Test func `the page of rules shows the catalogue`() throws {
    try Page(path: "Reference/Rules.md").check(part: "rules", is: RuleDescription.markdown)
  }
}

extension RuleDescription {
  /// The rules as Markdown: a heading for each rule, then its forms with examples.
  fileprivate static var markdown: String {
    var names: [String] = []
    for rule in catalogue where !names.contains(rule.name) { names.append(rule.name) }
    return names.map { name in
      "\n## \(name)\n" + catalogue.filter { $0.name == name }.map(\.markdown).joined()
    }.joined() + "\n"
  }

  private var markdown: String {
    func code(_ examples: [String]) -> String {
      examples.map { "`" + $0.replacing("|", with: "\\|") + "`" }.joined(separator: " ")
    }
    let required = required.isEmpty ? "" : " required"
    let root = root.isEmpty ? "" : ", at the root \(code([root]))"
    return """

      \(summary.prefix(1).uppercased())\(summary.dropFirst()).

      | model | accepted | rejected |
      |---|---|---|
      | \(code([attributes]))\(required)\(root) | \(code(accepted)) | \(code(rejected)) |

      """
  }
}
