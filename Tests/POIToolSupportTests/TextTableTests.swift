import Testing

@testable import POIToolSupport

@Suite struct TextTableTests {
  @Test func `columns are aligned and lines end without spaces`() {
    var table = TextTable(.left, .right, .left)
    table.append("read", "1,234", "all")
    table.append("rejected", "7", "")
    table.append("é", "0", "x")
    #expect(
      table.text(indent: 2) == """
          read      1,234  all
          rejected      7
          é             0  x

        """)
  }

  @Test func `cells are made printable`() {
    var table = TextTable(.left, .left)
    table.append("a\u{1b}[2J\n", "b")
    #expect(table.text() == "a\\u{1b}[2J\\u{a}  b\n")
  }

  @Test func `a table without rows is empty`() {
    #expect(TextTable(.left).text() == "")
  }
}
