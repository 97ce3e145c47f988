import Testing

@testable import POIRecords

@Suite struct VisibleTextTests {
  @Test(arguments: [
    ("", true), (" \t\n", true), ("\u{85}\u{A0}\u{1680}\u{2003}\u{200B}\u{3000}\u{FEFF}", true),
    ("\u{A9}", false), ("\u{1681}", false), ("\u{2010}", false), (" \u{3001}", false),
    (" x", false),
    ("é", false), ("😀", false),
  ])
  func `white space of every kind is blank`(_ text: String, _ isBlank: Bool) {
    #expect(VisibleText.isBlank(text.utf8Span.span) == isBlank)
  }
}
