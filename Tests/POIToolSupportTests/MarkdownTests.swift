import Testing

@testable import POIToolSupport

@Suite("CommandDescription+Markdown")
struct MarkdownTests {
  @Test func `each group is a heading and a list of its options and their choices`() {
    let markdown = CommandDescription.example.markdownOptions()
    #expect(
      markdown.hasPrefix(
        """
        ## Sifting

        - `-m`, `--mesh N`: the width of a hole (default: 500). A mesh wears out. It's replaced \
        [rarely].
        - `--order ORDER`: which grains come first (default: fine).
          - `fine`: the fine ones
          - `coarse`: the coarse ones
        - `-k`, `--key NAME[,NAME]`: what tells one grain from another (repeatable).

        """))
    #expect(markdown.contains("\n\n## Heap\n\n- `-o`, `--heap PATH`: where the sand goes"))
  }
}
