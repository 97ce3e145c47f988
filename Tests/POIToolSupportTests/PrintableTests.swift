import Testing

@testable import POIToolSupport

@Suite("printable")
struct PrintableTests {
  @Test(arguments: [
    ("plain 'text' é漢😀", "plain 'text' é漢😀"),
    ("\u{1b}[31mred\u{7}", #"\u{1b}[31mred\u{7}"#),
    ("a\nb\r\nc\td", #"a\u{a}b\u{d}\u{a}c\u{9}d"#),
    ("\u{0}\u{7f}\u{9b}2J", #"\u{0}\u{7f}\u{9b}2J"#),
    ("\u{2028}\u{2029}", #"\u{2028}\u{2029}"#),
    ("abc\u{202e}fdp.exe", #"abc\u{202e}fdp.exe"#),
    ("\u{feff}x\u{ad}y", #"\u{feff}x\u{ad}y"#),
    ("👩\u{200d}🚀 e\u{301}", "👩\u{200d}🚀 e\u{301}"),
  ])
  func `characters that act on a terminal are shown as numbers`(text: String, expected: String) {
    #expect(printable(text) == expected)
  }

  @Test func `JSON text keeps its value with escapes`() {
    let text = "{\n  \"a\": \"\u{7f}\u{9b}\u{2028}\u{e0001}é漢😀\"\n}\n"
    let expected = #"{\n  "a": "\u007f\u009b\u2028\udb40\udc01é漢😀"\n}\n"#
    #expect(printableJSON(text) == expected.replacing("\\n", with: "\n"))
  }

  @Test func `no control character remains`() {
    for value: UInt32 in 0...0x10ffff {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let shown = printable(String(scalar))
      guard scalar.properties.generalCategory == .control else { continue }
      #expect(shown == "\\u{" + String(value, radix: 16) + "}")
    }
  }
}
