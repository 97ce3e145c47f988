import Testing

@testable import ToolSupport

@Suite("CommandDescription+Markdown")
struct MarkdownTests {
  @Test func `each option is a row of two cells`() {
    let command = CommandDescription.example
    let lines = command.markdownOptions().split(separator: "\n").map(String.init)
    #expect(lines.count == command.options.count + 2)
    #expect(lines[0] == "| option | what it does |")
    #expect(lines[1] == "|---|---|")
    #expect(
      lines[2]
        == "| `-m`, `--mesh N` | the width of a hole (default: 500). A mesh wears out. It's replaced "
        + "[rarely]. |")
    #expect(
      lines[3]
        == #"| `--order fine\|coarse` | which grains come first: the fine or the coarse ones "#
        + "(default: fine). |")
  }
}
