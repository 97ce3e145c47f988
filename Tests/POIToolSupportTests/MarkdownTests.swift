import Testing

@testable import POIToolSupport

@Suite("CommandDescription+Markdown")
struct MarkdownTests {
  private let markdown = CommandDescription.example.markdownOptions()

  @Test func `each group is a heading above its options with their details and choices`() {
    #expect(
      markdown.hasPrefix(
        """
        ## Sifting

        ### `--mesh`

        `-m`, `--mesh N`: the width of a hole (default: 500).

        A mesh wears out. It's replaced [rarely].

        ### `--order`

        `--order ORDER`: which grains come first (default: fine).

        - `fine`: the fine ones
        - `coarse`: the coarse ones

        ### `--key`

        `-k`, `--key NAME[,NAME]`: what tells one grain from another (repeatable).

        ### `--dry-run`

        """))
    #expect(
      markdown.contains(
        """


        ## Heap

        ### `--heap`

        `-o`, `--heap PATH`: where the sand goes (default: heap.sand; environment: SAND_HEAP).

        ### `--limit`

        """))
  }

  @Test func `each option has one heading, its long name`() {
    let headings = markdown.split(separator: "\n").map(String.init).filter { $0.hasPrefix("### ") }
    let names = CommandDescription.example.options.map { "### `--\($0.longName)`" }
    #expect(headings.sorted() == names.sorted())
  }
}
