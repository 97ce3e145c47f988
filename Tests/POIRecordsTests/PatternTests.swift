import POITestSupport
import Testing

@testable import POIRecords

@Suite struct PatternTests {
  /// An expression, a text, and whether it matches by ECMA-262.
  private static let known: [(String, String, Bool)] = [
    ("^a$", "a\n", false), ("^a$", "a", true), ("b", "abc", true), ("", "", true),
    (#"^\d$"#, "5", true), (#"^\d$"#, "৪", false), (#"^\w$"#, "é", false), (#"\W"#, "é", true),
    (#"^\s$"#, "\u{FEFF}", true), (#"^\S$"#, "\u{A0}", false), (#"^.$"#, "\u{2028}", false),
    (#"^.$"#, "😀", true), ("^.$", "e\u{301}", false), ("é", "e\u{301}", false),
    (#"\bab\b"#, "éab", true), (#"\bab\b"#, "xab", false), (#"\Bb"#, "ab", true),
    (#"\b1"#, "1", true), (#"\b1"#, "a1", false), (#"\B1"#, "1", false), (#"\B1"#, "a1", true),
    (#"^\d{4}\b"#, "1012", true), (#"^\d{4}\b"#, "1012 AB", true), (#"^\d{4}\b"#, "1012AB", false),
    (#"\bfoo\b"#, "foo1", false), (#"^\b$"#, "", false), (#"^\B$"#, "", true),
    (#"a$\b"#, "a", true),
    (#"^[^a]\b.$"#, "-1", true), (#"^(?:\d\b|x)+$"#, "x1", true),
    (#"^e\b"#, "e\u{301}", true), (#"\b."#, "\u{FFFFF}", false), (#"^.\b."#, "\u{FFFFF}1", true),
    (#"[^]\b"#, "a", true), ("^a[]?$", "a", true),
    ("[]", "a", false), ("^[^]$", "\n", true), ("^[a-c-]+$", "b-a", true), ("^[\\]x]$", "]", true),
    (#"^[^\d]$"#, "5", false), (#"^[\D]$"#, "x", true),
    (#"^[\u0041-\x43\u{44}]+$"#, "ABCD", true), (#"^\ud83d\ude00$"#, "😀", true),
    (#"^\cJ\0$"#, "\n\0", true), (#"^\p{Lu}\P{Lu}$"#, "Éa", true),
    (#"^\p{Script=Greek}+$"#, "αβγ", true),
    (#"^(?<year>\d{4})-(?:0[1-9]|1[0-2])$"#, "2024-02", true),
    ("^(?:a|b|)$", "", true), ("^(a+)+$", "aaaab", false),
    ("^(?:a*)*$", "aaa", true), ("^((a+|b)c{2}){2,}$", "aaccbcc", true),
    ("^(?:){3}a{0}$", "", true),
    ("^(?:ab){2,3}$", "abababab", false), ("^(?:ab){2,3}$", "ababab", true),
    ("^a{2,}$", "a", false),
    (#"^[^\p{L}\d]$"#, "é", false), (#"^[^\p{L}\d]$"#, "😀", true), (#"^[\W\d]$"#, "5", true),
    (#"^[\S]$"#, " ", false), (#"^\p{Script=Han}{2}$"#, "東京", true),
    ("^a{2,3}?$", "aaaa", false), (#"^\$\.\-\/$"#, "$.-/", true),
    (#"^\t\n\v\f\r[\b]$"#, "\t\n\u{B}\u{C}\r\u{8}", true), (#"^a\{2\}$"#, "a{2}", true),
  ]

  @Test(arguments: known)
  func `an expression matches what ECMA-262 says`(
    _ pattern: String, _ text: String, _ matches: Bool
  ) throws {
    var compiled = try Pattern(pattern)
    // The second call uses cached states.
    let found = [compiled.matches(text), compiled.matches(text)]
    #expect(found == [matches, matches])
  }

  @Test(arguments: [
    (#"(a)\1"#, "backreferences"), (#"(?<n>a)\k<n>"#, "backreferences"),
    ("a(?=b)", "lookarounds are not supported"), ("(?!a)b", "lookarounds are not supported"),
    ("(?<=a)b", "lookarounds are not supported"), ("(?<!a)b", "lookarounds are not supported"),
    ("(?i)a", "an unknown kind"), ("a**", "repeats nothing"),
    ("*a", "repeats nothing"), ("a{", "no number"), ("a{3,2}", "out of order"),
    ("]", "must be escaped"),
    ("a}", "must be escaped"), ("(a", "not closed"), ("a)", "not open"), ("[a", "not closed"),
    ("[z-a]", "out of order"), (#"[\d-x]"#, "with a class"), (#"\Aa"#, "not an escape"),
    (#"a\z"#, "not an escape"), (#"\u12"#, "digits"),
    (#"\ud800"#, "no character"), (#"\p{Foo}"#, "Swift's engine"), (#"\p"#, "no property"),
    (#"\01"#, "octal"), (#"a\"#, "backslash"),
    ("(?:a{1000}){1000}", "100000 steps"), ("(?:(?:){99999}a?){0,99999}", "100000 steps"),
    ("a{1000000}", "100000 steps"), ("a{0,99999999999999999999}", "100000 steps"),
    ("(?<n", "name is not closed"), ("(?<>a)", "name is not closed"), ("a{2", "is not closed"),
    (#"\p{a-b}"#, "no property"), (#"\p{L"#, "no property"), (#"\c1"#, "no control character"),
    (#"\u{}"#, "no character"), (#"\ud800\u0041"#, "half of a surrogate pair"),
  ])
  func `an unsupported expression is refused with the reason`(
    _ pattern: String, _ reason: String
  ) {
    let error = #expect(throws: PatternError.self) { _ = try Pattern(pattern) }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test func `groups are nested up to a limit`() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth)
    }
    let limit = PatternReader.depthLimit
    for (pattern, text) in [(nested(limit), "a"), (nested(limit) + nested(limit), "aa")] {
      var pattern = try Pattern(pattern)
      let isFound = pattern.matches(text)
      #expect(isFound)
    }
    for depth in [limit + 1, 100_000] {
      let error = #expect(throws: PatternError.self) { _ = try Pattern(nested(depth)) }
      #expect(error?.message.contains("deeper than \(limit) levels") == true)
    }
  }

  /// Expressions for which a backtracking engine needs at least quadratic time on a text that nearly
  /// matches, and one with an enormous number of states.
  @Test(arguments: [
    #"\d+$"#, "(1+)+$", "^(1|1)*$", "^1*1*1*1*$", "(?:[0-9]{1,9}-?){1,9}!",
    "(?:0|1)*1(?:0|1){12}!",
  ])
  func `a long text that nearly matches is checked quickly`(_ pattern: String) throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix64(seed: seed)
    var pattern = try Pattern(pattern)
    for text in [
      String(repeating: "1", count: 200_000) + "x",
      String((0..<200_000).map { _ in Bool.random(using: &random) ? "1" : "0" }) + "x",
    ] {
      let isFound = pattern.matches(text)
      #expect(!isFound, "seed \(seed)")
    }
  }

  @Test func `the cached states are bounded`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix64(seed: seed)
    let letters = String(
      String.UnicodeScalarView((0x4E00..<0x5600).compactMap(Unicode.Scalar.init)))
    let alternatives = letters.map { "\($0)" }.joined(separator: "|")
    for (pattern, text) in [
      // States with many instructions.
      (
        "(?:0|1)*1(?:0|1){1500}!",
        String((0..<2_500).map { _ in Bool.random(using: &random) ? "1" : "0" })
      ),
      // Many letters.
      ("^(?:\(alternatives))*!", letters),
    ] {
      var pattern = try Pattern(pattern)
      _ = pattern.matches(text)
      #expect(pattern.keptCount < 1 << 20, "seed \(seed)")
    }
  }

  @Test func `alternatives with the same end share a state`() throws {
    let letters = "abcdefghijklmnopqrstuvwxyz"
    func keptCount(_ pattern: String) throws -> Int {
      var pattern = try Pattern(pattern)
      let isFound = pattern.matches(letters)
      #expect(isFound)
      return pattern.keptCount
    }
    let alternatives = letters.map { "\($0)" }.joined(separator: "|")
    #expect(try keptCount("^(?:(?:\(alternatives))|0)*$") < 300)
  }

  /// Swift's engine is the oracle for syntax that both languages share.
  @Test func `random expressions match what Swift's engine matches`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix64(seed: seed)
    for _ in 0..<TestLength.count(500, long: 2_000) {
      let text = Self.randomExpression(depth: 3, &random)
      var pattern = try Pattern(text)
      let oracle = try Regex(
        text.replacing("(?:^)", with: #"\A"#).replacing("(?:$)", with: #"\z"#)
      ).matchingSemantics(.unicodeScalar)
      for _ in 0..<20 {
        let length = Int.random(in: 0...7, using: &random)
        let subject = String(
          (0..<length).map { _ in "aabbcé\n".randomElement(using: &random) ?? "a" })
        let isFound = pattern.matches(subject)
        #expect(
          try isFound == (oracle.firstMatch(in: subject) != nil),
          "\(text) in \(subject.debugDescription), seed \(seed)")
      }
    }
  }

  private static func randomExpression(depth: Int, _ random: inout SplitMix64) -> String {
    func part() -> String { randomExpression(depth: depth - 1, &random) }
    switch Int.random(in: depth == 0 ? 3...7 : 0...7, using: &random) {
    case 0: return "(?:\(part())|\(part()))"
    case 1: return part() + part()
    case 2:
      return "(?:\(part()))"
        + (["*", "+", "?", "{2}", "{1,3}"].randomElement(using: &random) ?? "")
    case 3: return ["(?:^)", "(?:$)", "", "."].randomElement(using: &random) ?? ""
    case 4: return ["[ab]", "[^a]", "[^bé]"].randomElement(using: &random) ?? ""
    default: return ["a", "b", "c", "é"].randomElement(using: &random) ?? ""
    }
  }
}

extension Pattern {
  fileprivate mutating func matches(_ text: String) -> Bool { matches(text.utf8Span.span) }
}
