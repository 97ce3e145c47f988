import Testing

@testable import POIReport

extension HTML.StringInterpolation {
  /// Accepts what the type itself does not, so that a test can detect it.
  fileprivate mutating func appendInterpolation<Value>(_ value: Value) {
    appendLiteral("refused")
  }
}

struct HTMLTests {
  @Test(arguments: [
    ("</script><b>", "&lt;/script&gt;&lt;b&gt;"),
    ("\"x\" onload='y' & z", "&quot;x&quot; onload=&#39;y&#39; &amp; z"),
    ("a\u{202E}b\u{200F}", "a⟨U+202E⟩b⟨U+200F⟩"),
    ("\0\n\u{1B}\u{7F}\u{85}", "&#9216;&#9226;&#9243;⟨U+7F⟩⟨U+85⟩"),
    ("\u{2028}\u{FEFF}\u{FFFE}\u{FFFF}", "⟨U+2028⟩⟨U+FEFF⟩⟨U+FFFE⟩⟨U+FFFF⟩"),
    ("क्‍ष 👨‍👩‍👧 عربى e\u{301}", "क्‍ष 👨‍👩‍👧 عربى e\u{301}"),
    ("<\u{338}", "&lt;\u{338}"), ("", ""),
  ])
  func `a text is escaped, and shows what could hide`(text: String, expected: String) {
    let html: HTML = "\(text: text)"
    #expect(html.text.unicodeScalars.elementsEqual(expected.unicodeScalars))
  }

  @Test func `a long text is cut`() {
    let million = String(repeating: "<", count: 1_000_000)
    let html: HTML = "\(text: million)|\(text: "abc", limit: 2)|\(text: "abc", limit: 3)"
    #expect(html.text == String(repeating: "&lt;", count: 200) + "…|ab…|abc")
  }

  @Test func `bytes that are not UTF-8 become replacement characters`() {
    let text = String(decoding: [0x61, 0xFF, 0xC0, 0x80, 0x3C] as [UInt8], as: UTF8.self)
    let html: HTML = "\(text: text)"
    #expect(html.text == "a\u{FFFD}\u{FFFD}\u{FFFD}&lt;")
  }

  @Test func `numbers have groups of digits, lengths two decimals`() {
    let html: HTML = "\(0) \(999) \(1_000) \(-1_234_567) \(-100) \(1.0 / 3)"
    #expect(html.text == "0 999 1,000 -1,234,567 -100 0.33")
  }

  @Test func `a literal accepts no plain string`() {
    let text = "x"
    let html: HTML = "\(text) \(Substring(text)) \(text.first!)"
    #expect(html.text == "refused refused refused")
  }
}
