import Testing

@testable import POIKit

@Suite struct PatternTests {
  /// An expression, a text, and whether ECMA-262 finds it there.
  @Test(arguments: [
    ("^a$", "a\n", false), ("^a$", "a", true), ("b", "abc", true), ("", "", true),
    (#"^\d$"#, "5", true), (#"^\d$"#, "৪", false), (#"^\w$"#, "é", false), (#"\W"#, "é", true),
    (#"^\s$"#, "\u{FEFF}", true), (#"^\S$"#, "\u{A0}", false), (#"^.$"#, "\u{2028}", false),
    (#"^.$"#, "😀", true), ("^.$", "e\u{301}", false), ("é", "e\u{301}", false),
    (#"\bab\b"#, "éab", true), (#"\bab\b"#, "xab", false), (#"\Bb"#, "ab", true),
    (#"\b1"#, "1", true), (#"\b1"#, "a1", false), (#"\B1"#, "1", false), (#"\B1"#, "a1", true),
    (#"^\d{4}\b"#, "1012", true), (#"^\d{4}\b"#, "1012 AB", true), (#"^\d{4}\b"#, "1012AB", false),
    (#"\bfoo\b"#, "foo1", false), (#"^\b$"#, "", false), (#"^\B$"#, "", true),
    (#"a$\b"#, "a", true),
    (#"^[^a]\b.$"#, "-1", true), (#"^(?:\d\b|x)+$"#, "x1", true), (#"(?!\B)_"#, "-_", true),
    (#"^e\b"#, "e\u{301}", true), (#"\b."#, "\u{FFFFF}", false), (#"^.\b."#, "\u{FFFFF}1", true),
    (#"[^]\b"#, "a", true), (#"(?=2\b)\d"#, "12", true), (#"(?=1\b)\d"#, "123", false),
    ("^a[]?$", "a", true),
    ("[]", "a", false), ("^[^]$", "\n", true), ("^[a-c-]+$", "b-a", true), ("^[\\]x]$", "]", true),
    (#"^[^\d]$"#, "5", false), (#"^[\D]$"#, "x", true),
    (#"^[\u0041-\x43\u{44}]+$"#, "ABCD", true), (#"^\ud83d\ude00$"#, "😀", true),
    (#"^\cJ\0$"#, "\n\0", true), (#"^\p{Lu}\P{Lu}$"#, "Éa", true),
    (#"^\p{Script=Greek}+$"#, "αβγ", true),
    (#"^(?<year>\d{4})-(?:0[1-9]|1[0-2])$"#, "2024-02", true),
    (#"^(?!no)[a-z]+(?=!)"#, "yes!", true), (#"^(?!no)[a-z]+"#, "not", false),
    ("^a{2,3}?$", "aaaa", false), (#"^\$\.\-\/$"#, "$.-/", true),
    (#"^\t\n\v\f\r[\b]$"#, "\t\n\u{B}\u{C}\r\u{8}", true), (#"^a\{2\}$"#, "a{2}", true),
  ])
  func `an expression matches what ECMA-262 says`(
    _ pattern: String, _ text: String, _ matches: Bool
  ) throws {
    #expect(try Pattern(pattern).matches(text) == matches)
  }

  @Test(arguments: [
    (#"(a)\1"#, "backreferences"), (#"(?<n>a)\k<n>"#, "backreferences"), ("(?<=a)b", "lookbehind"),
    ("(?<!a)b", "lookbehind"), ("(?i)a", "no known kind"), ("a**", "repeats nothing"),
    ("*a", "repeats nothing"), ("a{", "no number"), ("a{3,2}", "out of order"),
    ("]", "stands alone"),
    ("a}", "stands alone"), ("(a", "not closed"), ("a)", "not open"), ("[a", "not closed"),
    ("[z-a]", "out of order"), (#"[\d-x]"#, "with a class"), (#"\Aa"#, "no escape"),
    (#"a\z"#, "no escape"), (#"\u12"#, "digits"),
    (#"\ud800"#, "no character"), (#"\p{Foo}"#, "Swift's engine"), (#"\p"#, "no property"),
    (#"\01"#, "octal"), (#"a\"#, "backslash"), ("(?=a)*", "repeats nothing"),
    ("((a+)b)*", "nests repetitions"), ("(a+|b){2,}", "nests repetitions"),
    ("(?<n", "name is not closed"), ("(?<>a)", "name is not closed"), ("a{2", "is not closed"),
    (#"\p{a-b}"#, "no property"), (#"\p{L"#, "no property"), (#"\c1"#, "no control character"),
    (#"\u{}"#, "no character"), (#"\ud800\u0041"#, "half of a surrogate pair"),
  ])
  func `what cannot be read or enforced is refused with the reason`(
    _ pattern: String, _ reason: String
  ) {
    let error = #expect(throws: PatternError.self) { _ = try Pattern(pattern) }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test func `groups are nested up to a limit`() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth)
    }
    let limit = PatternTranslation.depthLimit
    #expect(try Pattern(nested(limit)).matches("a"))
    #expect(try Pattern(nested(limit) + nested(limit)).matches("aa"))
    for depth in [limit + 1, 100_000] {
      let error = #expect(throws: PatternError.self) { _ = try Pattern(nested(depth)) }
      #expect(error?.message.contains("deeper than \(limit) levels") == true)
    }
  }
}
