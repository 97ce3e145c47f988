import Glibc
import JSONStreaming
import POITestSupport
import Testing

/// Compares validation with an independent parser, Python's.
@Suite struct VerdictTests {
  /// The number of documents; set `VERDICTS` in the environment to change it.
  private static let documentCount =
    unsafe getenv("VERDICTS").flatMap { unsafe Int(String(cString: $0)) } ?? 20_000

  private static let script =
    "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    + "/scripts/json-verdicts"

  private static let tokens = [
    "{", "}", "[", "]", ",", ":", "\"a\"", "\"\"", "\"\\u0041\"", "\"\\ud83d\\ude00\"",
    "\"\\ud83d\"", "\"\\ude00\"", "\"\\ud83d\\u0041\"", "\"\\x\"", "\"\\u12\"", "\"é😀\"", "\"\t\"",
    "\"\u{7f}\"", "\"", "\\", "0", "-0", "01", "1.", ".5", "1.5", "1e5", "1E+", "-", "+1",
    "1e999999", "9223372036854775808", "true", "false", "null", "nul", "NaN", "Infinity",
    "-Infinity", " ", "\n", "\r", "\t", "\u{c}", "\u{b}", "\u{a0}", "\u{feff}", "/**/", "//", "'a'",
  ]

  /// A document of random tokens, some of them in a nearly well-formed container.
  private static func tokenSoup(using generator: inout SplitMix64) -> [UInt8] {
    let count = Int.random(in: 0..<7, using: &generator)
    let parts = (0..<count).map { _ in tokens.randomElement(using: &generator) ?? "" }
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: return Array(parts.joined().utf8)
    case 1: return Array(("[" + parts.joined(separator: ",") + "]").utf8)
    case 2: return Array(("{\"k\":" + parts.joined() + "}").utf8)
    default:
      let depth = Int.random(in: 120..<136, using: &generator)
      return Array(
        (String(repeating: "[", count: depth) + (parts.first ?? "")
          + String(repeating: "]", count: depth)).utf8)
    }
  }

  /// A document of any kind; some have changed bytes that are not UTF-8.
  private static func document(using generator: inout SplitMix64) -> [UInt8] {
    guard Bool.random(using: &generator) else { return tokenSoup(using: &generator) }
    var bytes = RandomInput(
      seed: generator.next(), damageCount: Int.random(in: 0..<3, using: &generator)
    ).bytes
    if !bytes.isEmpty, Int.random(in: 0..<4, using: &generator) == 0 {
      bytes[Int.random(in: 0..<bytes.count, using: &generator)] =
        UInt8.random(in: 0x80...0xFF, using: &generator)
    }
    return bytes
  }

  private static func isSound(_ document: [UInt8]) -> Bool {
    // Behind a record separator, a sequence of documents is valid, and one document is not.
    let isTextSequence =
      document.starts(with: [0x1E]) || document.starts(with: [0xEF, 0xBB, 0xBF, 0x1E])
    guard !isTextSequence else {
      return ElementReader.flaw(inDocument: document.span) == nil
    }
    let events = observe(document, .sequence)
    guard events.count == 2, case .element = events[0], events[1] == .end else { return false }
    return true
  }

  @Test func `a document is valid exactly if Python accepts it`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    var documents: [[UInt8]] = []
    for folder in ["json-test-suite/test_parsing", "json-test-suite/test_transform"] {
      for name in RealData.names(in: folder, suffix: ".json") {
        documents.append(try RealData.bytes(of: "\(folder)/\(name)"))
      }
    }
    for _ in 0..<Self.documentCount {
      documents.append(Self.document(using: &generator))
    }

    let digits = Array("0123456789abcdef".utf8)
    var lines: [UInt8] = []
    for document in documents {
      for byte in document { lines += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
      lines.append(UInt8(ascii: "\n"))
    }
    let folder = try ScratchFolder()
    let outcome = try Tool(path: Self.script).run([], in: folder.path, input: lines)
    try #require(outcome.exitCode == 0, "\(outcome.messages)")
    let verdicts = Array(outcome.output.utf8)
    try #require(verdicts.count == documents.count)
    var soundCount = 0
    for (document, verdict) in zip(documents, verdicts) {
      let isSound = Self.isSound(document)
      if isSound { soundCount += 1 }
      guard isSound != (verdict == UInt8(ascii: "1")) else { continue }
      Issue.record(
        """
        seed \(seed): \(isSound ? "sound" : "not sound") for us only:
        \(String(decoding: document.prefix(400), as: UTF8.self).debugDescription) \(document.prefix(100))
        """)
    }
    // Both kinds occur often.
    #expect(soundCount > documents.count / 10 && soundCount < documents.count * 9 / 10)
  }
}
