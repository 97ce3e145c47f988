import Testing

@testable import POIRecords

@Suite struct TextFormatTests {
  @Test(arguments: [
    ("a@[127.0.0.1]", true), ("a@[127.0.0]", false), ("a@[1.2]", false),
    ("a@[IPv6:::1]", true), ("a@[IPv6:1:2:3:4:5:6:7:8]", true), ("a@[IPv6:1:2:3:4:5:6:7]", false),
    ("a@[IPv6:1:2:3:4:5:6:127.0.0.1]", true), ("a@[IPv6:::127.0.0.256]", false),
    ("a@[IPv6::1]", false), ("a@[IPv6:1::2::3]", false), ("a@[IPv6:12345::]", false),
    ("a@[IPv6:1::2x]", false), ("a@[IPv6:1::2:]", false), ("a@[IPv6:1:2:3:4:5:6:7::8]", false),
    (#""a b"@example.org"#, true), (#""a\"b"@example.org"#, true), (#""a"b"@example.org"#, false),
    (#""a\"@example.org"#, false), ("\"a\u{7F}\"@example.org", false), ("a@-b.org", false),
    ("a@b-.org", false), ("a@b.-c", false), ("a@b_c", false), ("a@[]", false),
  ])
  func `an e-mail address is what RFC 5321 calls a mailbox`(_ text: String, _ isOne: Bool) {
    #expect(TextFormat.email.admits(text.utf8Span.span) == isOne)
  }

  @Test(arguments: [
    ("https://user:word@example.org:8080/a?b#c", true), ("https://a@b@c/", false),
    ("https://[::1]:80/", true), ("https://[::1/", false), ("https://[::1]x", false),
    ("https://[v1.a:b]/", true), ("https://[v.a]/", false), ("https://[vg.a]/", false),
    ("https://[v1.]/", false), ("https://example.org:8x/", false), ("a:b?c{d", false),
    ("a:b#c{d", false), ("a:%41", true), ("a:%4", false), ("a:%4g", false), ("1a:b", false),
    ("a b:c", false), ("https://a{b/", false),
  ])
  func `a URI is valid by RFC 3986`(_ text: String, _ isOne: Bool) {
    #expect(TextFormat.uri.admits(text.utf8Span.span) == isOne)
  }
}
